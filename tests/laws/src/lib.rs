//! What every reader of texts from outside keeps for every text whatever: its laws.
//!
//! Each [`Reader`] takes bytes as they may come in, has them read as the program does, and panics
//! where a law is broken. The fuzzers of `fuzz/` search for such bytes; a test holds the laws over the
//! corpus of `tests/corpus/`, where what they found, and what people thought of, is kept.

mod expression;
mod method;
mod places;
mod reply;
mod scenario;
mod template;

/// A reader of texts from outside.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// What it reads: the name of its fuzzer and of its folder in the corpus.
    pub name: &'static str,
    /// Holds its laws over some bytes.
    ///
    /// # Panics
    /// Where one is broken.
    pub hold: fn(&[u8]),
}

/// All of them.
pub const READERS: [Reader; 5] = [
    Reader { name: "method", hold: method::hold },
    Reader { name: "expression", hold: expression::hold },
    Reader { name: "template", hold: template::hold },
    Reader { name: "reply", hold: reply::hold },
    Reader { name: "scenario", hold: scenario::hold },
];

/// Holds the laws of one reader over some bytes.
///
/// # Panics
/// Where one is broken, or where nothing reads that.
pub fn hold(name: &str, bytes: &[u8]) {
    let reader = READERS.iter().find(|reader| reader.name == name);
    let reader = reader.unwrap_or_else(|| panic!("nothing reads `{name}`"));
    (reader.hold)(bytes);
}
