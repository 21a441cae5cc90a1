//! Ten thousand candidates: asked in chunks, with one receipt, and nobody twice.

use serde_json::{Value, json};

use super::world::{NINE, World, on_both};

/// Returns the number of candidates: fewer on a server, where each text costs a round trip.
fn many(world: &World) -> usize {
    if world.db.to_string() == "sqlite" { 10_000 } else { 1_000 }
}

#[test]
fn ten_thousand_are_asked_in_chunks_and_withdrawn_at_once() {
    on_both(|world| async move {
        let many = many(&world);
        let people: Vec<Value> = (0..many).map(member).collect();
        world.people(Value::from(people)).await.expect("are added");
        let run = world.try_fill(("choir", NINE), 1).await.expect("starts");
        let request = run.request_id.expect("a request");
        assert_eq!(world.counts(request, "choir").await, format!("invited {many}"));
        let receipts = world.engine.receipts("default", run.id).await.expect("receipts");
        let made = receipts.iter().filter(|receipt| receipt["tool"] == "make_offers").count();
        assert_eq!(made, 1, "one receipt for the whole call");
        world.say("+17132000007", "yes").await;
        let rest = many - 1;
        assert_eq!(world.counts(request, "choir").await, format!("accepted 1, cancelled {rest}"));
        world.until("20:00").await;
        let told = "SELECT COUNT(*) FROM outbox WHERE kind = 'withdrawn' AND state = 'sent'";
        assert_eq!(world.db.number(told).await, i64::try_from(rest).expect("a count"));
        world.is_sound().await;
    });
}

fn member(n: usize) -> Value {
    json!({"name": format!("P{n}"), "phone": format!("+17132{n:06}"), "roles": ["choir"]})
}
