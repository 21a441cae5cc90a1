//! Measures, wraps and escapes strings without access to fonts.
//!
//! The viewer's fonts are unknown. The widths used here are the widths of Helvetica,
//! the widest of the fonts that the style prefers, plus a margin for substitutes.
//! The author's strings are set in a monospaced font, and all such fonts are about equally wide.

use std::borrow::Cow;

/// A typeface at a size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Font {
    pub(super) class: &'static str,
    size: f64,
    face: Face,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Face {
    Sans,
    Bold,
    Mono,
}

impl Font {
    /// The font of the method's name.
    pub(super) const TITLE: Self = Self::new("title", 20.0, Face::Bold);
    /// The font of a step's id or of an outcome.
    pub(super) const NAME: Self = Self::new("name", 13.5, Face::Bold);
    /// The font of sentences.
    pub(super) const PROSE: Self = Self::new("prose", 12.5, Face::Sans);
    /// The font of the program's own words: labels and captions.
    pub(super) const LABEL: Self = Self::new("label", 11.0, Face::Sans);
    /// The font of the author's strings: verbs, values, expressions.
    pub(super) const CODE: Self = Self::new("code", 11.5, Face::Mono);

    const fn new(class: &'static str, size: f64, face: Face) -> Self {
        Self { class, size, face }
    }

    /// Returns the distance from one baseline to the next.
    pub(super) fn line(self) -> f64 {
        (self.size * 1.4).round()
    }

    /// Returns the distance from the top of a line to its baseline.
    pub(super) fn ascent(self) -> f64 {
        (self.line() + self.size * 0.7) / 2.0
    }

    /// Returns an upper bound of the width of a string.
    pub(super) fn width(self, text: &str) -> f64 {
        text.chars().map(|c| self.advance(c)).sum()
    }

    fn advance(self, c: char) -> f64 {
        let em = match self.face {
            _ if is_combining(c) => 0.0,
            Face::Mono if is_wide(c) => 1.21,
            Face::Mono => 0.605,
            _ if is_wide(c) => 1.05,
            Face::Sans => sans(c) * 1.06,
            Face::Bold => sans(c) * 1.14,
        };
        em * self.size
    }

    /// Returns the string, truncated with an ellipsis if it is wider than `width`.
    pub(super) fn elide(self, text: &str, width: f64) -> Cow<'_, str> {
        if self.width(text) <= width {
            return Cow::Borrowed(text);
        }
        let mut room = width - self.advance('…');
        let fits = text.chars().take_while(|&c| {
            room -= self.advance(c);
            room >= 0.0
        });
        let kept: String = fits.collect();
        Cow::Owned(format!("{}…", kept.trim_end()))
    }

    /// Breaks the string into at most `lines` lines, none of which is wider than `width`.
    /// The last line is truncated with an ellipsis if necessary.
    ///
    /// The function breaks at a space, or else after punctuation in a name or an expression,
    /// or else between any two characters. So even a name of 200 letters stays in its box.
    pub(super) fn wrap(self, text: &str, width: f64, lines: usize) -> Vec<String> {
        let mut rest = text.trim();
        let mut wrapped = Vec::new();
        while !rest.is_empty() {
            if wrapped.len() + 1 >= lines {
                wrapped.push(self.elide(rest, width).into_owned());
                break;
            }
            let (line, next) = rest.split_at(self.break_at(rest, width));
            wrapped.push(line.trim_end().to_owned());
            rest = next.trim_start();
        }
        wrapped
    }

    /// Returns the byte offset at which the first line ends; at least 1 unless the string is empty.
    fn break_at(self, text: &str, width: f64) -> usize {
        let mut room = width;
        let mut best = None;
        for (at, c) in text.char_indices() {
            if c == ' ' {
                best = Some(at);
            }
            room -= self.advance(c);
            if room < 0.0 {
                let behind = at.max(text.chars().next().map_or(1, char::len_utf8));
                return best.filter(|&at| at > 0).unwrap_or(behind);
            }
            if "_.,/-:".contains(c)
                && room < width * 0.6
                && !matches!(best, Some(b) if text[b..].starts_with(' '))
            {
                best = Some(at + c.len_utf8());
            }
        }
        text.len()
    }
}

/// Helvetica's advance widths in thousandths of an em, from space to tilde.
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

fn sans(c: char) -> f64 {
    let index = (c as usize).checked_sub(0x20);
    let known = index.and_then(|index| HELVETICA.get(index));
    // Letters beyond ASCII are at most about as wide as `M`, except in wide scripts.
    known.map_or(0.8, |&width| f64::from(width) / 1000.0)
}

fn is_combining(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' | '\u{20d0}'..='\u{20ff}')
}

/// Whether a character takes a full em, as East Asian wide characters and pictographs do.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115f}' | '\u{2600}'..='\u{27bf}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f000}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}')
}

/// Escapes a string for XML, between tags and in quoted attributes.
/// Characters that XML 1.0 does not allow become U+FFFD.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    let plain = |c: char| !matches!(c, '&' | '<' | '>' | '"' | '\'') && is_xml(c);
    if text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if is_xml(c) => escaped.push(c),
            _ => escaped.push('\u{fffd}'),
        }
    }
    Cow::Owned(escaped)
}

fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{fffd}' | '\u{10000}'..) && c != '\u{7f}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_lines_fit_and_lose_nothing_but_the_elided_end() {
        let texts = [
            "len(accepted) >= goal.count and len(accepted) >= 3 or goal.kind == \"FillRole\"",
            "a_step_with_a_name_that_goes_on_and_on_until_nobody_can_read_it_any_more",
            "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww",
            "日本語のとても長い説明がここに続きます。日本語のとても長い説明がここに続きます。",
            "",
        ];
        for font in [Font::TITLE, Font::NAME, Font::PROSE, Font::LABEL, Font::CODE] {
            for text in texts {
                let lines = font.wrap(text, 120.0, 100);
                assert!(lines.iter().all(|line| font.width(line) <= 120.0), "{lines:?}");
                let glue = |text: &str| text.replace(' ', "");
                assert_eq!(glue(&lines.concat()), glue(text));
                let cut = font.wrap(text, 120.0, 2);
                assert!(cut.len() <= 2 && cut.iter().all(|line| font.width(line) <= 120.0));
            }
        }
    }

    #[test]
    fn a_line_narrower_than_a_letter_still_ends() {
        assert_eq!(Font::CODE.wrap("日本", 1.0, 9), ["日", "本"]);
        assert_eq!(Font::CODE.elide("abc", 0.0), "…");
    }

    #[test]
    fn names_break_where_they_are_joined() {
        assert_eq!(
            Font::CODE.wrap("candidates.minus(accepted)", 100.0, 3),
            ["candidates.", "minus(accepted", ")"]
        );
        assert_eq!(Font::CODE.wrap("one two three", 60.0, 3), ["one two", "three"]);
    }

    #[test]
    fn xml_text_is_escaped_and_holds_no_forbidden_character() {
        assert_eq!(escape("a < b & \"c\" > 'd'"), "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;");
        assert_eq!(
            escape("nul \0 bell \u{7} \u{ffff} tab \t"),
            "nul \u{fffd} bell \u{fffd} \u{fffd} tab \t"
        );
        assert!(matches!(escape("plain"), Cow::Borrowed(_)));
    }
}
