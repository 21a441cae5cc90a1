//! `abide serve --workers 0` accepts requests, and `abide worker` drives the runs.

use serde_json::{Value, json};

use crate::deployment::{Deployment, assert_one_receipt_a_call, poll_until};
use crate::postgres::TestDb;
use crate::process::{ServerProcess, WorkerProcess, run_abide};

const PAT: &str = "+15125550100";

fn text(id: &str, from: &str, body: &str) -> Value {
    json!({"id": id, "from": from, "to": "+15125550199", "body": body})
}

async fn receive(server: &ServerProcess, message: Value) -> Value {
    let reply = server.post("/v1/messages/inbound", &message).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.body
}

/// Waits until a message with this template has been sent to a phone number.
async fn until_told(server: &ServerProcess, to: &str, template: &str) {
    let path = format!("/v1/messages?to=%2B{}&direction=outbound", to.trim_start_matches('+'));
    let told = |page: &Value| {
        let messages = page["items"].as_array().into_iter().flatten();
        let mut kinds =
            messages.filter(|m| m["state"] == "sent").filter_map(|m| m["kind"].as_str());
        kinds.any(|kind| kind.split('~').next() == Some(template))
    };
    poll_until(server, &path, told).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_workers_and_a_worker_work_together() {
    let deployment = Deployment::seeded(TestDb::postgres());
    let server = deployment.serve(&["--workers", "0"]);
    let asked = text("SM1", PAT, "Fill 2 nursery spots for the 9am service");
    assert_eq!(
        receive(&server, asked).await["handled_as"],
        "stored",
        "no process interprets it yet"
    );

    let worker = deployment.worker();
    until_told(&server, PAT, "staff_ack").await;
    let runs =
        poll_until(&server, "/v1/runs", |page| page["items"][0]["status"] == "waiting").await;
    let run = runs["items"][0]["id"].as_str().expect("a run").to_owned();
    until_told(&server, "+15125550101", "invite").await;
    receive(&server, text("SM2", "+15125550101", "yes")).await;
    until_told(&server, "+15125550101", "confirmed").await;

    worker.kill();
    let nobody = "An operator must start `abide serve` or `abide worker`.";
    let path = format!("/v1/runs/{run}/explain");
    let told = poll_until(&server, &path, |told| told["must_act"] == nobody).await;
    assert!(told["text"].as_str().is_some_and(|t| t.contains("No process is working")), "{told}");
    let late = receive(&server, text("SM3", "+15125550102", "yes")).await;
    assert_eq!(late["handled_as"], "stored");
    let stands = server.get(&format!("/v1/runs/{run}")).await.body;
    assert_eq!((&stands["status"], &stands["waiting_on"]["have"]), (&json!("waiting"), &json!(1)));

    let worker = deployment.worker();
    let ended =
        poll_until(&server, &format!("/v1/runs/{run}"), |run| run["status"] == "completed").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended:#}");
    until_told(&server, PAT, "summary").await;
    assert_one_receipt_a_call(&server, &run).await;
    let repeated = receive(&server, text("SM3", "+15125550102", "yes")).await;
    assert_eq!((&repeated["handled_as"], &repeated["duplicate"]), (&json!("reply"), &json!(true)));
    end(deployment, server, [worker]);
}

/// A process usually drives the runs that it starts, but a server with `--workers 0` does not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_workers_drives_no_run() {
    let method = "method: alone\nsteps:\n  - set: { done: true }\n";
    let deployment = Deployment::seeded(TestDb::postgres()).with_method("alone", method);
    let server = deployment.serve(&["--workers", "0"]);
    let mut ids = Vec::new();
    for n in 0..3 {
        let started = server.post("/v1/runs", &json!({"method": "alone", "goal": {"n": n}})).await;
        assert_eq!(started.status, 202, "{started:?}");
        ids.push(started.body["id"].as_str().expect("an id").to_owned());
    }
    assert_eq!(deployment.db.number("SELECT count(owner) FROM turn").await, 0);
    assert_eq!(deployment.db.number("SELECT count(*) FROM turn").await, 3);
    let worker = deployment.worker();
    for id in ids {
        poll_until(&server, &format!("/v1/runs/{id}"), |run| run["status"] == "completed").await;
    }
    end(deployment, server, [worker]);
}

/// A command drives runs without a lease. If the command crashes, the next worker takes its runs over.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_of_a_crashed_command_are_freed() {
    let method = "method: alone\nsteps:\n  - set: { done: true }\n";
    let deployment = Deployment::seeded(TestDb::postgres()).with_method("alone", method);
    let server = deployment.serve(&["--workers", "0"]);
    let started = server.post("/v1/runs", &json!({"method": "alone", "goal": {}})).await;
    let id = started.body["id"].as_str().expect("an id").to_owned();
    let taken = "UPDATE turn SET owner = run_id, epoch = 2, claims = 1";
    deployment.db.execute(taken).await;
    let worker = deployment.worker();
    poll_until(&server, &format!("/v1/runs/{id}"), |run| run["status"] == "completed").await;
    end(deployment, server, [worker]);
}

fn end<const N: usize>(deployment: Deployment, server: ServerProcess, workers: [WorkerProcess; N]) {
    for worker in workers {
        assert!(worker.stop().success(), "a clean stop");
    }
    assert!(server.stop().success(), "a clean stop");
    deployment.assert_audit_is_clean();
}

#[test]
fn an_embedded_file_is_driven_by_one_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("abide.db").display().to_string();
    let refused = |command: &[&str], code: &str, remedy: &str| {
        let refused = run_abide(&[command, &["--db", &db, "--json"]].concat());
        assert_eq!(refused.status.code(), Some(1), "{refused:?}");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(said.contains(code) && said.contains(remedy), "{said}");
    };
    let halved = ["serve", "--workers", "0", "--listen", "127.0.0.1:0"];
    refused(&halved, "workers_needed", "share a PostgreSQL database");
    let server = ServerProcess::serve(&db, &[]);
    refused(&["worker"], "database_in_use", "hint");
    refused(&["serve", "--listen", "127.0.0.1:0"], "database_in_use", "hint");
    assert!(server.stop().success());
}
