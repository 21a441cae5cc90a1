//! Turns Handlebars sources into messages: source → checked
//! [`Template`] → [`Rendered`], the only outbound messages.
//!
//! A template is a `.hbs` file with front matter that declares its audience and its variables.
//! [`Template::check`] reports every finding about a file. Only a template without errors can
//! be rendered, only rendering creates a [`Rendered`], and the outbox accepts nothing else.
//! Therefore every message that is sent comes from a template that was checked here.
//!
//! **Invariant:** values are data. Unsafe characters are removed from each value, and the value is inserted
//! into a compiled template. A value is never parsed as a template.

mod bounds;
mod check;
mod checked;
mod codes;
mod counters;
mod eval;
mod front_matter;
mod helpers;
mod keyword;
mod language;
mod references;
mod rendered;
mod reword;
mod segments;
mod set;
mod spanish;
mod standard;
#[cfg(test)]
mod tests;
mod variable;
mod white_space;

pub use checked::Template;
pub use eval::{Escape, eval_template};
pub use front_matter::Audience;
pub use language::Language;
pub use rendered::Rendered;
pub use reword::RewordingFault;
pub use segments::{Encoding, Segments, segments};
pub use set::Templates;
pub use standard::{STANDARD_VARIABLES, StandardValues};
pub use variable::{Variable, VariableType};
