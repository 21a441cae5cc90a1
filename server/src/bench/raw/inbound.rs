//! Reads when inbound messages were stored and applied, without any call of the engine.

use std::time::Duration;

use abide_engine::base::{Problem, Timestamp};
use abide_engine::store::Address;

use super::conn::{Conn, with};
use super::failed;

/// Time between two looks at the messages.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

const APPLIED: &str = "SELECT COUNT(*), MAX(stored_at), MAX(applied_at) FROM inbound
    WHERE stored_at >= $1 AND applied_at IS NOT NULL";
const SENT: &str =
    "SELECT COUNT(*) FROM outbox WHERE kind = 'invite' AND state IN ('sent', 'delivered')";

/// When the last of some messages was stored, and when the last was applied.
#[derive(Debug, Clone, Copy)]
pub(in crate::bench) struct LastTimes {
    pub(in crate::bench) stored: Timestamp,
    pub(in crate::bench) applied: Timestamp,
}

/// A connection that reads the times of messages.
pub(in crate::bench) struct MessageWatch(Conn);

impl MessageWatch {
    /// Connects to the database.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(in crate::bench) async fn connect(address: &Address) -> Result<Self, Problem> {
        Ok(Self(Conn::open(address).await?))
    }

    /// Waits until `n` messages that were stored at or after `since` are applied.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(in crate::bench) async fn until_applied(
        &mut self,
        since: Timestamp,
        n: usize,
    ) -> Result<LastTimes, Problem> {
        let mut looks = tokio::time::interval(LOOK_INTERVAL);
        loop {
            looks.tick().await;
            let found: Result<(i64, Option<i64>, Option<i64>), _> = with!(&mut self.0, conn => {
                sqlx::query_as(APPLIED).bind(since.micros()).fetch_one(conn).await
            });
            let (count, stored, applied) = found.map_err(failed("read the times of messages"))?;
            if let (Some(stored), Some(applied)) = (stored, applied)
                && count >= i64::try_from(n).unwrap_or(i64::MAX)
            {
                let at = Timestamp::from_micros;
                return Ok(LastTimes { stored: at(stored), applied: at(applied) });
            }
        }
    }

    /// Waits until `n` invitations are sent.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(in crate::bench) async fn until_invited(&mut self, n: usize) -> Result<(), Problem> {
        let mut looks = tokio::time::interval(LOOK_INTERVAL);
        loop {
            looks.tick().await;
            if self.count_invited().await? >= n {
                return Ok(());
            }
        }
    }

    /// Counts the invitations that are sent.
    ///
    /// # Errors
    /// `database_unreachable`.
    pub(in crate::bench) async fn count_invited(&mut self) -> Result<usize, Problem> {
        let found: Result<i64, _> = with!(&mut self.0, conn => {
            sqlx::query_scalar(SENT).fetch_one(conn).await
        });
        Ok(usize::try_from(found.map_err(failed("count invitations"))?).unwrap_or(0))
    }
}
