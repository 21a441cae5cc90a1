//! Searches the notes for words.

use abide_engine::params;
use abide_engine::store::{Dialect, StoreError, Tx};

use super::interned::interned;
use super::rows::{StoredRow, listed};
use crate::table::Table;

/// Selects notes by their words.
#[derive(Debug, Clone, PartialEq)]
pub struct NoteQuery<'a> {
    /// The table of notes.
    pub table: &'static Table,
    /// The tenant that owns the notes.
    pub tenant: &'a str,
    /// The words to search for; a note must contain all of them. No word contains punctuation.
    pub words: &'a [&'a str],
    /// The kind of the record that the notes are about; any if `None`.
    pub entity_type: Option<&'a str>,
    /// The id of the record that the notes are about; any if `None`.
    pub entity_id: Option<&'a str>,
    /// Maximum number of notes.
    pub limit: i64,
}

/// Returns the notes that a query selects: the best match first, and of equal matches the newest first.
pub async fn search_notes(
    tx: &mut Tx,
    query: &NoteQuery<'_>,
) -> Result<Vec<StoredRow>, StoreError> {
    let (found, words) = match tx.dialect() {
        Dialect::Sqlite => {
            let found = "(SELECT rowid AS hit, rank AS worst FROM notes_words
                          WHERE notes_words MATCH $2) AS hits JOIN notes ON row = hit";
            (found, sqlite_words(query.words))
        }
        Dialect::Postgres => {
            let found = "(SELECT *, -ts_rank(words, to_tsquery('simple', $2)) AS worst FROM notes
                          WHERE words @@ to_tsquery('simple', $2)) AS hits";
            (found, postgres_words(query.words))
        }
    };
    let sql = format!(
        "SELECT {} FROM {found}
         WHERE tenant = $1
           AND (CAST($3 AS TEXT) IS NULL OR entity_type = $3)
           AND (CAST($4 AS TEXT) IS NULL OR entity_id = $4)
         ORDER BY worst, id DESC LIMIT $5",
        listed(query.table),
    );
    let params = params![query.tenant, words, query.entity_type, query.entity_id, query.limit];
    let rows = tx.rows(interned(sql), &params).await?;
    rows.iter().map(|row| StoredRow::read(query.table, row)).collect()
}

/// Returns the query for all words in the language of FTS5, in which a word in quotes is only a word.
fn sqlite_words(words: &[&str]) -> String {
    words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" AND ")
}

/// Returns the query for all words in the language of `to_tsquery`, in which a word in quotes is only a word.
/// A database with the locale `C` ignores the case of ASCII letters only. Therefore any other word is
/// searched for in each way in which people write it.
fn postgres_words(words: &[&str]) -> String {
    let written = words.iter().map(|word| {
        let mut ways = vec![(*word).to_owned()];
        if !word.is_ascii() {
            ways.extend([word.to_lowercase(), word.to_uppercase(), capitalized(word)]);
        }
        ways.sort_unstable();
        ways.dedup();
        format!("('{}')", ways.join("' | '"))
    });
    written.collect::<Vec<_>>().join(" & ")
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.flat_map(char::to_lowercase)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_quoted() {
        let words = ["OR", "roof", "Dach"];
        assert_eq!(sqlite_words(&words), r#""OR" AND "roof" AND "Dach""#);
        assert_eq!(postgres_words(&words), "('OR') & ('roof') & ('Dach')");
    }

    #[test]
    fn words_of_other_scripts_are_found_in_each_case() {
        assert_eq!(postgres_words(&["über"]), "('ÜBER' | 'Über' | 'über')");
        assert_eq!(postgres_words(&["КРЫША", "屋根"]), "('КРЫША' | 'Крыша' | 'крыша') & ('屋根')");
    }
}
