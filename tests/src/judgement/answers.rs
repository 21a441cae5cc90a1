//! How customers, leads and suppliers answer texts, and what a plan expects of its own.

use serde_json::{Value, json};

use super::{get, operator};
use crate::campaign::church::{Church, on_both};
use crate::trade::{australia, done};

const SARAH: &str = "+61400123456";
const TOM: &str = "+61400123457";
const PIPES: &str = "+61400123458";

/// Sends a text, and lets the time until the answer pass.
async fn text(church: &Church, to: &str, wait: &str) {
    done(church, "sms.send", json!({ "to": to, "body": "Can we come on Friday?" })).await;
    church.advance(wait).await;
}

/// Sarah answers three texts after 50 minutes, Tom none, and the supplier one after two hours.
async fn earlier_texts(church: &mut Church) {
    church.advance("15h").await; // past the quiet hours
    for _ in 0..3 {
        text(church, SARAH, "50min").await;
        church.text(SARAH, "Friday is fine").await;
        text(church, TOM, "10min").await;
        church.advance("8days").await;
    }
    text(church, PIPES, "2h").await;
    church.text(PIPES, "On its way").await;
    church.advance("1h").await;
}

async fn parties(church: &Church) {
    let lead = json!({ "name": "Sarah", "phone": SARAH, "suburb": "Clayton" });
    done(church, "leads.create", lead).await;
    done(church, "customer.create", json!({ "name": "Tom", "phone": TOM })).await;
    let pipes =
        json!({ "type": "supplier", "name": "Pipes Ltd", "data": { "phone": "0400 123 458" } });
    done(church, "entity.create", pipes).await;
}

on_both!(leads_customers_and_suppliers_are_measured_by_their_texts, with australia(), async |mut church: Church| {
    parties(&church).await;
    let empty = get(&church, "/v1/insights?of=leads").await;
    assert_eq!((&empty["items"], &empty["all"]["asked"]), (&json!([]), &json!(0)), "{empty:#}");
    earlier_texts(&mut church).await;
    let of = async |subject: &str| {
        let seen = get(&church, &format!("/v1/insights?of={subject}")).await;
        (seen["items"][0]["name"].clone(), seen["items"][0]["responses"].clone())
    };
    let (sarah, leads) = of("leads").await;
    let figures = |asked: u64, answered: u64| (json!(asked), json!(answered));
    let counted = |of: &Value| (of["asked"].clone(), of["answered"].clone());
    assert_eq!((sarah, counted(&leads)), (json!("Sarah"), figures(3, 3)), "{leads:#}");
    assert_eq!(leads["median_delay"], "50m");
    let (tom, customers) = of("customers").await;
    assert_eq!((tom, counted(&customers)), (json!("Tom"), figures(3, 0)), "{customers:#}");
    let (pipes, suppliers) = of("suppliers").await;
    assert_eq!((pipes, counted(&suppliers)), (json!("Pipes Ltd"), figures(1, 1)), "{suppliers:#}");
    let page = get(&church, "/v1/insights?of=leads").await;
    assert_eq!((&page["all"]["asked"], &page["all"]["answered"]), (&json!(7), &json!(4)), "{page:#}");
});

on_both!(a_plan_says_which_answers_are_likely, with australia(), async |mut church: Church| {
    parties(&church).await;
    let message = format!("text {SARAH} saying: Can we come on Monday?");
    let first = operator(&church, "plan", &message).await;
    assert_eq!(first["plan"]["tool_sequence"], json!(["sms.send"]), "{first:#}");
    assert_eq!(first["plan"]["estimate"].get("answers"), None, "nobody was asked before");
    earlier_texts(&mut church).await;
    let again = operator(&church, "plan", &message).await;
    let expected = json!({ "texts": 1, "answered": 1, "half_within": "50m" });
    assert_eq!(again["plan"]["estimate"]["answers"], expected, "{again:#}");
    assert_eq!(again["plan"]["estimate"]["messages"], 1);
    let words = again["text"].as_str().expect("a text");
    assert!(words.contains("\nLikely: 1 of 1 text answered, half of the answers within 50m\n"), "{words}");
    let tom = operator(&church, "plan", &format!("text {TOM} saying: Can we come on Monday?")).await;
    assert_eq!(tom["plan"]["estimate"]["answers"], json!({ "texts": 1, "answered": 0 }), "{tom:#}");
});
