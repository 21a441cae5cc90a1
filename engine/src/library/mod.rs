//! What a home holds: contracts, templates and methods, those compiled into the program and those
//! of a folder that extend or override them.

mod builtin;
mod bundle;
mod compile;
mod fit;
mod publish;
mod sources;
mod text_file;

pub use bundle::{Bundle, Definition, Pins};
pub use compile::Library;
pub use fit::Unfit;
pub use publish::{Draft, Neighbour};
pub use sources::Sources;
pub use text_file::{Unread, read_text};
