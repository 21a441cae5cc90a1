//! Splits the source of an expression into tokens.

use logos::Logos;

use crate::base::{Span, Value};

use super::ast::Range;
use super::error::SyntaxError;

/// A lexeme whose value is not parsed yet: for example, numbers and durations are both `Numeric`.
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n]+")]
enum Raw {
    #[regex(r"[0-9]+(\.[0-9]+)?([eE][+-][0-9]+)?[0-9A-Za-zµ_]*")]
    Numeric,
    #[regex(r#""([^"\\]|\\(?s:.))*""#)]
    #[regex(r"'([^'\\]|\\(?s:.))*'")]
    Text,
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[token("==")]
    #[token("!=")]
    #[token("<=")]
    #[token(">=")]
    #[token("<")]
    #[token(">")]
    #[token("=")]
    #[token("+")]
    #[token("-")]
    #[token("*")]
    #[token("/")]
    #[token("%")]
    #[token("(")]
    #[token(")")]
    #[token("[")]
    #[token("]")]
    #[token(",")]
    #[token(".")]
    Symbol,
    #[token("&&")]
    #[token("||")]
    #[token("!")]
    #[token("{")]
    #[token("}")]
    #[token("{{")]
    #[token("}}")]
    #[token("===")]
    #[token("?")]
    #[token(":")]
    #[token(";")]
    #[token("**")]
    #[token("|")]
    Foreign,
}

/// A token of the language.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'t> {
    /// A number or a string, as a value.
    Literal(Value),
    /// A duration.
    Duration(Span),
    /// A name or a keyword.
    Word(&'t str),
    /// An operator or a bracket.
    Symbol(&'t str),
    /// The end of the source.
    End,
}

/// Returns all tokens of an expression's source, ending with [`Token::End`].
///
/// # Errors
/// One error for each sequence of characters that is not a token.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Range)>, Vec<SyntaxError>> {
    let mut found = Vec::new();
    let mut errors = Vec::new();
    for (raw, range) in Raw::lexer(text).spanned() {
        let (slice, at) = (&text[range.clone()], Range::from(range));
        let token = match raw {
            Ok(Raw::Numeric) => numeric(slice, at),
            Ok(Raw::Text) => unquote(slice, at).map(|text| Token::Literal(Value::String(text))),
            Ok(Raw::Word) => Ok(Token::Word(slice)),
            Ok(Raw::Symbol) => Ok(Token::Symbol(slice)),
            Ok(Raw::Foreign) => Err(foreign(slice, at)),
            Err(()) => Err(unknown(slice, at)),
        };
        match token {
            Ok(token) => found.push((token, at)),
            Err(error) => errors.push(error),
        }
    }
    found.push((Token::End, Range::from(text.len()..text.len())));
    if errors.is_empty() { Ok(found) } else { Err(errors) }
}

fn numeric(slice: &str, at: Range) -> Result<Token<'static>, SyntaxError> {
    let is_number =
        slice.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if !is_number {
        return slice.parse().map(Token::Duration).map_err(|_| {
            SyntaxError::new(format!("`{slice}` is neither a number nor a duration"), at)
                .with_hint("write a duration as `24h`, `1h30m` or `2days`")
        });
    }
    if slice.bytes().all(|b| b.is_ascii_digit()) {
        return slice.parse::<i64>().map(|n| Token::Literal(n.into())).map_err(|_| {
            SyntaxError::new(format!("`{slice}` is too large for a whole number"), at)
                .with_hint(format!("use a number up to `{}`", i64::MAX))
        });
    }
    slice
        .parse::<f64>()
        .ok()
        .and_then(serde_json::Number::from_f64)
        .map(|number| Token::Literal(Value::Number(number)))
        .ok_or_else(|| SyntaxError::new(format!("`{slice}` is not a finite number"), at))
}

/// Removes the quotes of a string literal and decodes its escape sequences:
/// `\n`, `\r`, `\t`, `\\`, `\'`, `\"` and `\u{1F600}`.
fn unquote(slice: &str, at: Range) -> Result<String, SyntaxError> {
    let inner = &slice[1..slice.len() - 1];
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let behind = |rest: &str| at.start as usize + slice.len() - 1 - rest.len();
        let backslash = behind(rest.as_str()) - 1;
        let escaped = match rest.next() {
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some(same @ ('\\' | '\'' | '"')) => Some(same),
            Some('u') => code_point(&mut rest),
            _ => None,
        };
        match escaped {
            Some(c) => out.push(c),
            None => {
                let escape = backslash..behind(rest.as_str());
                return Err(SyntaxError::new("unknown escape sequence in a text", escape.into())
                    .with_hint(
                        r"use one of `\n`, `\r`, `\t`, `\\`, `\'`, `\x22` and `\u{…}`"
                            .replace(r"\x22", "\\\""),
                    ));
            }
        }
    }
    Ok(out)
}

fn code_point(rest: &mut std::str::Chars<'_>) -> Option<char> {
    let (digits, after) = rest.as_str().strip_prefix('{')?.split_once('}')?;
    let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
    *rest = after.chars();
    Some(c)
}

/// Returns the error for a symbol of another programming language.
/// The hint of the error names the symbol to write instead.
fn foreign(slice: &str, at: Range) -> SyntaxError {
    let hint = match slice {
        "&&" => "write `and`",
        "||" => "write `or`",
        "!" => "write `not`",
        "===" => "write `==`",
        "{{" | "}}" => "remove the braces: they go around an expression inside a text",
        "{" | "}" => "take the object from a variable: expressions have no object literals",
        "?" | ":" => "write `if(condition, then, else)`",
        "|" => "call the function instead: `name(value)` or `value.name()`",
        _ => "use one of the operators `+ - * / % == != < <= > >= and or not in`",
    };
    SyntaxError::new(format!("`{slice}` is not part of the language"), at).with_hint(hint)
}

fn unknown(slice: &str, at: Range) -> SyntaxError {
    if slice.starts_with(['"', '\'']) {
        return SyntaxError::new("this text has no closing quote", at)
            .with_hint("end it with the quote that it begins with");
    }
    let shown: String = slice.chars().take(10).collect();
    SyntaxError::new(format!("unexpected character `{shown}`"), at)
        .with_hint("use letters, digits and `_` in names, and put a text in quotes")
}
