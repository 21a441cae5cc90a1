//! Notes: about leads, and found by their words.

use abide_engine::base::Value;
use serde_json::json;

use super::{call, done, failed};
use crate::campaign::church::{Church, on_both};

async fn lead(church: &Church) -> Value {
    let input = json!({ "name": "Ana", "phone": "+61400123456", "suburb": "Paddington" });
    done(church, "leads.create", input).await["lead_id"].clone()
}

/// Returns the titles of the notes that a search finds.
async fn found(church: &Church, query: &str) -> Vec<String> {
    let result = done(church, "os.search_notes", json!({ "query": query })).await;
    let notes = result["notes"].as_array().expect("a list");
    assert_eq!(result["count"], notes.len());
    notes.iter().map(|note| note["title"].as_str().unwrap_or_default().to_owned()).collect()
}

async fn write(church: &Church, title: &str, body: &str) {
    done(church, "os.create_note", json!({ "title": title, "body": body })).await;
}

on_both!(a_note_is_added_to_a_lead_that_exists, async |church: Church| {
    let id = lead(&church).await;
    let input =
        json!({ "lead_id": id, "title": null, "body": "Call after five", "tags": ["call"] });
    let added = done(&church, "leads.add_note", input).await;
    let note = &added["note"];
    assert_eq!((&note["entity_type"], &note["entity_id"]), (&json!("lead"), &id));
    assert_eq!((&note["tags"], note.get("title")), (&json!(["call"]), None));
    let listed =
        done(&church, "os.list_notes", json!({ "entity_type": "lead", "entity_id": id })).await;
    assert_eq!(listed["notes"][0]["id"], added["note_id"]);
    let nobody = json!({ "lead_id": "lead_none", "body": "Hello" });
    let (code, message) = failed(&church, "leads.add_note", nobody).await;
    assert_eq!(code, "not_found");
    assert!(message.contains("`lead_id` is `lead_none`, which is not in `leads`"), "{message}");
    church.assert_consistent().await;
});

on_both!(a_search_finds_the_notes_with_all_words_and_the_best_first, async |church: Church| {
    let id = lead(&church).await;
    write(
        &church,
        "one",
        "The ridge capping leaks near the chimney, and the gutters are full of leaves.",
    )
    .await;
    write(&church, "two", "Ridge! Ridge, RIDGE: the ridge.").await;
    write(&church, "three", "The valley is sound.").await;
    done(&church, "leads.add_note", json!({ "lead_id": id, "title": "four", "body": "ridge" }))
        .await;
    assert_eq!(found(&church, "valley").await, ["three"]);
    assert_eq!(found(&church, "LEAKS ridge").await, ["one"]);
    assert_eq!(found(&church, "ridge valley").await, Vec::<String>::new());
    let ridge = found(&church, "ridge").await;
    assert_eq!((ridge.len(), ridge.last()), (3, Some(&"one".to_owned())));
    let of_lead = json!({ "query": "ridge", "entity_type": "lead", "entity_id": id });
    let of_lead = done(&church, "os.search_notes", of_lead).await;
    assert_eq!((&of_lead["count"], &of_lead["notes"][0]["title"]), (&json!(1), &json!("four")));
    let first = done(&church, "os.search_notes", json!({ "query": "ridge", "limit": 1 })).await;
    assert_eq!((&first["count"], &first["notes"][0]["title"]), (&json!(1), &json!(ridge[0])));
});

on_both!(a_changed_note_is_found_by_its_new_words_alone, async |church: Church| {
    let note = done(&church, "os.create_note", json!({ "title": "one", "body": "slate" })).await;
    done(&church, "os.update_note", json!({ "note_id": note["note_id"], "body": "tiles" })).await;
    assert_eq!(found(&church, "tiles").await, ["one"]);
    assert_eq!(found(&church, "slate").await, Vec::<String>::new());
});

on_both!(both_databases_read_words_alike, async |church: Church| {
    write(
        &church,
        "address",
        "Write to ana.lee@example.org, or see https://example.org/roof-plans",
    )
    .await;
    write(&church, "accents", "Die Überdachung vom Café").await;
    write(&church, "cyrillic", "Крыша течёт").await;
    write(&church, "japanese", "屋根 修理").await;
    write(&church, "numbers", "Quote 12.50 on 2025-10-05, it's fine").await;
    write(&church, "code", "x' OR 1=1; -- \" NEAR(a b) title:roof* NOT").await;
    write(&church, "typography", "The “Dachstuhl” – it’s rotten…").await;
    let cases: [(&str, &[&str]); 16] = [
        ("dachstuhl rotten", &["typography"]),
        ("rotten — “it’s”", &["typography"]),
        ("example", &["address"]),
        ("ana.lee@example.org", &["address"]),
        ("roof-plans", &["address"]),
        ("überdachung", &["accents"]),
        ("cafe", &[]),
        ("КРЫША", &["cyrillic"]),
        ("屋根", &["japanese"]),
        ("12.50", &["numbers"]),
        ("it's fine", &["numbers"]),
        ("\" OR 1", &["code"]),
        ("title:roof*", &["code"]),
        ("NEAR(a, b)", &["code"]),
        ("NOT", &["code"]),
        ("a\0b", &["code"]),
    ];
    for (query, expected) in cases {
        assert_eq!(found(&church, query).await, expected, "{query:?}");
    }
    assert_eq!(found(&church, &"x".repeat(500)).await, Vec::<String>::new());
});

on_both!(a_query_without_a_word_is_refused, async |church: Church| {
    for query in ["*", "\"", "' --", "\0", "🏠", " "] {
        let (code, message) = failed(&church, "os.search_notes", json!({ "query": query })).await;
        assert_eq!((code.as_str(), message.as_str()), ("invalid_args", "`query` contains no word"));
    }
    let long = json!({ "query": "x".repeat(5_000) });
    let long =
        church.engine().call_tool("default", crate::tools::call_of("os.search_notes", long)).await;
    assert_eq!(long.expect_err("too long").code, "args_invalid");
    let receipt = call(&church, "os.search_notes", json!({ "query": "roof" })).await;
    assert_eq!(receipt["result"]["count"], 0);
});
