//! The task for which the methods `seed_fill_roles` and `seed_rebalance_roles` were written:
//! find five people for the nursery, then lower its target to four, and find three for the children.
//! The test uses these methods and the shipped methods, and crashes the process at every wait.

use abide_engine::base::{RequestId, RunId, Value};
use abide_engine::run::RunOutcome;
use serde_json::json;

use super::church::{Church, SERVICE, Setup, goal, on_both};

const SEED_FILL: &str =
    include_str!("../../../language/src/method/cases/good/seed_fill_roles.yaml");
const SEED_REBALANCE: &str =
    include_str!("../../../language/src/method/cases/good/seed_rebalance_roles.yaml");

/// Phone numbers of X and Y, two volunteers who serve with the children.
const X: &str = "+17132000000";
const Y: &str = "+17132000001";

fn seed_methods() -> Setup {
    Setup::default().method("fill_roles", SEED_FILL).method("rebalance_roles", SEED_REBALANCE)
}

async fn request(church: &Church, id: RequestId) -> abide_verbs::api::requests::RequestView {
    let caller =
        abide_verbs::api::TenantContext::load(church.engine(), "default").await.expect("a caller");
    let caller = std::sync::Arc::new(caller);
    let task = abide_engine::store::tx_closure(move |tx| {
        let caller = caller.clone();
        Box::pin(async move { abide_verbs::api::requests::get(tx, &caller.context(), id).await })
    });
    church.engine().read(task).await.expect("a request")
}

async fn count_accepted(church: &Church, id: RequestId, role: &str) -> i64 {
    let view = request(church, id).await;
    view.counts.get(role).and_then(|states| states.get("accepted")).copied().unwrap_or(0)
}

/// Fills the nursery with the volunteers A to E, who accept one after another. Returns the request.
async fn fill_nursery(church: &mut Church) -> RequestId {
    church.add_people(2, "children").await;
    let run = church.start("fill_roles", goal(5)).await.expect("started");
    church.crash().await;
    for letter in ["A", "B", "C", "D", "E"] {
        church.say(letter, "yes").await;
        church.advance("1min").await;
    }
    assert_eq!(church.run(run.id).await.outcome, Some(RunOutcome::Succeeded));
    run.request_id.expect("a request")
}

/// Starts a run that lowers the target of the nursery to four and sets the target of the children to three.
async fn rebalance(church: &Church) -> RunId {
    let goal = json!({
        "kind": "RebalanceTargets", "targets": {"nursery": 4, "children": 3}, "time": SERVICE,
    });
    let run = church.start("rebalance_roles", goal).await.expect("started").id;
    church.advance("1min").await;
    run
}

async fn check_rebalance(mut church: Church) {
    let id = fill_nursery(&mut church).await;
    let version = request(&church, id).await.version;
    let run = rebalance(&church).await;
    church.crash().await;
    let eli = Church::phone('E');
    assert_eq!(church.sent(&eli, "transfer_to_children").await, 1, "the latest to accept is asked");
    for letter in ['A', 'B', 'C', 'D'] {
        assert_eq!(church.sent(&Church::phone(letter), "transfer_to_children").await, 0);
    }
    assert_eq!(church.sent(&eli, "invite").await, 1, "she gets no second invitation");
    assert_eq!(count_accepted(&church, id, "nursery").await, 4);
    assert!(request(&church, id).await.version > version);

    church.text(&eli, "Sure, happy to").await;
    assert_eq!(count_accepted(&church, id, "children").await, 1);
    church.crash().await;
    church.text(X, "yes").await;
    church.crash().await;
    church.text(Y, "yes").await;
    church.advance("1min").await;
    assert_eq!(count_accepted(&church, id, "nursery").await, 4);
    assert_eq!(count_accepted(&church, id, "children").await, 3);
    assert_eq!(request(&church, id).await.status.as_str(), "filled");
    let view = church.run(run).await;
    assert_eq!((view.status.as_str(), view.outcome), ("completed", Some(RunOutcome::Succeeded)));
    church.assert_consistent().await;
}

on_both!(the_seeds_methods_rebalance_word_for_word, with seed_methods(), check_rebalance);
on_both!(the_shipped_methods_rebalance_as_the_seed_requires, check_rebalance);

on_both!(
    a_person_who_refuses_to_move_is_waitlisted_and_others_are_asked,
    async |mut church: Church| {
        let id = fill_nursery(&mut church).await;
        let run = rebalance(&church).await;
        let eli = Church::phone('E');
        church.text(&eli, "No thank you").await;
        church.crash().await;
        let counts: Value = json!(request(&church, id).await.counts);
        assert_eq!(
            (&counts["nursery"]["accepted"], &counts["nursery"]["waitlisted"]),
            (&json!(4), &json!(1))
        );
        for phone in [X, Y, &Church::phone('K')] {
            church.text(phone, "yes").await;
        }
        church.advance("1min").await;
        assert_eq!(count_accepted(&church, id, "children").await, 3);
        assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
        church.assert_consistent().await;
    }
);

on_both!(a_yes_to_a_full_team_is_waitlisted_there, async |mut church: Church| {
    let id = fill_nursery(&mut church).await;
    rebalance(&church).await;
    for phone in [X, Y, &Church::phone('K')] {
        church.text(phone, "yes").await;
    }
    church.crash().await;
    let eli = Church::phone('E');
    church.text(&eli, "yes").await;
    church.advance("1min").await;
    assert_eq!(church.sent(&eli, "waitlisted").await, 1);
    let counts: Value = json!(request(&church, id).await.counts);
    assert_eq!(
        (&counts["children"]["accepted"], &counts["children"]["waitlisted"]),
        (&json!(3), &json!(1))
    );
    church.assert_consistent().await;
});

on_both!(two_rebalances_at_once_never_write_the_same_version, async |mut church: Church| {
    let id = fill_nursery(&mut church).await;
    let before = request(&church, id).await.version;
    let goal = |nursery: i64| json!({"kind": "RebalanceTargets", "targets": {"nursery": nursery}, "time": SERVICE});
    let (one, other) = (
        church.start("rebalance_roles", goal(6)).await.expect("started").id,
        church.start("rebalance_roles", goal(7)).await.expect("started").id,
    );
    church.advance("1min").await;
    for run in [one, other] {
        let receipts = church.receipts(run).await;
        let retarget = receipts.iter().find(|r| r["tool"] == "update_record").expect("one");
        assert_eq!(retarget["status"], "succeeded", "{retarget}");
    }
    assert!(request(&church, id).await.version >= before + 2);
    church.assert_consistent().await;
});
