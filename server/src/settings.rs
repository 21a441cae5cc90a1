//! Reads the settings file, which is in TOML, once at the start of the process. Each error states its line
//! and column, and a hint.
//!
//! ```toml
//! quiet_hours = "none"
//! broadcast_approval_over = 40
//! ```

use std::path::Path;

use abide_engine::base::{Problem, limits};
use abide_engine::library::read_text;
use abide_engine::policy::Settings;

/// Reads the settings from the file `path`. Without a path, returns the defaults.
///
/// # Errors
/// `settings_unreadable`, and `settings_invalid` with line and column in the file.
pub(crate) fn load(path: Option<&Path>) -> Result<Settings, Problem> {
    let Some(path) = path else { return Ok(Settings::default()) };
    let shown = path.display();
    let text = read_text(path, limits::SETTINGS_BYTES_MAX).map_err(|e| {
        Problem::operator(
            "settings_unreadable",
            format!("cannot read the settings in `{shown}`: {e}"),
        )
        .with_hint("name another file with `--config`, or omit it to use the defaults")
    })?;
    parse(&text).map_err(|error| {
        let SettingsError { line, col, message, hint } = error;
        Problem::operator("settings_invalid", format!("{shown}:{line}:{col}: {message}"))
            .with_hint(hint)
    })
}

/// An error in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SettingsError {
    /// Line of the error, counted from 1.
    line: usize,
    /// Column of the error in characters, counted from 1.
    col: usize,
    message: String,
    hint: String,
}

fn parse(text: &str) -> Result<Settings, SettingsError> {
    toml::from_str(text).map_err(|e| {
        let (line, col) = line_and_column(text, e.span().map_or(0, |span| span.start));
        let message = e.message().lines().collect::<Vec<_>>().join(", ");
        match message.split_once(", expected one of ") {
            Some((unknown, known)) => {
                let message = unknown.replace("unknown field", "unknown setting");
                let hint = format!("use one of these settings: {}", known.replace('`', ""));
                SettingsError { line, col, message, hint }
            }
            None => {
                let hint = "see `docs/settings.md` for each setting and its default".into();
                SettingsError { line, col, message, hint }
            }
        }
    })
}

/// Returns the line and the column of a byte offset.
/// Both count from 1; a column is a character, not a byte.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |ix| ix + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_changes_what_it_names() {
        let settings = parse("broadcast_approval_over = 40\n").expect("parses");
        assert_eq!(settings.broadcast_approval_over, 40);
        assert_eq!(settings.sms_from, Settings::default().sms_from);
    }

    #[test]
    fn an_error_has_its_place_and_a_hint() {
        let error = parse("# x\nquiet = 'none'\n").expect_err("is refused");
        assert_eq!((error.line, error.col), (2, 1));
        assert_eq!(error.message, "unknown setting `quiet`");
        assert!(error.hint.contains("quiet_hours"), "{error:?}");

        let error = parse("\nquiet_hours = '9-8'").expect_err("is refused");
        assert_eq!((error.line, error.col), (2, 15));
        assert!(error.message.contains("write `21:00-08:00`"), "{error:?}");

        let error = parse("time_zone = 'Mars/Base'").expect_err("is refused");
        assert_eq!((error.line, error.col), (1, 13));
        assert!(error.message.contains("unknown time zone `Mars/Base`"), "{error:?}");
    }

    #[test]
    fn text_that_is_not_toml_is_refused_where_it_breaks() {
        let error = parse("a = 1\nb = = 2\n").expect_err("is refused");
        assert_eq!(error.line, 2);
    }
}
