//! Reads orders that end an earlier order: "stop keeping the ball in place".

use super::achieve;
use super::predicate::{Predicate, thing};
use crate::obligations::read::clause::Clause;

/// The predicate of an order that no longer binds.
const ENDED: &str = "obligation.ended";
/// Words before what need no longer be kept or avoided.
const NO_LONGER: &str = "stop keeping|stop holding|stop maintaining|stop watching|stop making sure that|\
    stop making sure|stop ensuring that|stop ensuring|stop avoiding|stop preserving|quit keeping|\
    quit holding|no longer keep|no longer hold|no longer maintain|you can stop keeping|you may stop keeping|\
    you dont need to keep|you dont have to keep|you need not keep|you no longer need to keep|\
    no need to keep|theres no need to keep";
/// Words between a thing and its state.
const STATE: &str = "in|inside|within|at|on|inside of|between|above|below|under|over|near|close to|\
    away from|out of|from|is|are|stays|stay|remains|remain|locked|unlocked|open|closed|shut";

/// Reads an order that ends an earlier one about a thing.
pub(super) fn read(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    let what = achieve::short(clause.after(NO_LONGER)?);
    let what = what.split(STATE).map_or(what, |sides| sides.before);
    let thing = thing(what, subject)?;
    let (ended, state) = ENDED.split_once('.')?;
    Some(Predicate::new(ended, state)?.with("thing", thing))
}

#[cfg(test)]
mod tests {
    use crate::obligations::read::tests::{check, show};

    #[test]
    fn an_order_is_ended_by_its_thing() {
        check(
            show,
            &[
                (
                    "stop keeping the ball in place",
                    r#"ACHIEVE obligation.ended args={"thing":"ball"} pred=obligation.ended"#,
                ),
                (
                    "you can stop keeping the front door locked",
                    r#"ACHIEVE obligation.ended args={"thing":"front_door"} pred=obligation.ended"#,
                ),
            ],
        );
    }
}
