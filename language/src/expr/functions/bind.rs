//! Assigns the arguments of a function call to the parameters of the function.

use super::super::ast::{Expr, Range};
use super::{Function, Times};

/// The arguments of a function call, by parameter. Only a repeated parameter has several arguments.
pub(in crate::expr) struct Bound<'e> {
    pub(in crate::expr) slots: Vec<Vec<&'e Expr>>,
}

/// The reason why the arguments of a function call do not match the function's parameters.
#[derive(Debug)]
pub(in crate::expr) struct Misfit {
    pub(in crate::expr) message: String,
    pub(in crate::expr) at: Range,
}

/// Assigns arguments to parameters: first the receiver, then the positional arguments, and then
/// the named arguments. The parameter `plain` has the receiver (if any) and the positional arguments.
pub(in crate::expr) fn bind<'e>(
    function: &'static Function,
    plain: impl Iterator<Item = &'e Expr>,
    named: &'e [(String, Expr)],
    at: Range,
) -> Result<Bound<'e>, Misfit> {
    let mut slots: Vec<Vec<&Expr>> = function.parameters.iter().map(|_| Vec::new()).collect();
    let mut next = 0;
    for value in plain {
        let Some(parameter) = function.parameters.get(next) else {
            let most = match function.parameters.len() {
                1 => "1 argument".to_owned(),
                most => format!("{most} arguments"),
            };
            let message = format!("`{}` takes at most {most}", function.name);
            return Err(Misfit { message, at: value.at });
        };
        slots[next].push(value);
        next += usize::from(parameter.times != Times::Repeated);
    }
    for (name, value) in named {
        let Some(slot) = function.parameters.iter().position(|p| p.name == name) else {
            let message = format!("`{}` has no argument `{name}`", function.name);
            return Err(Misfit { message, at: value.at });
        };
        if !slots[slot].is_empty() {
            let message = format!("the argument `{name}` of `{}` is given twice", function.name);
            return Err(Misfit { message, at: value.at });
        }
        slots[slot].push(value);
    }
    let mut filled = function.parameters.iter().zip(&slots);
    match filled.find(|(p, given)| given.is_empty() && p.times != Times::Optional) {
        Some((missing, _)) => {
            let message = format!("`{}` needs the argument `{}`", function.name, missing.name);
            Err(Misfit { message, at })
        }
        None => Ok(Bound { slots }),
    }
}
