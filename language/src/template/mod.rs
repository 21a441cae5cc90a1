//! Messages: Handlebars source → checked [`Template`] → [`Rendered`], the only outbound text.
//!
//! A template is a `.hbs` file with front matter that says whom it is for and which variables it
//! takes. [`Template::check`] collects every fault of a file; only a template without errors can be
//! rendered, and only rendering makes a [`Rendered`], which is all that the outbox accepts. So no
//! text leaves that was not checked here.
//!
//! **Invariant:** values are data. They are neutralised and put into a compiled template; no value
//! is ever parsed as one.

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
