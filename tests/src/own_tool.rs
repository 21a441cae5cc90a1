//! The two servers of `docs/how-to/your-own-tool.md`, in Python and in TypeScript, carry out calls of the real
//! program. All three are killed in the middle of calls, and each call has one receipt.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::how_to::{save, saved_files};
use crate::process::ServerProcess;
use crate::support::wait_until;

const PAGE: &str = include_str!("../../docs/how-to/your-own-tool.md");
const SECRET: &str = "a secret of the test";

/// A server of the page, which is killed with its children when this value is dropped.
struct ToolServer(Child);

impl ToolServer {
    fn start(program: &[&str], folder: &Path, environment: &BTreeMap<&str, String>) -> Self {
        let mut command = Command::new(program[0]);
        command.args(&program[1..]).current_dir(folder).envs(environment).process_group(0);
        Self(command.stdin(Stdio::null()).spawn().expect("the server starts"))
    }

    fn signal(&self, signal: &str) {
        let group = format!("-{}", self.0.id());
        let sent = Command::new("kill").args([signal, "--", &group]).status();
        assert!(sent.expect("`kill` runs").success(), "{signal} to {group}");
    }

    fn kill(mut self) {
        self.signal("-KILL");
        self.0.wait().expect("its end");
    }
}

impl Drop for ToolServer {
    fn drop(&mut self) {
        let group = format!("-{}", self.0.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.0.wait();
    }
}

/// The page in a folder, with ports that are free.
struct Yard {
    folder: tempfile::TempDir,
    price_port: u16,
    build_port: u16,
    abide: String,
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

impl Yard {
    fn new() -> Self {
        let yard = Self {
            folder: tempfile::tempdir().expect("a folder"),
            price_port: free_port(),
            build_port: free_port(),
            abide: format!("127.0.0.1:{}", free_port()),
        };
        for (path, text) in saved_files(PAGE) {
            let text = text.replace("8091", &yard.price_port.to_string());
            let text = text.replace("8092", &yard.build_port.to_string());
            let text = text.replace("timeout: 10s", "timeout: 1s"); // so that a doubt is short
            save(yard.folder.path(), &path, &text);
        }
        yard
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn environment(&self) -> BTreeMap<&'static str, String> {
        let url = format!("http://{}", self.abide);
        BTreeMap::from([("ROOF_SECRET", SECRET.to_owned()), ("ABIDE_URL", url)])
    }

    async fn serve(&self) -> ServerProcess {
        let (db, home) = (self.path("roof.db"), self.path("home"));
        let more = ["--home", home.to_str().expect("a path")];
        let db = db.to_str().expect("a path");
        ServerProcess::serve_at(&self.abide, db, &more, &self.environment())
    }

    async fn price_server(&self) -> ToolServer {
        self.tool_server(&["python3", "price.py"], self.price_port).await
    }

    async fn build_server(&self) -> ToolServer {
        let program: &[&str] = match runs_typescript() {
            true => &["node", "build.ts"],
            false => &["npx", "--yes", "tsx@4", "build.ts"],
        };
        self.tool_server(program, self.build_port).await
    }

    async fn tool_server(&self, program: &[&str], port: u16) -> ToolServer {
        let server = ToolServer::start(program, self.folder.path(), &self.environment());
        let listens = async || tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok();
        wait_until("the server of the tool listens", listens).await;
        server
    }
}

/// Whether Node runs TypeScript by itself, which version 22.18 and newer do.
fn runs_typescript() -> bool {
    let printed = Command::new("node").arg("--version").output().expect("`node` runs").stdout;
    let version = String::from_utf8_lossy(&printed).trim().trim_start_matches('v').to_owned();
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next(), parts.next()) >= (Some(22), Some(18))
}

/// Makes a call without waiting for its receipt, and returns its id.
async fn begin(abide: &ServerProcess, tool: &str, input: Value) -> String {
    let path = format!("/v1/tools/{tool}/calls?wait=0s");
    let answer = abide.post(&path, &json!({ "input": input })).await;
    assert!([200, 202].contains(&answer.status), "{answer:?}");
    answer.body["call_id"].as_str().expect("an id").to_owned()
}

async fn status(abide: &ServerProcess, call: &str) -> Value {
    abide.get(&format!("/v1/calls/{call}")).await.body["status"].clone()
}

/// Returns the receipt of a call once it is finished.
async fn receipt(abide: &ServerProcess, call: &str) -> Value {
    let finished =
        async || abide.get(&format!("/v1/calls/{call}")).await.body["receipt"].is_object();
    wait_until("the call is finished", finished).await;
    abide.get(&format!("/v1/calls/{call}")).await.body["receipt"].clone()
}

#[tokio::test]
async fn a_server_that_is_killed_before_it_answers_gets_the_call_again() {
    let yard = Yard::new();
    let (abide, server) = (yard.serve().await, yard.price_server().await);
    let call = begin(&abide, "roof.price", json!({ "square_metres": 80 })).await;
    let first = receipt(&abide, &call).await;
    assert_eq!((&first["status"], &first["result"]["price"]), (&json!("succeeded"), &json!(9_600)));

    server.signal("-STOP");
    let call = begin(&abide, "roof.price", json!({ "square_metres": 10 })).await;
    wait_until("the call is under way", async || status(&abide, &call).await == "running").await;
    server.kill();
    let server = yard.price_server().await;
    let second = receipt(&abide, &call).await;
    assert_eq!(
        (&second["status"], &second["result"]["price"]),
        (&json!("succeeded"), &json!(1_200))
    );

    drop(server);
    let wrong = json!({ "input": { "square_metres": 0 } });
    let refused = abide.post("/v1/tools/roof.price/calls", &wrong).await;
    assert_eq!(refused.status, 422, "a wrong input reaches no server: {refused:?}");
}

#[tokio::test]
async fn abide_that_is_killed_between_call_and_receipt_asks_again() {
    let yard = Yard::new();
    let (abide, server) = (yard.serve().await, yard.price_server().await);
    server.signal("-STOP");
    let call = begin(&abide, "roof.price", json!({ "square_metres": 80 })).await;
    wait_until("the call is under way", async || status(&abide, &call).await == "running").await;
    abide.kill();
    server.signal("-CONT");
    let abide = yard.serve().await;
    let receipt = receipt(&abide, &call).await;
    assert_eq!(
        (&receipt["status"], &receipt["result"]["price"]),
        (&json!("succeeded"), &json!(9_600))
    );
    let all = abide.get("/v1/receipts?tool=roof.price").await;
    assert_eq!(all.body["items"].as_array().map(Vec::len), Some(1), "{:?}", all.body);
}

#[tokio::test]
async fn an_accepted_call_outlives_its_server_and_abide() {
    let yard = Yard::new();
    let (abide, server) = (yard.serve().await, yard.build_server().await);
    let call = begin(&abide, "roof.build", json!({ "address": "1 Elm St" })).await;
    let kept = yard.path("orders.json");
    let accepted = async || std::fs::read_to_string(&kept).is_ok_and(|text| text.contains(&call));
    wait_until("the call is accepted", accepted).await;
    server.kill();
    abide.kill();
    let abide = yard.serve().await;
    assert_eq!(status(&abide, &call).await, "running");
    let _server = yard.build_server().await;
    std::fs::write(yard.path("built"), "").expect("built");
    let done = receipt(&abide, &call).await;
    assert_eq!(
        (&done["status"], &done["result"]["built"]),
        (&json!("succeeded"), &json!("1 Elm St"))
    );
    assert_eq!(done["effects"]["external_calls"][0]["outcome"], "done");
    let all = abide.get("/v1/receipts?tool=roof.build").await;
    assert_eq!(all.body["items"].as_array().map(Vec::len), Some(1), "{:?}", all.body);
    let forged = json!({ "result": { "built": "2 Elm St" } });
    let refused = abide.post(&format!("/v1/calls/{call}/complete"), &forged).await;
    assert_eq!(refused.status, 401, "{refused:?}");
}
