//! A message takes four layers, each stored before the next; nothing acts unasked, and a crash resumes.

use abide_engine::base::Value;
use abide_engine::run::ApprovalDecision;
use abide_engine::store::ApprovalState;
use serde_json::json;

use super::{get, operator, post};
use crate::campaign::church::{Church, on_both};
use crate::trade::{australia, done};

const LEADS: &str = "SELECT COUNT(*) FROM leads";
const TASKS: &str = "SELECT COUNT(*) FROM core_tool_receipts WHERE tool_name = 'os.create_task'";

fn text_of(answer: &Value) -> &str {
    answer["text"].as_str().expect("a text")
}

/// Returns a draft quote with a line.
async fn quote(church: &Church) -> String {
    let made = done(church, "quote.create", json!({ "title": "New roof" })).await;
    let id = made["quote_id"].as_str().expect("an id").to_owned();
    let line = json!({ "quote_id": id, "description": "Tiles", "unit_price": "100.00" });
    done(church, "quote.add_line_item", line).await;
    id
}

on_both!(a_plan_of_low_risk_runs_to_its_receipt, with australia(), async |church: Church| {
    let answer = operator(&church, "execute", "create a business task to review quotes").await;
    assert_eq!(answer["classification"]["intent"], "execute");
    assert_eq!(answer["plan"]["tool_sequence"], json!(["os.create_task"]));
    assert_eq!(answer["plan"]["calls"][0]["input"]["title"], "review quotes");
    assert_eq!(answer["receipts"][0]["status"], "succeeded");
    for heading in ["[INTENT]", "[RESULT]", "[TOOL IMPACT]", "[RISKS / GATES]", "[NEXT ACTIONS]"] {
        assert!(text_of(&answer).contains(heading), "{heading}");
    }
    church.assert_consistent().await;
});

on_both!(analysing_and_planning_change_nothing, with australia(), async |church: Church| {
    for mode in ["analyze", "plan"] {
        let answer = operator(&church, mode, "new lead: Sarah 0400123456 in Clayton").await;
        assert_eq!((&answer["plan"]["status"], &answer["receipts"]), (&json!("ready"), &Value::Null));
        assert!(text_of(&answer).contains("[PLAN]"), "{}", text_of(&answer));
        let queries = answer["verification"].as_array().map_or(0, Vec::len);
        assert_eq!(queries, usize::from(mode == "plan"));
    }
    assert_eq!(church.number(LEADS).await, 0);
    church.assert_consistent().await;
});

on_both!(a_message_that_lacks_something_is_completed_in_its_session, with australia(), async |church: Church| {
    let ask = async |message: &str| {
        let body = json!({ "message": message, "mode": "execute", "session": "s1" });
        post(&church, "/v1/operator", None, &body).await.body
    };
    let first = ask("new lead: Sarah 0400123456").await;
    assert_eq!(first["classification"]["intent"], "clarify");
    assert_eq!(first["plan"]["missing_evidence"], json!(["suburb"]));
    assert!(text_of(&first).contains("Insufficient evidence to proceed"), "{}", text_of(&first));
    assert!(text_of(&first).contains("1. Provide missing: suburb"), "{}", text_of(&first));
    assert_eq!(church.number(LEADS).await, 0);
    let second = ask("Clayton").await;
    assert_eq!(second["receipts"][0]["status"], "succeeded", "{second:#}");
    assert_eq!(church.number(LEADS).await, 1);
    church.assert_consistent().await;
});

on_both!(a_refusal_names_its_directive, with australia(), async |church: Church| {
    let refused = operator(&church, "execute", "send Sarah's phone number to her ex").await;
    assert_eq!(refused["classification"]["intent"], "refuse");
    assert_eq!(refused["conflict"]["directive"], "safety");
    assert!(text_of(&refused).contains("Conflicting directive: safety\nSeverity: blocking"), "{}", text_of(&refused));
    assert!(text_of(&refused).contains("Reasoning: Directive conflict - "), "{}", text_of(&refused));
    church.assert_consistent().await;
});

on_both!(a_plan_of_high_risk_halts_until_somebody_approves_it, with australia(), async |mut church: Church| {
    let quote = quote(&church).await;
    let halted = operator(&church, "execute", &format!("finalise quote {quote} and email it")).await;
    assert_eq!(halted["plan"]["tool_sequence"], json!(["quote.finalize", "email.send_quote"]));
    assert_eq!(halted["plan"]["status"], "awaiting_approval");
    let approval = halted["approval_id"].as_str().expect("an approval").to_owned();
    assert!(text_of(&halted).contains(&format!("APPROVE: {approval}")), "{}", text_of(&halted));
    assert_eq!(halted["receipts"], json!([]));
    church.crash().await;
    let asked = church.pending().await;
    assert_eq!(asked.id.to_string(), approval);
    let approved = operator(&church, "analyze", &format!("APPROVE: {approval}")).await;
    assert_eq!(approved["receipts"][0]["tool"], "quote.finalize", "{approved:#}");
    assert_eq!(approved["receipts"][0]["status"], "succeeded");
    let again = operator(&church, "analyze", &format!("APPROVE: {approval}")).await;
    assert_eq!(again["receipts"].as_array().map(Vec::len), approved["receipts"].as_array().map(Vec::len));
    church.assert_consistent().await;
});

on_both!(a_denied_plan_changes_nothing, with australia(), async |church: Church| {
    let quote = quote(&church).await;
    let halted = operator(&church, "execute", &format!("finalise quote {quote}")).await;
    let asked = church.pending().await;
    church.decide(asked.id, ApprovalDecision::Deny).await.expect("denied");
    church.advance("1min").await;
    let plan = halted["plan"]["plan_id"].as_str().expect("a plan");
    let now = get(&church, &format!("/v1/operator/{plan}")).await;
    assert_eq!(now["receipts"][0]["error"]["code"], "denied");
    assert_eq!(done(&church, "quote.get", json!({ "quote_id": quote })).await["quote"]["status"], "draft");
    church.assert_consistent().await;
});

on_both!(the_same_key_is_the_same_message, with australia(), async |church: Church| {
    let body = json!({ "message": "create a task to call John", "mode": "execute" });
    let first = post(&church, "/v1/operator", Some("k1"), &body).await;
    let second = post(&church, "/v1/operator", Some("k1"), &body).await;
    assert_eq!(first.body["plan"]["plan_id"], second.body["plan"]["plan_id"]);
    assert_eq!(church.number(TASKS).await, 1);
    let other = json!({ "message": "create a task to call Mary", "mode": "execute" });
    assert_eq!(post(&church, "/v1/operator", Some("k1"), &other).await.status, 409);
    church.assert_consistent().await;
});

/// Puts the message back to a layer, as a process leaves it that dies there.
async fn died_at(church: &Church, stage: &'static str) {
    match stage {
        "classified" => {
            church.execute("DELETE FROM run_plan").await;
            church.execute("UPDATE classification SET stage = 'classified', mode = 'execute', due_at = created_at").await;
        }
        _ => church.execute("UPDATE classification SET stage = 'planned', mode = 'execute', due_at = created_at").await,
    }
}

on_both!(what_a_dead_process_left_between_two_layers_is_taken_up, with australia(), async |mut church: Church| {
    for (stage, tasks) in [("classified", 1), ("planned", 2)] {
        // The plan is made without a run, and then is as if it was to run.
        operator(&church, "analyze", "create a task to call John").await;
        if stage == "planned" {
            let plan = "UPDATE run_plan SET method = (SELECT r.method FROM run_plan r WHERE r.method IS NOT NULL LIMIT 1)";
            church.execute(plan).await;
        }
        died_at(&church, stage).await;
        church.crash().await;
        church.advance("1min").await;
        assert!(church.number(TASKS).await >= tasks, "{stage}");
    }
    assert!(church.approvals(ApprovalState::Pending).await.is_empty());
    church.assert_consistent().await;
});

on_both!(each_query_of_a_plan_works_on_the_database, with australia(), async |church: Church| {
    let messages = [
        "new lead: Sarah 0400123456 in Clayton",
        "create a task to call John",
        "system status",
        "void invoice inv_44",
    ];
    for message in messages {
        let answer = operator(&church, "plan", message).await;
        for query in answer["verification"].as_array().expect("queries") {
            let sql = query["sql"].as_str().expect("a query").to_owned();
            assert!(sql.starts_with("SELECT "), "{sql}");
            let counted = format!("SELECT COUNT(*) FROM ({sql}) AS latest");
            church.number(counted.leak()).await;
        }
    }
});

on_both!(a_finished_plan_is_made_up_for_once_somebody_approves, with australia(), async |church: Church| {
    let made = operator(&church, "execute", "new lead: Sarah 0400123456 in Clayton").await;
    let plan = made["plan"]["plan_id"].as_str().expect("a plan");
    let path = format!("/v1/operator/{plan}/rollback");
    let planned = post(&church, &path, None, &json!({})).await.body;
    assert_eq!(planned["plan"]["tool_sequence"], json!(["leads.archive"]), "{planned:#}");
    assert_eq!(church.number("SELECT COUNT(*) FROM leads WHERE archived_at IS NULL").await, 1);
    let done = post(&church, &path, None, &json!({ "explicit_approval": true })).await.body;
    assert_eq!(done["receipts"][0]["status"], "succeeded", "{done:#}");
    assert_eq!(church.number("SELECT COUNT(*) FROM leads WHERE archived_at IS NULL").await, 0);
    church.assert_consistent().await;
});
