//! The structure of an expression.

use super::token::{Function, MathToken, tokens};
use super::{DEPTH_MAX, EXPR_CHARS_MAX, MathFault};

/// An operation on two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
    Power,
}

/// An expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Formula {
    /// Digits, perhaps with a decimal point.
    Number(String),
    Negative(Box<Formula>),
    Percent(Box<Formula>),
    Factorial(Box<Formula>),
    Call(Call),
    Binary(Box<Binary>),
}

/// The call of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) function: Function,
    pub(super) arguments: Vec<Formula>,
}

/// Two operands and what is done with them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Binary {
    pub(super) operator: Operator,
    pub(super) left: Formula,
    pub(super) right: Formula,
}

/// Reads an expression: sums of products of powers. Two factors side by side are multiplied if one of them is in
/// parentheses.
pub(super) fn parse(expr: &str) -> Result<Formula, MathFault> {
    if expr.chars().nth(EXPR_CHARS_MAX).is_some() {
        return Err(MathFault::TooLarge);
    }
    let tokens = tokens(expr)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let formula = parser.sum()?;
    if parser.at == tokens.len() { Ok(formula) } else { Err(MathFault::NotAnExpression) }
}

struct Parser<'t> {
    tokens: &'t [MathToken],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<Formula, MathFault> {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Some(MathToken::Plus) => Operator::Plus,
                Some(MathToken::Minus) => Operator::Minus,
                _ => return Ok(left),
            };
            self.at += 1;
            left = binary(operator, left, self.product()?);
        }
    }

    fn product(&mut self) -> Result<Formula, MathFault> {
        let mut left = self.signed()?;
        loop {
            let operator = match self.peek() {
                Some(MathToken::Times) => Operator::Times,
                Some(MathToken::Over) => Operator::Over,
                Some(MathToken::Modulo) => Operator::Modulo,
                Some(MathToken::Open | MathToken::Function(_)) => {
                    left = binary(Operator::Times, left, self.power()?);
                    continue;
                }
                Some(MathToken::Number(_)) if self.tokens[self.at - 1] == MathToken::Close => {
                    left = binary(Operator::Times, left, self.power()?);
                    continue;
                }
                _ => return Ok(left),
            };
            self.at += 1;
            left = binary(operator, left, self.signed()?);
        }
    }

    /// A sign binds less than a power: `-2^2` is minus four.
    fn signed(&mut self) -> Result<Formula, MathFault> {
        let is_negative = match self.peek() {
            Some(MathToken::Minus) => true,
            Some(MathToken::Plus) => false,
            _ => return self.power(),
        };
        self.at += 1;
        let inner = self.deeper(Self::signed)?;
        Ok(if is_negative { Formula::Negative(Box::new(inner)) } else { inner })
    }

    fn power(&mut self) -> Result<Formula, MathFault> {
        let base = self.marked()?;
        if self.peek() != Some(&MathToken::Power) {
            return Ok(base);
        }
        self.at += 1;
        let exponent = self.deeper(Self::signed)?;
        Ok(binary(Operator::Power, base, exponent))
    }

    /// Reads an operand with the marks after it: `5!`, `20%`.
    fn marked(&mut self) -> Result<Formula, MathFault> {
        let mut operand = self.operand()?;
        loop {
            operand = match self.peek() {
                Some(MathToken::Factorial) => Formula::Factorial(Box::new(operand)),
                Some(MathToken::Percent) => Formula::Percent(Box::new(operand)),
                _ => return Ok(operand),
            };
            self.at += 1;
        }
    }

    fn operand(&mut self) -> Result<Formula, MathFault> {
        let token = self.peek().cloned();
        self.at += 1;
        match token {
            Some(MathToken::Number(digits)) => Ok(Formula::Number(digits)),
            Some(MathToken::Open) => {
                let inner = self.deeper(Self::sum)?;
                self.expect(&MathToken::Close)?;
                Ok(inner)
            }
            Some(MathToken::Function(function)) => {
                self.expect(&MathToken::Open)?;
                let mut arguments = vec![self.deeper(Self::sum)?];
                while self.peek() == Some(&MathToken::Comma) {
                    self.at += 1;
                    arguments.push(self.deeper(Self::sum)?);
                }
                self.expect(&MathToken::Close)?;
                Ok(Formula::Call(Call { function, arguments }))
            }
            _ => Err(MathFault::NotAnExpression),
        }
    }

    fn peek(&self) -> Option<&MathToken> {
        self.tokens.get(self.at)
    }

    fn expect(&mut self, token: &MathToken) -> Result<(), MathFault> {
        if self.peek() != Some(token) {
            return Err(MathFault::NotAnExpression);
        }
        self.at += 1;
        Ok(())
    }

    fn deeper(
        &mut self,
        read: fn(&mut Self) -> Result<Formula, MathFault>,
    ) -> Result<Formula, MathFault> {
        if self.depth == DEPTH_MAX {
            return Err(MathFault::TooLarge);
        }
        self.depth += 1;
        let formula = read(self);
        self.depth -= 1;
        formula
    }
}

fn binary(operator: Operator, left: Formula, right: Formula) -> Formula {
    Formula::Binary(Box::new(Binary { operator, left, right }))
}
