//! Questions whose answers have consequences: the run hears of each, and each is for one question.

use abide_engine::base::{RunId, Value};
use serde_json::json;

use super::church::{Church, PAT, SERVICE, Setup, goal, on_both};

const ASK_ONE: &str = "
method: ask_one
applicable_if: goal.kind == 'AskOne'
inputs:
  type: object
  required: [kind, person, template, time]
  properties:
    kind: { const: AskOne }
    person: { type: string }
    template: { type: string }
    time: { type: string, format: date-time }
steps:
  - call: ask
    args: { person: '{{goal.person}}', question_template: '{{goal.template}}', vars: { role: cafe, time: '{{goal.time}}' } }
    out: answer
  - await: { signal: answer, timeout: 25h }
success_when: [not timeout]
fallbacks: [ { if: timeout, then: [ { set: { late: true } } ] } ]
";

fn setup() -> Setup {
    Setup::default().method("ask_one", ASK_ONE)
}

/// A request for one place in the nursery, which Ana has; and the run that asks Fay.
async fn asked(church: &mut Church, template: &str) -> RunId {
    let known = church.engine().runs("default", &Default::default()).await.expect("runs");
    if known.items.is_empty() {
        church.start("fill_roles", goal(1)).await.expect("started");
        church.pass("1min").await;
        church.say("A", "yes").await;
    }
    let goal = json!({
        "kind": "AskOne", "person": fay(church).await, "template": template, "time": SERVICE,
    });
    let run = church.start("ask_one", goal).await.expect("started").id;
    church.pass("1min").await;
    run
}

async fn fay(church: &Church) -> Value {
    let task = abide_engine::store::work(move |tx| {
        Box::pin(async move {
            let query = abide_verbs::api::people::PeopleQuery {
                q: Some("Fay".to_owned()),
                ..Default::default()
            };
            abide_verbs::api::people::list(tx, "default", &query).await
        })
    });
    json!(church.engine().read(task).await.expect("people").items[0].id)
}

async fn answer(church: &Church, run: RunId) -> Value {
    let vars = church.run(run).await.vars.expect("variables");
    vars.get("answer").cloned().unwrap_or(Value::Null)
}

on_both!(
    an_answer_fills_the_variable_of_its_question,
    with setup(),
    async |mut church: Church| {
        let run = asked(&mut church, "transfer").await;
        church.crash().await;
        assert_eq!(answer(&church, run).await, Value::Null);
        let phone = Church::phone('F');
        church.text(&phone, "Sorry, I can't this week").await;
        church.crash().await;
        let heard = answer(&church, run).await;
        assert_eq!((&heard["label"], &heard["person"]), (&json!("decline"), &fay(&church).await));
        assert_eq!(heard["text"], "Sorry, I can't this week");
        assert_eq!(church.run(run).await.outcome.as_deref(), Some("succeeded"));
        church.assert_sound().await;
    }
);

on_both!(
    an_answer_that_fits_two_questions_is_asked_back_and_then_is_for_one,
    with setup(),
    async |mut church: Church| {
        let one = asked(&mut church, "transfer").await;
        let other = asked(&mut church, "transfer_to_children").await;
        let phone = Church::phone('F');
        assert_eq!(church.text(&phone, "yes").await.handled_as, "ambiguous");
        assert_eq!(church.sent(&phone, "clarify").await, 1);
        church.crash().await;
        church.text(&phone, "the cafe").await;
        church.pass("1min").await;
        assert_eq!(answer(&church, one).await["label"], "accept");
        assert_eq!(answer(&church, other).await, Value::Null);
        assert_eq!(church.run(other).await.status, "waiting");
        church.assert_sound().await;
    }
);

on_both!(
    a_question_that_is_asked_again_takes_the_place_of_the_first,
    with setup(),
    async |mut church: Church| {
        let first = asked(&mut church, "transfer").await;
        let again = asked(&mut church, "transfer").await;
        let phone = Church::phone('F');
        assert_eq!(church.sent(&phone, "transfer").await, 2);
        church.text(&phone, "yes").await;
        church.pass("1min").await;
        assert_eq!(answer(&church, again).await["label"], "accept");
        assert_eq!(answer(&church, first).await, Value::Null);
        church.assert_sound().await;
    }
);

on_both!(
    a_day_later_the_question_is_closed_and_the_run_goes_on,
    with setup(),
    async |mut church: Church| {
        let run = asked(&mut church, "transfer").await;
        church.pass("26h").await;
        assert_eq!(church.run(run).await.outcome.as_deref(), Some("fell_short"));
        assert_eq!(church.number("SELECT COUNT(*) FROM ask WHERE state = 'expired'").await, 1);
        church.crash().await;
        church.assert_sound().await;
    }
);

on_both!(
    calling_a_request_off_tells_everybody_once_and_ends_what_asks_for_it,
    with setup(),
    async |mut church: Church| {
        let fill = church.start("fill_roles", goal(3)).await.expect("started");
        church.pass("1min").await;
        church.say("AB", "yes").await;
        let id = fill.request_id.expect("a request");
        church.crash().await;
        let goal = json!({ "kind": "CancelRequest", "request_id": id });
        let run = church.start("cancel_request", goal).await.expect("started").id;
        church.pass("1min").await;
        church.crash().await;
        church.pass("1min").await;
        assert_eq!(church.run(run).await.outcome.as_deref(), Some("succeeded"));
        assert_eq!(church.run(fill.id).await.status, "cancelled");
        for letter in ['A', 'B', 'C', 'L'] {
            assert_eq!(church.sent(&Church::phone(letter), "cancelled").await, 1, "{letter}");
        }
        assert_eq!(church.sent(PAT, "called_off").await, 1);
        let receipts = church.receipts(run).await;
        let called_off = receipts.iter().find(|r| r["tool"] == "update_record").expect("one");
        assert_eq!(called_off["result"]["withdrawn"], 10);
        assert_eq!(called_off["result"]["released"].as_array().map(Vec::len), Some(2));
        church.assert_sound().await;
    }
);
