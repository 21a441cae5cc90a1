//! The commands that take a run off its written course, skip and fork, run by the real program.

use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::abide;

const METHOD: &str = "method: patient
steps:
  - { id: first, call: reserve, args: { key: hall, amount: 1 }, out: hall }
  - { id: second, await: { timeout: 2h } }
  - { id: third, await: { signal: more, timeout: 2h, out: more } }
";

const NOBODY: &str = "run_01999c113f00700080132576642cadc8";

/// A database and a home with one method.
struct House {
    db: String,
    home: String,
    _folder: TempDir,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (db, home) = (path("t.db"), path("home"));
        std::fs::create_dir_all(folder.path().join("home/methods")).expect("a folder");
        std::fs::write(folder.path().join("home/methods/patient.yaml"), METHOD).expect("written");
        Self { db, home, _folder: folder }
    }

    fn run(&self, words: &[&str]) -> Output {
        abide(&[&["run"], words, &["--db", &self.db, "--home", &self.home]].concat())
    }

    /// Runs a command that must succeed with `--json`, and returns its answer.
    fn told(&self, words: &[&str]) -> Value {
        let output = self.run(&[words, &["--json"]].concat());
        assert!(output.status.success(), "{words:?}: {output:?}");
        read(&output.stdout)
    }

    /// Runs a command that must be refused, both as text and with `--json`. Returns the problem's code.
    fn refused(&self, words: &[&str]) -> String {
        let output = self.run(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "), "{output:?}");
        let problem = self.run(&[words, &["--json"]].concat());
        assert_eq!(problem.status.code(), Some(1), "{words:?}: {problem:?}");
        read(&problem.stderr)["code"].as_str().expect("a code").to_owned()
    }

    /// Starts a run that fails at its first step, because there is no hall.
    fn failed(&self) -> String {
        let started = self.told(&["start", "patient", "--goal", r#"{"kind": "Wait"}"#]);
        assert_eq!(started["status"], "failed", "{started}");
        started["id"].as_str().expect("an id").to_owned()
    }
}

fn read(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(bytes)))
}

#[test]
fn a_step_is_skipped() {
    let house = House::new();
    let run = house.failed();
    let first = ["skip", &run, "--out", r#""hello""#, "--key", "k1"];
    let skipped = house.told(&first);
    assert_eq!(skipped["position"]["step_id"], "second", "{skipped}");
    assert_eq!(skipped["vars"]["hall"], "hello");
    assert_eq!(house.told(&first), skipped, "the same key skips one step only");

    assert_eq!(house.refused(&["skip", &run, "--out", "1"]), "out_unbound");
    assert_eq!(house.refused(&["skip", &run, "--out", "hello"]), "not_json");
    assert_eq!(house.refused(&["skip", NOBODY]), "unknown_run");
    let shown = house.run(&["skip", &run]);
    let line = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(line.starts_with(&run) && line.contains("waiting"), "{shown:?}");
    assert_eq!(house.told(&["skip", &run])["status"], "completed");
    assert_eq!(house.refused(&["skip", &run]), "wrong_state");
}

#[test]
fn a_run_is_forked() {
    let house = House::new();
    let old = house.failed();
    house.told(&["skip", &old, "--out", r#""hello""#]);
    let fork = ["fork", &old, "--from", "second", "--key", "k1"];
    let forked = house.told(&fork);
    assert_eq!(forked["forked_from"], json!(old), "{forked}");
    assert_eq!(house.told(&fork), forked, "the same key makes one run only");
    let new = house.told(&["show", forked["id"].as_str().expect("an id")]);
    assert_eq!(new["position"]["step_id"], "second", "{new}");
    assert_eq!((&new["vars"]["hall"], &new["goal"]["kind"]), (&json!("hello"), &json!("Wait")));

    let shown = house.run(&["fork", &old, "--from", "first", "--goal", r#"{"kind": "Other"}"#]);
    let line = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(line.starts_with("run_") && line.contains("failed"), "{shown:?}");
    assert_eq!(house.refused(&["fork", &old, "--from", "fist"]), "unknown_step");
    assert_eq!(house.refused(&["fork", &old, "--from", "third"]), "cannot_fork");
    assert_eq!(house.refused(&["fork", NOBODY, "--from", "first"]), "unknown_run");
    let listed = house.told(&["list"]);
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(3), "{listed}");
}
