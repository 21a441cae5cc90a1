//! Stores what has begun to leave the database and has rows left.

use uuid::Uuid;

use super::group::ArchivedGroup;
use crate::params;
use crate::store::error::StoreError;
use crate::store::param::{ColumnType, Param};
use crate::store::row::Row;
use crate::store::rows::Rows;
use crate::store::tx::Tx;

/// Maximum number of units with which a chunk continues.
const UNITS_MAX: i64 = 1_000;

impl Tx {
    /// Returns the ids of a tenant's units that have rows left, at most 1,000 of them.
    pub(crate) async fn leaving(
        &mut self,
        group: &'static ArchivedGroup,
        tenant: &str,
    ) -> Result<Vec<Param>, StoreError> {
        let sql = "SELECT id FROM leaving WHERE tenant = $1 AND kind = $2 ORDER BY id LIMIT $3";
        let found = self.rows(sql, &params![tenant, group.name, UNITS_MAX]).await?;
        let read = |row: &Row| Ok(Param::Id(Uuid::from_slice(&row.bytes("id")?).ok()));
        found.iter().map(read).collect()
    }

    /// Records that units have rows left.
    pub(crate) async fn put_leaving(
        &mut self,
        kind: &str,
        tenant: &str,
        ids: &[Param],
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO leaving (tenant, kind, id) SELECT $1, $2, id FROM {rows} WHERE true
            ON CONFLICT (tenant, kind, id) DO NOTHING";
        self.bulk(sql, &params![tenant, kind], &as_bytes(ids)).await.map(drop)
    }

    /// Records that units have no rows left.
    pub(crate) async fn end_leaving(
        &mut self,
        kind: &str,
        tenant: &str,
        ids: &[Param],
    ) -> Result<(), StoreError> {
        let sql =
            "DELETE FROM leaving WHERE tenant = $1 AND kind = $2 AND id IN (SELECT id FROM {rows})";
        self.bulk(sql, &params![tenant, kind], &as_bytes(ids)).await.map(drop)
    }
}

fn as_bytes(ids: &[Param]) -> Rows {
    let mut rows = Rows::new(&[("id", ColumnType::Bytes)]);
    for id in ids {
        match id {
            Param::Id(Some(id)) => rows.push([Param::Bytes(Some(id.as_bytes().to_vec()))]),
            other => rows.push([other.clone()]),
        }
    }
    rows
}
