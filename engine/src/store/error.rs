//! What can go wrong below the engine, split by who must act.

use crate::base::Problem;

/// The code of a problem that asks to repeat the whole transaction.
const REPEAT: &str = "serialization_failure";
/// The code of a problem after which nothing may be written any more.
const BROKEN: &str = "database_damaged";
/// The code of a problem after which the process counts as dead.
const CRASHED: &str = "crashed";
/// Codes that speak of the database and not of what was asked of it.
const INFRASTRUCTURE: [&str; 6] =
    [REPEAT, BROKEN, "database_unavailable", "overloaded", "disk_full", CRASHED];

/// True for a problem of the database itself: whatever met it is not at fault, and is done again when
/// the database is well.
#[must_use]
pub fn is_infrastructure(problem: &Problem) -> bool {
    INFRASTRUCTURE.contains(&&*problem.code)
}

/// True where the database is well and merely asks to try again: others were at the same rows.
#[must_use]
pub fn is_clash(problem: &Problem) -> bool {
    problem.code == REPEAT
}

/// True where this process can write nothing any more: whatever failed so fails for everything.
#[must_use]
pub fn is_fatal(problem: &Problem) -> bool {
    [BROKEN, CRASHED].contains(&&*problem.code)
}

/// A failure of the database or of a rule that the store guards.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// A serialization failure or a deadlock: the whole transaction may be repeated.
    #[error("the database asks to repeat the transaction: {0}")]
    Repeat(String),
    /// The database is locked, too slow or away: nothing was changed.
    #[error("the database did not answer: {0}")]
    Unavailable(String),
    /// Too much waits for the writer already: this was not even begun.
    #[error("too much waits to be written")]
    Overloaded,
    /// The answer to COMMIT was lost: the transaction may have happened or not.
    #[error("the database did not confirm the commit: {0}")]
    UnknownCommit(String),
    /// The disk is full: nothing was changed.
    #[error("the database has no room left: {0}")]
    Full(String),
    /// The database is damaged or the disk fails: the process must not go on.
    #[error("the database file is damaged or its disk fails: {0}")]
    Broken(String),
    /// A uniqueness rule of the schema was broken.
    #[error("a row with this key exists already: {0}")]
    Duplicate(String),
    /// A stored row is not what the code expects.
    #[error("a stored row cannot be read: {0}")]
    Corrupt(String),
    /// The database holds tables that are not ours, or only some of ours.
    #[error("{0}")]
    Foreign(String),
    /// An injected crash (simulator only): the process state is gone.
    #[error("the process crashed here by request of a test")]
    Crashed,
    /// Anything else: a mistake in our SQL.
    #[error("{0}")]
    Other(String),
}

impl StoreError {
    /// True where the same transaction may succeed when it is tried again.
    #[must_use]
    pub fn may_repeat(&self) -> bool {
        matches!(self, Self::Repeat(_))
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let text = error.to_string();
        match &error {
            sqlx::Error::Database(e) => from_code(e.code().as_deref().unwrap_or(""), text),
            sqlx::Error::Io(_)
            | sqlx::Error::Protocol(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Self::Unavailable(text),
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_) => Self::Corrupt(text),
            _ => Self::Other(text),
        }
    }
}

/// PostgreSQL's SQLSTATEs have five characters; SQLite's extended result codes are shorter numbers.
fn from_code(code: &str, text: String) -> StoreError {
    match code.parse() {
        Ok(number) if code.len() < SQLSTATE_CHARS => from_sqlite(number, text),
        _ => from_sqlstate(code, text),
    }
}

const SQLSTATE_CHARS: usize = 5;

/// The low byte is the primary code, the rest says more: `IOERR_FSYNC` is 1034.
fn from_sqlite(code: u32, text: String) -> StoreError {
    const SHM_SIZE: u32 = 4874; // no room for the index of the write-ahead log
    const UNIQUE: [u32; 3] = [1555, 2067, 2579]; // primary key, unique index, rowid
    match code & 0xff {
        _ if code == SHM_SIZE => StoreError::Full(text),
        5 | 6 => StoreError::Unavailable(text),
        10 | 11 | 26 => StoreError::Broken(text),
        13 => StoreError::Full(text),
        _ if UNIQUE.contains(&code) => StoreError::Duplicate(text),
        _ => StoreError::Other(text),
    }
}

fn from_sqlstate(code: &str, text: String) -> StoreError {
    match code {
        "40001" | "40P01" => StoreError::Repeat(text),
        "23505" => StoreError::Duplicate(text),
        "53100" => StoreError::Full(text),
        // A lock or statement time-out, too many connections, a standby that takes no writes.
        "55P03" | "57014" | "53300" | "25006" => StoreError::Unavailable(text),
        "55000" => StoreError::Unavailable(text), // the database is closed to connections
        // The connection is lost, the server is going down or coming up.
        "25P03" => StoreError::Unavailable(text), // we were asleep inside a transaction
        _ if code.starts_with("08") || code.starts_with("57P") => StoreError::Unavailable(text),
        // The server's disk fails, its data or an index is damaged.
        "58030" | "XX001" | "XX002" => StoreError::Broken(text),
        _ => StoreError::Other(text),
    }
}

/// What a failed closure's problem means for its transaction.
pub(super) fn of_problem(problem: &Problem) -> StoreError {
    let text = problem.detail.clone().unwrap_or_else(|| problem.message.clone());
    match &*problem.code {
        REPEAT => StoreError::Repeat(text),
        BROKEN => StoreError::Broken(text),
        _ => StoreError::Other("the work failed".to_owned()),
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let detail = error.to_string();
        let problem = match error {
            StoreError::Repeat(_) => Self::transient(REPEAT, "the database asks to try again"),
            StoreError::Unavailable(_) | StoreError::UnknownCommit(_) => {
                Problem::transient("database_unavailable", "the database is busy or away")
                    .with_hint("try again; the same idempotency key is safe to repeat")
            }
            StoreError::Overloaded => {
                Problem::transient("overloaded", "there is more to do than can be done at once")
                    .with_hint("try again in a moment; nothing of this was done")
            }
            StoreError::Full(_) => Problem::operator("disk_full", "the database has no room left")
                .with_hint("free space on the database's disk, then go on; nothing was lost"),
            StoreError::Broken(_) => {
                Self::operator(BROKEN, "the database is damaged or its disk fails")
                    .with_hint("stop, check the disk, restore the last backup")
            }
            StoreError::Foreign(_) => {
                Problem::operator("database_foreign", "this is not a whole abide database")
                    .with_hint("name an empty database with `--db`, or restore the last backup")
            }
            StoreError::Duplicate(_) => Problem::caller("duplicate", "this exists already"),
            StoreError::Crashed => Problem::transient("crashed", "the process crashed"),
            StoreError::Corrupt(_) | StoreError::Other(_) => Self::bug(&detail),
        };
        problem.with_detail(detail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Is = fn(&StoreError) -> bool;

    #[test]
    fn codes_of_both_databases_say_who_must_act() {
        let cases: &[(&str, Is)] = &[
            ("40001", |e| matches!(e, StoreError::Repeat(_))),
            ("40P01", |e| matches!(e, StoreError::Repeat(_))),
            ("23505", |e| matches!(e, StoreError::Duplicate(_))),
            ("1555", |e| matches!(e, StoreError::Duplicate(_))),
            ("2067", |e| matches!(e, StoreError::Duplicate(_))),
            ("1299", |e| matches!(e, StoreError::Other(_))), // NOT NULL is a mistake of ours
            ("53100", |e| matches!(e, StoreError::Full(_))),
            ("13", |e| matches!(e, StoreError::Full(_))),
            ("4874", |e| matches!(e, StoreError::Full(_))),
            ("5", |e| matches!(e, StoreError::Unavailable(_))),
            ("517", |e| matches!(e, StoreError::Unavailable(_))),
            ("08006", |e| matches!(e, StoreError::Unavailable(_))),
            ("25P03", |e| matches!(e, StoreError::Unavailable(_))),
            ("55000", |e| matches!(e, StoreError::Unavailable(_))),
            ("57P01", |e| matches!(e, StoreError::Unavailable(_))),
            ("11", |e| matches!(e, StoreError::Broken(_))),
            ("1034", |e| matches!(e, StoreError::Broken(_))),
            ("26", |e| matches!(e, StoreError::Broken(_))),
            ("XX001", |e| matches!(e, StoreError::Broken(_))),
            ("42P01", |e| matches!(e, StoreError::Other(_))),
            ("", |e| matches!(e, StoreError::Other(_))),
        ];
        for (code, expected) in cases {
            let error = from_code(code, String::new());
            assert!(expected(&error), "{code:?} became {error:?}");
        }
    }

    #[test]
    fn a_failure_that_a_test_asked_for_says_so_and_no_other_does() {
        use crate::base::problem::BY_REQUEST;
        for (error, injected) in [
            (StoreError::Crashed, true),
            (StoreError::Repeat(BY_REQUEST.into()), true),
            (StoreError::UnknownCommit(BY_REQUEST.into()), true),
            (StoreError::Repeat("could not serialize access".into()), false),
            (StoreError::Unavailable("the connection is closed".into()), false),
            (StoreError::Other(BY_REQUEST.into()), false),
        ] {
            assert_eq!(Problem::from(error.clone()).is_injected(), injected, "{error:?}");
        }
    }

    #[test]
    fn a_problem_keeps_what_it_means_for_the_transaction() {
        let round = |error: StoreError| of_problem(&Problem::from(error));
        assert!(round(StoreError::Repeat("x".into())).may_repeat());
        assert!(matches!(round(StoreError::Broken("x".into())), StoreError::Broken(_)));
        assert!(matches!(round(StoreError::Duplicate("x".into())), StoreError::Other(_)));
        for (error, of_the_database) in [
            (StoreError::Repeat("x".into()), true),
            (StoreError::Unavailable("x".into()), true),
            (StoreError::UnknownCommit("x".into()), true),
            (StoreError::Full("x".into()), true),
            (StoreError::Overloaded, true),
            (StoreError::Broken("x".into()), true),
            (StoreError::Crashed, true),
            (StoreError::Duplicate("x".into()), false),
            (StoreError::Corrupt("x".into()), false),
            (StoreError::Other("x".into()), false),
        ] {
            assert_eq!(is_infrastructure(&error.clone().into()), of_the_database, "{error:?}");
        }
    }
}
