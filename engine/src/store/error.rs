//! Classifies the errors of the database, and converts them to problems. A problem says who must act.

use crate::base::Problem;
use crate::base::problem::Blame;

/// Code of the problem that asks the caller to repeat the whole transaction.
const REPEAT: &str = "serialization_failure";
/// Code of the problem after which the process must not write any more.
const BROKEN: &str = "database_damaged";
/// Code of the problem after which the process counts as crashed.
const CRASHED: &str = "crashed";
/// Codes of problems with the database itself, not with the request.
const INFRASTRUCTURE: [&str; 6] =
    [REPEAT, BROKEN, "database_unavailable", "overloaded", "disk_full", CRASHED];

/// Whether a problem concerns the database itself. If so, the work that met the problem
/// has not caused it, and the work is repeated when the database has recovered.
#[must_use]
pub fn is_infrastructure(problem: &Problem) -> bool {
    is_ours(problem) && INFRASTRUCTURE.contains(&&*problem.code)
}

/// Whether the problem can be one of the database. An outside system that reports why a call failed chooses the code, and only
/// ever blames the caller.
fn is_ours(problem: &Problem) -> bool {
    matches!(problem.blame, Blame::Transient | Blame::Operator)
}

/// Whether the problem is only a conflict with other transactions,
/// so that the work can be repeated at once.
#[must_use]
pub fn is_conflict(problem: &Problem) -> bool {
    is_ours(problem) && problem.code == REPEAT
}

/// Whether the problem means that this process cannot write any more. All further work would then fail too.
#[must_use]
pub fn is_fatal(problem: &Problem) -> bool {
    is_ours(problem) && [BROKEN, CRASHED].contains(&&*problem.code)
}

/// A failure of the database, or a violation of a rule that the store enforces.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// A serialization failure or a deadlock: the whole transaction may be repeated.
    #[error("the database asks to repeat the transaction: {0}")]
    Repeat(String),
    /// The database is locked, too slow or unreachable: nothing was changed.
    #[error("the database did not answer: {0}")]
    Unavailable(String),
    /// Too many jobs are queued for the writer already: this job was not started.
    #[error("too many writes are queued")]
    Overloaded,
    /// The answer to COMMIT was lost: the transaction may or may not have been committed.
    #[error("the database did not confirm the commit: {0}")]
    UnknownCommit(String),
    /// The disk is full: nothing was changed.
    #[error("the database has no room left: {0}")]
    Full(String),
    /// The database is damaged or the disk fails: the process must stop.
    #[error("the database file is damaged or its disk fails: {0}")]
    Broken(String),
    /// A uniqueness rule of the schema was violated.
    #[error("a row with this key already exists: {0}")]
    Duplicate(String),
    /// A stored row does not have the form that the code expects.
    #[error("a stored row cannot be read: {0}")]
    Corrupt(String),
    /// The database contains tables that abide did not create, or only some of abide's tables.
    #[error("{0}")]
    Foreign(String),
    /// A test injected a crash: the state of the process is lost.
    #[error("the process crashed here by request of a test")]
    Crashed,
    /// Any other error: a mistake in the engine's SQL.
    #[error("{0}")]
    Other(String),
}

impl StoreError {
    /// Whether the same transaction may succeed when it is repeated.
    #[must_use]
    pub fn may_repeat(&self) -> bool {
        matches!(self, Self::Repeat(_))
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let text = error.to_string();
        match &error {
            sqlx::Error::Database(e) => from_sqlstate(e.code().as_deref().unwrap_or(""), text),
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

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        match error {
            rusqlite::Error::SqliteFailure(failure, _) => from_sqlite(failure.extended_code, text),
            _ => Self::Other(text),
        }
    }
}

/// Classifies an extended result code of SQLite. The low byte is the primary code, and the other bytes give details:
/// for example, 1034 is `IOERR_FSYNC`.
fn from_sqlite(code: i32, text: String) -> StoreError {
    const SHM_SIZE: i32 = 4874; // no room for the index of the write-ahead log
    const UNIQUE: [i32; 3] = [1555, 2067, 2579]; // primary key, unique index, rowid
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
        // A lock or statement timeout, too many connections, or a standby that accepts no writes.
        "55P03" | "57014" | "53300" | "25006" => StoreError::Unavailable(text),
        "55000" => StoreError::Unavailable(text), // the database accepts no connections
        "25P03" => StoreError::Unavailable(text), // the session was idle too long in a transaction
        // The connection is lost, or the server is shutting down or starting.
        _ if code.starts_with("08") || code.starts_with("57P") => StoreError::Unavailable(text),
        // The server's disk fails, or its data or an index is damaged.
        "58030" | "XX001" | "XX002" => StoreError::Broken(text),
        _ => StoreError::Other(text),
    }
}

/// Converts a problem returned by a transaction's closure into the error with which the transaction fails.
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
            StoreError::Repeat(_) => {
                Self::transient(REPEAT, "the transaction conflicted with another one")
            }
            StoreError::Unavailable(_) | StoreError::UnknownCommit(_) => {
                Problem::transient("database_unavailable", "the database is busy or unreachable")
                    .with_hint("try again; a request with the same idempotency key is done once")
            }
            StoreError::Overloaded => {
                Problem::transient("overloaded", "the database has more work than it can take")
                    .with_hint("try again in a moment; the request was not started")
            }
            StoreError::Full(_) => Problem::operator("disk_full", "the database has no room left")
                .with_hint("free space on the database's disk, then continue; nothing was lost"),
            StoreError::Broken(_) => {
                Self::operator(BROKEN, "the database is damaged or its disk fails")
                    .with_hint("stop the process, check the disk, restore the last backup")
            }
            StoreError::Foreign(_) => {
                Problem::operator("database_foreign", "this is not a complete abide database")
                    .with_hint("name an empty database with `--db`, or restore the last backup")
            }
            StoreError::Duplicate(_) => Problem::caller("duplicate", "this already exists"),
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
            ("1299", |e| matches!(e, StoreError::Other(_))), // a NOT NULL violation is our mistake
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
            // The codes of SQLite are shorter than the SQLSTATEs of PostgreSQL.
            let error = match code.parse() {
                Ok(number) if code.len() < 5 => from_sqlite(number, String::new()),
                _ => from_sqlstate(code, String::new()),
            };
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
