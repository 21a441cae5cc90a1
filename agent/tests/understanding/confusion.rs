//! Counts what was understood and what was mistaken for what.

use std::collections::BTreeMap;

/// The answers to one half of the development set.
#[derive(Default)]
pub(crate) struct Confusion {
    right: usize,
    all: usize,
    mistaken: BTreeMap<[String; 2], Vec<String>>,
}

impl Confusion {
    /// Counts one text with what it means and what was found.
    pub(crate) fn add(&mut self, text: &str, wanted: &str, found: &str) {
        self.all += 1;
        if wanted == found {
            self.right += 1;
            return;
        }
        let pair = [wanted.to_owned(), found.to_owned()];
        self.mistaken.entry(pair).or_default().push(text.to_owned());
    }

    /// Returns the share of texts that were understood.
    pub(crate) fn share(&self) -> f64 {
        self.right as f64 / self.all.max(1) as f64
    }

    /// Returns how many texts with the label `wanted` were taken for `found`.
    pub(crate) fn taken_for(&self, wanted: &str, found: &str) -> usize {
        self.mistaken.get(&[wanted.to_owned(), found.to_owned()]).map_or(0, Vec::len)
    }

    /// Prints the table, with the texts of the half that may be looked at.
    pub(crate) fn print(&self, name: &str, with_texts: bool) {
        println!("{name}: {} of {}, {:.1} %", self.right, self.all, 100.0 * self.share());
        for ([wanted, found], texts) in &self.mistaken {
            println!("  {wanted} taken for {found}: {}", texts.len());
            for text in texts.iter().filter(|_| with_texts) {
                println!("    {text}");
            }
        }
    }
}
