//! The diagnostic codes of the template checker, in addition to the general codes.
//!
//! Each code has a page in `docs/errors/`. A code is never renamed or reused for another finding.

/// The file's name is not a valid template name.
pub(super) const NAME: &str = "template-name";
/// The file does not begin with front matter.
pub(super) const FRONT_MATTER: &str = "template-front-matter";
/// The template is not valid Handlebars.
pub(super) const SYNTAX: &str = "template-syntax";
/// A tag that messages may not contain: a partial, a decorator, or a tag for all variables at once.
pub(super) const FOREIGN_TAG: &str = "template-foreign-tag";
/// A helper that does not exist.
pub(super) const UNKNOWN_HELPER: &str = "template-unknown-helper";
/// A variable in the template that `vars` does not declare.
pub(super) const UNDECLARED_VARIABLE: &str = "template-undeclared-variable";
/// A variable in `vars` that the template does not use.
pub(super) const UNUSED_VARIABLE: &str = "template-unused-variable";
/// A declared variable has the name of a helper or of a standard variable.
pub(super) const VARIABLE_NAME: &str = "template-variable-name";
/// An optional variable is used where it may be missing.
pub(super) const OPTIONAL_VARIABLE: &str = "template-optional-variable";
/// An example of the wrong type, or an example that does not render.
pub(super) const EXAMPLE: &str = "template-example";
/// A question without effects for yes and no, or an effect for yes or no without a question.
pub(super) const QUESTION: &str = "template-question";
/// The template asks people to send a keyword.
pub(super) const KEYWORD: &str = "template-keyword";
/// A translation without the template that it translates, or with other variables.
pub(super) const TRANSLATION: &str = "template-translation";
/// A character outside GSM-7.
pub(super) const CHARACTER: &str = "template-character";
