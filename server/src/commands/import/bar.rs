//! How far a long file has come, for whoever sits at the terminal.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A shorter file is done before anybody has read the bar.
const BYTES_MIN: u64 = 64 << 10;

/// A bar on stderr, or nothing where nobody would see it.
pub(super) struct Bar(Option<ProgressBar>);

impl Bar {
    /// Over so many bytes.
    pub(super) fn over(bytes: u64, quiet: bool) -> Self {
        if quiet || bytes < BYTES_MIN || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(Some(bytes), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent}%  {eta} left") {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    /// So many of them are done.
    pub(super) fn reach(&self, bytes: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(bytes);
        }
    }

    /// All are done: the line is free for what comes.
    pub(super) fn end(self) {
        if let Some(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}
