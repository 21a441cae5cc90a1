//! The files that the rules read: the files of this repository, or the files of a sample in a test.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::rust::Code;

/// Names of folders that contain no sources.
const SKIPPED: &[&str] = &["target", ".git", ".abide", "node_modules"];

/// All text files, sorted by path. The names in a path are separated by `/`.
pub(crate) struct Tree {
    files: Vec<File>,
}

/// One text file.
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
    code: LazyLock<Code, Box<dyn FnOnce() -> Code + Send>>,
}

/// A violation of a rule: its file and line in the repository, and a message.
#[derive(Debug)]
pub(crate) struct Fault {
    place: String,
    what: String,
}

impl Tree {
    /// Returns the repository from which this test was built. The files are read only once.
    pub(crate) fn repository() -> &'static Self {
        static TREE: LazyLock<Tree> = LazyLock::new(|| {
            let mut files = Vec::new();
            collect(&root(), &root(), &mut files);
            files.sort_by(|a: &File, b| a.path.cmp(&b.path));
            Tree { files }
        });
        &TREE
    }

    /// Builds a sample tree. Each pair is the path and the content of a file.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        Self { files: files.iter().map(|(path, text)| File::new(path, text)).collect() }
    }

    /// Returns every file.
    pub(crate) fn files(&self) -> impl Iterator<Item = &File> {
        self.files.iter()
    }

    /// Returns the Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files().filter(|file| file.path.ends_with(".rs"))
    }

    /// Returns the Rust files below a folder, such as `engine/src/store/`.
    pub(crate) fn rust_in<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a File> {
        self.rust().filter(move |file| file.path.starts_with(folder))
    }

    /// Returns the file with this path.
    pub(crate) fn get(&self, path: &str) -> Option<&File> {
        self.files().find(|file| file.path == path)
    }

    /// Whether the path names a file or a folder.
    pub(crate) fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.files().any(|file| file.path == path || file.path.starts_with(&folder))
    }
}

impl File {
    fn new(path: &str, text: &str) -> Self {
        let source = text.to_owned();
        let code: Box<dyn FnOnce() -> Code + Send> = Box::new(move || Code::read(&source));
        Self { path: path.to_owned(), text: text.to_owned(), code: LazyLock::new(code) }
    }

    /// Returns the file's content, scanned as Rust code.
    pub(crate) fn code(&self) -> &Code {
        &self.code
    }

    /// Returns the file's name without its folders.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Whether the whole file is test code: a file of a module `tests`, or a file of this crate.
    pub(crate) fn is_test(&self) -> bool {
        self.path.starts_with("tests/")
            || self.path.contains("/tests/")
            || self.name() == "tests.rs"
    }

    /// Builds a [`Fault`] at a line of the file, counted from 1.
    pub(crate) fn fault(&self, line: usize, what: impl Into<String>) -> Fault {
        Fault { place: format!("{}:{line}", self.path), what: what.into() }
    }
}

impl Fault {
    /// Builds a [`Fault`] about a whole file, or about a missing file.
    pub(crate) fn of(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Returns the folder of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<File>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        if SKIPPED.contains(&entry.file_name().to_string_lossy().as_ref()) {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, files);
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            // A file that is not UTF-8 is a picture or a binary file, which no rule reads.
            let name =
                path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            files.push(File::new(&name, &text));
        }
    }
}
