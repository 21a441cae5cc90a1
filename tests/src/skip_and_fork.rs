//! The real program carries out `abide run skip` and `abide run fork`.

use serde_json::json;

use crate::command_line::{CommandLine, stdout};

const METHOD: &str = "method: patient
steps:
  - { id: first, call: reserve, args: { key: hall, amount: 1 }, out: hall }
  - { id: second, await: { timeout: 2h } }
  - { id: third, await: { signal: more, timeout: 2h, out: more } }
";

const NOBODY: &str = "run_01999c113f00700080132576642cadc8";

fn commands() -> CommandLine {
    CommandLine::new().with_method("patient", METHOD)
}

/// Runs a command without and with `--json`, checks that it fails, and returns the code of the problem.
fn refusal(commands: &CommandLine, arguments: &[&str]) -> String {
    let output = commands.run(arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "), "{output:?}");
    commands.refusal(arguments)
}

/// Starts a run that fails at its first step, because the resource `hall` that it reserves has no capacity.
fn start_failing_run(commands: &CommandLine) -> String {
    let started = commands.json(&["run", "start", "patient", "--goal", r#"{"kind": "Wait"}"#]);
    assert_eq!(started["status"], "failed", "{started}");
    started["id"].as_str().expect("an id").to_owned()
}

#[test]
fn a_step_is_skipped() {
    let commands = commands();
    let run = start_failing_run(&commands);
    let first = ["run", "skip", &run, "--out", r#""hello""#, "--key", "k1"];
    let skipped = commands.json(&first);
    assert_eq!(skipped["position"]["step_id"], "second", "{skipped}");
    assert_eq!(skipped["vars"]["hall"], "hello");
    assert_eq!(commands.json(&first), skipped, "the same key skips one step only");

    assert_eq!(refusal(&commands, &["run", "skip", &run, "--out", "1"]), "out_unbound");
    assert_eq!(refusal(&commands, &["run", "skip", &run, "--out", "hello"]), "not_json");
    assert_eq!(refusal(&commands, &["run", "skip", NOBODY]), "unknown_run");
    let shown = commands.run(&["run", "skip", &run]);
    let line = stdout(&shown);
    assert!(line.starts_with(&run) && line.contains("waiting"), "{shown:?}");
    assert_eq!(commands.json(&["run", "skip", &run])["status"], "completed");
    assert_eq!(refusal(&commands, &["run", "skip", &run]), "wrong_state");
}

#[test]
fn a_run_is_forked() {
    let commands = commands();
    let old = start_failing_run(&commands);
    commands.json(&["run", "skip", &old, "--out", r#""hello""#]);
    let fork = ["run", "fork", &old, "--from", "second", "--key", "k1"];
    let forked = commands.json(&fork);
    assert_eq!(forked["forked_from"], json!(old), "{forked}");
    assert_eq!(commands.json(&fork), forked, "the same key makes one run only");
    let new = commands.json(&["run", "show", forked["id"].as_str().expect("an id")]);
    assert_eq!(new["position"]["step_id"], "second", "{new}");
    assert_eq!((&new["vars"]["hall"], &new["goal"]["kind"]), (&json!("hello"), &json!("Wait")));

    let shown =
        commands.run(&["run", "fork", &old, "--from", "first", "--goal", r#"{"kind": "Other"}"#]);
    let line = stdout(&shown);
    assert!(line.starts_with("run_") && line.contains("failed"), "{shown:?}");
    assert_eq!(refusal(&commands, &["run", "fork", &old, "--from", "fist"]), "unknown_step");
    assert_eq!(refusal(&commands, &["run", "fork", &old, "--from", "third"]), "cannot_fork");
    assert_eq!(refusal(&commands, &["run", "fork", NOBODY, "--from", "first"]), "unknown_run");
    let listed = commands.json(&["run", "list"]);
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(3), "{listed}");
}
