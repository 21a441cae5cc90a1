//! Formats a proof in words that a coordinator of volunteers understands.

use abide_engine::base::{Span, Timestamp};
use abide_engine::proof::{
    Approvals, Bound, Clash, Cost, Finish, Loop, Messages, Proof, ProofStart, Sending, Wait,
    thousands,
};
use serde_json::{Value, json};

use super::times;

/// Width of the labels, in characters.
const LABEL_WIDTH: usize = 13;
/// Maximum number of items printed per list. The remaining items are only counted.
const ITEMS_MAX: usize = 12;

/// Formats a proof as lines. Times are printed in the time zone of the start time.
pub(crate) fn lines(proof: &Proof, file: &str, start: Option<&ProofStart>) -> Vec<String> {
    let mut page = Page { lines: vec![format!("{}  {file}", proof.method)], start };
    page.laws(proof);
    page.waits(&proof.waits);
    page.messages(&proof.messages);
    page.approvals(&proof.approvals);
    page.cost(&proof.cost);
    page.finish(&proof.finish);
    page.quiet_hours(proof);
    page.assumptions(proof);
    page.lines
}

/// Returns a proof as a JSON object, with the fields `file` and `holds` added.
pub(crate) fn object(proof: &Proof, file: &str) -> Value {
    let mut object = json!(proof);
    if let Some(members) = object.as_object_mut() {
        members.insert("file".into(), file.into());
        members.insert("holds".into(), proof.holds().into());
    }
    object
}

struct Page<'a> {
    lines: Vec<String>,
    start: Option<&'a ProofStart>,
}

impl Page<'_> {
    fn put(&mut self, label: &str, text: impl AsRef<str>) {
        let text = text.as_ref();
        self.lines.push(format!("  {label:<LABEL_WIDTH$}{text}").trim_end().to_owned());
    }

    /// Adds the first [`ITEMS_MAX`] items under one label, and the number of the remaining items.
    fn list(&mut self, label: &str, items: impl ExactSizeIterator<Item = String>) {
        let more = items.len().saturating_sub(ITEMS_MAX);
        for (ix, item) in items.take(ITEMS_MAX).enumerate() {
            self.put(if ix == 0 { label } else { "" }, item);
        }
        if more > 0 {
            self.put("", format!("and {more} more: see --json"));
        }
    }

    fn laws(&mut self, proof: &Proof) {
        if proof.holds() {
            self.put("proved", "every path ends, and every wait has a way out");
        }
        let breaches = proof.breaches.iter();
        self.list(
            "NOT PROVED",
            breaches.map(|one| format!("`{}` (line {}): {}", one.step_id, one.line, one.why)),
        );
        self.list("loops", proof.loops.iter().map(loop_line));
    }

    fn waits(&mut self, waits: &[Wait]) {
        self.list("waits", waits.iter().map(wait_line));
    }

    fn messages(&mut self, messages: &Messages) {
        self.put("one person", format!("gets {}", at_most(&messages.one_person, "message")));
        self.put("total", at_most(&messages.in_all, "message"));
        if let Some(limit) = messages.limited_to {
            let limit = thousands(limit);
            self.put(
                "",
                format!("the steps could send more: `max_messages: {limit}` stops the run"),
            );
        }
        if messages.if_undone.at_most != Some(0) {
            let more = at_most(&messages.if_undone, "message");
            self.put("", format!("of these, only if it fails or is cancelled: {more}"));
        }
        self.list("", messages.by_step.iter().map(sending_line));
        if messages.in_all.at_most != Some(0) {
            self.put(
                "",
                "not counted are answers to people who write: one for each of their texts, and",
            );
            self.put("", "a second one to a person on the waitlist who gets a place");
        }
    }

    fn approvals(&mut self, approvals: &Approvals) {
        let calls =
            (approvals.calls.at_most != Some(0)).then(|| at_most(&approvals.calls, "approval"));
        let consent = approvals
            .consent
            .then(|| "one consent to the run, unless its starter gives it".to_owned());
        let asked: Vec<String> = calls.into_iter().chain(consent).collect();
        if asked.is_empty() {
            return;
        }
        self.list("approvals", asked.into_iter());
        self.put("", "not counted are the texts that ask for them: up to three for each");
    }

    fn cost(&mut self, cost: &Cost) {
        let segments = at_most(&cost.segments, "segment");
        match (cost.at_most, cost.price) {
            (Some(sum), Some(price)) => {
                self.put("cost", format!("at most {sum} ({segments}, at {price} each)"));
            }
            (None, Some(price)) => self.put("cost", format!("{segments}, at {price} each")),
            (_, None) if cost.segments.at_most == Some(0) => {}
            (_, None) => {
                self.put("cost", format!("{segments}; set the price of one: --price 0.0079"))
            }
        }
    }

    fn finish(&mut self, finish: &Finish) {
        let waiting = match finish.waiting {
            Some(Span::ZERO) => "it does not wait".to_owned(),
            Some(waiting) => format!("all waits together take at most {waiting}"),
            None => "the method does not limit all its waits".to_owned(),
        };
        let by = finish.limited_by.map(|by| format!(", by `{by}`")).unwrap_or_default();
        self.put("duration", format!("{waiting}; it ends within {}{by}", finish.at_most));
        if let (Some(ends), Some(last)) = (&finish.waits_end_by, &finish.last) {
            let (ends, last) = (self.local_time(ends), self.local_time(last));
            self.put(
                "",
                format!("with that start, the last wait ends by {ends}, the run by {last}"),
            );
        }
    }

    fn quiet_hours(&mut self, proof: &Proof) {
        let clashes: Vec<String> =
            proof.quiet_hours.iter().map(|one| self.clash_line(one)).collect();
        self.list("quiet hours", clashes.into_iter());
        if let (Some(start), true) = (self.start, proof.quiet_hours.is_empty())
            && proof.messages.in_all.at_most != Some(0)
        {
            self.put("quiet hours", format!("no message falls into {}", start.quiet_hours));
        }
    }

    fn clash_line(&self, clash: &Clash) -> String {
        let falls = if clash.certain { "falls" } else { "can fall" };
        let text = clash.template.as_deref().unwrap_or("its message");
        let held = self.local_time(&clash.held_until);
        format!("`{}`: `{text}` {falls} into them, and is sent by {held}", clash.step_id)
    }

    /// Formats a time in the time zone of the start time. Without a start time, returns the string
    /// unchanged.
    fn local_time(&self, at: &str) -> String {
        match (at.parse::<Timestamp>(), self.start) {
            (Ok(at), Some(start)) => times::local(at, start.at, &start.zone),
            _ => at.to_owned(),
        }
    }

    fn assumptions(&mut self, proof: &Proof) {
        let assumptions = proof.assumptions.iter();
        self.list(
            "assuming",
            assumptions.map(|one| match one.at_most {
                Some(n) => format!("{} is at most {}: {}", one.name, thousands(n), one.why),
                None => format!("{} is unlimited: set --people", one.name),
            }),
        );
        self.list("note", proof.notes.iter().cloned());
    }
}

fn loop_line(one: &Loop) -> String {
    let rounds = match (one.rounds.at_most, one.rounds.formula.is_plain()) {
        (Some(n), true) => format!("at most {} times", thousands(n)),
        (Some(n), false) => format!("at most {} times = {}", thousands(n), one.rounds.formula),
        (None, _) => format!("{} times", one.rounds.formula),
    };
    format!("`{}` (line {}): {rounds}", one.step_id, one.line)
}

fn wait_line(wait: &Wait) -> String {
    let ways: Vec<&str> = wait.ways_out.iter().map(|way| way.when.as_str()).collect();
    let (last, others) = ways.split_last().map_or(("", &[][..]), |(last, others)| (*last, others));
    let ways = match (wait.kind, others) {
        ("pause", _) => format!("continues {last}"),
        (_, []) => format!("until {last}"),
        (_, others) => format!("until {}, or {last}", others.join(", ")),
    };
    let then = if wait.then.contains(' ') { wait.then.clone() } else { format!("`{}`", wait.then) };
    format!("`{}` (line {}) {ways}; then {then}", wait.step_id, wait.line)
}

fn sending_line(sending: &Sending) -> String {
    let number = sending.messages.at_most.map_or_else(|| "?".to_owned(), thousands);
    let text = sending.template.as_deref().unwrap_or("a message");
    let mut line = match (&sending.template, &sending.when) {
        (None, Some(when)) => format!("{number:>9}  `{}`: {when}", sending.step_id),
        (_, Some(when)) => format!("{number:>9}  `{}`: {text}, later: {when}", sending.step_id),
        (_, None) => format!("{number:>9}  `{}`: {text}", sending.step_id),
    };
    if sending.segments > 1 {
        line.push_str(&format!(" ({} each)", many(sending.segments, "segment")));
    }
    if sending.undoing {
        line.push_str(", only if it fails or is cancelled");
    }
    line
}

/// Formats an upper bound with its formula: `at most 12 messages = 3 × people`.
fn at_most(bound: &Bound, what: &str) -> String {
    match (bound.at_most, bound.formula.is_plain()) {
        (Some(0), _) => format!("no {what}"),
        (Some(n), true) => format!("at most {}", many(n, what)),
        (Some(n), false) => format!("at most {} = {}", many(n, what), bound.formula),
        (None, _) => format!("{} {what}s", bound.formula),
    }
}

/// Formats a number with a noun: `1 message`, `40,010 messages`.
fn many(n: u64, what: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{} {what}{ending}", thousands(n))
}
