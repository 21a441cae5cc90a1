//! Shows a language model the conversation with a sender, and the work that it is about. Neither names nor numbers of
//! other people are in it.

use abide_agent::phone;
use abide_agent::reply::ReplyLabel;
use abide_engine::base::{Problem, Value};
use abide_engine::domain::{DomainContext, Frames, MessageMeaning};
use abide_engine::store::{InboundRow, Tx};
use serde_json::json;

use super::meaning::Meaning;
use super::view::{LiveRequest, Standing, View};
use crate::data;
use crate::judge::{Judge, JudgedText};
use crate::knowledge::{self, FACTS_MAX};
use crate::operations::requests;

/// Number of texts that a model is shown of a conversation.
const TURNS: i64 = 6;
/// Number of requests that a model is shown as goals.
const GOALS: usize = 3;
/// What a model is shown instead of a name, and of a phone number.
const NAME: &str = "(name)";
const NUMBER: &str = "(number)";
/// Number of facts that a model is shown.
const FACTS: usize = 2;

/// Loads the frames of a message.
pub(super) async fn load(
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
    own: MessageMeaning<'_>,
    judge: &dyn Judge,
) -> Result<Frames, Problem> {
    let view = View::from_value(&own.asks.view)?;
    let meaning = Meaning::from_value(own.meaning);
    let turns = tx.last_turns(cx.tenant, inbound.sender, inbound.id, TURNS).await?;
    let turns = turns.iter().map(|turn| {
        let from = if turn.is_ours { "us" } else { "them" };
        let text = masked(&turn.text, &view);
        json!({ "from": from, "at": turn.at.to_string(), "text": text })
    });
    let open = view.asks.iter().filter(|ask| ask.standing != Standing::Over);
    let asks = open.map(|ask| {
        json!({ "role": ask.role, "time": ask.time.to_string(), "standing": ask.standing,
                "question": ask.question })
    });
    let goals = view.requests.iter().take(GOALS).map(|it| {
        let roles = it.targets.iter().filter(|(_, n)| **n > 0).map(|(role, _)| role.as_str());
        format!("fill {} at {}", roles.collect::<Vec<_>>().join(", "), it.time)
    });
    let mut goals: Vec<String> = goals.collect();
    if let [sender] = view.senders.as_slice() {
        let text = JudgedText { inbound, sender: sender.person };
        let others = judge.goals(tx, cx, text).await?;
        goals.extend(others.iter().map(|goal| masked(goal, &view)));
    }
    let session = json!({
        "goals": goals,
        "asks": asks.collect::<Vec<Value>>(),
        "turns": turns.collect::<Vec<Value>>(),
    });
    let mut work = Vec::new();
    for request in &view.requests {
        work.push(of_request(tx, request).await?);
    }
    let mut cited = Vec::new();
    if meaning.label == Some(ReplyLabel::Question) {
        let most = i64::try_from(FACTS_MAX).unwrap_or(i64::MAX);
        let facts = data::kb::list(tx, cx.tenant, false, most).await?;
        let found = knowledge::search(&facts, &inbound.body, FACTS);
        cited.extend(found.iter().map(|fact| json!({ "id": fact.id, "text": fact.text })));
    }
    Ok(Frames { session, task: json!({ "requests": work, "knowledge": cited }) })
}

/// Returns a text without phone numbers and without the names of its sender: a model needs neither.
fn masked(text: &str, view: &View) -> String {
    let names = view.senders.iter().flat_map(|sender| sender.name.split_whitespace());
    let shown = names.fold(text.to_owned(), |text, name| text.replace(name, NAME));
    phone::replaced(&shown, NUMBER)
}

/// Returns a request with its counts, its runs and its deadline.
async fn of_request(tx: &mut Tx, request: &LiveRequest) -> Result<Value, Problem> {
    let accepted = requests::accepted(tx, request.id).await?;
    let runs = data::live_fill::runs_of(tx, request.id).await?;
    let mut deadline = request.time;
    for run in &runs {
        let due = tx.run(*run).await?.and_then(|run| run.due_at);
        deadline = due.map_or(deadline, |due| due.min(deadline));
    }
    Ok(json!({
        "id": request.id,
        "time": request.time.to_string(),
        "wanted": request.targets,
        "accepted": accepted,
        "runs": runs,
        "deadline": deadline.to_string(),
    }))
}

#[cfg(test)]
mod tests {
    use abide_engine::base::{PersonId, TypedId as _};

    use super::*;
    use crate::domain::view::PossibleSender;

    #[test]
    fn a_model_sees_no_name_and_no_number() {
        let sender = PossibleSender {
            person: PersonId::from_uuid(uuid::Uuid::from_u128(1)),
            name: "Ana Diaz".to_owned(),
            staff: false,
            language: None,
        };
        let view = View { senders: vec![sender], ..View::default() };
        let cases = [
            (
                "Hi Ana, on Sunday 5 October at 9:00 am?",
                "Hi (name), on Sunday 5 October at 9:00 am?",
            ),
            ("call (512) 555-0142 or +15125550100.", "call (number) or (number)."),
            ("1 2 3", "1 2 3"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(masked(text, &view), expected, "{text}");
        }
    }
}
