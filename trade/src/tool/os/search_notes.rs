//! `os.search_notes`: finds notes by their words.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

use crate::data::{self, NoteQuery};
use crate::refusal;
use crate::tool::input::{Input, all_shown, known};

/// Number of notes in the answer, if the call gives no limit.
const NOTES_DEFAULT: i64 = 20;
/// Maximum number of notes in the answer: a receipt and a variable hold all of them.
const NOTES_MAX: i64 = 200;

/// Finds the notes that contain each word of a query, best match first.
pub(crate) struct SearchNotes;

#[async_trait]
impl WriteVerb for SearchNotes {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let input = Input::of(cx, args);
        let words = words(input.required_text("query")?);
        if words.is_empty() {
            return Err(refusal::invalid("query", "contains no word"));
        }
        let query = NoteQuery {
            table: known("notes")?,
            tenant: input.tenant,
            words: &words,
            entity_type: input.text("entity_type"),
            entity_id: input.text("entity_id"),
            limit: input.whole("limit")?.unwrap_or(NOTES_DEFAULT).clamp(1, NOTES_MAX),
        };
        let notes = data::search_notes(tx, &query).await?;
        let result = json!({ "notes": all_shown(&notes)?, "count": notes.len() });
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}

/// The punctuation beyond ASCII that separates words, as `migrations/postgres/0014_trade.sql` does. The last
/// one is stored in place of the character NUL.
const PUNCTUATION: &str = "“”„‘’‚«»‹›–—…•·\u{fffd}";

/// Returns the words of a text. White space, control characters and punctuation separate words, so no word
/// contains a character that means something in a query of a database.
fn words(text: &str) -> Vec<&str> {
    let separates = |c: char| {
        c.is_whitespace() || c.is_control() || c.is_ascii_punctuation() || PUNCTUATION.contains(c)
    };
    text.split(separates).filter(|word| word.chars().any(char::is_alphanumeric)).collect()
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_contain_no_characters_that_mean_something_to_a_database() {
        let cases = [
            ("ridge  capping", vec!["ridge", "capping"]),
            ("\" OR 1", vec!["OR", "1"]),
            ("title:roof* NEAR(a, b)", vec!["title", "roof", "NEAR", "a", "b"]),
            ("it's ana@example.org", vec!["it", "s", "ana", "example", "org"]),
            ("“it’s” — a\u{fffd}b", vec!["it", "s", "a", "b"]),
            ("a\0b\tc\u{7f}d", vec!["a", "b", "c", "d"]),
            ("屋根 Überdachung крыша", vec!["屋根", "Überdachung", "крыша"]),
            ("* \" ' () -- ; 🏠 \0", vec![]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text), expected, "{text:?}");
        }
        assert_eq!(words(&"x".repeat(5_000)).len(), 1);
    }
}
