//! The demo of the trade: loaded once, with sums that hold.

use std::sync::Arc;

use abide_engine::clock::SystemClock;
use abide_engine::store::{RunRef, Store, tx_closure};
use abide_simulator::demo::{LoadedTrade, load_trade};
use abide_simulator::domains::copied_tables;
use abide_trade::demo::DemoContext;
use serde_json::{Value, json};

use super::{australia, done, sums};
use crate::campaign::church::{Church, on_both};
use crate::engines::store_options;

/// A method that waits for a signal.
const PATIENT: &str = "method: patient\nsteps:\n  - await: { signal: go, timeout: 1h }\n";

/// Loads the demo.
async fn load(church: &Church) -> LoadedTrade {
    let settings = church.engine().settings("default").await.expect("settings");
    let loading = tx_closure(move |tx| {
        let settings = settings.clone();
        Box::pin(async move {
            let cx = DemoContext { tenant: "default", now: tx.now(), settings: &settings };
            load_trade(tx, &cx).await
        })
    });
    church.engine().write(loading).await.expect("loaded")
}

on_both!(the_demo_is_loaded_once, with australia(), async |church: Church| {
    let first = load(&church).await;
    let names: Vec<_> = first.people.iter().map(|person| person.name.as_str()).collect();
    assert_eq!(names, ["Pat", "Mel", "Sam", "Jess"]);
    assert_eq!((first.inserted["leads"], first.inserted["payments"]), (6, 2));
    let change = json!({ "lead_id": "lead_00000000000000000000000000000001", "stage": "contacted" });
    done(&church, "leads.update_stage", change).await;
    let second = load(&church).await;
    assert_eq!((second.people, second.inserted.len()), (first.people, 0));
    assert_eq!(done(&church, "leads.list", json!({})).await["count"], 6);
    let contacted = done(&church, "leads.list_by_stage", json!({ "stage": "contacted" })).await;
    assert_eq!(contacted["count"], 2, "what somebody changed stays changed");
    church.assert_consistent().await;
});

on_both!(the_documents_of_the_demo_add_up, with australia(), async |church: Church| {
    load(&church).await;
    let invoice = async |number: u8| {
        let id = format!("inv_{number:032}");
        done(&church, "invoice.get", json!({ "invoice_id": id })).await["invoice"].clone()
    };
    let overdue = invoice(1).await;
    assert_eq!(sums(&overdue), ["434.40", "43.44", "477.84"]);
    let part_paid = invoice(2).await;
    assert_eq!((&part_paid["status"], &part_paid["paid"]), (&json!("sent"), &json!("400.00")));
    let paid = invoice(3).await;
    assert_eq!((&paid["status"], &paid["paid"]), (&json!("paid"), &json!("1650.00")));
    let late = done(&church, "invoice.list_overdue", json!({})).await;
    assert_eq!((&late["count"], &late["invoices"][0]["days_overdue"]), (&json!(1), &json!(10)));
    let asked = done(&church, "report.follow_ups", json!({ "days": 7 })).await;
    let titles = ["quotes", "invoices"].map(|list| asked[list][0]["title"].clone());
    assert_eq!(titles, ["New garage roof", "Grease trap"].map(Value::from));
    let jobs = done(&church, "report.jobs_due", json!({})).await;
    assert_eq!(jobs["count"], 1);
});

on_both!(a_lead_with_a_phone_of_the_demo_stays, with australia(), async |church: Church| {
    let input = json!({ "name": "Dev P.", "phone": "0491 570 313", "suburb": "Elwood" });
    let known = done(&church, "leads.create", input).await;
    assert_eq!(load(&church).await.inserted["leads"], 5);
    let quote = json!({ "quote_id": "quo_00000000000000000000000000000001" });
    let quote = done(&church, "quote.get", quote).await;
    assert_eq!(quote["quote"]["lead_id"], known["lead_id"]);
});

on_both!(a_copy_of_a_run_has_all_rows_of_its_tenant, with australia().method("patient", PATIENT), async |church: Church| {
    load(&church).await;
    let run = church.start("patient", json!({})).await.expect("started").id;
    let copy = church.engine().read(tx_closure(move |tx| {
        Box::pin(async move { tx.copy_run(RunRef { tenant: "default", run }, copied_tables()).await })
    }));
    let copy = Arc::new(copy.await.expect("read").expect("a copy"));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("copy.db");
    let options = store_options(file.to_str().expect("a path"), Arc::new(SystemClock), 5);
    Store::migrate(&options).await.expect("migrated");
    let other = Store::open(options, Arc::new(|_| {})).await.expect("opened");
    let written = Arc::clone(&copy);
    let put = tx_closure(move |tx| {
        let written = Arc::clone(&written);
        Box::pin(async move { Ok(tx.put_copy(&written).await?) })
    });
    other.write(put).await.expect("written");
    let again = tx_closure(move |tx| {
        Box::pin(async move { tx.copy_run(RunRef { tenant: "default", run }, copied_tables()).await })
    });
    let again = other.read(again).await.expect("read").expect("a copy");
    assert_eq!(again.rows, copy.rows);
    let text = format!("{again:?}");
    for number in [1, 2, 3] {
        assert!(text.contains(&format!("inv_{number:032}")), "{number}");
    }
});

on_both!(the_audit_finds_wrong_sums_positions_and_payments, with australia(), async |church: Church| {
    load(&church).await;
    for (sql, back, rule) in [
        (
            "UPDATE quotes SET total = total + 1",
            "UPDATE quotes SET total = total - 1",
            "document_sums",
        ),
        (
            "UPDATE invoice_line_items SET position = position + 1",
            "UPDATE invoice_line_items SET position = position - 1",
            "line_positions",
        ),
        (
            "UPDATE payments SET amount = amount + 1",
            "UPDATE payments SET amount = amount - 1",
            "invoice_paid",
        ),
    ] {
        church.execute(sql).await;
        let report = church.engine().audit().await.expect("audited");
        assert!(report.breaches.iter().any(|it| it.rule == rule), "{rule}: {report:#?}");
        church.execute(back).await;
        church.assert_consistent().await;
    }
});
