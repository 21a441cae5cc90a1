//! Rows of idempotency keys: which call of a tool was the first with a key, and what it returned.

use super::error::StoreError;
use super::row::Row;
use super::tx::Tx;
use crate::base::{CallId, Digest, Value, text};
use crate::params;

/// The idempotency key of a call.
#[derive(Debug, Clone, Copy)]
pub struct ToolKey<'a> {
    /// Id of the tenant.
    pub tenant: &'a str,
    /// Name of the tool.
    pub tool: &'a str,
    /// The key itself.
    pub key: &'a str,
}

/// The call that was the first with its key.
#[derive(Debug, Clone, PartialEq)]
pub struct KeyedCall {
    /// Id of the call.
    pub call: CallId,
    /// Digest of the arguments of the call.
    pub input: Digest,
    /// Result of the call; `None` while the call is unfinished.
    pub result: Option<Value>,
}

fn read(row: &Row) -> Result<KeyedCall, StoreError> {
    let result = row.opt_text("result")?.map(|text| serde_json::from_str(&text)).transpose();
    Ok(KeyedCall {
        call: row.id("call_id")?,
        input: row.digest("input")?,
        result: result.map_err(|error| StoreError::Corrupt(format!("a tool's result: {error}")))?,
    })
}

impl Tx {
    /// Returns the call that was the first with this key; `None` if there was none.
    pub async fn keyed_call(&mut self, key: ToolKey<'_>) -> Result<Option<KeyedCall>, StoreError> {
        let ToolKey { tenant, tool, key } = key;
        let row = self
            .row(
                "SELECT call_id, input, result FROM tool_key WHERE tenant = $1 AND tool = $2 AND key = $3",
                &params![tenant, tool, key],
            )
            .await?;
        row.map(|row| read(&row)).transpose()
    }

    /// Claims a key for a call, unless another call has it. Returns the call that has the key now. On
    /// PostgreSQL, waits until a transaction that is claiming the same key has ended.
    pub async fn claim_key(
        &mut self,
        key: ToolKey<'_>,
        call: CallId,
        input: Digest,
    ) -> Result<KeyedCall, StoreError> {
        let now = self.now();
        self.execute(
            "INSERT INTO tool_key (tenant, tool, key, call_id, input, result, created_at)
             VALUES ($1, $2, $3, $4, $5, NULL, $6) ON CONFLICT DO NOTHING",
            &params![key.tenant, key.tool, key.key, call, input, now],
        )
        .await?;
        let found = self.keyed_call(key).await?;
        found.ok_or_else(|| StoreError::Repeat("another process released a key".into()))
    }

    /// Stores the result of the call that has the key, for later calls with the same key.
    pub async fn store_keyed_result(
        &mut self,
        key: ToolKey<'_>,
        result: &Value,
    ) -> Result<(), StoreError> {
        let ToolKey { tenant, tool, key } = key;
        self.execute(
            "UPDATE tool_key SET result = $4 WHERE tenant = $1 AND tool = $2 AND key = $3",
            &params![tenant, tool, key, text::json(result)],
        )
        .await
        .map(drop)
    }

    /// Gives up the key of a call that failed, so that another call can claim the key.
    pub async fn release_key(&mut self, key: ToolKey<'_>, call: CallId) -> Result<(), StoreError> {
        let ToolKey { tenant, tool, key } = key;
        self.execute(
            "DELETE FROM tool_key WHERE tenant = $1 AND tool = $2 AND key = $3 AND call_id = $4",
            &params![tenant, tool, key, call],
        )
        .await
        .map(drop)
    }
}
