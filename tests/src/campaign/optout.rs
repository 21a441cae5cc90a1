//! A person who sends STOP gets an answer from the provider. If the setting `optout_reply` is `ours`, the
//! person gets the answer from abide instead.

use serde_json::json;

use super::church::{Church, Setup, on_both};

fn we_answer_stop() -> Setup {
    Setup::settings(json!({ "optout_reply": "ours" }))
}

on_both!(the_provider_answers_stop_and_we_say_nothing, async |mut church: Church| {
    church.fill(5).await;
    church.say("A", "STOP").await;
    church.advance("1min").await;
    assert_eq!(church.number("SELECT COUNT(*) FROM outbox WHERE kind = 'opted_out'").await, 0);
    church.assert_consistent().await;
});

on_both!(a_stop_that_we_answer_is_confirmed_once, with we_answer_stop(), async |mut church: Church| {
    let ana = Church::phone('A');
    church.fill(5).await;
    church.say("A", "STOP").await;
    church.say("A", "stop.").await;
    assert_eq!(church.sent(&ana, "opted_out").await, 1);
    church.advance("7h").await;
    assert_eq!(church.sent(&ana, "last_call").await, 0, "nothing else reaches her");
    church.say("A", "START").await;
    church.say("A", "STOP").await;
    assert_eq!(church.sent(&ana, "opted_out").await, 2, "she had agreed again in between");
    church.advance("5h").await;
    church.say("B", "Stop").await;
    assert_eq!(church.sent(&Church::phone('B'), "opted_out").await, 1, "also at ten at night");
    church.assert_consistent().await;
});

on_both!(a_stranger_who_says_stop_gets_no_answer, with we_answer_stop(), async |mut church: Church| {
    assert_eq!(church.text("+15125559999", "STOP").await.handled_as.as_str(), "opt_out");
    church.advance("1min").await;
    assert_eq!(church.provider.sent(), []);
    church.assert_consistent().await;
});

on_both!(an_opt_out_in_other_words_is_obeyed_at_once, async |mut church: Church| {
    church.fill(5).await;
    church.advance("1min").await;
    for (letter, body) in [
        ('H', "Please lose my number"),
        ('I', "ya no me manden mensajes"),
        ('J', "I can't, and take me off this list please"),
    ] {
        let handled = church.text(&Church::phone(letter), body).await.handled_as;
        assert_eq!(handled.as_str(), "opt_out", "{body}");
        church.crash().await;
    }
    let kept =
        church.text(&Church::phone('K'), "please don't stop asking, I just can't this week").await;
    assert_ne!(kept.handled_as.as_str(), "opt_out");
    church.advance("8h").await;
    for letter in ['H', 'I', 'J'] {
        assert_eq!(church.sent(&Church::phone(letter), "last_call").await, 0, "{letter}");
    }
    church.assert_consistent().await;
});
