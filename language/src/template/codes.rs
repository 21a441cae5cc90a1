//! Every code that the checker of templates gives beside the general ones, each with its page in
//! `docs/errors/`. A code is never renamed and never used for something else.

/// The file's name cannot be the name of a message.
pub(super) const NAME: &str = "template-name";
/// No front matter at the top of the file.
pub(super) const FRONT_MATTER: &str = "template-front-matter";
/// The text is not Handlebars.
pub(super) const SYNTAX: &str = "template-syntax";
/// A tag that messages do not have: a partial, a decorator, the whole data.
pub(super) const FOREIGN_TAG: &str = "template-foreign-tag";
/// A helper that does not exist.
pub(super) const UNKNOWN_HELPER: &str = "template-unknown-helper";
/// A variable in the text that `vars` does not declare.
pub(super) const UNDECLARED_VARIABLE: &str = "template-undeclared-variable";
/// A variable in `vars` that the text does not use.
pub(super) const UNUSED_VARIABLE: &str = "template-unused-variable";
/// A variable that bears the name of a helper or of a standard variable.
pub(super) const VARIABLE_NAME: &str = "template-variable-name";
/// An optional variable where it may be missing.
pub(super) const OPTIONAL_VARIABLE: &str = "template-optional-variable";
/// An example of the wrong type, or one that does not render.
pub(super) const EXAMPLE: &str = "template-example";
/// A question that does not say what yes and no do, or the reverse.
pub(super) const QUESTION: &str = "template-question";
/// The text asks people to send a keyword.
pub(super) const KEYWORD: &str = "template-keyword";
/// A character outside GSM-7.
pub(super) const CHARACTER: &str = "template-character";
