//! Starting shadow runs, and reading what they report.

use abide_engine::base::{RunId, Value};
use abide_engine::domain::StartRun;
use abide_engine::facade::{MessageFilter, MessageView, RunView};
use abide_engine::store::MessageState;

use crate::campaign::church::Church;

pub(super) const TENANT: &str = "default";

/// The tables in which a shadow run leaves rows: its own, and the record of what it would do.
const OWN: [&str; 11] = [
    "run",
    "turn",
    "var",
    "ledger",
    "event_topic",
    "event_block",
    "outbox",
    "pii",
    "blob",
    "definition",
    "meta",
];

impl Church {
    /// Starts a shadow run, and plays it.
    pub(super) async fn dry_run(&self, method: &str, goal: Value) -> RunView {
        let wanted =
            StartRun { method: method.to_owned(), goal, dry_run: true, ..StartRun::default() };
        self.engine().start_run(TENANT, wanted).await.expect("started")
    }

    /// Returns the messages that a shadow run would send, oldest first.
    pub(super) async fn would_send(&self, run: RunId) -> Vec<MessageView> {
        let filter = MessageFilter { run: Some(run), limit: 200, ..MessageFilter::default() };
        let page = self.engine().messages(TENANT, &filter).await.expect("messages");
        let found: Vec<MessageView> = page.items.into_iter().rev().collect();
        assert!(found.iter().all(|message| message.state == MessageState::Shadowed), "{found:#?}");
        found
    }

    /// Returns the bodies of the events of one kind of a run, oldest first.
    pub(crate) async fn events_of(&self, run: RunId, kind: &str) -> Vec<Value> {
        let page = self.engine().events(TENANT, run, 0, 200).await.expect("events");
        let of_kind = page.items.into_iter().filter(|event| event.kind.as_str() == kind);
        of_kind.map(|event| event.body).collect()
    }

    /// Returns the rows that real runs read: all rows except those that belong to shadow runs.
    pub(super) async fn visible_rows(&self) -> Vec<String> {
        let rows = self.database().rows().await.into_iter();
        let own = |row: &String| OWN.contains(&row.split(' ').next().unwrap_or_default());
        rows.filter(|row| !own(row)).collect()
    }
}
