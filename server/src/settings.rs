//! The settings file: TOML, read once at start. Errors have a place and a hint.
//!
//! ```toml
//! quiet_hours = "none"
//! broadcast_approval_over = 40
//! ```

use std::path::Path;

use abide_engine::base::{Problem, limits};
use abide_engine::library::read_text;
use abide_engine::policy::Settings;

/// Reads the settings of `path`, or returns the defaults without a path.
///
/// # Errors
/// `settings_unreadable` and `settings_invalid`, with the place in the file.
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
    parse(&text).map_err(|(place, message, hint)| {
        let (line, col) = place;
        Problem::operator("settings_invalid", format!("{shown}:{line}:{col}: {message}"))
            .with_hint(hint)
    })
}

type Fault = ((usize, usize), String, String);

fn parse(text: &str) -> Result<Settings, Fault> {
    toml::from_str(text).map_err(|e| {
        let place = place(text, e.span().map_or(0, |span| span.start));
        let message = e.message().lines().collect::<Vec<_>>().join(", ");
        match message.split_once(", expected one of ") {
            Some((unknown, known)) => {
                let message = unknown.replace("unknown field", "unknown setting");
                (place, message, format!("use one of these settings: {}", known.replace('`', "")))
            }
            None => {
                (place, message, "see `docs/settings.md` for each setting and its default".into())
            }
        }
    })
}

/// Returns line and column of a byte offset. Both count from 1, columns in characters.
fn place(text: &str, offset: usize) -> (usize, usize) {
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
    fn a_fault_has_its_place_and_a_remedy() {
        let (place, message, hint) = parse("# x\nquiet = 'none'\n").expect_err("is refused");
        assert_eq!(place, (2, 1));
        assert_eq!(message, "unknown setting `quiet`");
        assert!(hint.contains("quiet_hours"), "{hint}");

        let (place, message, _) = parse("\nquiet_hours = '9-8'").expect_err("is refused");
        assert_eq!(place, (2, 15));
        assert!(message.contains("write `21:00-08:00`"), "{message}");

        let (place, message, _) = parse("time_zone = 'Mars/Base'").expect_err("is refused");
        assert_eq!(place, (1, 13));
        assert!(message.contains("unknown time zone `Mars/Base`"), "{message}");
    }

    #[test]
    fn text_that_is_not_toml_is_refused_where_it_breaks() {
        let (place, _, _) = parse("a = 1\nb = = 2\n").expect_err("is refused");
        assert_eq!(place.0, 2);
    }
}
