//! Builds the statements that copy runs.
//!
//! A statement contains the ids of the samples as literals. The ids and hashes of the copies are bound: on
//! SQLite as one blob, which a recursive query divides into rows, on PostgreSQL as one array per column.

use std::collections::BTreeMap;

use abide_engine::base::TypedId as _;
use abide_engine::store::LedgerRow;
use uuid::Uuid;

use super::sample::SampleRuns;
use crate::bench::report::DatabaseKind;

/// The names of the columns of each table.
pub(super) type Columns = BTreeMap<&'static str, Vec<String>>;

/// The tables in which runs have rows, and the column of each that identifies the run.
pub(super) const TABLES: [RunTable; 6] = [
    RunTable { name: "run", key: "id" },
    RunTable { name: "turn", key: "run_id" },
    RunTable { name: "var", key: "run_id" },
    RunTable { name: "wait", key: "run_id" },
    RunTable { name: "signal", key: "run_id" },
    RunTable { name: "ledger", key: "stream" },
];

/// A table in which runs have rows.
pub(super) struct RunTable {
    pub(super) name: &'static str,
    pub(super) key: &'static str,
}

/// A commit in the life of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::bench) enum Stage {
    /// The copies wait: all rows of the parked sample are inserted in one commit.
    Filled,
    /// The copies are started, and have taken no step.
    Started,
    /// The copies have taken their first step, and wait.
    Parked,
    /// The copies have got a signal, and are due.
    Signalled,
    /// The copies have taken their last step.
    Ended,
}

/// The rows that are bound to a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// One row per run, with the hash of the last event before the wait.
    ParkedRuns,
    /// One row per run, with the hash of the last event.
    EndedRuns,
    /// The events that precede the wait.
    ParkedEvents,
    /// The events that follow the wait.
    EndEvents,
}

/// A statement, and the rows to bind to it.
pub(super) struct Statement {
    pub(super) text: String,
    pub(super) bound: Bound,
}

/// Builds the statements for copies of one pair of samples.
pub(super) struct StatementBuilder<'a> {
    pub(super) kind: DatabaseKind,
    pub(super) columns: &'a Columns,
    pub(super) sample: &'a SampleRuns,
    /// The tenant of the copies.
    pub(super) tenant: &'static str,
}

/// The rows that are bound, as a table of SQLite. The blob `$1` has 64 bytes per run.
const RUNS_SQLITE: &str =
    "(WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i + 1 < $2)
    SELECT substr($1, i * 64 + 1, 16) AS run, substr($1, i * 64 + 17, 16) AS call,
    substr($1, i * 64 + 33, 32) AS hash, $3 + i AS due FROM c) v";
/// The same rows as a table of PostgreSQL.
const RUNS_POSTGRES: &str = "(SELECT u.run, u.call, u.hash, $4::bigint + u.n AS due
    FROM unnest($1::uuid[], $2::uuid[], $3::bytea[]) WITH ORDINALITY AS u(run, call, hash, n)) v";
/// The events that are bound, as a table of SQLite. The blob `$1` has 80 bytes per event, and each run has
/// `$4` events.
const EVENTS_SQLITE: &str = "(WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i + 1 < $2)
    SELECT substr($1, i * 80 + 1, 16) AS id, substr($1, i * 80 + 17, 16) AS run,
    substr($1, i * 80 + 33, 16) AS call, substr($1, i * 80 + 49, 32) AS hash, $3 + i % $4 AS seq FROM c) v";
/// The same events as a table of PostgreSQL.
const EVENTS_POSTGRES: &str =
    "unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bytea[], $5::bigint[])
    AS v(id, run, call, hash, seq)";

impl StatementBuilder<'_> {
    /// Returns the statements of one commit.
    pub(super) fn stage(&self, stage: Stage) -> Vec<Statement> {
        let parked = |text| Statement { text, bound: Bound::ParkedRuns };
        let ended = |text| Statement { text, bound: Bound::EndedRuns };
        match stage {
            Stage::Filled => vec![
                parked(self.copy_heads("s.status", "s.seq")),
                parked(self.copy_turns()),
                parked(self.copy("var", &[("run_id", "v.run")])),
                parked(self.copy("wait", &[("run_id", "v.run")])),
                self.copy_events(Bound::ParkedEvents),
            ],
            Stage::Started => vec![
                parked(self.copy_heads("'pending'", "0")),
                parked(self.copy_turns()),
                parked(self.copy("var", &[("run_id", "v.run")])),
            ],
            Stage::Parked => vec![
                parked(self.move_heads(self.sample.parked.uuid())),
                parked(self.update("turn", "due_at = v.due, expected_by = v.due")),
                parked(self.copy("wait", &[("run_id", "v.run")])),
                self.copy_events(Bound::ParkedEvents),
            ],
            Stage::Signalled => vec![
                parked(self.copy_signals()),
                parked(self.update("turn", "wake = turn.wake + 1, due_at = v.due")),
            ],
            Stage::Ended => vec![
                ended(self.move_heads(self.sample.ended.uuid())),
                ended(self.update("signal", "consumed_seq = 2")),
                ended(self.delete("wait")),
                ended(self.delete("turn")),
                self.copy_events(Bound::EndEvents),
            ],
        }
    }

    fn copy_turns(&self) -> String {
        let tenant = self.tenant_text();
        let due = [("due_at", "v.due"), ("expected_by", "v.due")];
        self.copy("turn", &[("run_id", "v.run"), ("tenant", &tenant), due[0], due[1]])
    }

    fn copy_heads(&self, status: &str, seq: &str) -> String {
        let (tenant, state) = (self.tenant_text(), self.state());
        self.copy(
            "run",
            &[
                ("id", "v.run"),
                ("tenant", &tenant),
                ("status", status),
                ("seq", seq),
                ("state", &state),
                ("last_hash", "v.hash"),
                ("correlation", "v.run"),
            ],
        )
    }

    /// Returns the statement that copies the signal of the ended sample, not consumed.
    fn copy_signals(&self) -> String {
        let none = "CAST(NULL AS BIGINT)";
        let values: &[_] = &[("run_id", "v.run"), ("consumed_seq", none)];
        self.insert("signal", values, &format!("s.run_id = {}", self.id(self.sample.ended.uuid())))
    }

    /// Returns the statement that copies the rows of the parked sample in one table.
    fn copy(&self, table: &'static str, values: &[(&str, &str)]) -> String {
        let key = TABLES.iter().find(|one| one.name == table).map_or("run_id", |one| one.key);
        self.insert(table, values, &format!("s.{key} = {}", self.id(self.sample.parked.uuid())))
    }

    /// Returns the statement that inserts rows for all bound rows. A column that is not in `values` gets
    /// the value of the sample row, which `condition` selects.
    fn insert(&self, table: &'static str, values: &[(&str, &str)], condition: &str) -> String {
        let (names, values) = self.lists(table, values);
        let runs = self.runs();
        format!(
            "INSERT INTO {table} ({names}) SELECT {values} FROM {runs} CROSS JOIN {table} s WHERE {condition}"
        )
    }

    fn copy_events(&self, bound: Bound) -> Statement {
        let (stream, events) = match bound {
            Bound::EndEvents | Bound::EndedRuns => (self.sample.ended, &self.sample.end_events),
            Bound::ParkedEvents | Bound::ParkedRuns => {
                (self.sample.parked, &self.sample.parked_events)
            }
        };
        let (tenant, body) = (self.tenant_text(), self.body(events, &stream.to_string()));
        let (names, values) = self.lists(
            "ledger",
            &[
                ("id", "v.id"),
                ("stream", "v.run"),
                ("run_id", "v.run"),
                ("call_id", "CASE WHEN s.call_id IS NULL THEN NULL ELSE v.call END"),
                ("tenant", &tenant),
                ("body", &body),
                ("hash", "v.hash"),
                ("correlation", "v.run"),
            ],
        );
        let source = match self.kind {
            DatabaseKind::Sqlite => EVENTS_SQLITE,
            DatabaseKind::Postgres => EVENTS_POSTGRES,
        };
        let stream = self.id(stream.uuid());
        let text = format!(
            "INSERT INTO ledger ({names}) SELECT {values} FROM {source} CROSS JOIN ledger s
            WHERE s.stream = {stream} AND s.seq = v.seq"
        );
        Statement { text, bound }
    }

    /// Returns the statement that gives the heads the position of a sample.
    fn move_heads(&self, sample: Uuid) -> String {
        let state =
            if sample == self.sample.parked.uuid() { self.state() } else { "s.state".into() };
        format!(
            "UPDATE run SET status = s.status, outcome = s.outcome, seq = s.seq, state = {state},
            last_hash = v.hash, last_at = s.last_at, ended_at = s.ended_at
            FROM {} CROSS JOIN run s WHERE run.id = v.run AND s.id = {}",
            self.runs(),
            self.id(sample)
        )
    }

    fn update(&self, table: &str, what: &str) -> String {
        format!("UPDATE {table} SET {what} FROM {} WHERE {table}.run_id = v.run", self.runs())
    }

    fn delete(&self, table: &str) -> String {
        format!("DELETE FROM {table} WHERE run_id IN (SELECT v.run FROM {})", self.runs())
    }

    fn runs(&self) -> &'static str {
        match self.kind {
            DatabaseKind::Sqlite => RUNS_SQLITE,
            DatabaseKind::Postgres => RUNS_POSTGRES,
        }
    }

    /// Returns the lists of the columns and of their values. The column `pos` is left out: its default is
    /// the position of a new event.
    fn lists(&self, table: &'static str, values: &[(&str, &str)]) -> (String, String) {
        let columns = self.columns.get(table).map_or(&[][..], Vec::as_slice);
        let columns = columns.iter().filter(|name| name.as_str() != "pos");
        let value = |name: &String| {
            let given = values.iter().find(|(column, _)| column == name);
            given.map_or_else(|| format!("s.{name}"), |(_, value)| (*value).to_owned())
        };
        let values: Vec<String> = columns.clone().map(value).collect();
        (columns.cloned().collect::<Vec<_>>().join(", "), values.join(", "))
    }

    /// Returns the state of the parked sample with the call and the deadline of the copy.
    fn state(&self) -> String {
        let SampleRuns { parked_call, deadline, .. } = self.sample;
        format!(
            "replace(replace(s.state, '{parked_call}', {}), '{deadline}', CAST(v.due AS TEXT))",
            self.prefixed("call", "v.call")
        )
    }

    /// Returns the body of an event with the ids of the copy, if the sample's bodies contain its own ids.
    fn body(&self, events: &[LedgerRow], run: &str) -> String {
        let mut text = "s.body".to_owned();
        let contains = |id: &str| events.iter().any(|event| event.body.to_string().contains(id));
        if contains(run) {
            text = format!("replace({text}, '{run}', {})", self.prefixed("run", "v.run"));
        }
        let calls = [Some(self.sample.parked_call), self.sample.ended_call];
        for call in calls.into_iter().flatten().map(|call| call.to_string()) {
            if contains(&call) {
                text = format!("replace({text}, '{call}', {})", self.prefixed("call", "v.call"));
            }
        }
        text
    }

    fn tenant_text(&self) -> String {
        format!("'{}'", self.tenant)
    }

    fn prefixed(&self, prefix: &str, column: &str) -> String {
        match self.kind {
            DatabaseKind::Sqlite => format!("'{prefix}_' || lower(hex({column}))"),
            DatabaseKind::Postgres => {
                format!("'{prefix}_' || replace(CAST({column} AS TEXT), '-', '')")
            }
        }
    }

    /// Returns the literal of an id.
    pub(super) fn id(&self, id: Uuid) -> String {
        literal(self.kind, id)
    }
}

/// Returns the literal of an id in the SQL of a database.
pub(super) fn literal(kind: DatabaseKind, id: Uuid) -> String {
    match kind {
        DatabaseKind::Sqlite => format!("X'{}'", id.simple()),
        DatabaseKind::Postgres => format!("CAST('{id}' AS UUID)"),
    }
}
