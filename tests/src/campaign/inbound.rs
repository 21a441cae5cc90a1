//! How special inbound messages are handled: carrier keywords such as STOP, which may arrive twice,
//! and messages from strangers and from staff.

use abide_engine::facade::Received;
use abide_engine::run::RunOutcome;

use super::church::{Church, PAT, message, on_both};

/// Receives a message whose id at the gateway is `id`.
async fn deliver(church: &Church, id: &str, from: &str, body: &str) -> Received {
    church.engine().receive("default", message(id, from, body)).await.expect("received")
}

const SUPPRESSED: &str = "SELECT COUNT(*) FROM contact WHERE suppressed = 1";

on_both!(a_stop_that_is_delivered_again_does_not_undo_a_start, async |mut church: Church| {
    let hana = Church::phone('H');
    church.fill(5).await;
    assert_eq!(deliver(&church, "SM-stop", &hana, "STOP").await.handled_as.as_str(), "opt_out");
    assert_eq!(church.number(SUPPRESSED).await, 1);
    assert_eq!(deliver(&church, "SM-start", &hana, "START").await.handled_as.as_str(), "opt_in");
    let again = deliver(&church, "SM-stop", &hana, "STOP").await;
    assert_eq!((again.duplicate, again.handled_as.as_str()), (true, "opt_out"));
    church.crash().await;
    assert_eq!(church.number(SUPPRESSED).await, 0, "the later START still counts");
    church.advance("6h").await;
    assert_eq!(church.sent(&hana, "last_call").await, 1, "she may be asked again");
    church.assert_consistent().await;
});

on_both!(a_yes_does_not_revoke_a_stop_of_the_same_instant, async |church: Church| {
    let hana = Church::phone('H');
    assert_eq!(deliver(&church, "SM-stop", &hana, "STOP").await.handled_as.as_str(), "opt_out");
    assert_eq!(deliver(&church, "SM-yes", &hana, "yes").await.handled_as.as_str(), "opt_in");
    assert_eq!(church.number(SUPPRESSED).await, 1, "their order is unknown");
    church.advance("1s").await;
    assert_eq!(deliver(&church, "SM-again", &hana, "yes").await.handled_as.as_str(), "opt_in");
    assert_eq!(church.number(SUPPRESSED).await, 0, "she agreed later");
    church.assert_consistent().await;
});

on_both!(after_a_stop_nothing_is_sent, async |mut church: Church| {
    let (ana, hana) = (Church::phone('A'), Church::phone('H'));
    church.advance("11h 30min").await;
    church.fill(5).await;
    assert_eq!(deliver(&church, "SM1", &hana, "stop.").await.handled_as.as_str(), "opt_out");
    church.advance("18h").await;
    assert_eq!(
        church.messages(&hana).await.iter().filter(|m| m.state.as_str() == "sent").count(),
        0
    );
    assert_eq!(church.sent(&ana, "invite").await, 1, "the others had theirs in the morning");
    church.crash().await;
    assert!(!deliver(&church, "SM2", &hana, "yes I can").await.duplicate);
    assert_eq!(
        church.messages(&hana).await.iter().filter(|m| m.state.as_str() == "sent").count(),
        0
    );
    church.assert_consistent().await;
});

on_both!(a_stranger_learns_nothing, async |church: Church| {
    church.fill(5).await;
    let stranger = "+15125559999";
    for n in 0..10 {
        let body = "who is doing nursery on Sunday? Ana? yes I can do it";
        let received = deliver(&church, &format!("SM-{n}"), stranger, body).await;
        assert_eq!((received.handled_as.as_str(), received.run_id), ("unknown_sender", None));
    }
    let answers = church.messages(stranger).await;
    assert!(answers.len() <= 1, "{answers:?}");
    assert!(answers.iter().all(|m| !m.body.contains("Ana") && !m.body.contains("nursery")));
    assert_eq!(church.number("SELECT COUNT(*) FROM assignment WHERE state = 'accepted'").await, 0);
    assert_eq!(deliver(&church, "SM-stop", stranger, "Stop").await.handled_as.as_str(), "opt_out");
    assert_eq!(church.number(SUPPRESSED).await, 1, "a stranger's STOP is obeyed too");
    church.assert_consistent().await;
});

on_both!(staff_start_a_run_by_text_and_are_told_if_it_runs_already, async |mut church: Church| {
    let body = "Fill 5 nursery spots for the 9am service";
    let first = deliver(&church, "SM-1", PAT, body).await;
    assert_eq!(first.handled_as.as_str(), "staff_request");
    let run = first.run_id.expect("a run");
    assert_eq!(church.sent(PAT, "staff_ack").await, 1);
    let again = deliver(&church, "SM-1", PAT, body).await;
    assert_eq!((again.duplicate, again.run_id), (true, Some(run)));
    church.say("AB", "yes").await;
    let second = deliver(&church, "SM-2", PAT, body).await;
    assert_eq!((second.handled_as.as_str(), second.run_id), ("staff_request", Some(run)));
    let told = church.messages(PAT).await.pop().expect("an answer").body;
    assert!(told.contains("asking people already: 2 of 5 nursery"), "{told}");
    assert_eq!(church.number("SELECT COUNT(*) FROM run").await, 1);
    assert_eq!(church.sent(PAT, "staff_ack").await, 1);
    church.say("CDE", "yes").await;
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    church.assert_consistent().await;
});
