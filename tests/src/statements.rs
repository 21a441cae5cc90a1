//! Records every statement that the engine sends while the tests run, for the test program `plans`, which runs after
//! this one and asks both databases how they would execute each statement.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::{Arc, LazyLock, Mutex};

use abide_engine::store::{
    CommitParts, CommitPoint, Dialect, FaultAction, FaultHooks, StatementHooks,
};

/// The file of the recorded statements. Each line is the name of a database and a statement, as a JSON array.
const FILE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/statements.jsonl");

static RECORD: LazyLock<Mutex<Record>> = LazyLock::new(|| Mutex::new(Record::begin()));

struct Record {
    seen: BTreeSet<(&'static str, String)>,
    file: File,
}

impl Record {
    /// Begins a new file if all tests run. If only some tests run, adds to the file, which then holds the statements of
    /// the others from an earlier run.
    fn begin() -> Self {
        let all = std::env::args().skip(1).all(|argument| argument.starts_with('-'));
        if all {
            std::fs::write(FILE, "").expect("the file can be written");
        }
        let file = OpenOptions::new().create(true).append(true).open(FILE);
        Self { seen: BTreeSet::new(), file: file.expect("the file can be opened") }
    }
}

/// Injects no faults and records the statements.
struct Recorder;

impl StatementHooks for Recorder {
    fn statement(&self, dialect: Dialect, sql: &str) {
        let database = match dialect {
            Dialect::Sqlite => "sqlite",
            Dialect::Postgres => "postgres",
        };
        let mut record = RECORD.lock().expect("not poisoned");
        if record.seen.insert((database, sql.to_owned())) {
            // One write for each line, because a test may run this program again, which then writes to the same file.
            let line = format!("{}\n", serde_json::json!([database, sql]));
            record.file.write_all(line.as_bytes()).expect("the statement is written");
        }
    }
}

impl FaultHooks for Recorder {
    fn at_commit(&self, _: CommitPoint, _: CommitParts) -> FaultAction {
        FaultAction::Go
    }
}

/// Returns the hooks of an engine or a store in a test that injects no faults.
pub(crate) fn no_faults() -> Arc<dyn FaultHooks> {
    Arc::new(Recorder)
}
