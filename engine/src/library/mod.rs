//! The contents of a home: contracts, templates and methods.
//! The files of the `--home` folder replace or extend the files that are compiled into the program.

mod builtin;
mod bundle;
mod compatibility;
mod compile;
mod publish;
mod sources;
mod text_file;

pub use bundle::{Bundle, Definition, DefinitionKind, Pins, StoredBundle};
pub use compatibility::Incompatibility;
pub use compile::Library;
pub use publish::{PublishableMethod, PublishedMethod};
pub use sources::Sources;
pub use text_file::{TextFileError, read_text};
