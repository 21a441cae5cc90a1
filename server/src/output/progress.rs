//! Progress bars on the terminal.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar is drawn only for a file of at least this many bytes.
/// A shorter file is done before anyone can read the bar.
const BYTES_MIN: u64 = 64 << 10;

/// A progress bar on stderr. Draws nothing if stderr is not a terminal or the command is quiet.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Creates a bar that shows how much of a file of `bytes` bytes is done.
    pub(crate) fn for_bytes(bytes: u64) -> Self {
        if bytes < BYTES_MIN {
            return Self(None);
        }
        Self::draw(bytes, "{wide_bar} {percent}%  {eta} left")
    }

    /// Creates a bar that shows how many items are done. [`Self::set_total`] sets the total number later.
    pub(crate) fn for_items(name: &str) -> Self {
        let bar = Self::draw(0, "{msg} {wide_bar} {pos}/{len}  {eta} left");
        if let Some(bar) = &bar.0 {
            bar.set_message(name.to_owned());
        }
        bar
    }

    fn draw(length: u64, style: &str) -> Self {
        if super::is_quiet() || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    /// Sets the number of bytes or items that are done.
    pub(crate) fn set_done(&self, done: u64) {
        if let Some(bar) = &self.0 {
            bar.set_position(done);
        }
    }

    /// Sets the total number of items.
    pub(crate) fn set_total(&self, total: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(total);
        }
    }

    /// Removes the bar from the terminal.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.0 {
            bar.finish_and_clear();
        }
    }
}
