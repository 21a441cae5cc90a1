//! Reads and writes tenants, with their settings, kill switches, streams and budgets.
//! Also reads and writes the table `meta`.

use super::error::StoreError;
use super::faults::CommitPart;
use super::row::Row;
use super::tx::Tx;
use crate::base::{StreamId, Timestamp, Value};
use crate::params;
use crate::planted::PlantedFault;

/// A stored tenant.
#[derive(Debug, Clone, PartialEq)]
pub struct TenantRow {
    /// The tenant's id, which is its name in the API.
    pub id: String,
    /// Whether the kill switch is on. While it is on, no message is sent.
    pub paused: bool,
    /// Whether all new runs of the tenant are shadow runs.
    pub shadow: bool,
    /// The tenant's settings that differ from those of the process.
    pub policy: Value,
    /// The id of the tenant's own stream in the ledger.
    pub stream: StreamId,
    /// A counter that grows with every change of the tenant's settings or kill switch.
    pub version: i64,
}

/// Builds a query of tenants. The query selects the columns that [`read`] reads.
macro_rules! select_tenant {
    ($which:literal) => {
        concat!("SELECT id, paused, shadow, policy, stream, version FROM tenant ", $which)
    };
}

fn read(row: &Row) -> Result<TenantRow, StoreError> {
    Ok(TenantRow {
        id: row.text("id")?,
        paused: row.flag("paused")?,
        shadow: row.flag("shadow")?,
        policy: row.json("policy")?,
        stream: row.id("stream")?,
        version: row.int("version")?,
    })
}

impl Tx {
    /// Inserts a tenant with default settings, if it does not exist yet.
    pub async fn ensure_tenant(&mut self, id: &str) -> Result<(), StoreError> {
        let stream: StreamId = self.mint();
        self.execute(
            "INSERT INTO tenant (id, paused, shadow, policy, stream) VALUES ($1, 0, 0, '{}', $2)
             ON CONFLICT (id) DO NOTHING",
            &params![id, stream],
        )
        .await
        .map(drop)
    }

    /// Reads a tenant.
    pub async fn tenant(&mut self, id: &str) -> Result<Option<TenantRow>, StoreError> {
        let row = self.row(select_tenant!("WHERE id = $1"), &params![id]).await?;
        row.as_ref().map(read).transpose()
    }

    /// Returns at most `limit` tenants whose ids follow `after`, ordered by id.
    pub async fn tenant_rows(
        &mut self,
        after: &str,
        limit: i64,
    ) -> Result<Vec<TenantRow>, StoreError> {
        let page = select_tenant!("WHERE id > $1 ORDER BY id LIMIT $2");
        let rows = self.rows(page, &params![after, limit]).await?;
        rows.iter().map(read).collect()
    }

    /// Returns the tenant's change counter ([`TenantRow::version`]); 0 if there is no such tenant.
    pub async fn tenant_version(&mut self, id: &str) -> Result<i64, StoreError> {
        let row = self.row("SELECT version FROM tenant WHERE id = $1", &params![id]).await?;
        row.map_or(Ok(0), |row| row.int("version"))
    }

    /// Returns the ids of all tenants, in ascending order.
    pub async fn tenants(&mut self) -> Result<Vec<String>, StoreError> {
        let rows = self.rows("SELECT id FROM tenant ORDER BY id", &[]).await?;
        rows.iter().map(|row| row.text("id")).collect()
    }

    /// Turns the kill switch on or off. Returns whether the switch changed.
    pub async fn set_tenant_paused(&mut self, id: &str, paused: bool) -> Result<bool, StoreError> {
        let paused = paused && !PlantedFault::KillSwitchIgnored.is_active();
        let changed = self
            .execute(
                "UPDATE tenant SET paused = $2, version = version + 1 WHERE id = $1 AND paused <> $2",
                &params![id, paused],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Replaces the tenant's settings that differ from those of the process.
    pub async fn set_policy(&mut self, id: &str, policy: &Value) -> Result<(), StoreError> {
        self.execute(
            "UPDATE tenant SET policy = $2, version = version + 1 WHERE id = $1",
            &params![id, policy.to_string()],
        )
        .await
        .map(drop)
    }

    /// Turns a tenant's shadow mode on or off.
    pub async fn set_tenant_shadow(&mut self, id: &str, shadow: bool) -> Result<(), StoreError> {
        self.execute(
            "UPDATE tenant SET shadow = $2, version = version + 1 WHERE id = $1",
            &params![id, shadow],
        )
        .await
        .map(drop)
    }

    /// Takes a shared lock on a tenant, so that its kill switch cannot be turned
    /// until this transaction ends.
    /// Returns whether the tenant is paused; `true` if there is no such tenant.
    pub async fn lock_tenant_shared(&mut self, id: &str) -> Result<bool, StoreError> {
        let row =
            self.row("SELECT paused FROM tenant WHERE id = $1 {for_share}", &params![id]).await?;
        row.map_or(Ok(true), |row| row.flag("paused"))
    }

    /// Counts `amount` messages against the budget of a period. If fewer messages than that are left in
    /// the budget, counts nothing and returns `false`.
    pub async fn spend(
        &mut self,
        tenant: &str,
        period_from: Timestamp,
        amount: i64,
        budget: i64,
    ) -> Result<bool, StoreError> {
        self.execute(
            "INSERT INTO budget (tenant, period_from, used) VALUES ($1, $2, 0)
             ON CONFLICT (tenant, period_from) DO NOTHING",
            &params![tenant, period_from],
        )
        .await?;
        let changed = self
            .execute(
                "UPDATE budget SET used = used + $3
                 WHERE tenant = $1 AND period_from = $2 AND used + $3 <= $4",
                &params![tenant, period_from, amount, budget],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Records that a message did not fit into the budget of a period. Returns `true` the first time.
    pub async fn budget_reached(
        &mut self,
        tenant: &str,
        period_from: Timestamp,
    ) -> Result<bool, StoreError> {
        let now = self.now();
        let changed = self
            .execute(
                "INSERT INTO budget (tenant, period_from, used, reached_at) VALUES ($1, $2, 0, $3)
                 ON CONFLICT (tenant, period_from) DO UPDATE SET reached_at = excluded.reached_at
                 WHERE budget.reached_at IS NULL",
                &params![tenant, period_from, now],
            )
            .await?;
        Ok(changed > 0)
    }

    /// Returns the number of messages that are counted against a period's budget.
    pub async fn spent(&mut self, tenant: &str, period_from: Timestamp) -> Result<i64, StoreError> {
        let row = self
            .row(
                "SELECT used FROM budget WHERE tenant = $1 AND period_from = $2",
                &params![tenant, period_from],
            )
            .await?;
        row.map_or(Ok(0), |row| row.int("used"))
    }

    /// Reads a value of the table `meta`, which stores one value per key.
    pub async fn meta(&mut self, key: &str) -> Result<Option<String>, StoreError> {
        let row = self.row("SELECT v FROM meta WHERE k = $1", &params![key]).await?;
        row.map(|row| row.text("v")).transpose()
    }

    /// Sets a value of the table `meta`, which stores one value per key.
    pub async fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.record_part(CommitPart::Note);
        self.execute(
            "INSERT INTO meta (k, v) VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET v = excluded.v",
            &params![key, value],
        )
        .await
        .map(drop)
    }
}
