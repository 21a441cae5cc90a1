//! Lets a language model propose goals for a message that has been answered. Nothing waits for it: the goals are queued
//! as a turn of their own, and a proposal that a crash has lost does not come again.

use abide_agent::agenda::{GoalProposal, GoalType};
use abide_engine::base::{Problem, text};
use abide_engine::facade::Engine;
use abide_engine::model::ModelRequest;
use abide_engine::transaction;
use serde::Deserialize;
use serde_json::json;

use crate::data::agenda::{self as data, PendingTurn, SessionKey};

/// The task that a model is asked to do.
const TASK: &str = "agenda";
/// Maximum number of goals in a proposal.
const GOALS_MAX: usize = 3;
/// Maximum number of characters of the message that the model reads.
const TEXT_CHARS_MAX: usize = 1_000;
/// Maximum number of characters of the description of a goal.
const DESCRIPTION_CHARS_MAX: usize = 120;

/// What a model answers.
#[derive(Deserialize)]
struct Proposal {
    goals: Vec<GoalProposal>,
}

/// Asks the language model which goals a turn has that the rules have not found, and queues them. Does nothing without
/// a model.
///
/// # Errors
/// Errors from the store.
pub async fn propose_goals(
    engine: &Engine,
    tenant: &str,
    key: &SessionKey,
    turn: &PendingTurn,
) -> Result<(), Problem> {
    if !engine.has_model() {
        return Ok(());
    }
    let (tenant, key) = (tenant.to_owned(), key.clone());
    let read = transaction!([tenant = tenant.clone(), key = key.clone()], |tx| Ok(
        data::active_goals(tx, &tenant, &key).await?
    ));
    let known = engine.read(read).await?;
    let goals: Vec<&str> = known.iter().map(|goal| goal.description.as_str()).collect();
    let request = ModelRequest {
        task: TASK,
        instructions: include_str!("../../../prompts/agenda.md"),
        input: json!({ "text": text::shortened(&turn.text, TEXT_CHARS_MAX), "goals": goals }),
        schema: schema(),
    };
    let Some(proposal) = engine.propose(&request).await else { return Ok(()) };
    let Ok(Proposal { goals }) = Proposal::deserialize(proposal.as_ref()) else { return Ok(()) };
    if goals.is_empty() {
        return Ok(());
    }
    let now = engine.now();
    let turn = PendingTurn { at: now.micros(), answer: None, proposals: goals, ..turn.clone() };
    let queue = transaction!([tenant, key, turn], |tx| {
        Ok(data::queue(tx, &tenant, &key, &turn, now).await?)
    });
    engine.write(queue).await?;
    engine.take_up_due_work().await
}

fn schema() -> abide_engine::base::Value {
    let types: Vec<&str> = GoalType::ALL.iter().map(|it| it.as_str()).collect();
    json!({
        "type": "object",
        "required": ["goals"],
        "additionalProperties": false,
        "properties": { "goals": { "type": "array", "maxItems": GOALS_MAX, "items": {
            "type": "object",
            "required": ["goalType", "description"],
            "additionalProperties": false,
            "properties": {
                "goalType": { "enum": types },
                "description": { "type": "string", "minLength": 1, "maxLength": DESCRIPTION_CHARS_MAX },
            },
        } } },
    })
}
