//! Compiles the contracts, templates and methods that a process uses. The files that are
//! compiled into the program are replaced or extended by the files of the `--home` folder.

mod builtin;
mod bundle;
mod calls;
mod compatibility;
mod compile;
mod contracts;
mod publish;
mod sources;
mod text_file;

pub use bundle::{Bundle, Definition, DefinitionKind, Pins, StoredBundle};
pub use calls::{call_method, is_call_method};
pub use compatibility::Incompatibility;
pub use compile::Library;
pub use publish::{PublishableMethod, PublishedMethod};
pub use sources::Sources;
pub use text_file::{TextFileError, read_text};
