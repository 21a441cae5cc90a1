//! The provider reports whether an invitation was delivered. An undelivered invitation ends its offer.

use abide_engine::base::Problem;
use abide_engine::facade::DeliveryReport;
use abide_engine::store::{DeliveryState, ReportedId};

use super::church::{Church, on_both};

use DeliveryState::{Delivered, Sent, Undelivered};

/// Reports a delivery state for the newest message to a phone number.
/// Returns whether the report changed the message.
async fn report(church: &Church, to: &str, state: DeliveryState) -> Result<bool, Problem> {
    let message = church.messages(to).await.pop().expect("a message");
    let report = DeliveryReport {
        message: ReportedId::Ours(message.id),
        state,
        error: state.is_failure().then(|| "30006".to_owned()),
        at: church.engine().now(),
    };
    church.engine().delivery_report("default", report).await
}

const OPEN: &str = "SELECT COUNT(*) FROM offer WHERE state = 'pending'";
const UNDELIVERABLE: &str = "SELECT COUNT(*) FROM offer WHERE state = 'undeliverable'";
const TOLD: &str = "SELECT COUNT(*) FROM ledger WHERE kind = 'message.undelivered'";

on_both!(an_undelivered_invitation_ends_its_offer, async |mut church: Church| {
    church.fill(5).await;
    let (ivan, joy) = (Church::phone('I'), Church::phone('J'));
    let open = church.number(OPEN).await;
    assert!(report(&church, &ivan, Undelivered).await.expect("reported"));
    assert_eq!((church.number(OPEN).await, church.number(UNDELIVERABLE).await), (open - 1, 1));
    assert_eq!(church.number(TOLD).await, 1);
    church.crash().await;
    for state in [Undelivered, Sent, Delivered] {
        assert!(!report(&church, &ivan, state).await.expect("heard"), "{state:?} changes nothing");
    }
    assert_eq!((church.number(UNDELIVERABLE).await, church.number(TOLD).await), (1, 1));
    assert_eq!(church.messages(&ivan).await[0].state.as_str(), "undelivered");

    assert!(report(&church, &joy, Delivered).await.expect("reported"));
    assert!(!report(&church, &joy, Sent).await.expect("heard"), "it arrives after a later state");
    assert_eq!(church.messages(&joy).await[0].state.as_str(), "delivered");
    church.say("ABCDEJ", "yes").await;
    church.assert_consistent().await;
});

on_both!(a_report_about_an_unknown_message_is_refused, async |church: Church| {
    let about = async |message| {
        let (state, error, at) = (Delivered, None, church.engine().now());
        let report = DeliveryReport { message, state, error, at };
        church.engine().delivery_report("default", report).await.expect_err("refused").code
    };
    assert_eq!(about(ReportedId::Providers("SM1".to_owned())).await, "unknown_message");
    assert_eq!(about(ReportedId::Providers("x".repeat(1_000))).await, "key_too_long");
});
