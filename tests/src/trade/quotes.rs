//! Quotes: their lines, their sums, and what they refuse in each state.

use abide_engine::base::Value;
use serde_json::json;

use super::{all_refused, at_once, australia, call, done, listed, refusal, sums};
use crate::campaign::church::{Church, on_both};

/// The position of the line that was the last one before others were added.
const LAST: &str = "SELECT position FROM quote_line_items WHERE id = 'qli_199'";

/// Starts a quote and returns its id.
pub(super) async fn quote(church: &Church) -> Value {
    done(church, "quote.create", json!({ "title": "New roof" })).await["quote_id"].clone()
}

/// Adds a line to a quote and returns the result.
async fn add(church: &Church, quote: &Value, mut line: Value) -> Value {
    line["quote_id"] = quote.clone();
    done(church, "quote.add_line_item", line).await
}

/// Returns the positions and the descriptions of the lines of a quote.
async fn lines(church: &Church, quote: &Value) -> Vec<String> {
    listed(&done(church, "quote.get", json!({ "quote_id": quote })).await["line_items"])
}

on_both!(a_quote_goes_from_its_lines_to_the_answer, with australia(), async |church: Church| {
    let id = quote(&church).await;
    let empty = done(&church, "quote.calculate", json!({ "quote_id": id })).await;
    assert_eq!((sums(&empty), &empty["line_count"]), (["0.00", "0.00", "0.00"], &json!(0)));

    let first = add(&church, &id, json!({ "description": "Call-out", "unit_price": "120" })).await;
    assert_eq!(first["line_item"]["quantity"], "1");
    assert_eq!(sums(&first["quote"]), ["120.00", "12.00", "132.00"]);
    // 2.5 × 10.01 is 25.025, of which the half cent goes to the even neighbour.
    let pipe = json!({ "description": "Pipe", "quantity": 2.5, "unit_price": "10.01" });
    let pipe = add(&church, &id, pipe).await;
    let line = &pipe["line_item"];
    assert_eq!((&line["net"], &line["tax"]), (&json!("25.02"), &json!("2.50")));
    // The tax on 100.05 is 10.005.
    let permit = json!({ "description": "Permit", "quantity": "3", "unit_price": 33.35, "position": 1 });
    let permit = add(&church, &id, permit).await;
    assert_eq!(permit["line_item"]["tax"], "10.00");
    let discount = json!({ "description": "Discount", "unit_price": "-20.05", "position": 3 });
    let discount = add(&church, &id, discount).await;
    assert_eq!(discount["line_item"]["tax"], "-2.00");
    assert_eq!(sums(&discount["quote"]), ["225.02", "22.50", "247.52"]);
    assert_eq!(lines(&church, &id).await, ["1 Permit", "2 Call-out", "3 Discount", "4 Pipe"]);

    let change = json!({ "line_item_id": permit["line_item_id"], "position": 4, "quantity": "1" });
    let changed = done(&church, "quote.update_line_item", change).await;
    assert_eq!(changed["line_item"]["position"], 4);
    assert_eq!(sums(&changed["quote"]), ["158.32", "15.84", "174.16"]);
    assert_eq!(lines(&church, &id).await, ["1 Call-out", "2 Discount", "3 Pipe", "4 Permit"]);
    let change = json!({ "line_item_id": pipe["line_item_id"], "position": 1 });
    let receipt = call(&church, "quote.update_line_item", change).await;
    let written = receipt["effects"]["db_writes"].as_array().expect("writes").iter();
    let written: Vec<_> = written.map(|it| (&it["action"], &it["id"])).collect();
    let updated = [&first, &discount, &pipe].map(|line| (json!("update"), &line["line_item_id"]));
    let updated = updated.iter().map(|(action, line)| (action, *line));
    assert_eq!(written[..3], updated.collect::<Vec<_>>(), "the moved lines, the line");
    assert_eq!(written[3..], [(&json!("update"), &id)], "the quote");
    assert_eq!(lines(&church, &id).await, ["1 Pipe", "2 Call-out", "3 Discount", "4 Permit"]);
    let removed = json!({ "line_item_id": first["line_item_id"] });
    let removed = done(&church, "quote.remove_line_item", removed).await;
    assert_eq!(sums(&removed["quote"]), ["38.32", "3.84", "42.16"]);
    assert_eq!(lines(&church, &id).await, ["1 Pipe", "2 Discount", "3 Permit"]);

    let details = json!({ "quote_id": id, "title": "Roof and gutter", "comment": "Urgent" });
    assert_eq!(done(&church, "quote.update", details).await["quote"]["title"], "Roof and gutter");
    let close = json!({ "quote_id": id, "valid_until_date": "2025-11-01" });
    let closed = done(&church, "quote.finalize", close).await["quote"].clone();
    assert_eq!((&closed["status"], sums(&closed)), (&json!("finalized"), ["38.32", "3.84", "42.16"]));
    assert_eq!(closed["valid_until_date"], "2025-11-01");
    church.move_clock("1h");
    let again = json!({ "quote_id": id, "valid_until_date": "2025-12-01" });
    let again = call(&church, "quote.finalize", again).await;
    assert_eq!((&again["result"]["quote"], &again["effects"]["db_writes"]), (&closed, &json!([])));
    for _ in 0..2 {
        let answer = json!({ "quote_id": id, "status": "accepted" });
        assert_eq!(done(&church, "quote.update", answer).await["quote"]["status"], "accepted");
    }
    let calculated = done(&church, "quote.calculate", json!({ "quote_id": id })).await;
    assert_eq!((sums(&calculated), &calculated["line_count"]), (sums(&closed), &json!(3)));
    church.assert_consistent().await;
});

on_both!(lines_bear_no_tax_in_the_united_states, async |church: Church| {
    let id = quote(&church).await;
    let added = add(&church, &id, json!({ "description": "Labor", "unit_price": "99.95" })).await;
    assert_eq!(sums(&added["quote"]), ["99.95", "0.00", "99.95"]);
});

on_both!(a_quote_refuses_what_does_not_fit, with australia(), async |church: Church| {
    let id = quote(&church).await;
    let with = |rest: Value| {
        let mut input = json!({ "quote_id": id, "description": "Pipe", "unit_price": "1" });
        let members = rest.as_object().cloned().unwrap_or_default();
        input.as_object_mut().expect("an object").extend(members);
        input
    };
    let (add, get) = ("quote.add_line_item", "quote.get");
    let (answer, none) = (json!({ "quote_id": id, "status": "accepted" }), json!({ "quote_id": "quo_1" }));
    let lead = json!({ "quote_id": id, "lead_id": "lead_1" });
    all_refused(&church, [
        refusal(get, none.clone(), "not_found", "`quote_id` is `quo_1`"),
        refusal("quote.calculate", none.clone(), "not_found", "`quo_1`"),
        refusal("quote.finalize", none, "not_found", "`quo_1`"),
        refusal("quote.finalize", json!({ "quote_id": id }), "wrong_state", "has no lines"),
        refusal("quote.update", answer, "wrong_state", "must be `finalized` or `sent`"),
        refusal("quote.update", lead, "not_found", "`lead_id` is `lead_1`"),
        refusal(add, with(json!({ "quote_id": "quo_1" })), "not_found", "`quo_1`"),
        refusal(add, with(json!({ "quantity": "0" })), "invalid_args", "`quantity` must be more"),
        refusal(add, with(json!({ "quantity": 0.00011 })), "invalid_args", "at most 4"),
        refusal(add, with(json!({ "unit_price": 1.005 })), "invalid_args", "`unit_price`"),
        refusal(add, with(json!({ "position": 2 })), "invalid_args", "from 1 to 1 in the quote"),
        refusal(
            add,
            with(json!({ "quantity": "1000000", "unit_price": "99999999" })),
            "invalid_args",
            "too large",
        ),
        refusal(
            "quote.remove_line_item",
            json!({ "line_item_id": "qli_1" }),
            "not_found",
            "`line_item_id` is `qli_1`, which is not in `quote_line_items`",
        ),
    ])
    .await;
    assert_eq!(church.number("SELECT COUNT(*) FROM quote_line_items").await, 0);

    let line = done(&church, add, with(json!({}))).await["line_item_id"].clone();
    let moved = json!({ "line_item_id": line, "position": 2 });
    let words = "`position` is 2, and must be from 1 to 1";
    all_refused(&church, [refusal("quote.update_line_item", moved, "invalid_args", words)]).await;
    done(&church, "quote.finalize", json!({ "quote_id": id })).await;
    let words = || format!("`status` of `{}` is `finalized`, and must be `draft`", id.as_str().unwrap());
    let change = |member: &str, value: Value| {
        let mut input = json!({ "quote_id": id });
        input[member] = value;
        refusal("quote.update", input, "wrong_state", words())
    };
    all_refused(&church, [
        refusal(add, with(json!({})), "wrong_state", words()),
        refusal(
            "quote.update_line_item",
            json!({ "line_item_id": line, "description": "Hose" }),
            "wrong_state",
            words(),
        ),
        refusal("quote.remove_line_item", json!({ "line_item_id": line }), "wrong_state", words()),
        change("title", json!("Other")),
        change("lead_id", Value::Null),
        change("customer_id", Value::Null),
    ])
    .await;
    let comment = json!({ "quote_id": id, "comment": null, "valid_until_date": "2025-11-01" });
    done(&church, "quote.update", comment).await;
    done(&church, "quote.update", json!({ "quote_id": id, "status": "declined" })).await;
    let accepted = json!({ "quote_id": id, "status": "accepted" });
    let words = "is `declined`, and must be `finalized` or `sent` or `accepted`";
    all_refused(&church, [
        refusal("quote.update", accepted, "wrong_state", words),
        refusal("quote.finalize", json!({ "quote_id": id }), "wrong_state", "is `declined`"),
    ])
    .await;
    church.assert_consistent().await;
});

on_both!(a_quote_has_at_most_200_lines, async |church: Church| {
    let id = quote(&church).await;
    church.database().execute(
        "INSERT INTO quote_line_items
         (tenant, id, quote_id, position, description, quantity, unit_price, net, tax, created_at, updated_at)
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 199)
         SELECT 'default', 'qli_' || CAST(i AS TEXT), quotes.id, i, 'Nail', '1', 1, 1, 0, 0, 0 FROM n, quotes",
    ).await;
    let line = json!({ "description": "Last", "unit_price": "1", "position": 1 });
    let added = add(&church, &id, line.clone()).await;
    assert_eq!(sums(&added["quote"]), ["2.99", "0.00", "2.99"]);
    assert_eq!(church.number(LAST).await, 200);
    let mut more = line;
    more["quote_id"] = id.clone();
    let words = "has 200 lines, and cannot have more";
    all_refused(&church, [refusal("quote.add_line_item", more, "too_many_lines", words)]).await;
    let removed = json!({ "line_item_id": added["line_item_id"] });
    done(&church, "quote.remove_line_item", removed).await;
    assert_eq!(church.number(LAST).await, 199);
});

on_both!(concurrent_changes_keep_positions_dense_and_sums_right, with australia(), async |mut church: Church| {
    let id = quote(&church).await;
    let old = json!({ "description": "Old", "unit_price": "7" });
    let old = add(&church, &id, old).await["line_item_id"].clone();
    let line = |nth: i64| {
        json!({ "quote_id": id, "description": format!("{nth}"), "unit_price": nth, "position": 1 })
    };
    let mut calls: Vec<_> = (1..=8).map(|nth| ("quote.add_line_item", line(nth))).collect();
    calls.insert(4, ("quote.remove_line_item", json!({ "line_item_id": old })));
    for receipt in at_once(&mut church, calls).await {
        assert_eq!(receipt["status"], "succeeded", "{receipt:#}");
    }
    let shown = done(&church, "quote.get", json!({ "quote_id": id })).await;
    let positions = shown["line_items"].as_array().expect("lines").iter().map(|it| &it["position"]);
    assert_eq!(positions.filter_map(Value::as_i64).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(sums(&shown["quote"]), ["36.00", "3.60", "39.60"]);
    church.assert_consistent().await;
});
