//! Files, arguments and bodies that are not UTF-8, are too long, or name something that does not exist.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;

use tempfile::TempDir;

use super::{HUGE, failure_text};
use crate::postgres::{TestDb, databases};
use crate::process::{ServerProcess, run_abide};

const METHOD: &str = "method: greet\nsteps:\n  - call: wave\n";

/// Creates a home folder with one file in it.
fn home(folder: &str, name: &str, bytes: impl AsRef<[u8]>) -> TempDir {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(home.path().join(folder)).expect("a folder");
    std::fs::write(home.path().join(folder).join(name), bytes).expect("a file");
    home
}

/// Returns what `abide run start` prints about a home folder that it rejects.
/// Checks that the command did not create the database.
fn start(home: &Path) -> String {
    let database = TestDb::sqlite();
    let home = home.to_str().expect("a path");
    let command = ["run", "start", "greet", "--goal", "{}", "--home", home, "--db", database.url()];
    let said = failure_text(&run_abide(&command));
    assert!(!Path::new(database.url()).exists(), "{said}");
    said
}

/// Returns what `abide lint` prints about a folder with errors.
fn lint(folder: &Path) -> String {
    let found = run_abide(&[OsStr::new("lint"), folder.as_os_str()]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    [String::from_utf8_lossy(&found.stdout), String::from_utf8_lossy(&found.stderr)].concat()
}

#[test]
fn an_unknown_verb_is_refused_with_its_place() {
    let home = home("methods", "greet.yaml", METHOD);
    let said = start(home.path());
    assert!(said.contains("greet.yaml:3:") && said.contains("`wave`"), "{said}");
    assert!(said.contains("hint: run `abide lint "), "{said}");
    let found = lint(home.path());
    assert!(found.contains("unknown-verb") && found.contains("greet.yaml:3:"), "{found}");
}

#[test]
fn files_that_are_not_utf8_are_refused_with_their_line() {
    let bad = [
        ("methods", "greet.yaml", [METHOD.as_bytes(), b"# \xff\xfe\n"].concat(), "line 4"),
        ("templates", "greet.hbs", b"---\n\xc3\x28".to_vec(), "line 2"),
        ("contracts", "wave.yaml", b"verbs:\n\n\x80".to_vec(), "line 3"),
    ];
    for (folder, name, bytes, line) in bad {
        let home = home(folder, name, bytes);
        let said = start(home.path());
        assert!(said.contains(name) && said.contains(&format!("{line} is not UTF-8")), "{said}");
        assert!(said.contains("hint: "), "{said}");
        let found = lint(home.path());
        assert!(found.contains("yaml-encoding") && found.contains(line), "{found}");
    }
}

#[test]
fn a_scalar_of_fifty_megabytes_is_refused() {
    let huge = format!("{METHOD}description: {}\n", "x".repeat(HUGE));
    let home = home("methods", "greet.yaml", huge);
    let said = start(home.path());
    assert!(said.contains("greet.yaml`: it has more than 1048576 bytes"), "{said}");
    let found = lint(home.path());
    assert!(found.contains("too-large"), "{found}");
    let file = home.path().join("methods/greet.yaml");
    for command in ["graph", "simulate"] {
        let said = failure_text(&run_abide(&[OsStr::new(command), file.as_os_str()]));
        assert!(said.contains("it has more than 1048576 bytes"), "{command}: {said}");
        assert!(said.contains("hint: "), "{command}: {said}");
    }
    let settings = [OsStr::new("audit"), OsStr::new("--config"), file.as_os_str()];
    let said = failure_text(&run_abide(&settings));
    assert!(said.contains("it has more than 262144 bytes") && said.contains("hint: "), "{said}");
}

#[test]
fn an_argument_that_is_not_utf8_is_a_usage_error() {
    let bad = OsString::from_vec(b"\xff\xfe".to_vec());
    let commands: [&[&str]; 4] = [
        &["run", "show"],
        &["run", "start", "fill_roles", "--goal"],
        &["say", "--from", "+15125550101"],
        &["audit", "--db"],
    ];
    for command in commands {
        let mut arguments: Vec<&OsStr> = command.iter().map(OsStr::new).collect();
        arguments.push(&bad);
        let refused = run_abide(&arguments);
        assert_eq!(refused.status.code(), Some(2), "{command:?}: {refused:?}");
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(said.contains("invalid UTF-8"), "{command:?}: {said}");
    }
}

#[tokio::test]
async fn bodies_that_are_not_json_change_nothing() {
    for database in databases() {
        assert!(run_abide(&["migrate", "--db", database.url()]).status.success(), "{database}");
        let server = ServerProcess::serve(database.url(), &[]);
        let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let unknown = format!("{{\"{}\": 1}}", "k".repeat(500_000));
        let wrong =
            format!("{{\"method\": \"m\", \"goal\": {{}}, \"vars\": \"{}\"}}", "v".repeat(500_000));
        let cases: [(Vec<u8>, u16, &str); 9] = [
            (b"\xff\xfe{}".to_vec(), 400, "not_json"),
            (b"{\"method\": \"\xc3\x28\", \"goal\": {}}".to_vec(), 400, "not_json"),
            (b"{\"method\": ".to_vec(), 400, "not_json"),
            (nested.into_bytes(), 400, "not_json"),
            (vec![b' '; (1 << 20) + 1], 413, "too_large"),
            (vec![b' '; HUGE], 413, "too_large"),
            (vec![b' '; 1 << 20], 400, "not_json"),
            (unknown.into_bytes(), 422, "schema"),
            (wrong.into_bytes(), 422, "schema"),
        ];
        for (ix, (body, status, code)) in cases.into_iter().enumerate() {
            for path in ["/v1/runs", "/v1/messages/inbound"] {
                let reply = server.post_bytes(path, body.clone()).await;
                let told = reply.body.to_string();
                assert_eq!(reply.status, status, "{database}: {ix} {path}: {told:.300}");
                assert_eq!(reply.body["code"], code, "{database}: {ix} {path}: {told:.300}");
                assert!(told.len() < 10_000, "{database}: {ix} {path}: {} bytes", told.len());
            }
        }
        assert_eq!(database.number(super::ROWS).await, 0, "{database}");
    }
}
