//! A minimal Rust scanner that separates code from comments and strings.

/// A scanned Rust file. `all` and `production` keep every line break, so that line numbers stay correct.
pub(crate) struct Code {
    /// The code, with comments and the contents of strings replaced by blanks.
    pub(crate) all: String,
    /// The code without items under `#[cfg(test)]`.
    pub(crate) production: String,
    /// The string literals, each with the line on which it begins.
    pub(crate) strings: Vec<Text>,
}

/// A string literal as written, without its quotes.
pub(crate) struct Text {
    pub(crate) line: usize,
    pub(crate) text: String,
    /// Byte offset of the opening quote in [`Code::all`].
    pub(crate) at: usize,
}

impl Code {
    /// Scans a file.
    pub(crate) fn read(source: &str) -> Self {
        let mut reader = Reader { source, at: 0, out: String::new(), strings: Vec::new() };
        while reader.at < source.len() {
            reader.next();
        }
        let all = reader.out;
        Self { production: without_tests(&all), all, strings: reader.strings }
    }

    /// Returns the lines of the code without comments and strings, each with its number, from 1.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.all.lines().enumerate().map(|(ix, line)| (ix + 1, line))
    }

    /// Like [`Self::lines`], but also without items under `#[cfg(test)]`.
    pub(crate) fn production_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.production.lines().enumerate().map(|(ix, line)| (ix + 1, line))
    }

    /// Whether the string is in an item under `#[cfg(test)]`.
    pub(crate) fn in_tests(&self, text: &Text) -> bool {
        self.production.as_bytes().get(text.at) != Some(&b'"')
    }
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    out: String,
    strings: Vec<Text>,
}

impl Reader<'_> {
    fn next(&mut self) {
        let rest = &self.source[self.at..];
        if rest.starts_with("//") {
            self.blank(rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("/*") {
            self.blank(block_comment(rest));
        } else if let Some(hashes) = raw_string(rest).filter(|_| !self.inside_word()) {
            self.string(rest.find('"').unwrap_or(0), &format!("\"{}", "#".repeat(hashes)), false);
        } else if rest.starts_with('"') {
            self.string(0, "\"", true);
        } else if let Some(length) = character(rest) {
            self.out.push_str("' '");
            self.out.push_str(&" ".repeat(length - 3));
            self.at += length;
        } else {
            self.keep(1);
        }
    }

    /// Whether the character before the current position belongs to a name.
    /// If it does, an `r` at the current position does not begin a raw string.
    fn inside_word(&self) -> bool {
        self.source[..self.at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
    }

    fn keep(&mut self, characters: usize) {
        for _ in 0..characters {
            if let Some(c) = self.source[self.at..].chars().next() {
                self.out.push(c);
                self.at += c.len_utf8();
            }
        }
    }

    fn blank(&mut self, bytes: usize) {
        for byte in self.source[self.at..self.at + bytes].bytes() {
            self.out.push(if byte == b'\n' { '\n' } else { ' ' });
        }
        self.at += bytes;
    }

    /// Reads a string literal. `close` is the text that ends the literal, and `escapes` says whether the
    /// literal may contain escape sequences. The opening quote of the literal is `prefix` bytes
    /// after the current position.
    fn string(&mut self, prefix: usize, close: &str, escapes: bool) {
        self.keep(prefix);
        let at = self.out.len();
        let line = self.out.bytes().filter(|byte| *byte == b'\n').count() + 1;
        self.keep(1);
        let rest = &self.source[self.at..];
        let length = if escapes { quoted(rest) } else { rest.find(close).unwrap_or(rest.len()) };
        self.strings.push(Text { line, text: rest[..length].to_owned(), at });
        self.blank(length);
        self.keep(close.len());
    }
}

/// Returns the length in bytes of a block comment, which may contain other block comments.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        let two = rest.as_bytes().get(at..at + 2);
        match two {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") if depth == 1 => return at + 2,
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    rest.len()
}

/// Returns the number of `#` before the opening quote of the raw string at the start of `rest`.
/// Returns `None` if no raw string begins there.
fn raw_string(rest: &str) -> Option<usize> {
    let after = rest.trim_start_matches(['b', 'c']);
    let after = if rest.len() - after.len() <= 1 { after.strip_prefix('r')? } else { return None };
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..].starts_with('"').then_some(hashes)
}

/// Returns the number of bytes up to the quote that closes a string with escape sequences.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return at,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    rest.len()
}

/// Returns the length in bytes of a character literal, or `None` for a lifetime.
fn character(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('\'')?;
    if inner.starts_with('\\') {
        return inner[2..].find('\'').map(|end| end + 4);
    }
    let first = inner.chars().next()?;
    inner[first.len_utf8()..].starts_with('\'').then(|| first.len_utf8() + 2)
}

/// Replaces every item under `#[cfg(test)]` by blanks, up to its closing brace or semicolon.
fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = code.to_owned();
    while let Some(from) = out.find(MARK) {
        let length = MARK.len() + item(&out[from + MARK.len()..]);
        let blank = |byte| if byte == b'\n' { '\n' } else { ' ' };
        let blanks: String = out[from..from + length].bytes().map(blank).collect();
        out.replace_range(from..from + length, &blanks);
    }
    out
}

/// Returns the length in bytes of the item at the start of `rest`.
pub(crate) fn item(rest: &str) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth <= 1 => return at + 1,
            b'}' => depth -= 1,
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the byte offsets at which `word` occurs as a whole word.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let named = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).map(|(at, _)| at).filter(move |at| {
        !code[..*at].ends_with(named) && !code[at + word.len()..].starts_with(named)
    })
}

/// Returns the line number of a byte offset, counted from 1.
pub(crate) fn line_of(code: &str, at: usize) -> usize {
    code[..at].bytes().filter(|byte| *byte == b'\n').count() + 1
}

#[test]
fn code_is_separated_from_comments_and_strings() {
    let source =
        "a /* \"b\" /* c */ */ \"d\\\"e\" // f\n r#\"g\"h\"# 'i' '\\'' b\"j\" <'k> for r in x";
    let code = Code::read(source);
    let texts: Vec<&str> = code.strings.iter().map(|text| text.text.as_str()).collect();
    assert_eq!(texts, ["d\\\"e", "g\"h", "j"]);
    assert_eq!(code.strings[1].line, 2);
    assert_eq!(code.all.len(), source.len());
    let squeezed: Vec<&str> = code.all.split_whitespace().collect();
    assert_eq!(
        squeezed,
        [
            "a", "\"", "\"", "r#\"", "\"#", "'", "'", "'", "'", "b\"", "\"", "<'k>", "for", "r",
            "in", "x"
        ]
    );
}

#[test]
fn code_under_test_is_not_production() {
    let code =
        Code::read("fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() { \"c\" }\n}\nfn d() { \"e\" }");
    assert!(!code.production.contains("fn b"));
    assert!(code.production.contains("fn a") && code.production.contains("fn d"));
    let inside: Vec<bool> = code.strings.iter().map(|text| code.in_tests(text)).collect();
    assert_eq!(inside, [true, false]);
}

#[test]
fn a_word_is_whole() {
    assert_eq!(words("sleep_ms asleep sleep(", "sleep").count(), 1);
}
