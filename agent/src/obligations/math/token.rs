//! The numbers and signs of an expression.

use super::MathFault;

/// A number or a sign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MathToken {
    /// Digits, perhaps with a decimal point.
    Number(String),
    /// The name of a function.
    Function(Function),
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Power,
    Percent,
    Factorial,
    Open,
    Close,
    Comma,
}

/// A function with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    SquareRoot,
    CubeRoot,
    Absolute,
    Least,
    Greatest,
    CommonDivisor,
    CommonMultiple,
}

/// Cuts an expression into tokens.
pub(super) fn tokens(expr: &str) -> Result<Vec<MathToken>, MathFault> {
    let mut tokens = Vec::new();
    let mut rest = expr.trim_start();
    while let Some(c) = rest.chars().next() {
        let size;
        if c.is_ascii_digit() || c == '.' {
            let (number, length) = number(rest).ok_or(MathFault::NotAnExpression)?;
            tokens.push(MathToken::Number(number));
            size = length;
        } else if c.is_alphabetic() {
            size = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            tokens.push(word(&rest[..size]).ok_or(MathFault::NotAnExpression)?);
        } else if rest.starts_with("**") {
            tokens.push(MathToken::Power);
            size = 2;
        } else {
            tokens.push(sign(c).ok_or(MathFault::NotAnExpression)?);
            size = c.len_utf8();
        }
        rest = rest[size..].trim_start();
    }
    Ok(percent_or_modulo(tokens))
}

/// Returns the number at the start of a text, without its thousands separators, and its length in bytes.
fn number(text: &str) -> Option<(String, usize)> {
    let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == ',';
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    // A comma that ends the number, as in `min(1, 2)`, or before fewer than three digits separates arguments.
    let mut written = &text[..end];
    while let Some(at) = written.rfind(',').filter(|at| !is_thousands(&written[at + 1..])) {
        written = &written[..at];
    }
    let digits = written.replace(',', "");
    let is_number = digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits.matches('.').count() <= 1
        && written.split(',').next().is_some_and(|first| !first.contains('.') || first == written);
    let shown = if digits.starts_with('.') { format!("0{digits}") } else { digits };
    is_number.then(|| (shown.trim_end_matches('.').to_owned(), written.len()))
}

/// Whether what follows a comma is a group of three digits, perhaps before a decimal point.
fn is_thousands(group: &str) -> bool {
    let whole = group.split('.').next().unwrap_or_default();
    whole.len() == 3 && whole.bytes().all(|byte| byte.is_ascii_digit())
}

fn word(word: &str) -> Option<MathToken> {
    Some(match word.to_lowercase().as_str() {
        "x" | "of" => MathToken::Times,
        "mod" => MathToken::Modulo,
        "sqrt" => MathToken::Function(Function::SquareRoot),
        "cbrt" => MathToken::Function(Function::CubeRoot),
        "abs" => MathToken::Function(Function::Absolute),
        "min" => MathToken::Function(Function::Least),
        "max" => MathToken::Function(Function::Greatest),
        "gcd" => MathToken::Function(Function::CommonDivisor),
        "lcm" => MathToken::Function(Function::CommonMultiple),
        _ => return None,
    })
}

fn sign(c: char) -> Option<MathToken> {
    Some(match c {
        '+' => MathToken::Plus,
        '-' | '−' | '–' => MathToken::Minus,
        '*' | '×' | '·' | '⋅' => MathToken::Times,
        '/' | '÷' => MathToken::Over,
        '^' => MathToken::Power,
        '%' => MathToken::Percent,
        '!' => MathToken::Factorial,
        '(' | '[' | '{' => MathToken::Open,
        ')' | ']' | '}' => MathToken::Close,
        ',' => MathToken::Comma,
        _ => return None,
    })
}

/// Tells apart the two meanings of `%`: before an operand it is the remainder, otherwise per cent.
fn percent_or_modulo(mut tokens: Vec<MathToken>) -> Vec<MathToken> {
    for at in 0..tokens.len() {
        let before_operand = matches!(
            tokens.get(at + 1),
            Some(MathToken::Number(_) | MathToken::Function(_) | MathToken::Open)
        );
        if tokens[at] == MathToken::Percent && before_operand {
            tokens[at] = MathToken::Modulo;
        }
    }
    tokens
}
