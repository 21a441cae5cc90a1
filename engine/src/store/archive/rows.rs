//! Finds the units that may leave the database, and reads and deletes their rows.

use std::collections::{BTreeMap, BTreeSet};

use uuid::Uuid;

use super::group::{ArchivedGroup, ArchivedTable};
use super::groups::{LEDGER, OLD_EVENTS};
use crate::base::{Digest, StreamId, Timestamp};
use crate::params;
use crate::store::copy::digests_in;
use crate::store::error::StoreError;
use crate::store::param::{ColumnType, Param};
use crate::store::row::Row;
use crate::store::rows::Rows;
use crate::store::topic;
use crate::store::tx::Tx;

/// Rows of one table that leave the database.
#[derive(Debug, Clone)]
pub struct ArchivedRows {
    /// The table.
    pub table: &'static ArchivedTable,
    /// The values of the rows, in the order of the table's columns.
    pub rows: Vec<Vec<Param>>,
}

/// The units of a tenant among which a chunk is chosen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArchiveRange {
    /// The id after which the range begins.
    pub(crate) after: Uuid,
    /// The instant before which the units must have ended. No unit that was created later can have.
    pub(crate) before: Timestamp,
}

/// Units that may leave now.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArchiveUnits {
    /// The ids of the units and of their members.
    pub(crate) ids: Vec<Param>,
    /// The id after which the next units are to be looked for; `None` if there are none.
    pub(crate) next: Option<Uuid>,
}

impl Tx {
    /// Looks at the next units of a range. Returns those of which all members may leave.
    pub(crate) async fn archivable(
        &mut self,
        group: &'static ArchivedGroup,
        tenant: &str,
        range: ArchiveRange,
    ) -> Result<ArchiveUnits, StoreError> {
        let until = first_id_at(range.before);
        let found =
            self.rows(group.walk, &params![tenant, range.after, until, group.units]).await?;
        let mut units: BTreeMap<Uuid, Vec<Uuid>> = BTreeMap::new();
        for row in &found {
            let id = row.opt_uuid("id")?.unwrap_or_default();
            units.insert(id, vec![id]);
        }
        let Some(next) = units.keys().next_back().copied() else {
            return Ok(ArchiveUnits::default());
        };
        if let Some(members) = group.members {
            self.add_members(members, &mut units).await?;
        }
        let all = units.values().flatten().map(|id| Param::Id(Some(*id))).collect();
        let may_leave = self.qualified(group, tenant, range.before, all).await?;
        let ids = units.into_values().map(|unit| {
            let unit: Vec<Param> = unit.into_iter().map(|id| Param::Id(Some(id))).collect();
            if unit.iter().all(|id| may_leave.contains(id)) { unit } else { Vec::new() }
        });
        Ok(ArchiveUnits { ids: ids.flatten().collect(), next: Some(next) })
    }

    /// Adds the members of units to them: the members of the last members, until there are none.
    async fn add_members(
        &mut self,
        sql: &'static str,
        units: &mut BTreeMap<Uuid, Vec<Uuid>>,
    ) -> Result<(), StoreError> {
        let mut owners: BTreeMap<Uuid, Uuid> = units.keys().map(|id| (*id, *id)).collect();
        while !owners.is_empty() {
            let mut rows = Rows::new(&[("id", ColumnType::Id)]);
            owners.keys().for_each(|id| rows.push([Param::Id(Some(*id))]));
            let mut next = BTreeMap::new();
            for row in self.bulk(sql, &[], &rows).await? {
                let (Some(id), Some(of)) = (row.opt_uuid("id")?, row.opt_uuid("unit")?) else {
                    continue;
                };
                if let Some(unit) = owners.get(&of) {
                    units.entry(*unit).or_default().push(id);
                    next.insert(id, *unit);
                }
            }
            owners = next;
        }
        Ok(())
    }

    /// Returns those of some ids that may leave.
    pub(crate) async fn qualified(
        &mut self,
        group: &'static ArchivedGroup,
        tenant: &str,
        before: Timestamp,
        ids: Vec<Param>,
    ) -> Result<Vec<Param>, StoreError> {
        let found = self.bulk(group.qualified, &params![tenant, before], &id_rows(ids)).await?;
        found.iter().map(|row| row.param("id", ColumnType::Id)).collect()
    }

    /// Locks units against changes, until the end of the transaction.
    pub(crate) async fn lock_units(
        &mut self,
        group: &'static ArchivedGroup,
        ids: Vec<Param>,
    ) -> Result<(), StoreError> {
        let Some(lock) = group.lock else { return Ok(()) };
        self.bulk(lock, &[], &id_rows(ids)).await.map(drop)
    }

    /// Reads at most `limit` rows of some units from one table.
    pub(crate) async fn archived_rows(
        &mut self,
        table: &'static ArchivedTable,
        ids: Vec<Param>,
        limit: i64,
    ) -> Result<ArchivedRows, StoreError> {
        let found = self.bulk(table.read, &params![limit], &id_rows(ids)).await?;
        let rows = found.iter().map(|row| values(row, table)).collect::<Result<_, StoreError>>()?;
        Ok(ArchivedRows { table, rows })
    }

    /// Reads the events of a stream after the position `after`, at most `limit`.
    pub(crate) async fn events_to_archive(
        &mut self,
        stream: StreamId,
        after: i64,
        limit: i64,
    ) -> Result<ArchivedRows, StoreError> {
        let found = self.rows(OLD_EVENTS.read, &params![limit, stream, after, i64::MAX]).await?;
        let rows = found.iter().map(|row| values(row, &LEDGER)).collect::<Result<_, _>>()?;
        Ok(ArchivedRows { table: &LEDGER, rows })
    }

    /// Reads the next events of a stream after the position `after`, at most `limit`, for as long as they happened before
    /// an instant.
    pub(crate) async fn old_events(
        &mut self,
        stream: StreamId,
        after: i64,
        before: Timestamp,
        limit: i64,
    ) -> Result<ArchivedRows, StoreError> {
        let found = self.rows(OLD_EVENTS.read, &params![limit, stream, after, before]).await?;
        let mut rows = Vec::with_capacity(found.len());
        for row in &found {
            if row.int("seq")? != after + 1 + i64::try_from(rows.len()).unwrap_or(i64::MAX) {
                break;
            }
            rows.push(values(row, &OLD_EVENTS)?);
        }
        Ok(ArchivedRows { table: &LEDGER, rows })
    }

    /// Deletes rows by their keys. Returns whether all of them were there.
    pub(crate) async fn delete_archived(
        &mut self,
        archived: &ArchivedRows,
    ) -> Result<bool, StoreError> {
        if archived.rows.is_empty() {
            return Ok(true);
        }
        let width = archived.table.key.len();
        let keys = archived.rows.iter().map(|row| row[..width].to_vec()).collect();
        let keys = Rows::of(archived.table.key, keys);
        let gone = self.bulk(archived.table.delete, &[], &keys).await?;
        if archived.table.name == LEDGER.name {
            topic::remove(self, LEDGER.columns, &archived.rows).await?;
        }
        Ok(gone.len() == archived.rows.len())
    }
}

/// Columns whose digests name definitions and events.
const NO_VALUES: [&str; 3] = ["bundle", "from_bundle", "last_hash"];

/// Returns the digests of large values that rows may name.
pub(crate) fn named_digests(archived: &[ArchivedRows]) -> BTreeSet<Digest> {
    let mut found = BTreeSet::new();
    for ArchivedRows { table, rows } in archived.iter().filter(|rows| rows.table.name != "ledger") {
        for row in rows {
            let columns = table.columns.iter().zip(row);
            let values = columns.filter(|((name, _), _)| !NO_VALUES.contains(name));
            found.extend(values.flat_map(|(_, value)| digests_in(value)));
        }
    }
    found
}

fn values(row: &Row, table: &ArchivedTable) -> Result<Vec<Param>, StoreError> {
    table.columns.iter().map(|(name, kind)| row.param(name, *kind)).collect()
}

fn id_rows(ids: Vec<Param>) -> Rows {
    let columns: &[_] = match ids.first() {
        Some(Param::Bytes(_)) => &[("id", ColumnType::Bytes)],
        _ => &[("id", ColumnType::Id)],
    };
    Rows::of(columns, ids.into_iter().map(|id| vec![id]).collect())
}

/// Returns the lowest id that can be created at an instant.
pub(crate) fn first_id_at(at: Timestamp) -> Uuid {
    let millis = u128::try_from(at.micros() / 1000).unwrap_or(0);
    Uuid::from_u128(millis << 80)
}
