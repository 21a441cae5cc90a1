//! The laws of every reader hold on the corpus of the fuzzers and on random mutations of that corpus.
//!
//! Each file in `tests/corpus/READER/` is one input. Its name says what is special about the input.
//! An input for which a fuzzer finds an error is added to the folder of the reader.
//! The commit that adds the input also fixes the error.
//! `ABIDE_FUZZ_ROUNDS` sets the number of mutations for each reader.
//! `ABIDE_FUZZ_SEED` sets the seed that selects the mutations.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use abide_laws::{READERS, Reader};

use crate::support::{env_number, root};

/// Default number of mutations for each reader.
const ROUNDS: u64 = 60;
/// Minimum number of files in a reader's corpus.
const FILES_MIN: usize = 10;
/// Maximum length of a mutation, in bytes. The files of the corpus cover longer inputs.
const BYTES_MAX: usize = 16 << 10;

/// Folders of the repository whose files are inputs of a reader in addition to the files of its corpus.
const SHIPPED: &[(&str, &[&str])] = &[
    ("method", &["methods", "docs/patterns", "language/src/method/cases/good"]),
    ("template", &["templates", "language/src/method/cases/templates"]),
    ("scenario", &["simulator/scenarios"]),
];

/// Strings that have a meaning for at least one reader; mutations insert them.
const PIECES: &[&str] = &[
    "{{",
    "}}",
    "\"",
    "'",
    "\n",
    "\r\n",
    "\t",
    ": ",
    "- ",
    "  ",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    "#",
    "&a ",
    "*a",
    "| ",
    ">-\n",
    "---\n",
    "!!str ",
    "<<: ",
    "{{#if name}}",
    "{{/if}}",
    "{{#each list}}",
    "{{/each}}",
    "{{> part}}",
    "../",
    " and ",
    " not ",
    " in ",
    "null",
    "true",
    "-",
    "+",
    "*",
    "==",
    "24h",
    "9223372036854775807",
    "0.1e9",
    "now",
    "goal",
    "len(",
    ".minus(",
    "latest(",
    "call: ",
    "steps:\n",
    "foreach: p in x\n",
    "await: ",
    "set: ",
    "9am",
    "sunday",
    "yes",
    "no",
    "STOP",
    "fill",
    "nursery",
    "\0",
    "\u{202e}",
    "\u{1F600}",
    "é",
    "ß",
    "\u{feff}",
    "\u{2028}",
    "@",
    "at: +1h\n",
    "reply: ",
    "crash: ",
];

/// Returns the files of a folder, sorted by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
    let mut files: Vec<_> = paths
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("it can be read"))
        })
        .collect();
    files.sort();
    files
}

fn corpus(reader: &Reader) -> Vec<(String, Vec<u8>)> {
    let files = files(&root().join("tests/corpus").join(reader.name));
    assert!(files.len() >= FILES_MIN, "{}: {} files", reader.name, files.len());
    files
}

/// Returns all inputs for a reader: the files of its corpus, and the files of its folders in `SHIPPED`.
fn inputs(reader: &Reader) -> Vec<Vec<u8>> {
    let folders = SHIPPED.iter().find(|(name, _)| *name == reader.name).map_or(&[][..], |(_, f)| f);
    let shipped = folders.iter().flat_map(|folder| files(&root().join(folder)));
    corpus(reader).into_iter().chain(shipped).map(|(_, bytes)| bytes).collect()
}

#[test]
fn every_reader_keeps_its_laws_over_its_corpus() {
    for reader in READERS {
        for (name, bytes) in corpus(&reader) {
            let held = catch_unwind(AssertUnwindSafe(|| (reader.hold)(&bytes)));
            assert!(
                held.is_ok(),
                "tests/corpus/{}/{name}: see the panic message above",
                reader.name
            );
        }
    }
}

#[test]
fn every_reader_keeps_its_laws_over_mutations_of_its_corpus() {
    let (rounds, seed) =
        (env_number("ABIDE_FUZZ_ROUNDS"), env_number("ABIDE_FUZZ_SEED").unwrap_or(1));
    for reader in READERS {
        let inputs = inputs(&reader);
        let mut random = fastrand::Rng::with_seed(seed);
        for round in 0..rounds.unwrap_or(ROUNDS) {
            let bytes = mutated(&mut random, &inputs);
            let held = catch_unwind(AssertUnwindSafe(|| (reader.hold)(&bytes)));
            if held.is_err() {
                let path = std::env::temp_dir().join(format!("{}-{seed}-{round}", reader.name));
                std::fs::write(&path, &bytes).expect("it can be written");
                panic!("seed {seed}, round {round}: {} breaks a law", path.display());
            }
        }
    }
}

/// Returns one of the inputs, changed at random in a few positions.
fn mutated(random: &mut fastrand::Rng, inputs: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = inputs[random.usize(..inputs.len())].clone();
    for _ in 0..random.usize(1..6) {
        let (start, end) = random_range(random, bytes.len());
        match random.u32(..7) {
            0 => drop(bytes.drain(start..end)),
            1 => insert(&mut bytes, start, &[random.u8(..)]),
            2 => {
                let again = bytes[start..end].repeat(random.usize(1..4));
                insert(&mut bytes, end, &again);
            }
            3 => {
                let other = &inputs[random.usize(..inputs.len())];
                let (from, to) = random_range(random, other.len());
                insert(&mut bytes, start, &other[from..to]);
            }
            4 => bytes.truncate(end),
            _ => {
                let piece = PIECES[random.usize(..PIECES.len())];
                insert(&mut bytes, start, piece.as_bytes());
            }
        }
    }
    bytes.truncate(BYTES_MAX);
    bytes
}

fn insert(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// Draws a range of bytes, usually a short one.
fn random_range(random: &mut fastrand::Rng, length: usize) -> (usize, usize) {
    let start = random.usize(..=length);
    let longest = if random.u32(..4) == 0 { length } else { 24 };
    (start, (start + random.usize(..=longest)).min(length))
}
