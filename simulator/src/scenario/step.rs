//! Reads one step: when it happens, and the one thing that it does.

use std::collections::BTreeMap;
use std::path::PathBuf;

use abide_engine::base::{Span, Timestamp, Value};
use abide_engine::diagnostic::codes;
use abide_engine::yaml::{Kind, Member, Node};

use super::reader::{Fields, Reader, listed};
use super::{
    Action, Crash, CrashPoint, Publish, SignalStep, Start, StatusStep, Step, Text, Who, read,
};

/// The kinds of step, in the order of the documentation.
pub(super) const VERBS: &[&str] = &[
    "text", "reply", "start", "signal", "cancel", "approve", "deny", "status", "pause", "resume",
    "crash", "clock", "config", "capacity", "publish", "advance",
];

const KEYS: &[&str] = &[
    "at", "text", "reply", "start", "signal", "cancel", "approve", "deny", "status", "pause",
    "resume", "crash", "clock", "config", "capacity", "publish", "advance",
];

/// Reads one step. Without `at` it happens at `reached`, the instant of the step above it.
pub(super) fn step(
    reader: &mut Reader<'_>,
    node: &Node,
    start: Timestamp,
    reached: Span,
) -> Option<Step> {
    let fields = reader.fields(node, "a step", KEYS)?;
    let mut at = match fields.get("at") {
        Some(node) => reader.moment(node, start)?,
        None => reached,
    };
    let member = the_one(reader, &fields, VERBS, "do")?;
    if member.key == "advance" {
        at = advanced(reader, &member.value, start, at)?;
    }
    let action = action(reader, member, (start, at))?;
    Some(Step { at, action, tenant: None, place: reader.place(&member.key_at) })
}

/// Returns the only member whose key is among `choices`, or records an error if there is none or more.
pub(super) fn the_one<'n>(
    reader: &mut Reader<'_>,
    fields: &Fields<'n>,
    choices: &[&str],
    what: &str,
) -> Option<&'n Member> {
    let members = fields.among(choices);
    match members[..] {
        [only] => Some(only),
        [] => {
            let hint = format!("give one of {}", listed(choices));
            reader.error(&fields.at, codes::MISSING_KEY, format!("nothing to {what}"), hint);
            None
        }
        [first, second, ..] => {
            let message = format!("`{}` and `{}` cannot be combined", first.key, second.key);
            let hint =
                "split it in two: entries of the same instant are done in file order".to_owned();
            reader.error(&second.key_at, codes::UNKNOWN_KEY, message, hint);
            None
        }
    }
}

fn advanced(reader: &mut Reader<'_>, node: &Node, start: Timestamp, from: Span) -> Option<Span> {
    if node.text().is_some_and(|text| text.contains(':')) {
        return reader.moment(node, start);
    }
    let by = reader.forward(node)?;
    Some(Span::from_micros(from.micros().saturating_add(by.micros())))
}

fn action(
    reader: &mut Reader<'_>,
    member: &Member,
    (start, at): (Timestamp, Span),
) -> Option<Action> {
    let node = &member.value;
    Some(match member.key.as_str() {
        "text" => Action::Text(text(reader, (node, false), (start, at))?),
        "reply" => Action::Text(text(reader, (node, true), (start, at))?),
        "start" => Action::Start(start_run(reader, node)?),
        "signal" => Action::Signal(signal(reader, node)?),
        "cancel" => Action::Cancel { run: run_of(reader, node, "`cancel`")? },
        "approve" => Action::Decide { approve: true, by: decider(reader, node, "`approve`")? },
        "deny" => Action::Decide { approve: false, by: decider(reader, node, "`deny`")? },
        "status" => Action::Status(status(reader, node)?),
        "pause" => Action::Hold { pause: true, run: run_of(reader, node, "`pause`")? },
        "resume" => Action::Hold { pause: false, run: run_of(reader, node, "`resume`")? },
        "crash" => Action::Crash(crash(reader, node)?),
        "clock" => {
            let fields = reader.fields(node, "`clock`", &["by"])?;
            Action::Clock { by: reader.required(&fields, "by").and_then(|n| reader.span(n))? }
        }
        "config" => Action::Config(read::config(reader, node)),
        "capacity" => {
            let fields = reader.fields(node, "`capacity`", &["key", "total"])?;
            let key = reader.required_text(&fields, "key");
            let total = reader.required(&fields, "total").and_then(|node| reader.count(node));
            Action::Capacity { key: key?, total: total? }
        }
        "publish" => Action::Publish(publish(reader, node)?),
        _ => Action::Advance,
    })
}

fn text(
    reader: &mut Reader<'_>,
    (node, several): (&Node, bool),
    (start, at): (Timestamp, Span),
) -> Option<Text> {
    let what = if several { "`reply`" } else { "`text`" };
    let fields = reader.fields(node, what, &["from", "body", "id", "received_at", "as"])?;
    let from = reader.required(&fields, "from").and_then(|node| match &node.kind {
        Kind::List(items) if several => {
            if items.is_empty() {
                let message = "`from` is an empty list";
                reader.error(&node.at, codes::WRONG_VALUE, message, None);
            }
            Some(items.iter().filter_map(|item| who(reader, item)).collect())
        }
        _ => who(reader, node).map(|who| vec![who]),
    });
    let body = reader.required_text(&fields, "body");
    let id = reader.text_of(&fields, "id");
    if let (Some(_), Some([_, _, ..])) = (&id, from.as_deref()) {
        let message = "several people cannot send one message";
        let hint = "write one `reply` for each: `id` identifies a single message".to_owned();
        reader.error(&fields.at, codes::WRONG_VALUE, message, hint);
    }
    let received_at = match fields.get("received_at") {
        Some(node) => Some(received(reader, node, (start, at))?),
        None => None,
    };
    let name = reader.text_of(&fields, "as");
    Some(Text { from: from?, body: body?, id, received_at, name, several })
}

/// Reads `received_at`, which must not be later than the delivery at `at`.
fn received(reader: &mut Reader<'_>, node: &Node, (start, at): (Timestamp, Span)) -> Option<Span> {
    let received = reader.moment(node, start)?;
    if received > at {
        let hint = "set `received_at` to `at` or earlier".to_owned();
        let message = "this text is delivered before it is received";
        reader.error(&node.at, codes::WRONG_VALUE, message, hint);
        return None;
    }
    Some(received)
}

pub(super) fn who(reader: &mut Reader<'_>, node: &Node) -> Option<Who> {
    let text = reader.text(node)?;
    Some(Who { text, place: reader.place(&node.at) })
}

fn required_who(reader: &mut Reader<'_>, fields: &Fields<'_>, key: &str) -> Option<Who> {
    let node = reader.required(fields, key)?;
    who(reader, node)
}

fn start_run(reader: &mut Reader<'_>, node: &Node) -> Option<Start> {
    let fields = reader.fields(node, "`start`", &["method", "goal", "vars", "dry_run", "as"])?;
    let method = reader.required_text(&fields, "method");
    let goal = reader.required(&fields, "goal").map(Node::to_value);
    let vars = fields
        .get("vars")
        .map_or_else(BTreeMap::new, |node| reader.values(node, "variables and their values"));
    let dry_run = fields.get("dry_run").map_or(Some(false), |node| reader.flag(node));
    let name = reader.text_of(&fields, "as");
    Some(Start { method: method?, goal: goal?, vars, dry_run: dry_run?, name })
}

fn signal(reader: &mut Reader<'_>, node: &Node) -> Option<SignalStep> {
    let fields = reader.fields(node, "`signal`", &["run", "name", "data", "key"])?;
    Some(SignalStep {
        run: reader.text_of(&fields, "run"),
        name: reader.required_text(&fields, "name")?,
        data: fields.get("data").map_or(Value::Null, Node::to_value),
        key: reader.text_of(&fields, "key"),
    })
}

/// Reads the run that a step is about. The outer `None` means a fault, the inner one no name.
#[expect(clippy::option_option, reason = "a fault is not the same as no name")]
fn run_of(reader: &mut Reader<'_>, node: &Node, what: &'static str) -> Option<Option<String>> {
    let fields = reader.fields(node, what, &["run"])?;
    Some(reader.text_of(&fields, "run"))
}

fn decider(reader: &mut Reader<'_>, node: &Node, what: &'static str) -> Option<Who> {
    let fields = reader.fields(node, what, &["by"])?;
    required_who(reader, &fields, "by")
}

/// The delivery states that a provider can report.
pub(super) const CALLBACKS: &[&str] = &["sent", "delivered", "undelivered", "failed"];

fn status(reader: &mut Reader<'_>, node: &Node) -> Option<StatusStep> {
    let fields = reader.fields(node, "`status`", &["to", "template", "code", "state"])?;
    let to = required_who(reader, &fields, "to");
    let template = reader.required_text(&fields, "template");
    let code = reader.text_of(&fields, "code");
    let state =
        fields.get("state").and_then(|node| reader.word(node, CALLBACKS).map(str::to_owned));
    if code.is_none() && state.is_none() {
        let message = "`status` needs `code` or `state`";
        reader.error(&fields.at, codes::MISSING_KEY, message, None);
    }
    Some(StatusStep { to: to?, template: template?, code, state })
}

pub(super) const POINTS: &[(&str, CrashPoint)] = &[
    ("now", CrashPoint::Now),
    ("next_commit", CrashPoint::NextCommit),
    ("before_commit", CrashPoint::BeforeCommit),
    ("after_commit", CrashPoint::AfterCommit),
    ("after_send", CrashPoint::AfterSend),
];

fn crash(reader: &mut Reader<'_>, node: &Node) -> Option<Crash> {
    let fields = reader.fields(node, "`crash`", &["at", "nth", "down"])?;
    let names: Vec<&'static str> = POINTS.iter().map(|(name, _)| *name).collect();
    let word = reader.required(&fields, "at").and_then(|node| reader.word(node, &names));
    let nth = fields.get("nth").map_or(Some(1), |node| ordinal(reader, node));
    let down = fields.get("down").map_or(Some(Span::ZERO), |node| reader.forward(node));
    let at = POINTS.iter().find(|(name, _)| Some(*name) == word).map(|(_, point)| *point)?;
    Some(Crash { at, nth: nth?, down: down? })
}

fn ordinal(reader: &mut Reader<'_>, node: &Node) -> Option<u32> {
    let count = reader.count(node).and_then(|count| u32::try_from(count).ok())?;
    if count == 0 {
        let hint = "count from 1".to_owned();
        reader.error(&node.at, codes::WRONG_VALUE, "there is no commit 0", hint);
    }
    (count > 0).then_some(count)
}

fn publish(reader: &mut Reader<'_>, node: &Node) -> Option<Publish> {
    let fields = reader.fields(node, "`publish`", &["file", "yaml"])?;
    let member = the_one(reader, &fields, &["file", "yaml"], "publish")?;
    let text = reader.text(&member.value)?;
    Some(match member.key.as_str() {
        "file" => Publish::File(PathBuf::from(text)),
        _ => Publish::Yaml(text),
    })
}
