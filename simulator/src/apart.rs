//! Each play has a database of its own: a temporary file, or one on the server that is named.

use std::sync::atomic::{AtomicU32, Ordering};

use abide_engine::base::Problem;
use abide_engine::store::{Address, Scratch, StoreError};

use crate::play::Options;

/// Numbers the databases of this process.
static MADE: AtomicU32 = AtomicU32::new(0);

/// Has something played in an empty database beside the one that the options name, if that is on a
/// server; otherwise the play makes a file of its own.
///
/// # Errors
/// As the play; `simulator_unavailable` where the server makes no database; and where it broke a deadlock.
pub(crate) async fn apart<'a, T>(
    options: Options<'a>,
    play: impl AsyncFnOnce(&Options<'a>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let Some(Address::Postgres(server)) = &options.db else {
        return play(&Options { db: None, ..options }).await;
    };
    let name = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    let own = Scratch::beside(server, name).await.map_err(no_database)?;
    let played = play(&Options { db: Some(own.address().clone()), ..options }).await;
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
    Problem::operator("simulator_unavailable", "the server makes no database for a play")
        .with_detail(error.to_string())
        .with_hint("name a server and a user that may make databases, or leave `--db` out")
}
