//! Checks and tests the packs that ship, and packs with faults.

use std::path::{Path, PathBuf};

use abide_engine::library::{Library, Sources};
use abide_engine::policy::Settings;
use clap::Parser as _;

use super::lint::{LintedPack, lint};
use super::{play, read};
use crate::cli::{Cli, Command};
use crate::commands::context::{CommandResult, Context};
use crate::exit::Exit;
use crate::problem::ProblemDocument;

const MANIFEST: &str = "name: dogs\nversion: 1.0.0\ndescription: Walks dogs.\ndomains: [trade]\n";
const METHOD: &str = "method: walk\nsteps:\n  - set: { walked: true }\n";
const SCENARIO: &str = "scenario: walk
start: 2026-03-30T09:00:00+11:00
time_zone: Australia/Melbourne
seed: 1
steps:
  - { at: +0s, start: { method: walk, goal: {} } }
expect:
  - outcome: succeeded
";

/// A folder with a pack that has no faults.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder"));
        folder.write("pack.yaml", MANIFEST);
        folder.write("methods/walk.yaml", METHOD);
        folder.write("scenarios/walk.yaml", SCENARIO);
        folder
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        std::fs::write(&path, text).expect("written");
        path
    }

    fn lint(&self) -> LintedPack {
        lint(read::read(self.0.path()).expect("reads"), Sources::builtin())
    }

    /// Returns the code and the message of each finding.
    fn findings(&self) -> Vec<String> {
        let linted = self.lint();
        linted.findings.iter().map(|it| format!("{}: {}", it.code, it.message)).collect()
    }
}

fn context(arguments: &[&str]) -> Context {
    let cli = Cli::try_parse_from([&["abide", "audit", "--json"], arguments].concat());
    Context { global: cli.expect("parses").global, settings: Settings::default(), model: None }
}

fn shipped(name: &str) -> LintedPack {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../packs").join(name);
    let linted = lint(read::read(&root).expect("reads"), Sources::builtin());
    assert_eq!(linted.findings, [], "{name}");
    let manifest = linted.pack.manifest.as_ref();
    assert_eq!(manifest.map(|manifest| manifest.name.as_str()), Some(name));
    linted
}

#[tokio::test]
async fn the_pack_of_the_trade_passes_its_scenarios() {
    let tested = play::test(&context(&[]), &shipped("trade")).await.expect("plays");
    assert!(tested.passed(), "{:#}", tested.object(&[]));
}

#[test]
fn an_inspection_packet_is_what_the_published_schema_describes() {
    let library = Library::compile(shipped("trade").sources);
    let bundle = library.method("inspection_packet").expect("a method");
    let text = include_str!("../../../../contracts/inspection_packet_v1.schema.json");
    let mut published: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let members = published.as_object_mut().expect("an object");
    members.retain(|name, _| !["$schema", "title", "description"].contains(&name.as_str()));
    assert_eq!(bundle.graph.inputs.as_ref(), Some(&published));
}

#[tokio::test]
async fn the_pack_of_the_church_passes_its_scenarios() {
    let tested = play::test(&context(&[]), &shipped("church")).await.expect("plays");
    assert!(tested.passed(), "{:#}", tested.object(&[]));
}

#[tokio::test]
async fn a_scenario_that_is_not_met_fails_the_test() {
    let folder = Folder::new();
    assert_eq!(folder.findings(), [""; 0]);
    let tested = play::test(&context(&[]), &folder.lint()).await.expect("plays");
    assert!(tested.passed(), "{:#}", tested.object(&[]));

    folder.write("scenarios/walk.yaml", &SCENARIO.replace("succeeded", "fell_short"));
    let tested = play::test(&context(&[]), &folder.lint()).await.expect("plays");
    assert!(!tested.passed());
    assert_eq!(tested.object(&[])["scenarios"][0]["met"], false);
}

#[tokio::test]
async fn a_pack_with_an_error_is_not_played() {
    let folder = Folder::new();
    folder.write("methods/walk.yaml", "method: walk\nsteps:\n  - call: wave\n");
    let tested = play::test(&context(&[]), &folder.lint()).await.expect("is not played");
    assert!(!tested.passed());
    assert_eq!(tested.object(&[])["scenarios"], serde_json::json!([]));
}

#[test]
fn each_file_has_the_kind_of_its_folder() {
    let folder = Folder::new();
    folder.write("README.md", "For people.");
    folder.write("methods/.draft.yaml", "hidden");
    assert_eq!(folder.findings(), [""; 0]);
    folder.write("methods/late.yaml", SCENARIO);
    folder.write("methods/notes.txt", "x");
    folder.write("method/walk.yaml", METHOD);
    folder.write("templates/sub/a.hbs", "Hi");
    let expected = [
        "pack-file: a pack has no folder `method`",
        "pack-file: the file is of another kind than its folder",
        "pack-file: not a file name for `methods`",
        "pack-file: not a file name for `templates`",
    ];
    assert_eq!(folder.findings(), expected);
}

#[test]
fn a_method_without_a_scenario_is_a_warning() {
    let folder = Folder::new();
    folder.write("methods/feed.yaml", &METHOD.replace("walk", "feed"));
    let linted = folder.lint();
    assert!(!linted.has_errors());
    assert_eq!(
        folder.findings(),
        ["pack-untested-method: no scenario of the pack starts the method `feed`"]
    );
}

#[test]
fn a_call_of_a_domain_that_the_pack_does_not_list_is_an_error() {
    let folder = Folder::new();
    let calls = "steps:
  - { call: notify, args: { targets: [staff], template: text, vars: { lines: [x] } } }
  - { call: leads.list_by_stage, args: { stage: new } }
";
    folder.write("methods/walk.yaml", &format!("method: walk\n{calls}"));
    let listed = |domains: &str| {
        folder.write("pack.yaml", &MANIFEST.replace("[trade]", domains));
        folder.lint().findings.into_iter().map(|it| (it.line, it.message)).collect::<Vec<_>>()
    };
    let foreign = "`leads.list_by_stage` is a tool of the domain `trade`".to_owned();
    assert_eq!(listed("[church]"), [(4, foreign)]);
    assert_eq!(listed("[trade]"), []);
}

#[test]
fn a_scenario_publishes_files_of_its_pack_alone() {
    let folder = Folder::new();
    let publishing = |file: &str| {
        let step = format!("steps:\n  - {{ at: +0s, publish: {{ file: {file} }} }}\n");
        folder.write("scenarios/walk.yaml", &SCENARIO.replace("steps:\n", &step));
        folder.findings()
    };
    assert_eq!(publishing("../methods/walk.yaml"), [""; 0]);
    assert_eq!(publishing("walk-again.yaml"), [""; 0]);
    for outside in ["../../elsewhere/walk.yaml", "/walk.yaml", "../methods/../../walk.yaml"] {
        let expected = format!("pack-file: `{outside}` is not a file of the pack");
        assert_eq!(publishing(outside), [expected]);
    }
}

#[test]
fn a_pack_can_list_each_domain_of_the_built_in_contracts() {
    let (contracts, _) = Sources::builtin().contracts();
    let listed = crate::pack::PackDomain::ALL.iter().map(|domain| domain.as_str());
    assert!(listed.eq(contracts.owners()));
}

#[test]
fn a_pack_may_not_loosen_a_built_in_contract() {
    let folder = Folder::new();
    let text = "tools:\n  notify:\n    risk: T0\n";
    folder.write("contracts/notify.yaml", text);
    assert!(folder.lint().has_errors());
}

#[cfg(unix)]
#[test]
fn a_linked_file_is_refused_and_a_linked_folder_is_noted() {
    use std::os::unix::fs::symlink;

    let elsewhere = Folder::new();
    let secret = elsewhere.write("secret.yaml", &METHOD.replace("walk", "feed"));
    let folder = Folder::new();
    symlink(&secret, folder.0.path().join("methods/feed.yaml")).expect("linked");
    assert_eq!(folder.findings(), ["pack-file: not a regular file"]);
    std::fs::remove_file(folder.0.path().join("methods/feed.yaml")).expect("removed");
    symlink(elsewhere.0.path().join("methods"), folder.0.path().join("templates")).expect("linked");
    let read = read::read(folder.0.path()).expect("reads");
    assert_eq!(read.linked, [crate::pack::PackFolder::Templates]);
    std::fs::remove_file(folder.0.path().join("pack.yaml")).expect("removed");
    symlink(&secret, folder.0.path().join("pack.yaml")).expect("linked");
    assert!(folder.findings().contains(&"pack-file: not a regular file".to_owned()));
}

#[test]
fn a_folder_without_a_manifest_is_not_a_pack() {
    let folder = tempfile::tempdir().expect("a folder");
    let problem = read::read(folder.path()).err().expect("is refused");
    assert_eq!(problem.code, "not_a_pack");
}

/// Installs the pack of a folder into a home, with further arguments.
async fn install(folder: &Folder, home: &Path, more: &[&str]) -> CommandResult {
    let (pack, home) = (folder.0.path().to_string_lossy(), home.to_string_lossy());
    let arguments = ["abide", "pack", "install", &pack, "--home", &home, "--json"];
    let cli = Cli::try_parse_from([&arguments, more].concat()).expect("parses");
    let context = Context { global: cli.global, settings: Settings::default(), model: None };
    match cli.command {
        Command::Pack(command) => super::run(&context, command).await,
        _ => Err(ProblemDocument::internal("another command", "")),
    }
}

fn text(home: &Path, file: &str) -> Option<String> {
    std::fs::read_to_string(home.join(file)).ok()
}

#[tokio::test]
async fn a_newer_version_replaces_exactly_the_files_of_the_older() {
    let (folder, home) = (Folder::new(), tempfile::tempdir().expect("a home"));
    let home = home.path();
    folder.write("methods/feed.yaml", &METHOD.replace("walk", "feed"));
    assert_eq!(install(&folder, home, &["--dry-run"]).await, Ok(Exit::Success));
    assert_eq!(std::fs::read_dir(home).expect("a folder").count(), 0, "a dry run writes nothing");

    assert_eq!(install(&folder, home, &[]).await, Ok(Exit::Success));
    assert_eq!(text(home, "methods/walk.yaml").as_deref(), Some(METHOD));
    assert!(text(home, "packs/dogs.yaml").expect("a record").contains("version: 1.0.0"));
    assert_eq!(text(home, "pack.yaml"), None);
    std::fs::write(home.join("methods/mine.yaml"), METHOD.replace("walk", "mine"))
        .expect("written");

    let newer = METHOD.replace("true", "false");
    folder.write("pack.yaml", &MANIFEST.replace("1.0.0", "1.1.0"));
    folder.write("methods/walk.yaml", &newer);
    std::fs::remove_file(folder.0.path().join("methods/feed.yaml")).expect("removed");
    assert_eq!(install(&folder, home, &[]).await, Ok(Exit::Success));
    assert_eq!(text(home, "methods/walk.yaml"), Some(newer));
    assert_eq!(text(home, "methods/feed.yaml"), None);
    assert!(text(home, "methods/mine.yaml").is_some());
    assert!(text(home, "packs/dogs.yaml").expect("a record").contains("version: 1.1.0"));
    let names = std::fs::read_dir(home.join("packs")).expect("a folder").count();
    assert_eq!(names, 1, "nothing but the record is left");
}

#[tokio::test]
async fn an_edited_file_is_only_replaced_by_force() {
    let (folder, home) = (Folder::new(), tempfile::tempdir().expect("a home"));
    let home = home.path();
    assert_eq!(install(&folder, home, &[]).await, Ok(Exit::Success));
    let edited = METHOD.replace("true", "1");
    std::fs::write(home.join("methods/walk.yaml"), &edited).expect("written");
    let problem = install(&folder, home, &[]).await.expect_err("is refused");
    assert_eq!(problem.code, "pack_conflict");
    assert!(problem.detail.contains("`methods/walk.yaml` (it was edited"), "{}", problem.detail);
    assert_eq!(text(home, "methods/walk.yaml"), Some(edited));
    assert_eq!(install(&folder, home, &["--force"]).await, Ok(Exit::Success));
    assert_eq!(text(home, "methods/walk.yaml").as_deref(), Some(METHOD));
}

#[tokio::test]
async fn an_interrupted_install_can_be_repeated() {
    let (folder, home) = (Folder::new(), tempfile::tempdir().expect("a home"));
    let home = home.path();
    assert_eq!(install(&folder, home, &[]).await, Ok(Exit::Success));
    std::fs::remove_file(home.join("packs/dogs.yaml")).expect("removed");
    std::fs::remove_file(home.join("scenarios/walk.yaml")).expect("removed");
    assert_eq!(install(&folder, home, &[]).await, Ok(Exit::Success));
    assert!(text(home, "packs/dogs.yaml").is_some());
    assert_eq!(text(home, "scenarios/walk.yaml").as_deref(), Some(SCENARIO));
}

#[tokio::test]
async fn a_pack_that_fails_its_test_is_not_installed() {
    let (folder, home) = (Folder::new(), tempfile::tempdir().expect("a home"));
    folder.write("scenarios/walk.yaml", &SCENARIO.replace("succeeded", "fell_short"));
    assert_eq!(install(&folder, home.path(), &[]).await, Ok(Exit::Failure));
    assert_eq!(std::fs::read_dir(home.path()).expect("a folder").count(), 0);
}

#[tokio::test]
async fn a_damaged_record_stops_an_install() {
    let (folder, home) = (Folder::new(), tempfile::tempdir().expect("a home"));
    std::fs::create_dir(home.path().join("packs")).expect("created");
    let record = "pack: dogs\nversion: 1.0.0\nfiles: { ../mine.yaml: x }\n";
    std::fs::write(home.path().join("packs/dogs.yaml"), record).expect("written");
    let problem = install(&folder, home.path(), &[]).await.expect_err("is refused");
    assert_eq!(problem.code, "pack_record_invalid");
}

#[cfg(unix)]
#[tokio::test]
async fn linked_folders_are_only_installed_on_request() {
    let (folder, home) = (Folder::new(), tempfile::tempdir().expect("a home"));
    let elsewhere = Folder::new();
    elsewhere.write("templates/a.hbs", "---\ndescription: A.\nfor: staff\n---\nHi {{name}}.\n");
    let (from, to) = (elsewhere.0.path().join("templates"), folder.0.path().join("templates"));
    std::os::unix::fs::symlink(from, to).expect("linked");
    let problem = install(&folder, home.path(), &[]).await.expect_err("is refused");
    assert_eq!(problem.code, "pack_linked");
    let done = install(&folder, home.path(), &["--follow-links"]).await;
    assert_eq!(done, Ok(Exit::Success));
    assert!(text(home.path(), "templates/a.hbs").is_some());
}

#[tokio::test]
async fn an_install_needs_a_home() {
    let cli = Cli::try_parse_from(["abide", "--home", "", "pack", "install", "x"]).expect("parses");
    let global = cli.global.without_empty_values();
    let context = Context { global, settings: Settings::default(), model: None };
    let Command::Pack(command) = cli.command else { panic!("another command") };
    let problem = super::run(&context, command).await.expect_err("is refused");
    assert_eq!(problem.code, "no_home");
}

#[test]
fn the_packs_that_ship_are_listed() {
    let names: Vec<String> = super::list::shipped().into_iter().map(|pack| pack.name).collect();
    assert_eq!(names, ["church", "trade"]);
}
