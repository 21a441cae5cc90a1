//! A virtual clock goes from due time to due time, and everything due at each is done there.

use super::Engine;
use crate::base::{Problem, Timestamp, limits};
use crate::store::{StoreError, Tx, work};

/// What an advance came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advance {
    /// The clock as it stands.
    pub now: Timestamp,
    /// Deadlines, retries and schedules that fell due on the way.
    pub fired: u64,
}

/// The key under which a virtual clock's instant is kept in the database.
const VIRTUAL_NOW: &str = "virtual_now";

impl Engine {
    /// Moves the virtual clock to `to`, stopping at every due time to do what is due.
    ///
    /// # Errors
    /// `clock_not_virtual` on a real clock; `clock_backwards` for an instant that has passed.
    pub async fn advance(&self, to: Timestamp) -> Result<Advance, Problem> {
        let Some(clock) = self.virtual_clock.clone() else {
            return Err(Problem::caller("clock_not_virtual", "this server goes by the real clock")
                .with_hint("start it with `--clock virtual`"));
        };
        let _alone = self.advancing.lock().await; // one clock, which two would set back and forth
        if to < self.now() {
            return Err(Problem::caller("clock_backwards", "the virtual clock only goes forwards"));
        }
        let before = self.fired();
        for _ in 0..limits::SETTLE_ROUNDS_MAX {
            let tick = self.tick().await?;
            let next = tick.next_due.filter(|due| *due <= to && *due > self.now());
            if next.is_none() && self.now() >= to {
                let fired = self.fired() - before;
                return Ok(Advance { now: self.now(), fired });
            }
            clock.set(next.unwrap_or(to));
            self.keep_virtual_now().await?;
        }
        Err(Problem::bug("the clock is moved for ever").with_hint("see `abide run list`"))
    }

    /// Deadlines, retries and schedules that have fallen due in this process so far.
    #[must_use]
    pub fn fired(&self) -> u64 {
        self.core.fired()
    }

    /// Keeps the virtual clock's instant in the database, so that it survives the process.
    pub async fn keep_virtual_now(&self) -> Result<(), Problem> {
        let now = self.now().micros().to_string();
        let task = work(move |tx| {
            let now = now.clone();
            Box::pin(async move { Ok(tx.set_meta(VIRTUAL_NOW, &now).await?) })
        });
        self.core.store.write(false, task).await
    }

    /// The instant at which the virtual clock of this database stood last.
    ///
    /// # Errors
    /// `database_foreign` where it is no instant: the database must not go by the real clock instead.
    pub async fn kept_virtual_now(&self) -> Result<Option<Timestamp>, Problem> {
        self.core.store.read(work(|tx| Box::pin(virtual_now(tx)))).await
    }

    /// True where the clock is virtual.
    #[must_use]
    pub fn is_virtual(&self) -> bool {
        self.virtual_clock.is_some()
    }
}

/// The instant at which the virtual clock of a database stood last; none where it goes by the real one.
///
/// # Errors
/// As [`Engine::kept_virtual_now`].
pub async fn virtual_now(tx: &mut Tx) -> Result<Option<Timestamp>, Problem> {
    let Some(text) = tx.meta(VIRTUAL_NOW).await? else { return Ok(None) };
    match text.parse() {
        Ok(micros) => Ok(Some(Timestamp::from_micros(micros))),
        Err(_) => Err(StoreError::Foreign(format!("`meta` says {VIRTUAL_NOW} `{text}`")).into()),
    }
}
