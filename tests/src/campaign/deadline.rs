//! A campaign reaches a deadline after six hours. Three of five places are taken, so it sends
//! `last_call`. The two possible ends of the run are tested, with a crash of the process during every
//! wait.

use abide_engine::base::Span;
use abide_engine::run::RunOutcome;

use super::church::{Church, PAT, on_both};

on_both!(two_more_accept_after_the_last_call, async |mut church: Church| {
    let run = church.fill(5).await.id;
    let view = church.run(run).await;
    assert_eq!(view.status.as_str(), "waiting", "{view:?}");
    church.crash().await;
    church.advance("1h").await;
    church.say("ABC", "sure, happy to").await;
    church.say("D", "no sorry, away that week").await;
    church.text(&Church::phone('E'), "STOP").await;
    church.crash().await;
    let waiting = church.run(run).await.waiting_on.expect("still waiting");
    assert_eq!((waiting.have, waiting.need), (Some(3), Some(5)));
    church.advance("5h").await;
    church.crash().await;
    for (who, times) in [('A', 0), ('D', 0), ('E', 0), ('F', 1), ('L', 1)] {
        assert_eq!(church.sent(&Church::phone(who), "last_call").await, times, "{who}");
    }
    church.advance("1h").await;
    church.say("FG", "yes I can").await;
    let view = church.run(run).await;
    assert_eq!(view.outcome, Some(RunOutcome::Succeeded), "{view:?}");
    assert_eq!(church.sent(PAT, "summary").await, 1);
    church.assert_consistent().await;
});

on_both!(nobody_else_answers, async |mut church: Church| {
    let run = church.fill(5).await.id;
    church.advance("10min").await;
    church.say("ABC", "yes").await;
    church.crash().await;
    church.advance("6h").await;
    church.crash().await;
    church.advance("3h").await;
    let view = church.run(run).await;
    assert_eq!(view.outcome, Some(RunOutcome::FellShort), "{view:?}");
    assert_eq!(church.sent(PAT, "summary").await, 1);
    church.assert_consistent().await;
});

on_both!(
    two_concurrent_moves_of_the_clock_are_applied_one_after_the_other,
    async |church: Church| {
        let (engine, now) = (church.engine(), church.engine().now());
        let (later, sooner) = (now + Span::from_secs(7_200), now + Span::from_secs(3_600));
        let (one, other) = tokio::join!(engine.advance(later), engine.advance(sooner));
        assert_eq!(one.expect("advanced").now, later);
        assert_eq!(other.expect_err("it has passed by then").code, "clock_backwards");
        assert_eq!(engine.now(), later);
    }
);
