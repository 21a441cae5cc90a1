//! Reads assignments of people: "put Dana on nursery", "never put Tom and Wes together".

use super::achieve;
use super::predicate::{Predicate, name, noun};
use crate::obligations::read::clause::Clause;

/// Verbs of an assignment.
const ASSIGNS: &str = "put|assign|schedule|place|use|book|give|roster|ask|invite|pick|putting|assigning|\
    scheduling|placing|using|add|stick|send|slot|sign up|sign|adding|pair|pairing|select|choose|rota|call on|\
    list|let|move|switch";
/// Words between a person and what the person is assigned to.
const TO: &str = "on|for|to|in|as|at|with|into|onto|up for|on the|to serve on|to work|to work in|down for|\
    to the|to serve in|to serve at|to do|back on|back in|anywhere near|serve on|serve in|work in|work on|\
    be on|on to|over to|do";
/// Words behind a role.
const TEAM: &str = "team|duty|shift|shifts|service|crew|duties|again|anymore|rota|roster|ministry|together|\
    room|list|alone|group";
/// Days, which are times and no roles.
const DAYS: &str = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mondays|tuesdays|wednesdays|\
    thursdays|fridays|saturdays|sundays|weekends|weekdays|easter|christmas";
/// Verbs of somebody who serves.
const SERVES: &str = "serves|serve|works|work|is|be|helps|help|does|do|goes|go|gets|get|ends up|end up|\
    covers|cover|runs|leads|lead|run";

/// Reads an order about whom to assign to what.
pub(super) fn assigned(body: Clause<'_>) -> Option<Predicate> {
    let rest = body.after(ASSIGNS)?;
    let rest = rest.past("up");
    if let Some(pair) = rest.before("together").filter(|pair| pair.is_capital(0)) {
        return Some(Predicate::new("assign", "together")?.with("names", pair.raw()));
    }
    let is_person = |who: Clause<'_>| who.is_capital(0) || who.is("me|us|him|her|them");
    let sides = rest
        .split(TO)
        .filter(|sides| (1..=4).contains(&sides.before.len()) && is_person(sides.before))?;
    let role = noun(achieve::short(sides.after)).short_of(TEAM);
    if role.is(DAYS) {
        return Some(Predicate::new("assign", &name(role)?)?.with("name", sides.before.raw()));
    }
    let with = rest.word(sides.before.len()) == "with" && role.is_capital(0);
    let what = if with { "together".to_owned() } else { name(role)? };
    Some(Predicate::new("assign", &what)?.with("name", sides.before.raw()))
}

/// Reads an order that takes somebody off a role: "remove Ben from the usher list".
pub(super) fn removed(body: Clause<'_>) -> Option<Predicate> {
    let rest = body.after("remove|take|pull|unassign|drop|get")?;
    let sides = rest
        .split("from|off|off of|out of|from the|off the")
        .filter(|sides| sides.before.is_capital(0))?;
    let role = noun(achieve::short(sides.after)).short_of(TEAM);
    Some(Predicate::new("unassign", &name(role)?)?.with("name", sides.before.raw()))
}

/// Reads that somebody serves: "Dana never serves on nursery".
pub(super) fn served(who: Clause<'_>, act: Clause<'_>) -> Option<Predicate> {
    let rest = act.after(SERVES).filter(|_| who.is_capital(0))?;
    let role = noun(rest.after("on|in|for|at|with|to|as")?).short_of(TEAM);
    Some(Predicate::new("assign", &name(achieve::short(role))?)?.with("name", who.raw()))
}
