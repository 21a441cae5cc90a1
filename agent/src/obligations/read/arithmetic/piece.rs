//! Parts of an expression, and how they are put together.

/// How tightly the parts of a piece hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Sum,
    Product,
    Negative,
    Power,
    Atom,
}

/// An operation between two pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Infix {
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Power,
}

/// A part of an expression in the notation of [`math`](crate::obligations::math).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) level: Level,
    /// The number before the sign, if the piece is a number of per cent and nothing else.
    pub(super) percent: Option<String>,
    /// Whether something is computed in it.
    pub(super) is_operation: bool,
}

/// A piece with the operation before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) infix: Infix,
    pub(super) piece: Piece,
}

impl Infix {
    const fn sign(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Over => "/",
            Self::Modulo => " mod ",
            Self::Power => "^",
        }
    }

    const fn level(self) -> Level {
        match self {
            Self::Plus | Self::Minus => Level::Sum,
            Self::Times | Self::Over | Self::Modulo => Level::Product,
            Self::Power => Level::Power,
        }
    }

    /// The least level of a piece that needs no parentheses before the operation.
    const fn least_before(self) -> Level {
        match self {
            Self::Plus | Self::Minus => Level::Sum,
            Self::Times | Self::Over | Self::Modulo => Level::Product,
            Self::Power => Level::Atom,
        }
    }

    /// The least level of a piece that needs no parentheses after the operation.
    const fn least_after(self) -> Level {
        match self {
            Self::Plus => Level::Sum,
            Self::Minus | Self::Times => Level::Product,
            Self::Over | Self::Modulo => Level::Negative,
            Self::Power => Level::Atom,
        }
    }
}

impl Piece {
    /// Builds a piece in which nothing is computed.
    pub(super) fn number(text: impl Into<String>) -> Self {
        Self { text: text.into(), level: Level::Atom, percent: None, is_operation: false }
    }

    pub(super) fn operation(text: impl Into<String>, level: Level) -> Self {
        Self { text: text.into(), level, percent: None, is_operation: true }
    }

    /// Builds a number of per cent.
    pub(super) fn percent(number: &str) -> Self {
        let percent = Some(number.to_owned());
        Self { percent, ..Self::operation(format!("{number}/100"), Level::Product) }
    }

    /// Returns the text, in parentheses if the piece holds together less tightly than it must.
    pub(super) fn at_least(&self, level: Level) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text.clone() }
    }

    /// Returns the text without parentheses around the whole of it.
    pub(super) fn unwrapped(&self) -> &str {
        let inner = self.text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let Some(inner) = inner else { return &self.text };
        let mut depth = 0_i32;
        let closes_early = inner.chars().any(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth < 0
        });
        if closes_early { &self.text } else { inner }
    }

    /// Puts two pieces together. Per cent that are added or taken away are those of the first piece.
    pub(super) fn with(&self, infix: Infix, other: &Self) -> Self {
        let left = self.at_least(infix.least_before());
        if let (Some(percent), Infix::Plus | Infix::Minus) = (&other.percent, infix) {
            let whole = self.at_least(Level::Product);
            let text = format!("{left}{}{whole}*{percent}/100", infix.sign());
            return Self::operation(text, Level::Sum);
        }
        let right = other.at_least(infix.least_after());
        Self::operation(format!("{left}{}{right}", infix.sign()), infix.level())
    }
}

/// Puts pieces together in a row, as they would be written: the usual precedence holds between them.
pub(super) fn row(first: Piece, links: &[Link]) -> Piece {
    let [only] = links else {
        return long_row(first, links);
    };
    first.with(only.infix, &only.piece)
}

fn long_row(first: Piece, links: &[Link]) -> Piece {
    let Some(next) = links.first() else { return first };
    let mut text = first.at_least(next.infix.least_before());
    let mut level = Level::Atom;
    for (at, link) in links.iter().enumerate() {
        let before_next = links.get(at + 1).map_or(Level::Sum, |next| next.infix.least_before());
        text.push_str(link.infix.sign());
        text.push_str(&link.piece.at_least(link.infix.least_after().max(before_next)));
        level = level.min(link.infix.level());
    }
    Piece::operation(text, level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_stand_where_they_are_needed() {
        let sum = Piece::operation("3+2", Level::Sum);
        let product = Piece::operation("240*15/100", Level::Product);
        let seven = Piece::number("7");
        let cases = [
            (seven.with(Infix::Over, &sum), "7/(3+2)"),
            (Piece::number(Piece::number("(3+2)").unwrapped()), "3+2"),
            (Piece::number(Piece::number("(3)*(2)").unwrapped()), "(3)*(2)"),
            (seven.with(Infix::Plus, &sum), "7+3+2"),
            (seven.with(Infix::Minus, &sum), "7-(3+2)"),
            (sum.with(Infix::Minus, &seven), "3+2-7"),
            (sum.with(Infix::Times, &sum), "(3+2)*(3+2)"),
            (seven.with(Infix::Times, &product), "7*240*15/100"),
            (seven.with(Infix::Over, &product), "7/(240*15/100)"),
            (product.with(Infix::Power, &seven), "(240*15/100)^7"),
            (sum.with(Infix::Plus, &Piece::percent("10")), "3+2+(3+2)*10/100"),
        ];
        for (piece, expected) in cases {
            assert_eq!(piece.text, expected);
        }
    }

    #[test]
    fn a_row_keeps_the_usual_precedence() {
        let link = |infix, text: &str| Link { infix, piece: Piece::number(text) };
        let links = [link(Infix::Plus, "2"), link(Infix::Times, "3")];
        assert_eq!(row(Piece::number("1"), &links).text, "1+2*3");
        let sum = Link { infix: Infix::Plus, piece: Piece::operation("3+2", Level::Sum) };
        let links = [sum, link(Infix::Times, "4")];
        assert_eq!(row(Piece::number("1"), &links).text, "1+(3+2)*4");
    }
}
