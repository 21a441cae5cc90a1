//! Tests of asks whose answers change something.
//! The run receives each answer, and each answer belongs to exactly one ask.

use abide_engine::base::{RunId, Value};
use abide_engine::facade::MessageFilter;
use abide_engine::run::RunOutcome;
use abide_engine::store::RunRef;
use serde_json::json;

use super::church::{Church, PAT, SERVICE, Setup, goal, on_both};
use super::probe::probed;

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

/// Creates a request for one place in the nursery, and has Ana take the place.
/// Does nothing if a run exists.
async fn ensure_request(church: &mut Church) {
    let known = church.engine().runs("default", &Default::default()).await.expect("runs");
    if known.items.is_empty() {
        church.start("fill_roles", goal(1)).await.expect("started");
        church.advance("1min").await;
        church.say("A", "yes").await;
    }
}

/// Starts a run that asks Fay a question with this template.
/// Creates the request for the nursery first, if there is none.
async fn start_asking_fay(church: &mut Church, template: &str) -> RunId {
    ensure_request(church).await;
    let goal = json!({
        "kind": "AskOne", "person": fay(church).await, "template": template, "time": SERVICE,
    });
    let run = church.start("ask_one", goal).await.expect("started").id;
    church.advance("1min").await;
    run
}

async fn fay(church: &Church) -> Value {
    person(church, "Fay").await
}

async fn person(church: &Church, name: &'static str) -> Value {
    let task = abide_engine::store::tx_closure(move |tx| {
        Box::pin(async move {
            let query = abide_verbs::api::people::PeopleQuery {
                q: Some(name.to_owned()),
                ..Default::default()
            };
            abide_verbs::api::people::list(tx, "default", &query).await
        })
    });
    json!(church.engine().read(task).await.expect("people").items[0].id)
}

async fn answer(church: &Church, run: RunId) -> Value {
    church.var(run, "answer").await
}

on_both!(
    an_answer_sets_the_variable_of_its_question,
    with setup(),
    async |mut church: Church| {
        let run = start_asking_fay(&mut church, "transfer").await;
        church.crash().await;
        assert_eq!(answer(&church, run).await, Value::Null);
        let phone = Church::phone('F');
        church.text(&phone, "Sorry, I can't this week").await;
        church.crash().await;
        let heard = answer(&church, run).await;
        assert_eq!((&heard["label"], &heard["person"]), (&json!("decline"), &fay(&church).await));
        let filter = MessageFilter { from: Some(phone), ..MessageFilter::default() };
        let written = church.engine().messages("default", &filter).await.expect("messages").items;
        assert_eq!(written[0].body, "Sorry, I can't this week");
        assert_eq!(heard["message"], json!(written[0].id));
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
        church.assert_consistent().await;
    }
);

on_both!(
    the_text_of_an_answer_is_stored_in_one_table_only,
    with setup(),
    async |mut church: Church| {
        let run = start_asking_fay(&mut church, "transfer").await;
        church.text(&Church::phone('F'), "No, we are away at the lake then").await;
        church.advance("1min").await;
        assert_eq!(answer(&church, run).await["label"], "decline");
        let holding: Vec<String> = church.database().rows().await;
        let holding = holding.iter().filter(|row| row.contains("at the lake"));
        let tables: Vec<&str> = holding.filter_map(|row| row.split(' ').next()).collect();
        assert_eq!(tables, ["pii"]);
    }
);

on_both!(
    a_run_says_whose_answer_it_waits_for,
    with setup(),
    async |mut church: Church| {
        let run = start_asking_fay(&mut church, "transfer").await;
        let explained = church.engine().explain("default", run).await.expect("explained");
        for part in [
            "asked Fay a question and has been waiting for the answer since today at",
            "when the answer arrives, or tomorrow at",
            "Nobody but Fay has to do anything.",
        ] {
            assert!(explained.text.contains(part), "`{part}` is missing in: {}", explained.text);
        }
        let wait = explained.waiting_on.expect("it waits");
        assert_eq!((wait.kind.as_str(), wait.why.as_str()), ("answer", "Fay has not answered yet"));
        let listed = church.engine().runs("default", &Default::default()).await.expect("runs");
        assert_eq!(listed.items[0].waiting_on, Some(wait));
    }
);

on_both!(
    an_answer_that_fits_two_questions_is_clarified_and_then_counts_for_one,
    with setup(),
    async |mut church: Church| {
        let one = start_asking_fay(&mut church, "transfer").await;
        let other = start_asking_fay(&mut church, "transfer_to_children").await;
        let phone = Church::phone('F');
        assert_eq!(church.text(&phone, "yes").await.handled_as.as_str(), "ambiguous");
        assert_eq!(church.sent(&phone, "clarify").await, 1);
        church.crash().await;
        church.text(&phone, "the cafe").await;
        church.advance("1min").await;
        assert_eq!(answer(&church, one).await["label"], "accept");
        assert_eq!(answer(&church, other).await, Value::Null);
        assert_eq!(church.run(other).await.status.as_str(), "waiting");
        church.assert_consistent().await;
    }
);

on_both!(
    a_question_that_is_asked_again_replaces_the_first,
    with setup(),
    async |mut church: Church| {
        let first = start_asking_fay(&mut church, "transfer").await;
        let again = start_asking_fay(&mut church, "transfer").await;
        let phone = Church::phone('F');
        assert_eq!(church.sent(&phone, "transfer").await, 2);
        church.text(&phone, "yes").await;
        church.advance("1min").await;
        assert_eq!(answer(&church, again).await["label"], "accept");
        assert_eq!(answer(&church, first).await, Value::Null);
        church.assert_consistent().await;
    }
);

/// Builds a setup with the method `asking`, which consists of `steps`.
/// In the steps, `ASK person` stands for a call that asks that person.
fn asking_setup(steps: &str) -> Setup {
    const ASK: &str = "call: ask, args: { person: '{{WHO}}', question_template: transfer, \
        vars: { role: cafe, time: '{{goal.time}}' } }";
    let ask =
        |text: String, who: &str| text.replace(&format!("ASK {who}"), &ASK.replace("WHO", who));
    let steps =
        ["goal.people[0]", "goal.people[1]", "person"].into_iter().fold(steps.to_owned(), ask);
    let text = format!("method: asking\nsteps:\n{steps}");
    probed(&[("asking", &text)])
}

/// Starts the method `asking` with Fay and Gus as the people to ask.
async fn start_asking_both(church: &mut Church) -> RunId {
    ensure_request(church).await;
    let people = [fay(church).await, person(church, "Gus").await];
    let goal = json!({ "kind": "Ask", "people": people, "time": SERVICE });
    let run = church.start("asking", goal).await.expect("started").id;
    church.advance("1min").await;
    run
}

const ROUNDS_DONE: &str = "SELECT COUNT(*) FROM run WHERE branch = 1 AND status = 'completed'";

const NO: &str = "Sorry, I can't this week";

on_both!(
    a_late_answer_does_not_end_a_wait_for_another_question,
    with asking_setup("
  - { id: one, ASK goal.people[0], out: answer }
  - await: { signal: answer, timeout: 1h }
  - { id: other, ASK goal.people[1], out: answer }
  - await: { signal: answer, timeout: 5h }
  - set: { heard: '{{answer.person}}' }
"),
    async |mut church: Church| {
        let run = start_asking_both(&mut church).await;
        church.advance("1h").await;
        church.text(&Church::phone('F'), NO).await;
        church.crash().await;
        church.advance("1h").await;
        assert_eq!(church.run(run).await.status.as_str(), "waiting", "it was an answer to the first question");
        church.text(&Church::phone('G'), NO).await;
        church.advance("1min").await;
        let vars = church.run(run).await.vars.expect("variables");
        assert_eq!(vars["heard"], person(&church, "Gus").await);
        church.assert_consistent().await;
    }
);

on_both!(
    each_round_receives_the_answer_to_its_own_question,
    with asking_setup("
  - foreach: person in goal.people
    concurrency: 2
    steps:
      - { id: one, ASK person, out: answer }
      - await: { signal: answer, timeout: 5h }
      - { call: attempt, args: { failures: '{{if(answer.person == person, 0, 1000)}}', transient: false } }
"),
    async |mut church: Church| {
        let run = start_asking_both(&mut church).await;
        for (letter, done) in [('G', 1), ('F', 2)] {
            church.text(&Church::phone(letter), NO).await;
            church.crash().await;
            church.advance("1min").await;
            assert_eq!(church.run(run).await.error, None, "{letter}");
            assert_eq!(church.number(ROUNDS_DONE).await, done, "{letter}");
        }
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
        church.assert_consistent().await;
    }
);

on_both!(
    answers_to_a_foreach_of_questions_are_awaited_one_by_one,
    with asking_setup("
  - { id: all, foreach: person in goal.people, ASK person, out: answers }
  - await: { signal: answers, timeout: 5h, out: one }
  - await: { signal: answers, timeout: 5h, out: two }
  - set: { heard: '{{[one.person, two.person]}}' }
"),
    async |mut church: Church| {
        let run = start_asking_both(&mut church).await;
        for letter in ['G', 'F'] {
            church.text(&Church::phone(letter), NO).await;
            church.crash().await;
        }
        church.advance("1min").await;
        let vars = church.run(run).await.vars.expect("variables");
        assert_eq!(vars["heard"], json!([person(&church, "Gus").await, fay(&church).await]));
        church.assert_consistent().await;
    }
);

on_both!(
    questions_of_branches_and_rounds_are_awaited_later_and_answered_by_hand,
    with asking_setup("
  - parallel:
      - - { id: one, ASK goal.people[0], out: first }
      - - foreach: person in [goal.people[1]]
          concurrency: 2
          steps: [ { id: other, ASK person } ]
  - await: { signal: first, timeout: 5h }
  - await: { signal: other, timeout: 5h, out: second }
  - { id: again, ASK goal.people[0], out: third }
  - await: { signal: third, timeout: 5h }
  - set: { heard: '{{[first.person, second.person, third]}}' }
"),
    async |mut church: Church| {
        let run = start_asking_both(&mut church).await;
        for letter in ['F', 'G'] {
            church.crash().await;
            church.text(&Church::phone(letter), NO).await;
        }
        church.advance("1min").await;
        let phoned = json!("she phoned");
        church.engine().signal(RunRef { tenant: "default", run }, "third", &phoned, None).await.expect("sent");
        let vars = church.run(run).await.vars.expect("variables");
        let heard = json!([fay(&church).await, person(&church, "Gus").await, phoned]);
        assert_eq!(vars["heard"], heard);
        church.assert_consistent().await;
    }
);

on_both!(
    a_day_later_the_question_is_closed_and_the_run_goes_on,
    with setup(),
    async |mut church: Church| {
        let run = start_asking_fay(&mut church, "transfer").await;
        church.advance("26h").await;
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::FellShort));
        assert_eq!(church.number("SELECT COUNT(*) FROM ask WHERE state = 'expired'").await, 1);
        church.crash().await;
        church.assert_consistent().await;
    }
);

on_both!(
    cancelling_a_request_tells_everybody_once_and_ends_its_run,
    with setup(),
    async |mut church: Church| {
        let fill = church.start("fill_roles", goal(3)).await.expect("started");
        church.advance("1min").await;
        church.say("AB", "yes").await;
        let id = fill.request_id.expect("a request");
        church.crash().await;
        let goal = json!({ "kind": "CancelRequest", "request_id": id });
        let run = church.start("cancel_request", goal).await.expect("started").id;
        church.advance("1min").await;
        church.crash().await;
        church.advance("1min").await;
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
        assert_eq!(church.run(fill.id).await.status.as_str(), "cancelled");
        for letter in ['A', 'B', 'C', 'L'] {
            assert_eq!(church.sent(&Church::phone(letter), "cancelled").await, 1, "{letter}");
        }
        assert_eq!(church.sent(PAT, "called_off").await, 1);
        let receipts = church.receipts(run).await;
        let called_off = receipts.iter().find(|r| r["tool"] == "update_record").expect("one");
        assert_eq!(called_off["result"]["withdrawn"], 10);
        assert_eq!(called_off["result"]["released"].as_array().map(Vec::len), Some(2));
        church.assert_consistent().await;
    }
);

on_both!(
    a_question_stays_open_while_the_switch_is_on,
    with setup(),
    async |mut church: Church| {
        let run = start_asking_fay(&mut church, "transfer").await;
        church.engine().set_tenant_paused("default", true).await.expect("paused");
        church.advance("26h").await;
        assert_eq!(church.number("SELECT COUNT(*) FROM ask WHERE state = 'open'").await, 1);
        church.engine().set_tenant_paused("default", false).await.expect("resumed");
        church.advance("1min").await;
        assert_eq!(church.number("SELECT COUNT(*) FROM ask WHERE state = 'expired'").await, 1);
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::FellShort));
        church.assert_consistent().await;
    }
);
