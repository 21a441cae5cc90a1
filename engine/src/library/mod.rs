//! The contents of a home: contracts, templates and methods. Those of the `--home` folder add to or
//! replace those compiled into the program.

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
