//! Tests of the weekly services.

use serde_json::{Value, json};

use crate::http::testing::TestApi;

fn names(page: &Value) -> Vec<&str> {
    let items = page["items"].as_array().map_or(&[][..], Vec::as_slice);
    items.iter().filter_map(|item| item["name"].as_str()).collect()
}

#[tokio::test]
async fn a_service_is_written_replaced_listed_and_removed() {
    let api = TestApi::seeded().await;
    let (status, demo) = api.get("/v1/services").await;
    assert_eq!((status, names(&demo)), (200, vec!["midweek", "rehearsal", "first", "second"]));
    let aliases = demo["items"][2]["aliases"].as_array().expect("aliases");
    assert!(aliases.contains(&json!("early service")), "{aliases:?}");

    let vespers = json!({"name": " vespers ", "weekday": "Sun", "time": "18:00",
        "aliases": ["Evening  Prayer", "vespers", "evening prayer"]});
    let (status, put) = api.post("/v1/services", &vespers.to_string()).await;
    let expected = json!({"name": "vespers", "aliases": ["evening prayer"], "weekday": "sunday",
        "time": "18:00", "duration": "1h 15m"});
    assert_eq!((status, &put), (200, &expected));
    let longer = json!({"name": "vespers", "weekday": "sunday", "time": "18:00", "duration": "90m",
        "time_zone": "America/Denver", "campus": "north"});
    let (_, replaced) = api.post("/v1/services", &longer.to_string()).await;
    let expected = json!({"name": "vespers", "aliases": [], "weekday": "sunday", "time": "18:00",
        "duration": "1h 30m", "time_zone": "America/Denver", "campus": "north"});
    assert_eq!(replaced, expected);
    assert_eq!(names(&api.get("/v1/services").await.1).len(), 5, "it is replaced");

    let path = "/v1/services/vespers";
    let other_day = format!("{path}?weekday=monday");
    assert_eq!(api.send("DELETE", &other_day, "", "").await.0, 404);
    let (status, removed) = api.send("DELETE", &format!("{path}?time=18:00"), "", "").await;
    assert_eq!((status, removed), (200, json!({"items": [expected]})));
    let (status, problem) = api.send("DELETE", path, "", "").await;
    assert_eq!((status, &problem["code"]), (404, &json!("service_unknown")));
    assert_eq!(api.get("/v1/services").await.1, demo);
}

#[tokio::test]
async fn a_malformed_service_is_refused() {
    let api = TestApi::seeded().await;
    let service = json!({"name": "vespers", "weekday": "sunday", "time": "18:00"});
    for (member, value) in [
        ("name", json!("  ")),
        ("name", json!("v".repeat(61))),
        ("aliases", json!([""])),
        ("aliases", json!(vec!["a"; 17])),
        ("weekday", json!("7")),
        ("time", json!("6pm")),
        ("duration", json!("25h")),
        ("duration", json!("long")),
        ("time_zone", json!("Nowhere")),
        ("campus", json!("c".repeat(201))),
    ] {
        let mut wrong = service.clone();
        wrong[member] = value;
        let (status, problem) = api.post("/v1/services", &wrong.to_string()).await;
        assert_eq!((status, &problem["code"]), (422, &json!("invalid_service")), "{wrong}");
    }
    for n in 0..60 {
        let one = json!({"name": format!("s{n}"), "weekday": "monday", "time": "06:00"});
        assert_eq!(api.post("/v1/services", &one.to_string()).await.0, 200, "{n}");
    }
    let (status, problem) = api.post("/v1/services", &service.to_string()).await;
    assert_eq!((status, &problem["code"]), (422, &json!("too_many_services")));
}
