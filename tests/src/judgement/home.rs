//! A contract, an adapter and an intent that only a home gives are planned, gated, run and verified like those of the
//! program. No code names them.

use abide_engine::library::Sources;
use serde_json::json;

use super::{operator, post};
use crate::campaign::church::{Church, Setup, on_both};

const CONTRACT: &str = r#"
tools:
  drone.book_flight:
    version: 1
    description: Books a flight of the drone over a roof.
    effect: write
    idempotency: { mode: none }
    risk: T1
    timeout_ms: 10000
    permissions: [write:db]
    receipt_fields: [result.flight_id, effects.db_writes]
    consumes: [address]
    produces: [flight_id]
    handler: data
    data: { collection: flights, action: create, id: flight_id, record: flight }
    input_schema:
      type: object
      required: [address]
      additionalProperties: false
      properties:
        address: { type: string, minLength: 1, maxLength: 200 }
    output_schema:
      type: object
      required: [flight_id]
      properties:
        flight_id: { type: string, maxLength: 60 }
        flight: { type: object }
  drone.find_flights:
    version: 1
    description: Lists the flights of the drone.
    effect: read
    idempotency: { mode: safe-retry }
    risk: T0
    timeout_ms: 10000
    permissions: [read:db]
    receipt_fields: [result.flights]
    consumes: []
    produces: [flights]
    satisfies: ["REPORT(schedule)"]
    reliability: 1
    cost: 0
    latency: 1ms
    handler: data
    data: { collection: flights, action: list, record: flights }
    input_schema:
      type: object
      additionalProperties: false
      properties:
        address: { type: string, minLength: 1, maxLength: 200 }
        limit: { type: integer, minimum: 1, maximum: 50 }
    output_schema:
      type: object
      required: [flights]
      properties:
        flights: { type: array, items: { type: object } }
"#;
const INTENT: &str = "\
intent: fly_drone
tools: [drone.book_flight]
description: Books a flight of the drone.
examples:
- fly the drone over 12 Elm St
- send the drone up at 9 Oak Rd
- book a drone flight at 4 High St
- drone flight for 77 Station St please
- get the drone out to 5 Beach Rd
- we need aerials of 31 Park Ave with the drone
";

fn home() -> Setup {
    let mut setup = Setup::settings(json!({ "region": "AU", "time_zone": "Australia/Melbourne" }));
    let mut sources = Sources::builtin();
    sources.add_home_contracts("drone.yaml", CONTRACT.to_owned());
    sources.intents.insert("fly_drone.yaml".to_owned(), INTENT.to_owned());
    let adapter = "adapter_for: drone.find_flights\nrename: { event: address }\n";
    sources.adapters.insert("drone.yaml".to_owned(), adapter.to_owned());
    setup.sources = sources;
    setup
}

on_both!(a_tool_of_a_home_is_asked_for_in_words, with home(), async |church: Church| {
    let answer = operator(&church, "execute", "fly the drone over 12 Elm St").await;
    assert_eq!(answer["plan"]["tool_sequence"], json!(["drone.book_flight"]), "{answer:#}");
    assert_eq!(answer["receipts"][0]["status"], "succeeded", "{answer:#}");
    church.assert_consistent().await;
});

on_both!(a_tool_of_a_home_discharges_obligations, with home(), async |church: Church| {
    let body = json!({ "text": "what's on my calendar tomorrow", "user": "u1", "trace": true });
    let answer = post(&church, "/v1/ask", None, &body).await.body;
    assert_eq!(answer["sources"][0]["tool"], "drone.find_flights", "{answer:#}");
    church.assert_consistent().await;
});
