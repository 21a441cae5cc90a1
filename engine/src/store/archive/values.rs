//! Finds the large values that archived rows have named and that nothing names any more.
//!
//! The digests of such values wait in the table `leaving`. Writing a value again sets its time, at most once a day. So a
//! value that was last written a day before the oldest run began is named by no run, except by copies of older variables
//! and calls, which are looked up.

use crate::base::Digest;
use crate::params;
use crate::store::error::StoreError;
use crate::store::param::{ColumnType, Param};
use crate::store::row::Row;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

/// The kind under which digests of values wait.
const KIND: &str = "value";

/// Some of the values that wait.
#[derive(Debug, Clone, Default)]
pub(crate) struct OldValues {
    /// The digests of those that may leave.
    pub(crate) free: Vec<Param>,
    /// The digests of those that something else names, or that are no values.
    pub(crate) needed: Vec<Param>,
    /// The digest after which the next ones are to be looked for; `None` if there are none.
    pub(crate) next: Option<Digest>,
}

impl Tx {
    /// Looks at the next values of a tenant that wait, at most `limit`.
    pub(crate) async fn old_values(
        &mut self,
        tenant: &str,
        after: Digest,
        limit: i64,
    ) -> Result<OldValues, StoreError> {
        let sql = "SELECT id FROM leaving WHERE tenant = $1 AND kind = $2 AND id > $3 ORDER BY id LIMIT $4";
        let found = self.rows(sql, &params![tenant, KIND, after, limit]).await?;
        let next = found.last().map(|row| row.digest("id")).transpose()?;
        let ids: Vec<Param> = found.iter().map(digest).collect::<Result<_, _>>()?;
        let sql = "SELECT v.id FROM {rows}
            WHERE NOT EXISTS (SELECT 1 FROM blob b WHERE b.digest = v.id)
            OR EXISTS (SELECT 1 FROM var r WHERE r.blob = v.id) OR EXISTS (SELECT 1 FROM undo u WHERE u.args = v.id)";
        let needed = self.bulk(sql, &[], &digest_rows(&ids)).await?;
        let needed = needed.iter().map(digest).collect::<Result<_, _>>()?;
        Ok(OldValues { free: self.free_values(ids).await?, needed, next })
    }

    /// Returns those of some values that nothing names.
    pub(crate) async fn free_values(&mut self, ids: Vec<Param>) -> Result<Vec<Param>, StoreError> {
        let sql = "SELECT b.digest AS id FROM blob b WHERE b.digest IN (SELECT id FROM {rows})
            AND b.created_at + 86400000000
                < coalesce((SELECT r.created_at FROM run r ORDER BY r.id LIMIT 1), b.created_at + 86400000001)
            AND NOT EXISTS (SELECT 1 FROM var r WHERE r.blob = b.digest)
            AND NOT EXISTS (SELECT 1 FROM undo u WHERE u.args = b.digest)";
        self.bulk(sql, &[], &digest_rows(&ids)).await?.iter().map(digest).collect()
    }

    /// Lets values wait until nothing names them.
    pub(crate) async fn put_values(
        &mut self,
        tenant: &str,
        digests: impl IntoIterator<Item = Digest>,
    ) -> Result<(), StoreError> {
        let mut rows = Rows::new(&[("id", ColumnType::Bytes)]);
        digests.into_iter().for_each(|digest| rows.push([digest.into()]));
        if rows.is_empty() {
            return Ok(());
        }
        let sql = "INSERT INTO leaving (tenant, kind, id) SELECT $1, $2, id FROM {rows} WHERE true
            ON CONFLICT (tenant, kind, id) DO NOTHING";
        self.bulk(sql, &params![tenant, KIND], &rows).await.map(drop)
    }

    /// Lets values wait no more: they have left, or something else names them.
    pub(crate) async fn end_values(
        &mut self,
        tenant: &str,
        ids: &[Param],
    ) -> Result<(), StoreError> {
        self.end_leaving(KIND, tenant, ids).await
    }
}

fn digest_rows(ids: &[Param]) -> Rows {
    let mut rows = Rows::new(&[("id", ColumnType::Bytes)]);
    ids.iter().for_each(|id| rows.push([id.clone()]));
    rows
}

fn digest(row: &Row) -> Result<Param, StoreError> {
    row.digest("id").map(Param::from)
}
