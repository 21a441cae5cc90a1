//! Steps and expectations of the judgement: what people ask the operator and the assistant, what they are answered, and
//! what their conversations are about.

use abide_agent::agenda::GoalType;
use abide_engine::base::Value;
use abide_engine::diagnostic::codes;
use abide_engine::yaml::YamlNode;
use abide_judgement::operator::OperatorMode;
use serde_json::Map;

use super::reader::{MappingFields, ScenarioReader};
use super::step::{person_ref, required_person};
use super::words::{GOAL_TYPES, OPERATOR_MODES};
use super::{Condition, PersonRef};

/// The keys of an `operator` step.
pub(super) const OPERATOR_KEYS: [&str; 9] =
    ["from", "message", "mode", "explicit_approval", "context", "session", "key", "node", "as"];
/// The keys of an `ask` step.
pub(super) const ASK_KEYS: [&str; 5] = ["from", "text", "session", "key", "node"];
/// In a message to the operator, stands for the id of the approval that has been open for longest.
pub const OPEN_APPROVAL: &str = "{approval}";

/// The data of an `operator` step: the parameters of `POST /v1/operator`.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorStep {
    /// Who asks. Their role says whether they may approve.
    pub from: PersonRef,
    /// The message. [`OPEN_APPROVAL`] in it stands for the id of an approval.
    pub message: String,
    /// How far the operator goes.
    pub mode: OperatorMode,
    /// Whether the caller approves the plan that the request computes.
    pub explicit_approval: bool,
    /// What is known besides the message.
    pub context: Map<String, Value>,
    /// The conversation.
    pub session: Option<String>,
    /// The idempotency key; with `None`, the simulator creates a new key.
    pub key: Option<String>,
    /// The node that gets the request, counted from 1; `None` means the first.
    pub node: Option<usize>,
    /// A name by which later scenario steps and the expectations refer to the run of the plan.
    pub name: Option<String>,
    /// Whether the caller does not ask again if the process dies before it answers. Only the swarm draws such callers: a
    /// scenario has the same end wherever it is interrupted.
    pub gives_up: bool,
}

/// The data of an `ask` step: the parameters of `POST /v1/ask`.
#[derive(Debug, Clone, PartialEq)]
pub struct AskStep {
    /// Who asks.
    pub from: PersonRef,
    /// The text.
    pub text: String,
    /// The conversation.
    pub session: Option<String>,
    /// The idempotency key; with `None`, the simulator creates a new key.
    pub key: Option<String>,
    /// The node that gets the request, counted from 1; `None` means the first.
    pub node: Option<usize>,
}

/// The data of an `answers` expectation: a selection of answers to `ask` steps, and their expected number. A request that
/// is repeated with its key has one answer.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerCount {
    /// Who asked; `None` means anybody.
    pub to: Option<PersonRef>,
    /// A string that the answer contains; `None` means any answer.
    pub contains: Option<String>,
    /// Whether the answer was verified; `None` means either.
    pub verified: Option<bool>,
    /// The expected number of answers.
    pub times: u64,
}

/// The data of a `goals` expectation: the active goals of a person.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedGoals {
    /// The person.
    pub of: PersonRef,
    /// The conversation; `None` means all conversations of the person.
    pub session: Option<String>,
    /// The types of the goals, best first.
    pub are: Vec<GoalType>,
}

/// Reads the data of an `operator` step.
pub(super) fn operator(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<OperatorStep> {
    let fields = reader.fields(node, "`operator`", &OPERATOR_KEYS)?;
    let from = required_person(reader, &fields, "from");
    let message = reader.required_text(&fields, "message");
    let mode = match fields.get("mode") {
        Some(node) => reader.word(node, &OPERATOR_MODES),
        None => Some(OperatorMode::Execute),
    };
    let explicit_approval =
        fields.get("explicit_approval").map_or(Some(false), |node| reader.flag(node));
    let context = fields.get("context").map(|node| reader.values(node, "names and values"));
    let (session, key) = (reader.text_of(&fields, "session"), reader.text_of(&fields, "key"));
    let (node, name) = (node_of(reader, &fields), reader.text_of(&fields, "as"));
    Some(OperatorStep {
        from: from?,
        message: message?,
        mode: mode?,
        explicit_approval: explicit_approval?,
        context: context.unwrap_or_default().into_iter().collect(),
        session,
        key,
        node,
        name,
        gives_up: false,
    })
}

/// Reads the data of an `ask` step.
pub(super) fn ask(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<AskStep> {
    let fields = reader.fields(node, "`ask`", &ASK_KEYS)?;
    let from = required_person(reader, &fields, "from");
    let text = reader.required_text(&fields, "text");
    let (session, key) = (reader.text_of(&fields, "session"), reader.text_of(&fields, "key"));
    let node = node_of(reader, &fields);
    Some(AskStep { from: from?, text: text?, session, key, node })
}

/// Reads the number of a node.
fn node_of(reader: &mut ScenarioReader<'_>, fields: &MappingFields<'_>) -> Option<usize> {
    let node = fields.get("node")?;
    let number = usize::try_from(reader.count(node)?).unwrap_or(usize::MAX);
    if number == 0 {
        let hint = "count from 1".to_owned();
        reader.error(&node.at, codes::WRONG_VALUE, "there is no node 0", hint);
    }
    Some(number)
}

/// Reads an `answers` expectation.
pub(super) fn answers(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<Condition> {
    let fields = reader.fields(node, "`answers`", &["to", "contains", "verified", "times"])?;
    let to = fields.get("to").and_then(|node| person_ref(reader, node));
    let contains = reader.text_of(&fields, "contains");
    let verified = fields.get("verified").and_then(|node| reader.flag(node));
    let times = reader.required(&fields, "times").and_then(|node| reader.count(node))?;
    Some(Condition::Answers(AnswerCount { to, contains, verified, times }))
}

/// Reads a `goals` expectation.
pub(super) fn goals(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> Option<Condition> {
    let fields = reader.fields(node, "`goals`", &["of", "session", "are"])?;
    let of = required_person(reader, &fields, "of");
    let session = reader.text_of(&fields, "session");
    let are = reader.required(&fields, "are").map(|node| {
        let items = reader.list(node, "types of goals");
        items.iter().filter_map(|item| reader.word(item, &GOAL_TYPES)).collect()
    });
    Some(Condition::Goals(ExpectedGoals { of: of?, session, are: are? }))
}
