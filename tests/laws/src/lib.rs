//! Checks the laws of the readers of outside input: statements that must hold for every input.
//!
//! Each [`Reader`] takes arbitrary bytes, reads them as the program does, and panics if a law is broken.
//! The fuzzers in `fuzz/` search for bytes that break a law.
//! A test checks the laws on the corpus in `tests/corpus/`, which consists of inputs that the fuzzers
//! found and inputs that people thought of.

mod expression;
mod method;
mod places;
mod reply;
mod scenario;
mod template;

/// A reader of outside input.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// The kind of input; also the name of the reader's fuzzer and of its folder in the corpus.
    pub name: &'static str,
    /// Checks the laws of the reader on some bytes.
    ///
    /// # Panics
    /// Panics if a law is broken.
    pub hold: fn(&[u8]),
}

/// All readers.
pub const READERS: [Reader; 5] = [
    Reader { name: "method", hold: method::hold },
    Reader { name: "expression", hold: expression::hold },
    Reader { name: "template", hold: template::hold },
    Reader { name: "reply", hold: reply::hold },
    Reader { name: "scenario", hold: scenario::hold },
];

/// Checks the laws of the reader called `name` on some bytes.
///
/// # Panics
/// Panics if a law is broken, or if there is no such reader.
pub fn hold(name: &str, bytes: &[u8]) {
    let reader = READERS.iter().find(|reader| reader.name == name);
    let reader = reader.unwrap_or_else(|| panic!("there is no reader `{name}`"));
    (reader.hold)(bytes);
}
