//! In which language a text is written, if that is clear.

use abide_language::template::Language;

use crate::text::words;

/// Words that hardly ever stand in an English text. Each counts twice.
const SPANISH: &[&str] = &[
    "puedo",
    "puede",
    "puedes",
    "podemos",
    "gracias",
    "estoy",
    "estare",
    "estaremos",
    "estan",
    "voy",
    "vamos",
    "hola",
    "domingo",
    "sabado",
    "lunes",
    "martes",
    "miercoles",
    "jueves",
    "viernes",
    "manana",
    "claro",
    "quiero",
    "tengo",
    "tiene",
    "necesito",
    "necesitamos",
    "ahi",
    "alli",
    "aqui",
    "tambien",
    "pero",
    "porque",
    "disculpe",
    "perdon",
    "favor",
    "cuenta",
    "cuenten",
    "conmigo",
    "hermano",
    "hermana",
    "iglesia",
    "trabajo",
    "trabajar",
    "hijo",
    "hija",
    "seguro",
    "listo",
    "lista",
    "ayudar",
    "ayudo",
    "quien",
    "cuando",
    "donde",
    "buenos",
    "buenas",
    "dias",
    "tardes",
    "noches",
    "dios",
    "bendiga",
    "saludos",
    "enfermo",
    "enferma",
];
/// Small words of Spanish.
const SPANISH_SMALL: &[&str] = &[
    "que", "de", "la", "el", "los", "las", "para", "por", "con", "si", "en", "un", "una", "yo",
    "mi", "es", "al", "del", "lo", "le", "te", "se", "ya", "muy", "mas", "esta", "este", "todo",
    "ser", "hacer", "ir", "y", "a",
];
/// Small words of English.
const ENGLISH: &[&str] = &[
    "the", "to", "and", "i", "im", "ill", "you", "can", "cant", "for", "with", "is", "are", "this",
    "that", "be", "will", "yes", "yeah", "sure", "thanks", "thank", "of", "it", "my", "we", "have",
    "not", "there", "on", "at", "but", "what", "how", "do", "dont", "out", "if", "sorry", "in",
    "need", "sunday", "please", "count",
];
/// The least points of a text that is clearly in a language, and by how many times it must have more points than for
/// another language.
const POINTS_MIN: usize = 3;
const TIMES: usize = 3;

/// Returns the language of a text; `None` if a text is too short or too mixed to tell.
#[must_use]
pub fn of(text: &str) -> Option<Language> {
    let words = words(text);
    let count = |list: &[&str]| words.iter().filter(|word| list.contains(&word.as_str())).count();
    let spanish = 2 * count(SPANISH) + count(SPANISH_SMALL);
    let english = count(ENGLISH);
    let is_clear = |own: usize, other: usize| own >= POINTS_MIN && own >= TIMES * other;
    if is_clear(spanish, english) {
        Some(Language::Spanish)
    } else if is_clear(english, spanish) {
        Some(Language::English)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_told_only_if_it_is_clear() {
        let cases = [
            ("sí, ahí estaré el domingo", Some(Language::Spanish)),
            ("no puedo, tengo que trabajar", Some(Language::Spanish)),
            ("claro que si", Some(Language::Spanish)),
            ("cuenten conmigo!", Some(Language::Spanish)),
            ("gracias!", None),
            ("si", None),
            ("muchas gracias, I'll be there", None),
            ("I can do it this Sunday", Some(Language::English)),
            ("sorry, can't", None),
            ("ok", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(of(text), expected, "{text}");
        }
    }
}
