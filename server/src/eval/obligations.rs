//! `obligations`: what a text binds the agent to, and the answer to its questions.

use std::sync::LazyLock;

use abide_agent::church::ChurchWords;
use abide_agent::obligations::conversation::TEXTS_MAX;
use abide_agent::obligations::people::{KnownPerson, PEOPLE_MAX};
use abide_agent::obligations::{
    Conversation, DirectoryWords, Obligation, ObligationType, ReadContext,
};
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The church whose roles the texts mean.
static DEMO: LazyLock<ChurchWords> = LazyLock::new(ChurchWords::demo);

/// A text, and what is known when it arrives.
#[derive(Deserialize)]
pub(super) struct Input {
    text: String,
    now: Option<String>,
    #[serde(default)]
    people: Vec<KnownPerson>,
    /// What the same user said before, the oldest text first.
    #[serde(default)]
    prior: Vec<String>,
}

/// The obligations as they were executed, and the verified answer.
#[derive(Serialize)]
pub(super) struct Output {
    obligations: Vec<Executed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<String>,
}

/// An obligation, with its kind beside its payload.
#[derive(Serialize)]
struct Executed {
    #[serde(rename = "type")]
    obligation_type: ObligationType,
    kind: String,
    payload: Map<String, Value>,
}

/// Reads and answers a text. Of the texts before it, the latest count.
pub(super) fn eval(input: Input) -> Result<Output, String> {
    if input.people.len() > PEOPLE_MAX {
        return Err(format!("{} people, more than {PEOPLE_MAX}", input.people.len()));
    }
    let now = input.now.as_deref().map(local).transpose()?;
    let directory = DirectoryWords::of(&input.people, &DEMO.roles);
    let context = ReadContext { directory, ..ReadContext::new(now) };
    let mut conversation = Conversation::new(context, input.people);
    let first = input.prior.len().saturating_sub(TEXTS_MAX);
    input.prior[first..].iter().for_each(|text| conversation.hear(text));
    let answered = conversation.say(&input.text);
    let obligations = answered.obligations.into_iter().map(executed).collect();
    Ok(Output { obligations, answer: answered.answer })
}

fn executed(obligation: Obligation) -> Executed {
    Executed {
        obligation_type: obligation.obligation_type,
        kind: obligation.kind().to_owned(),
        payload: obligation.payload,
    }
}

/// Returns a time in the zone of the demo church, whose clock changes in summer; in its own offset if the clock of
/// the church shows another time.
fn local(now: &str) -> Result<Zoned, String> {
    let at: Timestamp =
        now.parse().map_err(|_| format!("`now` is not a time in RFC 3339: `{now}`"))?;
    let church = at.to_zoned(DEMO.zone.clone());
    let offset = Pieces::parse(now).ok().and_then(|pieces| pieces.to_numeric_offset());
    Ok(match offset.filter(|offset| *offset != church.offset()) {
        Some(offset) => at.to_zoned(TimeZone::fixed(offset)),
        None => church,
    })
}
