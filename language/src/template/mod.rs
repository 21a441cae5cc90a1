//! Message templates: Handlebars source → checked [`Template`] → [`Rendered`], the only outbound text.
//!
//! A template is a `.hbs` file with front matter that declares its audience and its variables.
//! [`Template::check`] reports every fault of a file. Only a template without errors can be rendered, only
//! rendering creates a [`Rendered`], and the outbox accepts nothing else. Therefore no text leaves that was
//! not checked here.
//!
//! **Invariant:** values are data. They are neutralised and inserted into a compiled template; a value is
//! never parsed as a template.

mod bounds;
mod check;
mod checked;
mod codes;
mod eval;
mod fold;
mod front;
mod helpers;
mod meter;
mod rendered;
mod segments;
mod set;
mod standard;
#[cfg(test)]
mod tests;
mod uses;
mod variable;
mod wording;

pub use checked::Template;
pub use eval::{Escape, eval_template};
pub use front::Audience;
pub use rendered::Rendered;
pub use segments::{Encoding, Segments, segments};
pub use set::Templates;
pub use standard::{STANDARD_VARIABLES, Standard};
pub use variable::{Kind, Variable};
