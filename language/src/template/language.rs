//! The languages in which messages are written.

use crate::words;

words! {
    /// A language in which messages are written.
    pub enum Language {
        /// English, the language of a file such as `invite.hbs`.
        English = "en",
        /// Spanish, the language of a file such as `invite.es.hbs`.
        Spanish = "es",
    }
}
