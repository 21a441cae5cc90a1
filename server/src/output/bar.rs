//! How far something long has come, for whoever sits at the terminal.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A shorter file is done before anybody has read the bar.
const BYTES_MIN: u64 = 64 << 10;

/// A bar on stderr, or nothing where nobody would see it.
pub(crate) struct Bar(Option<ProgressBar>);

impl Bar {
    /// Over so many bytes.
    pub(crate) fn over(bytes: u64, quiet: bool) -> Self {
        if bytes < BYTES_MIN {
            return Self(None);
        }
        Self::drawn(bytes, "{wide_bar} {percent}%  {eta} left", quiet)
    }

    /// Over things that are counted; how many there are is told with the first.
    pub(crate) fn counting(name: &str, quiet: bool) -> Self {
        let bar = Self::drawn(0, "{msg} {wide_bar} {pos}/{len}  {eta} left", quiet);
        if let Some(bar) = &bar.0 {
            bar.set_message(name.to_owned());
        }
        bar
    }

    fn drawn(length: u64, style: &str, quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    /// So many of them are done.
    pub(crate) fn reach(&self, done: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(done);
        }
    }

    /// So many there are.
    pub(crate) fn stretch(&self, length: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(length);
        }
    }

    /// All are done: the line is free for what comes.
    pub(crate) fn end(self) {
        if let Some(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}
