//! Gives each simulation a database of its own: a temporary file, or a new database on a PostgreSQL server.

use std::sync::atomic::{AtomicU32, Ordering};

use abide_engine::base::Problem;
use abide_engine::store::{Address, StoreError, TemporaryDatabase};

use crate::play::PlayOptions;

/// Counter that makes the names of this process's temporary databases unique.
static MADE: AtomicU32 = AtomicU32::new(0);

/// Calls `play` with options that name an empty database. If `options` names a PostgreSQL server,
/// creates a new database on the server and removes it after the simulation.
/// If `options` names no server, the simulation itself creates a temporary file.
///
/// # Errors
/// Returns the errors of `play`; `simulator_unavailable` if the server cannot create,
/// query or drop the database; a bug if the server had to break a deadlock.
pub(crate) async fn with_own_database<'a, T>(
    options: PlayOptions<'a>,
    play: impl AsyncFnOnce(&PlayOptions<'a>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let Some(Address::Postgres(server)) = &options.db else {
        return play(&PlayOptions { db: None, ..options }).await;
    };
    let (process, nth) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    let own = TemporaryDatabase::create_on(server, process, nth).await.map_err(no_database)?;
    let played = play(&PlayOptions { db: Some(own.address().clone()), ..options }).await;
    let deadlocks = own.deadlocks().await.map_err(no_database)?;
    own.remove().await.map_err(no_database)?;
    if deadlocks > 0 {
        let message =
            format!("the server broke {deadlocks} deadlocks: locks were taken out of order");
        return Err(Problem::bug(message));
    }
    played
}

#[expect(clippy::needless_pass_by_value, reason = "fits `map_err`")]
fn no_database(error: StoreError) -> Problem {
    Problem::operator("simulator_unavailable", "the server cannot create a simulation's database")
        .with_detail(error.to_string())
        .with_hint("use a server and a user that may create databases, or omit `--db`")
}
