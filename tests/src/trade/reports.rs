//! Reports: figures that the database computes, and snapshots of them.

use abide_engine::base::{Digest, Value};
use serde_json::json;

use super::{done, failed};
use crate::campaign::church::{Church, Setup, on_both};

/// Runs statements that fill the tables, because no tool sets the amounts and the times of the past.
async fn fill(church: &Church, statements: &[&'static str]) {
    for statement in statements {
        church.execute(statement).await;
    }
}

const LEADS: &str =
    "INSERT INTO leads (tenant, id, name, phone, status, assigned_to, archived_at, created_at,
    updated_at) VALUES
    ('default', 'lead_1', 'Ana', '+61400000001', 'new', 'Pat', NULL, 0, 0),
    ('default', 'lead_2', 'Bo', '+61400000002', 'quoted', 'Pat', NULL, 0, 0),
    ('default', 'lead_3', 'Cleo', '+61400000003', 'quoted', NULL, NULL, 0, 0),
    ('default', 'lead_4', 'Dan', '+61400000004', 'quoted', 'Pat', 1, 0, 0),
    ('other', 'lead_5', 'Eve', '+61400000005', 'new', 'Pat', NULL, 0, 0)";
/// 2025-09-20 12:00 and 2025-09-29 12:00 in Chicago; the tests begin on 2025-09-30.
const QUOTES: &str =
    "INSERT INTO quotes (tenant, id, title, lead_id, status, subtotal, total, sent_at, created_at,
    updated_at) VALUES
    ('default', 'quo_1', 'Ridge', 'lead_2', 'draft', 100001, 100001, NULL, 0, 0),
    ('default', 'quo_2', 'Valley', 'lead_2', 'sent', 50, 50, 1758387600000000, 0, 0),
    ('default', 'quo_3', 'Gutters', 'lead_3', 'accepted', 7, 7, 1758387600000000, 0, 0),
    ('default', 'quo_4', 'Tiles', 'lead_3', 'declined', 900, 900, 1758387600000000, 0, 0),
    ('default', 'quo_5', 'Slate', NULL, 'sent', 300, 300, 1759165200000000, 0, 0)";

/// One line for each quote, which costs what the quote costs.
const QUOTE_LINES: &str =
    "INSERT INTO quote_line_items (tenant, id, quote_id, position, description,
    quantity, unit_price, net, tax, created_at, updated_at)
    SELECT tenant, 'line_' || id, id, 1, 'All', '1', total, total, 0, 0, 0 FROM quotes";

on_both!(the_pipeline_counts_and_sums_by_stage, async |church: Church| {
    let empty = done(&church, "report.pipeline", json!({})).await;
    assert_eq!(empty["leads"].as_array().map(Vec::len), Some(6));
    fill(&church, &[LEADS, QUOTES]).await;
    let report = done(&church, "report.pipeline", json!({})).await;
    let stage = |list: &str, stage: &str| -> Value {
        let stages = report[list].as_array().expect("a list");
        stages.iter().find(|it| it["stage"] == stage).expect("the stage").clone()
    };
    assert_eq!(stage("leads", "new"), json!({ "stage": "new", "count": 1, "sum": "0.00" }));
    assert_eq!(
        stage("leads", "quoted"),
        json!({ "stage": "quoted", "count": 2, "sum": "1000.58" })
    );
    assert_eq!(stage("leads", "lost"), json!({ "stage": "lost", "count": 0, "sum": "0.00" }));
    assert_eq!(stage("quotes", "draft"), json!({ "stage": "draft", "count": 1, "sum": "1000.01" }));
    assert_eq!(stage("quotes", "sent"), json!({ "stage": "sent", "count": 2, "sum": "3.50" }));
    let of_pat = done(&church, "report.pipeline", json!({ "assigned_to": "Pat" })).await;
    assert_eq!(of_pat["leads"][3], json!({ "stage": "quoted", "count": 1, "sum": "1000.51" }));
    assert_eq!(of_pat["quotes"][2], json!({ "stage": "sent", "count": 1, "sum": "0.50" }));
});

/// Around the midnight in Chicago with which 2025-09-01 begins, which is 05:00 in UTC.
const INVOICES: &str =
    "INSERT INTO invoices (tenant, id, title, status, total, paid, due_date, finalized_at,
    created_at, updated_at) VALUES
    ('default', 'inv_1', 'August', 'sent', 100000, 30000, '2025-09-14', 1756702799999999, 0, 0),
    ('default', 'inv_2', 'September', 'paid', 2001, 2001, '2025-09-14', 1756702800000000, 0, 0),
    ('default', 'inv_3', 'Void', 'void', 999, 0, '2025-09-14', 1756702800000000, 0, 0),
    ('default', 'inv_4', 'Draft', 'draft', 777, 0, NULL, NULL, 0, 0),
    ('default', 'inv_5', 'Due later', 'sent', 10, 0, '2025-09-24', 1756702800000001, 0, 0),
    ('other', 'inv_6', 'Other', 'sent', 5, 0, '2025-09-01', 1756702800000000, 0, 0)";
const PAYMENTS: &str =
    "INSERT INTO payments (tenant, id, invoice_id, kind, amount, received_at, created_at,
    updated_at) VALUES
    ('default', 'pay_1', 'inv_1', 'payment', 40000, 1756702799999999, 0, 0),
    ('default', 'pay_2', 'inv_1', 'refund', 10000, 1756702800000000, 0, 0),
    ('default', 'pay_3', 'inv_2', 'payment', 2001, 1756702800000000, 0, 0)";

on_both!(months_of_the_revenue_begin_where_the_business_is, async |church: Church| {
    fill(&church, &[INVOICES, PAYMENTS]).await;
    let report = done(&church, "report.revenue", json!({ "from_month": "2025-07" })).await;
    let expected = json!([
        { "month": "2025-07", "invoiced": "0.00", "paid": "0.00", "outstanding": "0.00" },
        { "month": "2025-08", "invoiced": "1000.00", "paid": "400.00", "outstanding": "700.00" },
        { "month": "2025-09", "invoiced": "20.11", "paid": "-79.99", "outstanding": "0.10" },
    ]);
    assert_eq!(report["months"], expected);
    assert_eq!(
        report["total"],
        json!({ "invoiced": "1020.11", "paid": "320.01", "outstanding": "700.10" })
    );
    let whole = done(&church, "report.revenue", json!({})).await;
    assert_eq!(whole["months"].as_array().map(Vec::len), Some(12));
    let backwards = json!({ "from_month": "2025-10", "to_month": "2025-09" });
    let (code, message) = failed(&church, "report.revenue", backwards).await;
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("invalid_args", "`from_month` is after the last month")
    );
});

on_both!(
    months_follow_the_time_zone_of_the_business,
    with Setup::settings(json!({ "time_zone": "Australia/Sydney" })),
    async |church: Church| {
        fill(&church, &[INVOICES]).await;
        let report = done(&church, "report.revenue", json!({ "from_month": "2025-08" })).await;
        assert_eq!(report["months"][0]["invoiced"], "0.00", "in Sydney, September had begun");
        assert_eq!(report["months"][1]["invoiced"], "1020.11");
        assert_eq!(report["months"][2]["month"], "2025-10", "in Sydney, October has begun");
    }
);

on_both!(jobs_that_are_due_say_what_blocks_them, async |church: Church| {
    let customer =
        done(&church, "customer.create", json!({ "name": "Ana" })).await["customer_id"].clone();
    fill(&church, &[LEADS, QUOTES, QUOTE_LINES]).await;
    let job = async |title: &str, members: Value, times: [&str; 2]| {
        let mut input = json!({ "title": title });
        input
            .as_object_mut()
            .expect("members")
            .extend(members.as_object().expect("members").clone());
        let id = done(&church, "job.create", input).await["job_id"].clone();
        let times = json!({ "job_id": id, "starts_at": times[0], "ends_at": times[1] });
        done(&church, "job.schedule", times).await;
        id
    };
    let ready =
        json!({ "customer_id": customer, "address": "1 High Street", "assigned_to": "Pat" });
    let first =
        job("Ready", ready.clone(), ["2025-10-02T09:00:00-05:00", "2025-10-02T11:00:00-05:00"])
            .await;
    job(
        "Bare",
        json!({ "quote_id": "quo_2" }),
        ["2025-10-01T09:00:00-05:00", "2025-10-01T10:00:00-05:00"],
    )
    .await;
    job("Later", ready.clone(), ["2025-10-08T00:00:00-05:00", "2025-10-08T01:00:00-05:00"]).await;
    job("Last", ready.clone(), ["2025-10-07T23:00:00-05:00", "2025-10-07T23:30:00-05:00"]).await;
    let report = done(&church, "report.jobs_due", json!({})).await;
    let titles = |report: &Value| -> Vec<Value> {
        report["jobs"].as_array().expect("a list").iter().map(|job| job["title"].clone()).collect()
    };
    assert_eq!(
        (titles(&report), &report["count"]),
        (vec!["Bare".into(), "Ready".into(), "Last".into()], &json!(3))
    );
    let reasons: Vec<Value> = report["jobs"][0]["blocked_by"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|block| block["reason"].clone())
        .collect();
    assert_eq!(reasons, ["not_assigned", "no_address", "no_customer", "quote_not_accepted"]);
    assert_eq!(report["jobs"][1]["blocked_by"], json!([]));
    job("Twice", ready, ["2025-10-02T10:59:00-05:00", "2025-10-02T12:00:00-05:00"]).await;
    let report =
        done(&church, "report.jobs_due", json!({ "assigned_to": "Pat", "days": 2, "limit": 1 }))
            .await;
    assert_eq!((titles(&report), &report["count"]), (vec!["Ready".into()], &json!(2)));
    assert_eq!(
        (&report["jobs"][0]["job_id"], &report["jobs"][0]["blocked_by"][0]["reason"]),
        (&first, &json!("overlaps_job"))
    );
    church.assert_consistent().await;
});

on_both!(follow_ups_are_what_nobody_has_answered, async |church: Church| {
    fill(&church, &[LEADS, QUOTES, INVOICES]).await;
    let report = done(&church, "report.follow_ups", json!({})).await;
    let quote = json!({
        "quote_id": "quo_2", "title": "Valley", "lead_id": "lead_2", "total": "0.50",
        "sent_at": "2025-09-20T17:00:00+00:00", "days": 10,
    });
    assert_eq!(report["quotes"], json!([quote]));
    let invoice = json!({
        "invoice_id": "inv_1", "title": "August", "outstanding": "700.00", "due_date": "2025-09-14", "days": 16,
    });
    assert_eq!(report["invoices"], json!([invoice]));
    assert_eq!(report["count"], 2);
    let all = done(&church, "report.follow_ups", json!({ "days": 1, "limit": 1 })).await;
    assert_eq!((all["quotes"].as_array().map(Vec::len), &all["count"]), (Some(1), &json!(4)));
    assert_eq!(
        done(&church, "report.follow_ups", json!({ "days": 6 })).await["count"],
        3,
        "due six days ago"
    );
});

on_both!(a_snapshot_keeps_the_figures_of_its_time, async |church: Church| {
    fill(&church, &[LEADS, QUOTES, INVOICES, PAYMENTS]).await;
    let made = done(&church, "os.create_snapshot", json!({ "name": "September" })).await;
    let figures = made["snapshot"]["data"].clone();
    assert_eq!(figures["pipeline"]["leads"][0]["count"], 1);
    assert_eq!(made["digest"], Digest::of_value(&figures).to_string());
    fill(&church, &["DELETE FROM payments"]).await;
    let listed = done(&church, "os.list_snapshots", json!({ "name": "September" })).await;
    let kept = &listed["snapshots"][0];
    assert_eq!((&kept["data"], &kept["digest"]), (&figures, &made["digest"]));
    assert_eq!(Digest::of_value(&kept["data"]).to_string(), kept["digest"]);
});

on_both!(a_health_check_says_what_it_found, async |church: Church| {
    let health = done(&church, "os.health_check", json!({})).await;
    let names: Vec<&Value> =
        health["checks"].as_array().expect("a list").iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["database", "clock", "queue", "outbox"]);
    assert_eq!(health["checks"][2]["status"], "ok", "{health:#}");
});
