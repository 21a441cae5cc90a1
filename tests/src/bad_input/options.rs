//! Command-line options that select something that is not configured.

use crate::process::run_abide;

#[test]
fn a_gateway_that_is_not_configured_is_refused_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("abide.db").display().to_string();
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["worker"]] {
        let output = run_abide(&[command, &["--sms", "twilio", "--db", &db, "--json"]].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains("\"not_configured\"") && stderr.contains("loopback"), "{stderr}");
        assert!(!folder.path().join("abide.db").exists(), "nothing was created");
    }
}
