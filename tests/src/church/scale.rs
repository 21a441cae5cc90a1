//! Ten thousand candidates are asked in chunks by one call with one receipt, and nobody is asked twice.

use serde_json::{Value, json};

use super::demo_church::{DemoChurch, NINE_AM, on_both};

/// Returns the number of candidates. The number is lower on PostgreSQL:
/// each message costs a round trip there, and ten thousand messages would take too long.
fn many(church: &DemoChurch) -> usize {
    if church.db.to_string() == "sqlite" { 10_000 } else { 1_000 }
}

#[test]
fn ten_thousand_are_asked_in_chunks_and_withdrawn_at_once() {
    on_both(|church| async move {
        let many = many(&church);
        let people: Vec<Value> = (0..many).map(member).collect();
        church.put_people(Value::from(people)).await.expect("are added");
        let run = church.try_fill("choir", NINE_AM, 1).await.expect("starts");
        let request = run.request_id.expect("a request");
        assert_eq!(church.counts(request, "choir").await, format!("invited {many}"));
        let receipts = church.engine.receipts("default", run.id).await.expect("receipts");
        let made = receipts.iter().filter(|receipt| receipt["tool"] == "make_offers").count();
        assert_eq!(made, 1, "one receipt for the whole call");
        church.say("+17132000007", "yes").await;
        let rest = many - 1;
        assert_eq!(church.counts(request, "choir").await, format!("accepted 1, cancelled {rest}"));
        church.advance_to("20:00").await;
        let told = "SELECT COUNT(*) FROM outbox WHERE kind = 'withdrawn' AND state = 'sent'";
        assert_eq!(church.db.number(told).await, i64::try_from(rest).expect("a count"));
        church.assert_consistent().await;
    });
}

fn member(n: usize) -> Value {
    json!({"name": format!("P{n}"), "phone": format!("+17132{n:06}"), "roles": ["choir"]})
}
