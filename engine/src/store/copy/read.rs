//! Reads a copy of a run in one transaction, so that all rows are from the same instant.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::{CopiedTable, CopyScope, tables};
use crate::base::{Digest, Problem, RunId, TypedId as _};
use crate::params;
use crate::store::error::StoreError;
use crate::store::param::{ColumnType, Param};
use crate::store::refs::RunRef;
use crate::store::row::Row;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

/// Maximum number of rows of a copy. Several times as many rows fit into memory,
/// and the largest campaign of a large church needs a tenth of this number.
const ROWS_MAX: usize = 500_000;

/// A run with all rows that decide how the run continues, at one instant.
#[derive(Debug)]
pub struct RunCopy {
    pub(super) tables: Vec<(&'static CopiedTable, Vec<Vec<Param>>)>,
    /// Number of copied runs: the run itself, its ancestors and descendants,
    /// and the live runs that work on the same requests.
    pub runs: usize,
    /// Number of copied rows in all tables.
    pub rows: usize,
}

impl RunCopy {
    /// Returns the tables of the engine that a copy takes rows from.
    pub fn engine_tables() -> impl Iterator<Item = &'static CopiedTable> {
        tables::all()
    }

    /// Leaves out a run and what it has done so far, as far as a copy can: each row that names the run, and each
    /// row about a person and a request of such a row, such as the state of somebody whom the run has asked. The
    /// tallies of the request stay as they are.
    #[must_use]
    pub fn without(mut self, run: RunId) -> Self {
        let own = Param::Id(Some(run.uuid()));
        let mut asked = Vec::new();
        for (table, rows) in &mut self.tables {
            let pair = person_and_request(table);
            rows.retain(|row| {
                let of_run = row.contains(&own);
                asked.extend(pair.filter(|_| of_run).map(|pair| pair.map(|at| row[at].clone())));
                !of_run
            });
        }
        for (table, rows) in &mut self.tables {
            let Some(pair) = person_and_request(table) else { continue };
            rows.retain(|row| !asked.contains(&pair.map(|at| row[at].clone())));
        }
        self
    }

    /// Returns the maximum number of rows that the next query may read.
    fn room(&self) -> i64 {
        // The result is one row more than still fits into the copy.
        // If the query returns that many rows, the copy is too large.
        i64::try_from(ROWS_MAX + 1 - self.rows.min(ROWS_MAX)).unwrap_or(i64::MAX)
    }

    fn add(&mut self, table: &'static CopiedTable, rows: &[Row]) -> Result<(), Problem> {
        self.rows += rows.len();
        if self.rows > ROWS_MAX {
            return Err(too_large());
        }
        let row =
            |row: &Row| table.columns.iter().map(|(name, kind)| row.param(name, *kind)).collect();
        let rows: Result<Vec<Vec<Param>>, StoreError> = rows.iter().map(row).collect();
        self.tables.push((table, rows?));
        Ok(())
    }
}

/// Returns the places of the columns `person` and `request` in a table that has both.
fn person_and_request(table: &CopiedTable) -> Option<[usize; 2]> {
    let place = |name| table.columns.iter().position(|(column, _)| *column == name);
    Some([place("person")?, place("request")?])
}

fn too_large() -> Problem {
    let message = format!("a copy of this run needs more than {ROWS_MAX} rows");
    Problem::caller("copy_too_large", message)
        .with_hint("simulate its method instead: `abide simulate METHOD --goal …`")
}

impl Tx {
    /// Copies a run of a tenant with all rows that decide how the run continues.
    /// `domain` lists the domain's tables to copy. Returns `None` if the tenant has no such run.
    ///
    /// # Errors
    /// `copy_too_large` if the copy would have too many rows to hold in memory.
    pub async fn copy_run(
        &mut self,
        run: RunRef<'_>,
        domain: &'static [CopiedTable],
    ) -> Result<Option<RunCopy>, Problem> {
        let tenant = run.tenant;
        let Some(related) = self.related_runs(run).await? else { return Ok(None) };
        let mut copy = RunCopy { tables: Vec::new(), runs: related.runs.len(), rows: 0 };
        let ids: Vec<Uuid> = related.runs.union(&related.partitions).copied().collect();
        let mut rows = Rows::new(&[("id", ColumnType::Id)]);
        ids.iter().for_each(|id| rows.push([Param::Id(Some(*id))]));
        for table in tables::TABLES.iter().chain(domain) {
            let limit = copy.room();
            let read = match table.scope {
                CopyScope::Free => self.rows(table.read, &params![limit]).await?,
                CopyScope::Tenant => self.rows(table.read, &params![limit, tenant]).await?,
                CopyScope::Ids => self.bulk(table.read, &params![limit], &rows).await?,
                CopyScope::Both => self.bulk(table.read, &params![limit, tenant], &rows).await?,
            };
            copy.add(table, &read)?;
        }
        self.copy_by_digest(&mut copy).await?;
        Ok(Some(copy))
    }

    /// Adds the definitions and large values whose digests the copied rows contain.
    /// Repeats this for the added rows, until no new digest is found.
    async fn copy_by_digest(&mut self, copy: &mut RunCopy) -> Result<(), Problem> {
        let (mut known, mut looked_at) = (BTreeSet::new(), 0);
        loop {
            let mut rows = Rows::new(&[("digest", ColumnType::Bytes)]);
            let new = copy.tables[looked_at..].iter().flat_map(|(_, rows)| rows).flatten();
            for digest in new.flat_map(digests_in) {
                if known.insert(digest) {
                    rows.push([digest.into()]);
                }
            }
            if rows.is_empty() {
                return Ok(());
            }
            looked_at = copy.tables.len();
            for table in &tables::BY_DIGEST {
                let read = self.bulk(table.read, &params![copy.room()], &rows).await?;
                copy.add(table, &read)?;
            }
        }
    }

    /// Finds the runs whose rows decide how a run continues,
    /// and the requests that these runs work on.
    async fn related_runs(&mut self, run: RunRef<'_>) -> Result<Option<RelatedRuns>, Problem> {
        let RunRef { tenant, run } = run;
        let mut related = RelatedRuns { runs: [run.uuid()].into(), partitions: BTreeSet::new() };
        loop {
            let before = related.len();
            let mut rows = Rows::new(&[("id", ColumnType::Id)]);
            for id in related.runs.iter().chain(&related.partitions) {
                rows.push([Param::Id(Some(*id))]);
            }
            let found = self
                .bulk(
                    "SELECT id, parent, partition_key FROM run WHERE tenant || '' = $2
                        AND (id IN (SELECT id FROM {rows}) OR parent IN (SELECT id FROM {rows})
                            OR (ended_at IS NULL AND partition_key IN (SELECT id FROM {rows})))
                     LIMIT $1",
                    &params![i64::try_from(ROWS_MAX + 1).unwrap_or(i64::MAX), tenant],
                    &rows,
                )
                .await?;
            if found.is_empty() {
                return Ok(None);
            }
            for row in &found {
                related.runs.insert(row.id::<RunId>("id")?.uuid());
                related.runs.extend(row.opt_id::<RunId>("parent")?.map(RunId::uuid));
                related.partitions.extend(row.opt_uuid("partition_key")?);
            }
            if related.len() > ROWS_MAX {
                return Err(too_large());
            }
            if related.len() == before {
                return Ok(Some(related));
            }
        }
    }
}

/// A set of related runs, and the keys of the partitions (requests) that they work on.
struct RelatedRuns {
    runs: BTreeSet<Uuid>,
    partitions: BTreeSet<Uuid>,
}

impl RelatedRuns {
    fn len(&self) -> usize {
        self.runs.len() + self.partitions.len()
    }
}

/// Returns the digests that a column value contains: a binary value of 32 bytes is a digest,
/// and a string may contain digests of 64 hexadecimal digits.
pub(in crate::store) fn digests_in(value: &Param) -> Vec<Digest> {
    match value {
        Param::Bytes(Some(bytes)) => Digest::from_slice(bytes).into_iter().collect(),
        Param::Text(Some(text)) => {
            text.split(|c: char| !c.is_ascii_hexdigit()).filter_map(Digest::parse).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_found_wherever_a_row_names_them() {
        let digest = Digest::of(b"a text");
        let cases = [
            Param::from(digest),
            Param::from(digest.to_string()),
            Param::from(format!("{{\"args\":\"{digest}\",\"n\":1}}")),
        ];
        for value in cases {
            assert_eq!(digests_in(&value), [digest], "{value:?}");
        }
        let none = [Param::from("abc"), Param::from(format!("{digest}0")), Param::Bytes(None)];
        for value in none {
            assert_eq!(digests_in(&value), [], "{value:?}");
        }
    }
}
