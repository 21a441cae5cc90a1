//! A database, its settings and the provider's record of messages, which outlive the processes of a test.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Output;
use std::time::Duration;

use abide_engine::base::Digest;
use serde_json::Value;
use tempfile::TempDir;

use crate::postgres::TestDb;
use crate::process::{ServerProcess, WorkerProcess, run_abide};

/// Maximum time until every message has its final state. If the provider's response to a sent message is
/// missing, the provider is asked about the message after ten seconds.
const SETTLED_WITHIN: Duration = Duration::from_secs(60);

/// Settings with short leases, so that a crash is noticed quickly, and without quiet hours.
const SETTINGS: &str = "quiet_hours = \"none\"\nnode_lease = \"1s\"\npoll_interval = \"1s\"\n";

/// The database of a demo church, on which processes can be started and stopped.
pub(crate) struct Deployment {
    pub(crate) db: TestDb,
    config: String,
    folder: TempDir,
}

impl Deployment {
    pub(crate) fn seeded(db: TestDb) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("abide.toml");
        std::fs::write(&config, SETTINGS).expect("the settings are written");
        let deployment = Self { db, config: config.display().to_string(), folder };
        for command in ["migrate", "seed"] {
            let done = deployment.command(&[command]);
            assert!(done.status.success(), "{command}: {done:?}");
        }
        deployment
    }

    /// Adds a method to the home folder.
    pub(crate) fn with_method(self, name: &str, text: &str) -> Self {
        let methods = self.folder.path().join("methods");
        std::fs::create_dir_all(&methods).expect("a folder");
        std::fs::write(methods.join(format!("{name}.yaml")), text).expect("written");
        self
    }

    fn options(&self) -> [&str; 4] {
        let home = self.folder.path().to_str().expect("a path in UTF-8");
        ["--config", &self.config, "--home", home]
    }

    /// Runs a command until it exits.
    pub(crate) fn command(&self, command: &[&str]) -> Output {
        run_abide(&[command, &["--db", self.db.url()], &self.options()].concat())
    }

    /// Starts a server.
    pub(crate) fn serve(&self, more: &[&str]) -> ServerProcess {
        ServerProcess::serve(self.db.url(), &[more, &self.options()].concat())
    }

    /// Starts a worker.
    pub(crate) fn worker(&self) -> WorkerProcess {
        WorkerProcess::start(self.db.url(), &self.options())
    }

    /// Returns the messages that the provider received, one from each line of its file.
    fn texts_at_provider(&self) -> Vec<Value> {
        let url = self.db.url();
        let path = if url.starts_with("postgres") {
            let name = format!("loopback-{}.jsonl", Digest::of(url.as_bytes()).short());
            std::env::temp_dir().join(".abide").join(name)
        } else {
            PathBuf::from(format!("{url}.loopback"))
        };
        let text = std::fs::read_to_string(path).expect("the provider's file");
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Waits until every message has its final state, and returns all messages. Checks that every reply was
    /// handled, and that the provider received every sent message exactly once.
    pub(crate) async fn assert_nothing_lost_or_doubled(
        &self,
        server: &ServerProcess,
        replies: usize,
    ) -> Vec<Value> {
        let messages = settled_messages(server).await;
        let (inbound, outbound): (Vec<&Value>, Vec<&Value>) =
            messages.iter().partition(|message| message["direction"] == "inbound");
        assert_eq!(inbound.len(), replies);
        for reply in inbound {
            assert_eq!(reply["kind"], "reply", "{reply:#}");
        }
        let sent = outbound.iter().filter(|message| message["state"] == "sent");
        let sent: BTreeSet<&str> = sent.filter_map(|message| message["id"].as_str()).collect();
        let at_provider = self.texts_at_provider();
        let ids: BTreeSet<&str> = at_provider.iter().filter_map(|m| m["id"].as_str()).collect();
        assert_eq!(ids.len(), at_provider.len(), "a message was sent twice");
        assert_eq!(ids, sent, "what was sent and what the provider has differ");
        messages
    }

    /// Checks that `abide audit` reports nothing.
    pub(crate) fn assert_audit_is_clean(&self) {
        let audit = self.command(&["audit"]);
        assert!(audit.status.success(), "{audit:?}");
    }
}

/// Waits until every message has its final state, and returns all messages.
pub(crate) async fn settled_messages(server: &ServerProcess) -> Vec<Value> {
    // The state `stored` is not final. An inbound message in this state may have arrived
    // while the run ended, and may still be applied.
    const UNSETTLED: [&str; 4] = ["queued", "sending", "unknown", "stored"];
    let is_unsettled = |m: &Value| m["state"].as_str().is_some_and(|s| UNSETTLED.contains(&s));
    let mut messages = Vec::new();
    let polling = async {
        let mut polls = tokio::time::interval(Duration::from_millis(200));
        loop {
            polls.tick().await;
            messages = all_messages(server).await;
            if !messages.iter().any(is_unsettled) {
                return;
            }
        }
    };
    let settled = tokio::time::timeout(SETTLED_WITHIN, polling).await;
    let left: Vec<&Value> = messages.iter().filter(|m| is_unsettled(m)).collect();
    assert!(settled.is_ok(), "messages stay on their way: {left:#?}\n{}", server.stderr());
    messages
}

/// Reads all messages, page by page.
async fn all_messages(server: &ServerProcess) -> Vec<Value> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = server.get(&format!("/v1/messages?limit=200{cursor}")).await.body;
        all.extend(page["items"].as_array().expect("a list").iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

/// Polls a path until the function `done` returns true for the response body. Returns that body.
pub(crate) async fn poll_until(
    server: &ServerProcess,
    path: &str,
    done: impl Fn(&Value) -> bool,
) -> Value {
    let mut polls = tokio::time::interval(Duration::from_millis(50));
    let polling = async {
        loop {
            polls.tick().await;
            let reply = server.get(path).await;
            if done(&reply.body) {
                return reply.body;
            }
        }
    };
    match tokio::time::timeout(SETTLED_WITHIN, polling).await {
        Ok(body) => body,
        Err(_) => {
            let last = server.get(path).await;
            panic!("{path} does not reach the expected state: {last:#?}\n{}", server.stderr());
        }
    }
}

/// Checks that each call of a run and its branches has exactly one receipt.
pub(crate) async fn assert_one_receipt_a_call(server: &ServerProcess, run: &str) {
    let receipts = server.get(&format!("/v1/runs/{run}/receipts")).await.body;
    let receipts = receipts["items"].as_array().expect("receipts").clone();
    let calls: BTreeSet<&str> = receipts.iter().filter_map(|r| r["call_id"].as_str()).collect();
    assert_eq!(calls.len(), receipts.len(), "a call has two receipts: {receipts:#?}");
    assert!(!calls.is_empty(), "{run} made no call");
}
