//! The how-to pages are followed as a reader follows them, in an empty folder: each file is saved where the
//! page says, and each command is run.

use std::path::Path;

use crate::process::run_shell;

/// The words before the path of a file that the reader saves.
const SAVE: &str = "Save this as `";

/// A command of a page, and what it printed.
struct Ran {
    line: String,
    printed: String,
}

/// A block of code of a page.
struct Block<'p> {
    language: &'p str,
    /// The path under which the reader saves the block.
    save_as: Option<&'p str>,
    lines: Vec<&'p str>,
}

impl Block<'_> {
    fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }
}

/// Returns the blocks of a page, from top to bottom.
fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut blocks, mut save_as) = (Vec::new(), None);
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some((_, rest)) = line.split_once(SAVE) {
            save_as = rest.split_once('`').map(|(path, _)| path);
        }
        let Some(language) = line.strip_prefix("```") else { continue };
        let lines = lines.by_ref().take_while(|line| *line != "```").collect();
        blocks.push(Block { language, save_as: save_as.take(), lines });
    }
    blocks
}

/// Saves a file below a folder.
pub(crate) fn save(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    std::fs::write(path, text).expect("saved");
}

/// Returns the files that the reader of a page saves, each with its path and its text.
pub(crate) fn saved_files(page: &str) -> Vec<(String, String)> {
    let blocks = blocks(page).into_iter();
    blocks.filter_map(|block| Some((block.save_as?.to_owned(), block.text()))).collect()
}

/// Follows a page from top to bottom, and returns the commands that it names. Each must succeed.
fn follow(page: &str, folder: &Path) -> Vec<Ran> {
    let mut ran = Vec::new();
    for block in blocks(page) {
        match (block.language, block.save_as) {
            (_, Some(path)) => save(folder, path, &block.text()),
            ("console", _) => shown(&block, folder),
            ("sh", _) => ran.extend(block.lines.into_iter().map(|line| run(line, folder))),
            _ => {}
        }
    }
    ran
}

fn run(line: &str, folder: &Path) -> Ran {
    let output = run_shell(folder, line);
    assert!(output.status.success(), "{line}: {output:?}");
    Ran { line: line.to_owned(), printed: String::from_utf8_lossy(&output.stdout).into_owned() }
}

/// Runs the command of a block that shows one, and compares what it prints with the rest of the block. The exit code
/// is for programs: a message that is refused has one too.
fn shown(block: &Block<'_>, folder: &Path) {
    let (command, expected) = block.lines.split_first().expect("a command");
    let line = command.strip_prefix("$ ").unwrap_or_else(|| panic!("no command: {command}"));
    let output = run_shell(folder, line);
    let printed = with_short_ids(&String::from_utf8_lossy(&output.stdout));
    assert_eq!(printed.trim_end(), expected.join("\n").trim_end(), "{line}: {output:?}");
}

/// Returns a text whose ids are shortened to what tells their kind, such as `run_…`.
fn with_short_ids(text: &str) -> String {
    const DIGITS: usize = 32;
    let mut short = String::new();
    for word in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
        let core = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        match core.rsplit_once('_') {
            Some((kind, id)) if id.len() == DIGITS && id.chars().all(|c| c.is_ascii_hexdigit()) => {
                short.push_str(&format!("{kind}_…{}", &word[core.len()..]));
            }
            _ => short.push_str(word),
        }
    }
    short
}

#[test]
fn the_operator_answers_as_its_page_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    follow(include_str!("../../docs/operator-examples.md"), folder.path());
}

#[test]
fn a_tool_is_added_as_its_page_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = follow(include_str!("../../docs/how-to/add-a-tool.md"), folder.path());
    let printed = |start: &str| {
        let found = ran.iter().find(|ran| ran.line.starts_with(start));
        found.map(|ran| ran.printed.as_str()).unwrap_or_else(|| panic!("no command `{start}`"))
    };
    assert!(printed("abide tools show").contains("Adds a dog to the kennel."));
    assert!(printed("abide tools call kennel.add_dog").contains("succeeded"));
    assert!(printed("abide tools call kennel.list_dogs").contains("Rex"));
    assert!(printed("abide tools receipts").contains("kennel.add_dog"));
    assert!(printed("abide run start").contains("completed"));
    let listed = run("abide tools call kennel.list_dogs --home home", folder.path()).printed;
    assert!(listed.contains("Bo"), "the method added a dog: {listed}");
    assert!(run("abide tools list --home home", folder.path()).printed.contains("kennel.add_dog"));
    assert!(run("abide tools coverage --home home", folder.path()).printed.contains("101"));
    assert!(run("abide audit --home home", folder.path()).printed.contains("clean"));
}

#[test]
fn an_intent_is_added_as_its_page_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = follow(include_str!("../../docs/how-to/add-an-intent.md"), folder.path());
    let printed: Vec<&str> = ran.iter().map(|ran| ran.printed.as_str()).collect();
    let read: serde_json::Value = serde_json::from_str(printed[1]).expect("JSON");
    assert_eq!((&read["intent"], &read["room"]), (&"report_broken".into(), &"kitchen".into()));
    assert!(printed[3].contains("it has begun"), "{printed:#?}");
    assert!(printed[4].contains("Which room is it in?"), "{printed:#?}");
    assert!(printed[5].contains("main hall") && printed[5].contains("Shall I"), "{printed:#?}");
    assert!(printed[6].contains("it has begun"), "{printed:#?}");
    assert_eq!(printed[7].matches("get_repaired").count(), 2, "{printed:#?}");
    assert!(run("abide audit --home home", folder.path()).printed.contains("clean"));
}

#[test]
fn a_pack_is_made_and_installed_as_its_page_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = follow(include_str!("../../docs/how-to/make-a-pack.md"), folder.path());
    let tested = ran.iter().find(|ran| ran.line == "abide pack test dogs").expect("it is tested");
    assert!(tested.printed.contains("ok  dogs-are-walked"), "{}", tested.printed);
    let listed = ran.iter().find(|ran| ran.line.starts_with("abide pack list")).expect("a list");
    assert!(listed.printed.contains("dogs"), "{}", listed.printed);
    assert!(folder.path().join("home/methods/walk_dogs.yaml").is_file());
    let again = run("abide pack install dogs --home home --dry-run --json", folder.path()).printed;
    let again: serde_json::Value = serde_json::from_str(&again).expect("JSON");
    assert_eq!(
        (&again["written"], &again["removed"]),
        (&serde_json::json!([]), &serde_json::json!([]))
    );
}
