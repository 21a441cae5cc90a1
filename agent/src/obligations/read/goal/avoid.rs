//! Reads what must not happen: "never let the ball touch the wall", "don't put Dana on nursery".

use serde_json::Value;

use super::achieve;
use super::assign::{assigned, served};
use super::predicate::{Amount, Predicate, amount, name, noun, thing};
use super::quantity::{counted, measured};
use super::state::state;
use crate::obligations::read::clause::Clause;

/// Words that forbid.
const NEVER: &str = "never|never ever|dont ever|do not ever|dont|do not|avoid|please never|please dont|\
    under no circumstances|refrain from|try not to|you must not|you must never|you should never|you shouldnt|\
    you should not|you may not|you may never|make sure you never|make sure you dont|make sure that you never|\
    make sure we never|make sure we dont|make sure not to|make sure to never|make sure to not|be sure not to|\
    be sure to never|i never want you to|i dont want you to|i do not want you to|whatever you do dont|stop|\
    quit|no more|never again|we never|we must never|we should never|we must not|we cant|we cannot|you cant|\
    you cannot|no one should|nobody should|no one may|nobody may|always avoid|dont you ever|dont you dare|\
    be careful not to|watch out not to|i dont want to|i never want to|please do not|please avoid|please stop|\
    at no point|ensure you never|ensure we never|ensure that you never|under no circumstance|at no time|\
    it is forbidden to|never you|not ever|absolutely never|absolutely do not|absolutely dont|\
    there should never be|there must never be|there can never be|there may never be";
/// Words after which nothing is forbidden.
const NOT_FORBIDDEN: &str = "forget|remember|worry|know|think|you think|you know|mind|mention|care|believe|\
    get it|get me wrong|be silly|panic|bother|sweat it|understand|recall|see|have|like|want|need|be";
/// Words that forbid in the middle of a sentence: "the ball must never touch the wall".
const MUST_NOT: &str = "must never|should never|must not|may not|cant|cannot|shouldnt|should not|can never|\
    may never|is never to|mustnt|is not to|are not to|are never to|isnt to|is not allowed to|\
    is never allowed to|are not allowed to|will never";
/// Words that forbid in the middle of a sentence that begins with an order: "make sure the ball never touches".
const NEVER_THERE: &str = "never|doesnt|does not|dont|do not|wont|isnt|is not|cannot|cant";
/// Words that let something happen.
const LETS: &str = "let|allow|have|permit|letting|allowing|want|make";
/// Verbs of things, which end the name of their subject.
const VERBS: &str = "touch|touches|hit|hits|leave|leaves|enter|enters|fall|falls|drop|drops|go|goes|get|gets|\
    reach|reaches|exceed|exceeds|run|runs|cross|crosses|roll|rolls|be|is|are|become|becomes|overheat|open|\
    opens|close|closes|move|moves|sleep|play|eat|drive|drives|bounce|bounces|stop|stops|rise|rises|climb|\
    climbs|dip|dips|sit|sits|stay|stays|bump|bumps|collide|collides|escape|escapes|come|comes|freeze|freezes|\
    burn|burns|spill|spills|turn|turns|serve|serves|work|works|have|has|miss|misses|overlap|overlaps|ring|\
    rings|beep|beeps|start|starts|lose|loses|stray|strays|drift|drifts|spin|spins|crash|crashes|slip|slips|\
    tip|tips|know|knows|see|sees|send|sends|text|texts|call|calls|use|uses|post|posts|share|shares|double|\
    answer|approve|spend|spends|drain|drains|die|dies|touching|hitting|leaving|wake|wakes|bark|barks|flood|\
    floods|unlock|unlocks|lock";
/// Verbs that lose an "e" before "ing".
const E_STEMS: &str = "schedul|us|mov|leav|driv|mak|tak|giv|invit|plac|shar|writ|clos|delet|chang|remov|\
    updat|smok|ris|hir|charg|danc|bak|wast|los|creat|approv|purchas|exercis|rais|ring|fir|promot|combin|\
    includ|exclud|interrupt|rout|pil|pag|not|com|ston|serv|dial|liv";
/// Words before a limit.
const BOUNDS: &[(&str, &str)] = &[
    (
        "above|over|more than|higher than|past|beyond|hotter than|warmer than|greater than|exceeding|\
            at more than",
        "above",
    ),
    ("below|under|less than|lower than|fewer than|cooler than|colder than|beneath", "below"),
];
/// Words before what is to be made sure.
const SURE: &str = "make sure that|make sure|ensure that|ensure|see to it that|make certain that|\
    make certain|be sure that|be sure|its important that|it is important that|its crucial that|\
    its essential that|it is essential that|please make it so that|its vital that";
/// Words before times at which something is forbidden.
const AT_TIMES: &str = "after|before|between|past|later than|earlier than|during|on|at";
/// Times at which something is forbidden.
const TIMES: &str = "noon|midnight|hours|dark|sunday|sundays|saturday|saturdays|monday|weekends|night|\
    the weekend|quiet hours|church|work|dinner|the service|services|bedtime";

/// Reads what a clause forbids.
pub(super) fn read(clause: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    // "stop the ball" is an order, "stop texting me" forbids.
    let is_halt = clause.starts("stop|quit") > 0 && !clause.word(1).ends_with("ing");
    if let Some(body) = clause.after(NEVER).filter(|_| !is_halt) {
        let is_other = body.starts(NOT_FORBIDDEN) > 0 && body.starts("have|want|need") == 0;
        if is_other || body.is_empty() {
            return None;
        }
        return bounded_below(body).or_else(|| forbidden(body, subject));
    }
    if let Some(body) = clause.after("prevent|keep|stop") {
        let sides = body
            .split("from")
            .filter(|sides| !sides.before.is_empty() && sides.before.len() <= 4)?;
        let is_act = sides.after.word(0).ends_with("ing");
        return is_act.then(|| acted(sides.before, sides.after, subject)).flatten();
    }
    let was = clause;
    let clause = clause.past(SURE);
    if let Some(body) = clause.after("nobody|no one|no") {
        if let Some(forbidden) = timed(body) {
            return Some(forbidden);
        }
        let at = verb(body).filter(|at| *at < 4)?;
        let whose = body.until(at);
        return if whose.is_empty() { generic(body) } else { acted(whose, body.from(at), subject) };
    }
    let denied = if clause.len() < was.len() { clause.split(NEVER_THERE) } else { None };
    let sides = denied
        .or_else(|| clause.split(MUST_NOT))
        .filter(|sides| (1..=4).contains(&sides.before.len()))?;
    let is_thing = sides.before.starts("the|my|our|a|an|any|all|this|that|it") > 0
        || sides.before.is_capital(0);
    let is_person = sides.before.starts("i|you|we|he|she|they|who|im|ive|why|what|that") > 0;
    (is_thing && !is_person).then(|| acted(sides.before, sides.after, subject)).flatten()
}

fn forbidden(body: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    if let Some(let_) = body.after(LETS)
        && let Some(at) = verb(let_).filter(|at| *at > 0)
    {
        return acted(let_.until(at), let_.from(at).past("be|to|go|get|to be|to go"), subject);
    }
    // "let anyone in the kitchen"
    if let Some(sides) =
        body.after("let|allow").and_then(|rest| rest.split("in|into|inside|near|on|onto"))
    {
        let place = format!("in_{}", name(noun(achieve::short(sides.after)))?);
        return Predicate::new(&thing(sides.before, subject)?, &place);
    }
    if body.starts("the|a|an|that|this") > 0 {
        let what = name(noun(body))?;
        return subject.map_or_else(
            || Predicate::new("touch", &what),
            |subject| Predicate::new(subject, &format!("touch_{what}")),
        );
    }
    // "leave the door unlocked"
    if let Some(left) = body.after("leave|keep").filter(|left| left.starts("the|my|our|any|a") > 0)
    {
        return state(left, subject);
    }
    if let Some(bound) = body.after("have|get").and_then(bounded_below) {
        return Some(bound);
    }
    assigned(body)
        .or_else(|| timed(body))
        .or_else(|| {
            achieve::read(body, subject).filter(|_| body.starts("get|have|make|send|run|use") == 0)
        })
        .or_else(|| generic(body))
}

/// Reads too small or too large a number: "have fewer than 3 ushers".
fn bounded_below(body: Clause<'_>) -> Option<Predicate> {
    let bounds = [("fewer than|less than|under|below", "below"), ("more than|over|above", "above")];
    bounds.into_iter().find_map(|(words, bound)| {
        let Amount { value, rest } = amount(body.after(words)?)?;
        Some(counted(rest, bound)?.with("n", value))
    })
}

/// Reads an act that is forbidden at some times: "text people after 9pm".
fn timed(body: Clause<'_>) -> Option<Predicate> {
    // "send texts", "text"
    let body = body.past("send|sending|send any|send out");
    let act = body.word(0).to_owned();
    let rest = body.from(1);
    let sides = rest
        .split(AT_TIMES)
        .filter(|sides| sides.after.is_number(0) || sides.after.starts(TIMES) > 0)?;
    let at = rest.len() - sides.after.len() - 1;
    let relation = match rest.word(at) {
        "past" | "than" => "after",
        "at" | "on" => "on",
        other => other,
    };
    let predicate = Predicate::new(&stem(&act), relation)?.with("time", sides.after.raw());
    let who = noun(sides.before);
    Some(if who.is_empty() { predicate } else { predicate.with("who", who.raw()) })
}

/// Reads what a thing does: "the ball touch the wall".
fn acted(what: Clause<'_>, act: Clause<'_>, subject: Option<&str>) -> Option<Predicate> {
    if let Some(forbidden) = served(what, act) {
        return Some(forbidden);
    }
    let thing = thing(what, subject)?;
    let act = achieve::short(act);
    for (words, bound) in BOUNDS {
        let Some(sides) = act.split(words).filter(|sides| sides.before.len() <= 1) else {
            continue;
        };
        let Some(Amount { value, .. }) = amount(sides.after) else { continue };
        // A limit of degrees is one of the temperature.
        let is_warm =
            sides.after.has("degrees|degree|°|fahrenheit|celsius") || is_temperature(what);
        if is_warm {
            return Some(measured(what, subject, true, "temperature")?.with(bound, value));
        }
        if *bound == "above" && sides.after.from(1).has("from|of|away") {
            return Some(Predicate::new(&thing, "outside_radius")?.with("r", value));
        }
        return Some(Predicate::new(&thing, bound)?.with("n", value));
    }
    // "the door stay open"
    if let Some(rest) = act.after("stay|stays|be|is|are|remain|remains|become|becomes|get|gets") {
        return Predicate::new(&thing, &name(noun(rest))?);
    }
    let verb = stem(act.word(0));
    let object = noun(act.from(1).past("into|to|on|onto|with|against|over|of|in|the"));
    let state = if object.is_empty() { verb } else { format!("{verb}_{}", name(object)?) };
    Predicate::new(&thing, &state)
}

fn is_temperature(thing: Clause<'_>) -> bool {
    noun(thing).is("temperature|temp|thermostat|room temperature|heat")
        || noun(thing).ends("temperature") > 0
}

/// Reads an act and its object: "delete my files" is `delete.files`.
fn generic(body: Clause<'_>) -> Option<Predicate> {
    let act = stem(body.word(0));
    let is_verb = body.token(0).is_some() && !body.is_number(0) && body.word(0).len() > 1;
    let rest = body.from(1);
    if let Some(Amount { value, rest }) = rest.after("more than|over|above").and_then(amount) {
        let object = name(noun(achieve::short(rest))).unwrap_or_else(|| "amount".to_owned());
        return Some(Predicate::new(&act, &format!("{object}_above"))?.with("n", value));
    }
    let rest = rest.past("in|on|at|to|with|for|into|over|about|up|from|out|off");
    let rest = rest.past("me|us|him|her|anyone|anybody|people|them|everyone");
    let object = noun(achieve::short(rest));
    let object = object.split("with|to|from").map_or(object, |sides| sides.before);
    let who: Option<Value> = object.is_capital(0).then(|| object.raw().into());
    if !is_verb || object.is_empty() {
        return None;
    }
    match who {
        Some(who) => Some(Predicate::new(&act, "person")?.with("name", who)),
        None => Predicate::new(&act, &name(object)?),
    }
}

/// Returns the place of the first verb in a clause.
fn verb(clause: Clause<'_>) -> Option<usize> {
    (0..clause.len().min(7))
        .find(|at| clause.from(*at).starts(VERBS) > 0 && clause.from(*at).starts("the") == 0)
}

/// Returns a verb without its ending: "touches" and "touching" are "touch".
fn stem(verb: &str) -> String {
    let base = verb.strip_suffix("ing").filter(|stem| stem.len() > 2);
    let base = base.map(|stem| {
        let doubled = stem
            .as_bytes()
            .windows(2)
            .last()
            .is_some_and(|pair| pair[0] == pair[1] && !b"lsz".contains(&pair[0]));
        if doubled { &stem[..stem.len() - 1] } else { stem }
    });
    let base = base.map(|stem| {
        if E_STEMS.split('|').any(|known| known == stem) {
            format!("{stem}e")
        } else {
            stem.to_owned()
        }
    });
    let third = || {
        let es = ["ches", "shes", "sses", "xes", "oes"].iter().any(|end| verb.ends_with(end));
        let stem = if es { verb.strip_suffix("es") } else { verb.strip_suffix('s') };
        stem.filter(|stem| stem.len() > 2 && !stem.ends_with('s'))
    };
    base.or_else(|| third().map(str::to_owned)).unwrap_or_else(|| verb.to_owned())
}
