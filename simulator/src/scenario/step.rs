//! Reads one scenario step: its time and its only action.

use std::collections::BTreeMap;
use std::path::PathBuf;

use abide_engine::base::{Span, Timestamp, Value};
use abide_engine::diagnostic::codes;
use abide_engine::yaml::{Member, YamlKind, YamlNode};

use super::judgement;
use super::reader::{MappingFields, ScenarioReader, listed};
use super::settings::config;
use super::words::{CRASH_POINTS, DELIVERY_STATES, PUBLISH_KEYS, PublishKey, SHADOW, STEPS, Words};
use super::{
    Action, CrashStep, MethodSource, PersonRef, PublishStep, ScenarioStep, SignalStep, StartStep,
    StatusStep, StepKind, TextStep,
};

/// The keys that a scenario step may have besides the key of its action, whatever the action is.
pub(super) const COMMON_KEYS: [&str; 1] = ["at"];

/// The time of a scenario step, and the start of the scenario, from which this time is measured.
#[derive(Debug, Clone, Copy)]
struct StepTime {
    /// The start of the scenario.
    start: Timestamp,
    /// Elapsed time from the start to the scenario step.
    at: Span,
}

/// Reads one scenario step.
/// A step without `at` happens at `reached`, the time of the scenario step above it.
pub(super) fn step(
    reader: &mut ScenarioReader<'_>,
    node: &YamlNode,
    start: Timestamp,
    reached: Span,
) -> Option<ScenarioStep> {
    let keys: Vec<&str> = COMMON_KEYS.into_iter().chain(STEPS.texts()).collect();
    let fields = reader.fields(node, "a step", &keys)?;
    let mut at = match fields.get("at") {
        Some(node) => reader.moment(node, start)?,
        None => reached,
    };
    let (kind, member) = only_choice(reader, &fields, &STEPS, "do")?;
    if kind == StepKind::Advance {
        at = advanced(reader, &member.value, start, at)?;
    }
    let action = action(reader, kind, &member.value, StepTime { start, at })?;
    Some(ScenarioStep { at, action, tenant: None, place: reader.place(&member.key_at) })
}

/// Returns the one member of the mapping that has a key in `choices`.
/// Records an error, and returns `None`, if no member or more than one member has such a key.
pub(super) fn only_choice<'n, T: Copy>(
    reader: &mut ScenarioReader<'_>,
    fields: &MappingFields<'n>,
    choices: &Words<T>,
    what: &str,
) -> Option<(T, &'n Member)> {
    let members = fields.among(&choices.texts());
    match members[..] {
        [only] => Some((choices.find(&only.key)?, only)),
        [] => {
            let hint = format!("give one of {}", listed(&choices.texts()));
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

fn advanced(
    reader: &mut ScenarioReader<'_>,
    node: &YamlNode,
    start: Timestamp,
    from: Span,
) -> Option<Span> {
    if node.text().is_some_and(|text| text.contains(':')) {
        return reader.moment(node, start);
    }
    let by = reader.forward(node)?;
    Some(Span::from_micros(from.micros().saturating_add(by.micros())))
}

fn action(
    reader: &mut ScenarioReader<'_>,
    kind: StepKind,
    node: &YamlNode,
    time: StepTime,
) -> Option<Action> {
    Some(match kind {
        StepKind::Text => Action::Text(text(reader, node, time)?),
        StepKind::Reply => Action::Text(reply(reader, node, time)?),
        StepKind::Start => Action::Start(start_run(reader, node)?),
        StepKind::Signal => Action::Signal(signal(reader, node)?),
        StepKind::Cancel => Action::Cancel { run: run_of(reader, node, "`cancel`")? },
        StepKind::Approve => {
            Action::Decide { approve: true, by: decider(reader, node, "`approve`")? }
        }
        StepKind::Deny => Action::Decide { approve: false, by: decider(reader, node, "`deny`")? },
        StepKind::Roles => roles(reader, node)?,
        StepKind::Status => Action::Status(status(reader, node)?),
        StepKind::Pause => Action::Hold { pause: true, run: run_of(reader, node, "`pause`")? },
        StepKind::Resume => Action::Hold { pause: false, run: run_of(reader, node, "`resume`")? },
        StepKind::Crash => Action::Crash(crash(reader, node)?),
        StepKind::Clock => {
            let fields = reader.fields(node, "`clock`", &["by"])?;
            Action::Clock { by: reader.required(&fields, "by").and_then(|n| reader.span(n))? }
        }
        StepKind::Config => Action::Config(config(reader, node)),
        StepKind::Capacity => {
            let fields = reader.fields(node, "`capacity`", &["key", "total"])?;
            let key = reader.required_text(&fields, "key");
            let total = reader.required(&fields, "total").and_then(|node| reader.count(node));
            Action::Capacity { key: key?, total: total? }
        }
        StepKind::Operator => Action::Operator(judgement::operator(reader, node)?),
        StepKind::Ask => Action::Ask(judgement::ask(reader, node)?),
        StepKind::Publish => Action::Publish(publish(reader, node)?),
        StepKind::Advance => Action::Advance,
    })
}

const TEXT_KEYS: [&str; 5] = ["from", "body", "id", "received_at", "as"];

fn text(reader: &mut ScenarioReader<'_>, node: &YamlNode, time: StepTime) -> Option<TextStep> {
    let fields = reader.fields(node, "`text`", &TEXT_KEYS)?;
    let from = reader.required(&fields, "from").and_then(|node| person_ref(reader, node));
    let text = text_from(reader, &fields, from.map(|person| vec![person]), time)?;
    Some(TextStep { several: false, ..text })
}

fn reply(reader: &mut ScenarioReader<'_>, node: &YamlNode, time: StepTime) -> Option<TextStep> {
    let fields = reader.fields(node, "`reply`", &TEXT_KEYS)?;
    let from = reader.required(&fields, "from").and_then(|node| match &node.kind {
        YamlKind::List(items) => {
            if items.is_empty() {
                let message = "`from` is an empty list";
                reader.error(&node.at, codes::WRONG_VALUE, message, None);
            }
            Some(items.iter().filter_map(|item| person_ref(reader, item)).collect())
        }
        _ => person_ref(reader, node).map(|person| vec![person]),
    });
    let text = text_from(reader, &fields, from, time)?;
    Some(TextStep { several: true, ..text })
}

/// Reads the members of a `text` or `reply` step, except the senders, which the caller has read.
fn text_from(
    reader: &mut ScenarioReader<'_>,
    fields: &MappingFields<'_>,
    from: Option<Vec<PersonRef>>,
    time: StepTime,
) -> Option<TextStep> {
    let body = reader.required_text(fields, "body");
    let id = reader.text_of(fields, "id");
    if let (Some(_), Some([_, _, ..])) = (&id, from.as_deref()) {
        let message = "several people cannot send one message";
        let hint = "write one `reply` for each: `id` identifies a single message".to_owned();
        reader.error(&fields.at, codes::WRONG_VALUE, message, hint);
    }
    let received_at = match fields.get("received_at") {
        Some(node) => Some(received(reader, node, time)?),
        None => None,
    };
    let name = reader.text_of(fields, "as");
    Some(TextStep { from: from?, body: body?, id, received_at, name, several: false })
}

/// Reads `received_at`, the time at which the gateway received the text. This time must not be later
/// than that of the scenario step, because the gateway delivers the text at the time of the step.
fn received(reader: &mut ScenarioReader<'_>, node: &YamlNode, time: StepTime) -> Option<Span> {
    let received = reader.moment(node, time.start)?;
    if received > time.at {
        let hint = "set `received_at` to `at` or earlier".to_owned();
        let message = "this text is delivered before it is received";
        reader.error(&node.at, codes::WRONG_VALUE, message, hint);
        return None;
    }
    Some(received)
}

pub(super) fn person_ref(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<PersonRef> {
    let text = reader.text(node)?;
    Some(PersonRef { text, place: reader.place(&node.at) })
}

pub(super) fn required_person(
    reader: &mut ScenarioReader<'_>,
    fields: &MappingFields<'_>,
    key: &str,
) -> Option<PersonRef> {
    let node = reader.required(fields, key)?;
    person_ref(reader, node)
}

fn start_run(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<StartStep> {
    let fields = reader.fields(node, "`start`", &["method", "goal", "vars", "dry_run", "as"])?;
    let method = reader.required_text(&fields, "method");
    let goal = reader.required(&fields, "goal").map(YamlNode::to_value);
    let vars = fields
        .get("vars")
        .map_or_else(BTreeMap::new, |node| reader.values(node, "variables and their values"));
    let dry_run = fields.get("dry_run").map_or(Some(false), |node| reader.flag(node));
    let name = reader.text_of(&fields, "as");
    Some(StartStep { method: method?, goal: goal?, vars, dry_run: dry_run?, name })
}

fn signal(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<SignalStep> {
    let fields = reader.fields(node, "`signal`", &["run", "name", "data", "key"])?;
    Some(SignalStep {
        run: reader.text_of(&fields, "run"),
        name: reader.required_text(&fields, "name")?,
        data: fields.get("data").map_or(Value::Null, YamlNode::to_value),
        key: reader.text_of(&fields, "key"),
    })
}

/// Reads the name of the run that a scenario step concerns.
/// Returns `None` if the step has an error, and `Some(None)` if the step names no run.
#[expect(clippy::option_option, reason = "a fault is not the same as no name")]
fn run_of(
    reader: &mut ScenarioReader<'_>,
    node: &YamlNode,
    what: &'static str,
) -> Option<Option<String>> {
    let fields = reader.fields(node, what, &["run"])?;
    Some(reader.text_of(&fields, "run"))
}

fn decider(
    reader: &mut ScenarioReader<'_>,
    node: &YamlNode,
    what: &'static str,
) -> Option<PersonRef> {
    let fields = reader.fields(node, what, &["by"])?;
    required_person(reader, &fields, "by")
}

fn roles(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<Action> {
    let fields = reader.fields(node, "`roles`", &["of", "are"])?;
    let of = required_person(reader, &fields, "of");
    let roles = reader.required(&fields, "are").and_then(|node| {
        let YamlKind::List(items) = &node.kind else {
            let hint = "write the roles as a list, such as `[nursery, supervisor]`".to_owned();
            reader.error(&node.at, codes::WRONG_VALUE, "`are` is not a list", hint);
            return None;
        };
        items.iter().map(|item| reader.text(item)).collect()
    });
    Some(Action::Roles { of: of?, roles: roles? })
}

fn status(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<StatusStep> {
    let fields = reader.fields(node, "`status`", &["to", "template", "code", "state"])?;
    let to = required_person(reader, &fields, "to");
    let template = reader.required_text(&fields, "template");
    let code = reader.text_of(&fields, "code");
    let state = fields.get("state").and_then(|node| reader.word(node, &DELIVERY_STATES));
    if code.is_none() && state.is_none() {
        let message = "`status` needs `code` or `state`";
        reader.error(&fields.at, codes::MISSING_KEY, message, None);
    }
    Some(StatusStep { to: to?, template: template?, code, state })
}

fn crash(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<CrashStep> {
    let fields = reader.fields(node, "`crash`", &["at", "nth", "down"])?;
    let at = reader.required(&fields, "at").and_then(|node| reader.word(node, &CRASH_POINTS));
    let nth = fields.get("nth").map_or(Some(1), |node| ordinal(reader, node));
    let down = fields.get("down").map_or(Some(Span::ZERO), |node| reader.forward(node));
    Some(CrashStep { at: at?, nth: nth?, down: down? })
}

fn ordinal(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<u32> {
    let count = reader.count(node).and_then(|count| u32::try_from(count).ok())?;
    if count == 0 {
        let hint = "count from 1".to_owned();
        reader.error(&node.at, codes::WRONG_VALUE, "there is no commit 0", hint);
    }
    (count > 0).then_some(count)
}

fn publish(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<PublishStep> {
    let keys = [PUBLISH_KEYS.texts(), vec![SHADOW]].concat();
    let fields = reader.fields(node, "`publish`", &keys)?;
    let (key, member) = only_choice(reader, &fields, &PUBLISH_KEYS, "publish")?;
    let text = reader.text(&member.value)?;
    let source = match key {
        PublishKey::File => MethodSource::File(PathBuf::from(text)),
        PublishKey::Yaml => MethodSource::Yaml(text),
    };
    let shadow = fields.get(SHADOW).map_or(Some(false), |node| reader.flag(node));
    Some(PublishStep { source, shadow: shadow? })
}
