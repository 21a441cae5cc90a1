//! Media: files that are stored once, the assets that name them, and the commands that store and return files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use abide_engine::base::{Digest, Value};
use abide_engine::facade::ToolCall;
use abide_engine::store::{CommitPoint, FaultAction, tx_closure};
use serde_json::json;

use super::{all_refused, call, done, refusal};
use crate::campaign::church::{Church, Setup, on_both};
use crate::command_line::CommandLine;
use crate::faults::FaultAtCommit;
use crate::postgres::{TestDb, databases};
use crate::tools::{call_of, finished};

/// `Ridge capping`, in base64.
const CONTENT: &str = "UmlkZ2UgY2FwcGluZw==";
const BYTES: &[u8] = b"Ridge capping";
/// Number of commits of a call before which the process crashes; more than a call has.
const COMMITS: u32 = 4;
const FILES: &str = "SELECT COUNT(*) FROM files";
const ASSETS: &str = "SELECT COUNT(*) FROM media";

fn digest() -> String {
    Digest::of(BYTES).to_string()
}

fn with_content() -> Value {
    json!({ "name": "ridge.txt", "content": CONTENT })
}

/// Returns the path of the file in a folder of files.
fn path(folder: &Path) -> PathBuf {
    folder.join(&digest()[..2]).join(digest())
}

on_both!(the_same_bytes_are_stored_once, async |church: Church| {
    let first = call(&church, "media.create_asset", with_content()).await;
    assert_eq!(first["effects"]["files_written"], json!([digest()]), "{first:#}");
    let second = call(&church, "media.create_asset", with_content()).await;
    assert_eq!(second["effects"]["files_written"], json!([]), "{second:#}");
    let named = json!({ "name": "again.txt", "digest": digest(), "tags": ["roof"] });
    let third = done(&church, "media.create_asset", named).await;
    assert_eq!((church.number(FILES).await, church.number(ASSETS).await), (1, 3));
    let asset = done(&church, "media.get", json!({ "media_id": third["media_id"] })).await;
    for (member, value) in [
        ("name", json!("again.txt")),
        ("content_type", json!("text/plain")),
        ("size", json!(BYTES.len())),
        ("digest", json!(digest())),
        ("tags", json!(["roof"])),
    ] {
        assert_eq!(asset["media"][member], value, "{member}");
    }
    let listed = done(&church, "media.list", json!({ "digest": digest() })).await;
    assert_eq!(listed["count"], 3);
    assert_eq!(church.files().read(Digest::of(BYTES)).await.expect("read"), BYTES);
    church.assert_consistent().await;
});

on_both!(a_tenant_sees_only_files_that_it_stored, async |church: Church| {
    done(&church, "media.create_asset", with_content()).await;
    let make = tx_closure(|tx| Box::pin(async move { Ok(tx.ensure_tenant("north").await?) }));
    church.engine().write(make).await.expect("made");
    let named = json!({ "name": "theirs.txt", "digest": digest() });
    let theirs = async |input: Value| {
        let call = ToolCall { consented: true, ..call_of("media.create_asset", input) };
        let id = church.engine().call_tool("north", call).await.expect("called");
        let waited = church.engine().wait_for_call("north", id, Duration::from_millis(500)).await;
        waited.expect("known").receipt.expect("finished")
    };
    let refused = theirs(named.clone()).await;
    assert_eq!(refused["error"]["code"], "unknown_file", "{refused:#}");
    let stored = theirs(with_content()).await;
    assert_eq!(stored["effects"]["files_written"], json!([digest()]), "its own row: {stored:#}");
    assert_eq!(theirs(named).await["status"], "succeeded");
    assert_eq!(church.number(FILES).await, 2);
    church.assert_consistent().await;
});

on_both!(an_asset_without_a_file_is_refused, async |church: Church| {
    let unknown = "0".repeat(64);
    all_refused(
        &church,
        [
            refusal(
                "media.create_asset",
                json!({ "name": "a", "digest": unknown }),
                "unknown_file",
                format!("there is no file `{unknown}`"),
            ),
            refusal(
                "media.create_asset",
                json!({ "name": "a", "content": "UmlkZ2U" }),
                "invalid_args",
                "`content` is not base64 with padding",
            ),
        ],
    )
    .await;
    assert_eq!((church.number(FILES).await, church.number(ASSETS).await), (0, 0));
    let whole = json!({ "name": "a", "content": "A".repeat(60_000) });
    assert_eq!(done(&church, "media.create_asset", whole).await["media"]["size"], 45_000);
});

on_both!(the_audit_finds_an_asset_without_its_file, async |church: Church| {
    done(&church, "media.create_asset", with_content()).await;
    for (sql, back) in [
        ("UPDATE files SET tenant = 'north'", "UPDATE files SET tenant = 'default'"),
        ("UPDATE media SET size = size + 1", "UPDATE media SET size = size - 1"),
    ] {
        church.execute(sql).await;
        let report = church.engine().audit().await.expect("audited");
        assert!(report.breaches.iter().any(|it| it.rule == "media_file"), "{sql}: {report:#?}");
        church.execute(back).await;
        church.assert_consistent().await;
    }
});

#[tokio::test]
async fn a_crash_between_file_and_row_leaves_one_asset_with_a_readable_file() {
    let (mut kinds, mut between) = (BTreeSet::new(), BTreeSet::new());
    for nth in 1..=COMMITS {
        for database in databases() {
            let kind = database.to_string();
            kinds.insert(kind.clone());
            if crashes_between(database, nth).await {
                between.insert(kind);
            }
        }
    }
    assert_eq!(between, kinds, "a crash is after the file is stored and before its row");
}

/// Crashes the process before its nth commit during a call, and lets another process finish the call.
/// Returns whether the file was stored and its row was not.
async fn crashes_between(database: TestDb, nth: u32) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let mut church = Church::with(database, Setup::files_in(folder.path())).await;
    let death = Arc::new(FaultAtCommit::new(FaultAction::Crash));
    church.reopen_with(|setup| setup.faults = death.clone()).await;
    let wanted = ToolCall {
        consented: true,
        request_key: Some("k1".to_owned()),
        ..call_of("media.create_asset", with_content())
    };
    death.arm(CommitPoint::Before, nth);
    if let Ok(id) = church.engine().call_tool("default", wanted.clone()).await {
        let _ = church.engine().wait_for_call("default", id, Duration::ZERO).await;
    }
    let rows = church.number(FILES).await;
    let between = path(folder.path()).exists() && rows == 0;
    assert_eq!(church.number(ASSETS).await, rows, "both rows are in one commit");
    death.disarm();
    church.crash().await;
    church.engine().release_crashed_claims().await.expect("released");
    let id = church.engine().call_tool("default", wanted).await.expect("the same call");
    church.engine().tick().await.expect("settled");
    let receipt = finished(&church, id).await;
    assert_eq!(receipt["effects"]["files_written"], json!([digest()]), "{receipt:#}");
    assert_eq!((church.number(FILES).await, church.number(ASSETS).await), (1, 1));
    assert_eq!(church.files().read(Digest::of(BYTES)).await.expect("read"), BYTES);
    church.assert_consistent().await;
    between
}

#[tokio::test]
async fn a_file_that_cannot_be_stored_fails_the_call() {
    for database in databases() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("files");
        std::fs::write(&place, "a file in place of the folder").expect("written");
        let church = Church::with(database, Setup::files_in(&place)).await;
        let receipt = call(&church, "media.create_asset", with_content()).await;
        assert_eq!(receipt["error"]["code"], "files_unavailable", "{receipt:#}");
        assert!(receipt["error"]["hint"].is_string(), "{receipt:#}");
        assert_eq!((church.number(FILES).await, church.number(ASSETS).await), (0, 0));
        std::fs::remove_file(&place).expect("removed");
        done(&church, "media.create_asset", with_content()).await;
        church.assert_consistent().await;
    }
}

#[test]
fn commands_store_a_file_and_return_it() {
    let commands = CommandLine::seeded();
    let source = commands.write("ridge.txt", "Ridge capping");
    let stored = commands.text(&["file", "put", &source]);
    assert!(stored.starts_with(&format!("{}\n  size  13 bytes\n", digest())), "{stored}");
    let again = commands.json(&["file", "put", &source]);
    assert_eq!(again, json!({ "digest": digest(), "size": 13, "content_type": "text/plain" }));
    let folder = commands.path("files");
    assert!(path(Path::new(&folder)).exists(), "the folder is beside the database");
    assert_eq!(commands.run(&["file", "get", &digest()]).stdout, BYTES);

    let out = commands.path("copy.txt");
    let get = ["file", "get", &digest(), "--out", &out];
    commands.text(&get);
    assert_eq!(std::fs::read(&out).expect("written"), BYTES);
    assert_eq!(commands.refusal(&get), "file_exists");
    std::fs::write(&out, "mine").expect("written");
    assert_eq!(commands.refusal(&get), "file_exists");
    assert_eq!(std::fs::read(&out).expect("kept"), b"mine");
    commands.text(&[&get[..], &["--force"]].concat());
    assert_eq!(std::fs::read(&out).expect("replaced"), BYTES);

    assert_eq!(commands.refusal(&["file", "get", &"0".repeat(64)]), "unknown_file");
    assert_eq!(commands.refusal(&["file", "get", &digest(), "--tenant", "north"]), "unknown_file");
    let elsewhere = ["file", "get", &digest(), "--files", &commands.path("elsewhere")];
    let missing = commands.run(&elsewhere);
    let told = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(told.contains("is not in the folder of files") && !missing.status.success(), "{told}");
    assert_eq!(commands.refusal(&["file", "put", &commands.path("none")]), "unreadable");
    let input = json!({ "name": "ridge.txt", "digest": digest() }).to_string();
    let receipt = commands.json(&["tools", "call", "media.create_asset", "--input", &input]);
    assert_eq!(receipt["status"], "succeeded", "{receipt:#}");
}
