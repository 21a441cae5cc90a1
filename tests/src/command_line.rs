//! Runs commands of the program, one after another, on a database file that belongs to the test.

use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::process::{run_abide, run_abide_with_input};

/// Runs commands with the same options on a database file. The folder of this file also holds the other
/// files that a test writes.
pub(crate) struct CommandLine {
    folder: TempDir,
    /// Options that are added to every command.
    options: Vec<String>,
}

impl CommandLine {
    /// Creates the folder. The first command that needs the database creates it.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let db = folder.path().join("t.db").display().to_string();
        Self { folder, options: vec!["--db".to_owned(), db] }
    }

    /// Creates the folder and a database with the demo church.
    pub(crate) fn seeded() -> Self {
        let commands = Self::new();
        assert!(commands.run(&["seed"]).status.success());
        commands
    }

    /// Adds a home folder that contains one method. Every command uses this home folder.
    pub(crate) fn with_method(mut self, name: &str, text: &str) -> Self {
        std::fs::create_dir_all(self.folder.path().join("home/methods")).expect("a folder");
        self.write(&format!("home/methods/{name}.yaml"), text);
        self.options.extend(["--home".to_owned(), self.path("home")]);
        self
    }

    /// Returns the path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Writes a file in the folder, and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    /// Runs a command.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        run_abide(&self.with_options(arguments))
    }

    /// Runs a command with a string piped into its stdin.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> Output {
        run_abide_with_input(&self.with_options(arguments), input)
    }

    /// Runs a command, and returns what it prints to stdout.
    pub(crate) fn text(&self, arguments: &[&str]) -> String {
        stdout(&self.run(arguments))
    }

    /// Runs a command with `--json`, checks that it succeeds, and returns its output.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        parse_json(&output.stdout)
    }

    /// Runs a command with `--json`, checks that it fails, and returns the code of the problem.
    pub(crate) fn refusal(&self, arguments: &[&str]) -> String {
        let output = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
        parse_json(&output.stderr)["code"].as_str().expect("a code").to_owned()
    }

    fn with_options<'a>(&'a self, arguments: &[&'a str]) -> Vec<&'a str> {
        let options = self.options.iter().map(String::as_str);
        arguments.iter().copied().chain(options).collect()
    }
}

/// Returns what a command printed to stdout.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Parses the JSON that a command printed.
pub(crate) fn parse_json(printed: &[u8]) -> Value {
    serde_json::from_slice(printed)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(printed)))
}
