//! Words that a phone writes for others that sound the same, when it writes what it hears: "I'll bee their".

/// Two words that follow one another, and what was said.
const HEARD: &[([&str; 2], [&str; 2])] = &[
    (["eye", "can"], ["i", "can"]),
    (["eye", "cant"], ["i", "cant"]),
    (["eye", "will"], ["i", "will"]),
    (["eye", "wont"], ["i", "wont"]),
    (["eye", "have"], ["i", "have"]),
    (["eye", "wouldnt"], ["i", "wouldnt"]),
    (["i", "wheel"], ["i", "will"]),
    (["i", "shell"], ["i", "will"]),
    (["can", "due"], ["can", "do"]),
    (["can", "dew"], ["can", "do"]),
    (["cant", "due"], ["cant", "do"]),
    (["will", "dew"], ["will", "do"]),
    (["ill", "bee"], ["ill", "be"]),
    (["will", "bee"], ["will", "be"]),
    (["wont", "bee"], ["wont", "be"]),
    (["cant", "bee"], ["cant", "be"]),
    (["wheel", "bee"], ["will", "be"]),
    (["be", "their"], ["be", "there"]),
    (["be", "theyre"], ["be", "there"]),
    (["you", "their"], ["you", "there"]),
    (["me", "their"], ["me", "there"]),
    (["i", "half"], ["i", "have"]),
    (["half", "to"], ["have", "to"]),
    (["know", "problem"], ["no", "problem"]),
    (["know", "worries"], ["no", "worries"]),
    (["knot", "a"], ["not", "a"]),
    (["knot", "this"], ["not", "this"]),
    (["can", "knot"], ["can", "not"]),
    (["this", "weak"], ["this", "week"]),
    (["next", "weak"], ["next", "week"]),
    (["of", "coarse"], ["of", "course"]),
    (["of", "corse"], ["of", "course"]),
    (["shore", "thing"], ["sure", "thing"]),
    (["sounds", "god"], ["sounds", "good"]),
    (["me", "inn"], ["me", "in"]),
    (["me", "owt"], ["me", "out"]),
    (["i", "wood"], ["i", "would"]),
    (["wood", "love"], ["would", "love"]),
    (["ought", "of"], ["out", "of"]),
    (["glad", "too"], ["glad", "to"]),
    (["happy", "too"], ["happy", "to"]),
    (["happy", "two"], ["happy", "to"]),
    (["im", "seek"], ["im", "sick"]),
    (["may", "bee"], ["may", "be"]),
];

/// Writes what was said in place of what a phone has heard.
pub(super) fn correct(words: &mut [String]) {
    for ix in 1..words.len() {
        let heard =
            |([one, other], _): &&([&str; 2], _)| words[ix - 1] == *one && words[ix] == *other;
        if let Some((_, said)) = HEARD.iter().find(heard) {
            words[ix - 1] = said[0].to_owned();
            words[ix] = said[1].to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_sound_alike_are_written_as_they_were_meant() {
        let cases = [
            ("eye can due it", "i can do it"),
            ("ill bee their", "ill be there"),
            ("know problem", "no problem"),
            ("pink eye", "pink eye"),
            ("their car is weak", "their car is weak"),
        ];
        for (text, expected) in cases {
            let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
            correct(&mut words);
            assert_eq!(words.join(" "), expected, "{text}");
        }
    }
}
