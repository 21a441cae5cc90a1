//! Tokens and roles on both databases, and the commands that a token allows on a served API.

use serde_json::json;

use crate::campaign::api::{ApiRequest, ChurchApi};
use crate::campaign::church::{Church, on_both};
use crate::command_line::parse_json;
use crate::process::{ServerProcess, run_abide, run_shell};

/// Sends a GET request with a token, and returns the status of the answer.
async fn status(api: &ChurchApi, token: &str, path: &str) -> u16 {
    let request = ApiRequest { method: "GET", path, key: None, body: "" };
    api.send_with(token, &request).await.status
}

on_both!(a_token_is_valid_until_it_expires_or_is_revoked, async |church: Church| {
    let api = ChurchApi::over(&church);
    let post = async |body: &str| {
        let request = ApiRequest { method: "POST", path: "/v1/tokens", key: None, body };
        let created = api.send(&request).await;
        assert_eq!(created.status, 201, "{created:?}");
        let text = |name: &str| created.body[name].as_str().expect("a text").to_owned();
        (text("id"), text("token"))
    };
    let (lasting, lasting_secret) = post(r#"{"role": "viewer"}"#).await;
    let (brief, brief_secret) = post(r#"{"role": "admin", "expires": "1h"}"#).await;
    for secret in [&lasting_secret, &brief_secret] {
        assert_eq!(status(&api, secret, "/v1/people").await, 200);
    }
    assert_eq!(status(&api, &lasting_secret, "/v1/tokens").await, 403);
    assert_eq!(status(&api, &brief_secret, "/v1/tokens").await, 200);
    let unknown = format!("abide_{}", "0".repeat(64));
    assert_eq!(status(&api, &unknown, "/v1/people").await, 401);
    church.advance("1h").await;
    assert_eq!(status(&api, &brief_secret, "/v1/people").await, 401, "it has expired");

    let path = format!("/v1/tokens/{lasting}");
    let request = ApiRequest { method: "DELETE", path: &path, key: None, body: "" };
    let revoked = api.send(&request).await;
    assert_eq!(revoked.status, 200, "{revoked:?}");
    assert_eq!(status(&api, &lasting_secret, "/v1/people").await, 401, "it is revoked");
    let page = |cursor: &str| format!("/v1/tokens?limit=1{cursor}");
    let get = async |path: &str| {
        api.send(&ApiRequest { method: "GET", path, key: None, body: "" }).await.body
    };
    let first = get(&page("")).await;
    let cursor = first["next_cursor"].as_str().expect("a cursor");
    let second = get(&page(&format!("&cursor={cursor}"))).await;
    assert_eq!(first["items"], json!([revoked.body]));
    assert_eq!((&second["items"][0]["id"], second.get("next_cursor")), (&json!(brief), None));
    let stored = church.number("SELECT COUNT(*) FROM token WHERE label IS NULL").await;
    assert_eq!(stored, 2);

    church.advance("91days").await;
    post(r#"{"role": "staff"}"#).await;
    let left = church.number("SELECT COUNT(*) FROM token").await;
    assert_eq!(left, 1, "tokens that became invalid long ago are deleted");
});

/// Commands, each with the least role that may run it.
const COMMANDS: &[(&str, &[&str])] = &[
    ("viewer", &["people", "list"]),
    ("viewer", &["run", "list"]),
    ("viewer", &["logs"]),
    ("viewer", &["inbox", "list"]),
    ("viewer", &["tenant", "show"]),
    ("staff", &["inbox", "answer", "msg_00000000000000000000000000000001", "Hi"]),
    ("staff", &["inbox", "assign", "msg_00000000000000000000000000000001", "Pat"]),
    ("staff", &["inbox", "take-over", "msg_00000000000000000000000000000001"]),
    ("staff", &["inbox", "hand-back", "msg_00000000000000000000000000000001"]),
    ("staff", &["say", "--from", "+15125559999", "who is this?"]),
    ("staff", &["tools", "call", "fetch_kb", "--input", r#"{"query": "keys"}"#]),
    ("staff", &["run", "start", "cancel_request", "--goal", "{}"]),
    ("supervisor", &["logs", "--show-pii"]),
    ("supervisor", &["capacity", "set", "van", "8"]),
    ("supervisor", &["kb", "retire", "nothing"]),
    ("viewer", &["service", "list"]),
    ("supervisor", &["service", "put", "vespers", "--weekday", "sunday", "--time", "18:00"]),
    ("supervisor", &["service", "remove", "nothing"]),
    ("admin", &["seed"]),
    ("admin", &["token", "list"]),
    ("admin", &["tenant", "set", "default", "messages_per_month", "500"]),
    ("admin", &["schedule", "remove", "tmr_00000000000000000000000000000001"]),
    ("nobody", &["audit"]),
];
const ROLES: [&str; 4] = ["viewer", "staff", "supervisor", "admin"];

/// Runs a command with `--json`, and returns the code of its problem; an empty string if it succeeds.
fn problem(arguments: &[&str]) -> String {
    let output = run_abide(&[arguments, &["--json"]].concat());
    if output.status.success() {
        return String::new();
    }
    parse_json(&output.stderr)["code"].as_str().expect("a code").to_owned()
}

#[test]
fn a_command_with_a_token_does_what_the_role_of_the_token_allows() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("t.db").display().to_string();
    assert!(run_abide(&["seed", "--db", &db]).status.success());
    let server = ServerProcess::serve(&db, &[]);
    let create = |role: &str| {
        let created = run_abide(&["token", "create", "--role", role, "--db", &db]);
        assert!(created.status.success(), "{created:?}");
        String::from_utf8_lossy(&created.stdout).trim().to_owned()
    };
    for (level, role) in ROLES.iter().enumerate() {
        let token = create(role);
        for (least, command) in COMMANDS {
            let remote = ["--server", server.url(), "--token", &token];
            let code = problem(&[command, &remote[..]].concat());
            let allowed = ROLES.iter().position(|it| it == least).is_some_and(|it| it <= level);
            assert_eq!(code != "forbidden", allowed, "{role}: {command:?} answers `{code}`");
            assert_ne!(code, "unauthorized", "{role}: {command:?}");
        }
        let other = ["people", "list", "--tenant", "north"];
        let remote = ["--server", server.url(), "--token", &token];
        assert_eq!(problem(&[&other[..], &remote].concat()), "unknown_tenant", "{role}");
    }
}

#[test]
fn a_command_takes_its_token_from_the_environment_and_never_prints_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("t.db").display().to_string();
    assert!(run_abide(&["seed", "--db", &db]).status.success());
    let created = run_abide(&["token", "create", "--role", "viewer", "--db", &db, "--json"]);
    let created = parse_json(&created.stdout);
    let (id, secret) = (created["id"].as_str(), created["token"].as_str());
    let (id, secret) = (id.expect("an id"), secret.expect("a secret"));
    let server = ServerProcess::serve(&db, &[]);
    let run = |command: &str| {
        let line = format!("ABIDE_TOKEN={secret} abide -vv --server {} {command}", server.url());
        let output = run_shell(folder.path(), &line);
        let printed = format!("{output:?}");
        assert!(!printed.contains(secret), "{command}: {printed}");
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (listed, people) = run("people list");
    assert!(listed && people.contains("[redacted]") && !people.contains("+1512"), "{people}");
    assert!(!run("seed").0, "a viewer may not");
    assert!(run("--help").0);
    let tokens = run_abide(&["token", "list", "--db", &db]);
    let tokens = String::from_utf8_lossy(&tokens.stdout).into_owned();
    assert!(tokens.contains(id) && tokens.contains("valid"), "{tokens}");
    let revoked = run_abide(&["token", "revoke", id, "--db", &db]);
    assert!(revoked.status.success(), "{revoked:?}");
    assert!(!run("people list").0, "the token is revoked");
    let tokens = run_abide(&["token", "list", "--db", &db]);
    assert!(String::from_utf8_lossy(&tokens.stdout).contains("revoked"), "{tokens:?}");
}
