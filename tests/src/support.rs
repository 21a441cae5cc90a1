//! Helpers for all tests, which read files of the repository and environment variables, and run futures.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Returns the folder of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Reads a text file of the repository.
pub(crate) fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Returns the YAML files of a folder of the repository.
pub(crate) fn yaml_files(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).expect("a folder");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "yaml"));
    files.sort();
    files
}

/// Returns the files of all scenarios in the repository: the shipped scenarios and those of the patterns.
/// The scenario of a pattern is in the same folder as the pattern's method.
pub(crate) fn scenario_files() -> Vec<PathBuf> {
    let mut files = yaml_files("simulator/scenarios");
    let patterns = yaml_files("docs/patterns").into_iter();
    files.extend(patterns.filter(|file| is_pattern_scenario(file)));
    files
}

/// Whether a file in the folder of the patterns is a scenario. The other files are methods.
pub(crate) fn is_pattern_scenario(file: &Path) -> bool {
    file.to_string_lossy().ends_with(".scenario.yaml")
}

/// Runs a future to completion on the current thread.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(work)
}

/// Returns the number in an environment variable, such as the number of rounds of a long check.
/// Returns `None` if the variable is not set.
#[expect(clippy::disallowed_methods, reason = "the environment of a test, read in this place")]
pub(crate) fn env_number<N: FromStr<Err: Display>>(name: &str) -> Option<N> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|e| panic!("{name}: `{text}`: {e}")))
}

/// Maximum time to wait until a condition holds. On an idle machine, it holds within seconds. The remaining
/// time is slack for a busy machine.
pub(crate) const WITHIN: Duration = Duration::from_secs(60);

/// Polls until the function `is_so` returns true. If that takes too long, panics with a message that
/// contains `what`, the description of the awaited condition.
pub(crate) async fn wait_until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let polling = async {
        let mut polls = tokio::time::interval(Duration::from_millis(20));
        while !is_so().await {
            polls.tick().await;
        }
    };
    assert!(tokio::time::timeout(WITHIN, polling).await.is_ok(), "never: {what}");
}
