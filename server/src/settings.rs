//! Reads the settings file, which is in TOML, once at the start of the process. Each error states its line
//! and column, and a hint.
//!
//! ```toml
//! quiet_hours = "none"
//! broadcast_approval_over = 40
//!
//! [model]
//! name = "gpt-4o-mini"
//! key_env = "OPENAI_API_KEY"
//! ```

use std::path::Path;

use abide_adapters::ModelSettings;
use abide_engine::base::{Problem, limits};
use abide_engine::library::read_text;
use abide_engine::policy::Settings;
use serde::Deserialize as _;
use toml::de::{DeTable, Deserializer, ValueDeserializer};

/// The table of the file that names the language model.
const MODEL: &str = "model";

/// The settings of the process.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ProcessSettings {
    /// The settings that a tenant can override.
    pub(crate) settings: Settings,
    /// The language model; `None` if the file names none.
    pub(crate) model: Option<ModelSettings>,
}

/// Reads the settings from the file `path`. Without a path, returns the defaults.
///
/// # Errors
/// `settings_unreadable`, and `settings_invalid` with line and column in the file.
pub(crate) fn load(path: Option<&Path>) -> Result<ProcessSettings, Problem> {
    let Some(path) = path else { return Ok(ProcessSettings::default()) };
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

fn parse(text: &str) -> Result<ProcessSettings, SettingsError> {
    let error = |error| SettingsError::of(text, &error);
    let mut file = DeTable::parse(text).map_err(error)?;
    let model = file.get_mut().remove(MODEL).map(ValueDeserializer::from);
    let model = model.map(ModelSettings::deserialize).transpose().map_err(error)?;
    let settings = Settings::deserialize(Deserializer::from(file)).map_err(error)?;
    Ok(ProcessSettings { settings, model })
}

impl SettingsError {
    /// Finds the place of an error in the file `text`, and a hint.
    fn of(text: &str, error: &toml::de::Error) -> Self {
        let (line, col) = line_and_column(text, error.span().map_or(0, |span| span.start));
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        match message.split_once(", expected one of ") {
            Some((unknown, known)) => {
                let message = unknown.replace("unknown field", "unknown setting");
                let hint = format!("use one of these settings: {}", known.replace('`', ""));
                Self { line, col, message, hint }
            }
            None => {
                let hint = "see `docs/settings.md` for each setting and its default".into();
                Self { line, col, message, hint }
            }
        }
    }
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
    use abide_adapters::ModelKind;

    use super::*;

    #[test]
    fn a_file_changes_what_it_names() {
        let settings = parse("broadcast_approval_over = 40\n").expect("parses").settings;
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
    fn a_table_names_a_language_model() {
        let text = "[model]\nname = 'small'\nkind = 'anthropic'\ntimeout = '3s'\n";
        let model = parse(text).expect("parses").model.expect("a model");
        assert_eq!((model.name.as_str(), model.kind), ("small", ModelKind::Anthropic));
        assert_eq!(model.timeout, "3s".parse().expect("a duration"));
        let error = parse("quiet_hours = 'none'\n[model]\nnam = 'x'\n").expect_err("is refused");
        assert_eq!(error.line, 3, "{error:?}");
        let beside = parse("model.name = 'x'\n# c\nother = 1\n").expect_err("is refused");
        assert_eq!((beside.line, beside.message.as_str()), (3, "unknown setting `other`"));
    }

    #[test]
    fn a_language_model_is_found_however_it_is_written() {
        let files = [
            "quiet_hours = 'none'\r\n[model]\r\nname = 'x'\r\n",
            "quiet_hours = 'none'\nmodel={ name = 'x' }\n",
            "model . name = 'x'\n\"quiet_hours\" = 'none'\n",
            "quiet_hours = 'none'\n[ model ]\nname = 'x'\n",
        ];
        for file in files {
            let read = parse(file).expect(file);
            assert_eq!(read.model.expect(file).name, "x");
            assert_ne!(read.settings, Settings::default(), "{file}");
        }
    }

    #[test]
    fn text_that_is_not_toml_is_refused_where_it_breaks() {
        let error = parse("a = 1\nb = = 2\n").expect_err("is refused");
        assert_eq!(error.line, 2);
    }
}
