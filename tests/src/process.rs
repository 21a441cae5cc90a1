//! Runs the real `abide` program: commands until they exit,
//! and servers that are called over HTTP and killed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::Value;

/// Maximum time for `abide` to start or to end. It is long enough for a busy machine.
const START_MAX: Duration = Duration::from_secs(60);
/// Maximum time for a command to do its work. None takes nearly as long; one that hangs is to fail its test, and not to
/// keep all others from being reported.
const RUN_MAX: Duration = Duration::from_secs(600);

/// Message that `abide serve` prints on stderr once it accepts requests.
const SERVER_READY: &str = "listening on ";

/// Message that `abide worker` prints on stderr once it drives runs.
const WORKER_READY: &str = "working on up to ";

/// A running `abide serve`.
pub(crate) struct ServerProcess {
    process: Process,
    url: String,
    http: reqwest::Client,
}

/// A running `abide worker`.
pub(crate) struct WorkerProcess(Process);

/// A running `abide`, which is killed when this value is dropped.
struct Process {
    child: Child,
    stderr: StderrText,
}

/// A response of the HTTP API.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ApiAnswer {
    pub(crate) status: u16,
    /// JSON body; a JSON string if the body is not JSON.
    pub(crate) body: Value,
}

/// Everything that a process has written to stderr so far.
type StderrText = Arc<Mutex<String>>;

impl Process {
    /// Starts a command that keeps running. Waits until the command prints a line that contains the
    /// string `ready`. Returns the command, and the rest of that line after the string.
    fn start(arguments: &[&str], ready: &'static str) -> (Self, String) {
        Self::spawn(command(arguments), arguments, ready)
    }

    /// Does the same with a command that is ready to start.
    fn spawn(mut command: Command, arguments: &[&str], ready: &'static str) -> (Self, String) {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("`abide` starts");
        let written = StderrText::default();
        let stderr = child.stderr.take().expect("stderr is piped");
        let is_ready = record_stderr(stderr, ready, Arc::clone(&written));
        let Ok(rest) = is_ready.recv_timeout(START_MAX) else {
            child.kill().ok();
            let status = child.wait();
            panic!(
                "`abide {arguments:?}` is not ready ({status:?}); it wrote:\n{}",
                text(&written)
            );
        };
        (Self { child, stderr: written }, rest)
    }

    fn kill(mut self) {
        self.child.kill().expect("SIGKILL");
        self.child.wait().expect("its end");
    }

    fn stop(mut self) -> ExitStatus {
        self.signal("-TERM");
        let _watched = KilledIfStuck::watch(&self.child, "`abide` after SIGTERM".to_owned());
        self.child.wait().expect("its end")
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().expect("`kill` runs");
        assert!(sent.success(), "{signal} to {id}");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl WorkerProcess {
    /// Starts `abide worker --db DB` with further arguments, and returns when it drives runs.
    pub(crate) fn start(db: &str, more: &[&str]) -> Self {
        Self(Process::start(&[&["worker", "--db", db], more].concat(), WORKER_READY).0)
    }

    /// Kills the process (SIGKILL), as a power failure would, and returns when it has ended.
    pub(crate) fn kill(self) {
        self.0.kill();
    }

    /// Suspends the process in the middle of its work (SIGSTOP), as when a machine is put to sleep.
    pub(crate) fn freeze(&self) {
        self.0.signal("-STOP");
    }

    /// Resumes a frozen process (SIGCONT). The process does not know that it was suspended.
    pub(crate) fn thaw(&self) {
        self.0.signal("-CONT");
    }

    /// Asks the process to stop (SIGTERM) and returns its exit status.
    pub(crate) fn stop(self) -> ExitStatus {
        self.0.stop()
    }

    /// Returns what the process has written to stderr so far.
    pub(crate) fn stderr(&self) -> String {
        text(&self.0.stderr)
    }
}

impl ServerProcess {
    /// Starts `abide serve --db DB --dev` with further arguments on a free port.
    /// Returns when the server listens.
    pub(crate) fn serve(db: &str, more: &[&str]) -> Self {
        let fixed = ["serve", "--db", db, "--listen", "127.0.0.1:0", "--dev"];
        let (process, url) = Process::start(&[&fixed, more].concat(), SERVER_READY);
        Self { process, url: url.trim_end_matches('/').to_owned(), http: http_client() }
    }

    /// Starts `abide serve` at a fixed address with these environment variables.
    pub(crate) fn serve_at(
        address: &str,
        db: &str,
        more: &[&str],
        environment: &BTreeMap<&str, String>,
    ) -> Self {
        let arguments = [&["serve", "--db", db, "--listen", address, "--dev"], more].concat();
        let mut command = command(&arguments);
        command.envs(environment);
        let (process, url) = Process::spawn(command, &arguments, SERVER_READY);
        Self { process, url: url.trim_end_matches('/').to_owned(), http: http_client() }
    }

    /// Kills the process (SIGKILL), as a power failure would, and returns when it has ended.
    pub(crate) fn kill(self) {
        self.process.kill();
    }

    /// Asks the process to stop (SIGTERM) and returns its exit status.
    pub(crate) fn stop(self) -> ExitStatus {
        self.process.stop()
    }

    /// Returns what the process has written to stderr so far.
    pub(crate) fn stderr(&self) -> String {
        text(&self.process.stderr)
    }

    /// Returns the URL of the server.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Sends `GET path`, and panics if there is no response.
    pub(crate) async fn get(&self, path: &str) -> ApiAnswer {
        self.send(self.http.get(format!("{}{path}", self.url)))
            .await
            .unwrap_or_else(|e| self.no_answer(&e))
    }

    /// Sends `POST path` with a JSON body, and panics if there is no response.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> ApiAnswer {
        self.try_post(path, body).await.unwrap_or_else(|e| self.no_answer(&e))
    }

    /// Sends `POST path` with a JSON body to a process that may be killed before it responds.
    /// After an error, the request may or may not have been executed, as for any client of the API.
    pub(crate) async fn try_post(
        &self,
        path: &str,
        body: &Value,
    ) -> Result<ApiAnswer, reqwest::Error> {
        self.send(self.http.post(format!("{}{path}", self.url)).json(body)).await
    }

    /// Sends `POST path` with these bytes as the body, and panics if there is no response.
    pub(crate) async fn post_bytes(&self, path: &str, body: Vec<u8>) -> ApiAnswer {
        let request = self.http.post(format!("{}{path}", self.url));
        let request = request.header("content-type", "application/json").body(body);
        self.send(request).await.unwrap_or_else(|e| self.no_answer(&e))
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<ApiAnswer, reqwest::Error> {
        let answer = request.send().await?;
        let status = answer.status().as_u16();
        let text = answer.text().await?;
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Ok(ApiAnswer { status, body })
    }

    fn no_answer(&self, error: &reqwest::Error) -> ! {
        panic!("no answer: {error:?}; `abide` wrote:\n{}", self.stderr())
    }
}

fn http_client() -> reqwest::Client {
    let client = abide_adapters::client_builder().tls_certs_only([]).timeout(RUN_MAX);
    client.build().expect("a client")
}

/// Runs a command until it exits.
pub(crate) fn run_abide<A: AsRef<OsStr>>(arguments: &[A]) -> Output {
    let mut command = command(arguments);
    command.stdin(Stdio::null());
    output(command, "")
}

/// Runs a command until it exits, with a string piped into its stdin.
pub(crate) fn run_abide_with_input<A: AsRef<OsStr>>(arguments: &[A], text: &str) -> Output {
    let mut command = command(arguments);
    command.stdin(Stdio::piped());
    output(command, text)
}

/// Runs a command until it exits, with a string piped into its stdin if that is a pipe.
fn output(mut command: Command, text: &str) -> Output {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().expect("the command starts");
    let _watched = KilledIfStuck::watch(&child, format!("{command:?}"));
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(text.as_bytes()).expect("it listens");
    }
    child.wait_with_output().expect("its end")
}

/// Kills a process, with all that it has started, if it does not end within [`RUN_MAX`]. Dropped when it has ended.
struct KilledIfStuck {
    /// Tells the thread that waits that the process has ended, by being dropped.
    _ended: Sender<()>,
}

impl KilledIfStuck {
    fn watch(child: &Child, what: String) -> Self {
        let (sender, ended) = channel::<()>();
        let id = child.id();
        std::thread::spawn(move || {
            if ended.recv_timeout(RUN_MAX) == Err(RecvTimeoutError::Timeout) {
                // Straight to stderr: the output of a test that hangs is never shown.
                writeln!(
                    std::io::stderr(),
                    "{what} has not ended within {RUN_MAX:?}, and is killed"
                )
                .ok();
                let (process, group) = (id.to_string(), format!("-{id}"));
                Command::new("kill").args(["-KILL", "--", &group, &process]).status().ok();
            }
        });
        Self { _ended: sender }
    }
}

/// Runs a line of a shell in a folder, in which `abide` is the program that was built with this test.
pub(crate) fn run_shell(folder: &Path, line: &str) -> Output {
    let mut command = Command::new("sh");
    let line = format!("abide() {{ \"$PROGRAM\" \"$@\"; }}\n{line}");
    command.args(["-c", &line]).current_dir(folder).env("PROGRAM", program());
    without_configuration(&mut command).stdin(Stdio::null());
    output(command, "")
}

/// Builds a command that runs the program in the folder for temporary files.
fn command<A: AsRef<OsStr>>(arguments: &[A]) -> Command {
    let mut command = Command::new(program());
    command.args(arguments).current_dir(std::env::temp_dir());
    without_configuration(&mut command);
    command
}

/// Does not pass on the environment variables of this process that configure `abide`.
fn without_configuration(command: &mut Command) -> &mut Command {
    for name in ["ABIDE_DB", "ABIDE_HOME", "ABIDE_CONFIG", "ABIDE_TOKEN", "RUST_LOG"] {
        command.env_remove(name);
    }
    command
}

/// Records a process's stderr in a thread, until the process ends.
/// Of each line that contains the string `ready`, the receiver gets what follows that string.
fn record_stderr(
    stderr: ChildStderr,
    ready: &'static str,
    written: StderrText,
) -> Receiver<String> {
    let (sender, is_ready) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            if let Some((_, rest)) = line.split_once(ready) {
                sender.send(rest.trim().to_owned()).ok();
            }
            if let Ok(mut written) = written.lock() {
                written.push_str(&line);
                written.push('\n');
            }
        }
    });
    is_ready
}

fn text(written: &StderrText) -> String {
    written.lock().map(|text| text.clone()).unwrap_or_default()
}

/// Returns the program that was built with this test: `target/<profile>/abide`, next to `deps/`.
fn program() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let profile = test.parent().and_then(Path::parent).expect("`target/<profile>/deps/it`");
    let program = profile.join("abide");
    if let Err(fault) = check_is_fresh(&program) {
        panic!("{fault}\nhint: `cargo build --workspace`, or `./check`");
    }
    program
}

/// Fails if the program is missing or older than one of its source files.
/// Cargo lists the source files in a dependency file next to the program.
fn check_is_fresh(program: &Path) -> Result<(), String> {
    let name = program.display();
    let built = modified_at(program).ok_or_else(|| format!("`{name}` is not built"))?;
    let note = std::fs::read_to_string(program.with_extension("d"))
        .map_err(|e| format!("`{name}.d` cannot be read: {e}"))?;
    let sources = note.split_once(": ").map_or("", |(_, sources)| sources);
    let newer =
        sources.split_whitespace().find(|source| modified_at(Path::new(source)) > Some(built));
    newer.map_or(Ok(()), |source| Err(format!("`{name}` is older than `{source}`")))
}

fn modified_at(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

#[tokio::test]
async fn a_killed_server_restarts_on_its_database() {
    for database in crate::postgres::databases() {
        let migrated = run_abide(&["migrate", "--db", database.url()]);
        assert!(migrated.status.success(), "{database}: {migrated:?}");
        let first = ServerProcess::serve(database.url(), &[]);
        assert_eq!(first.get("/healthz").await.status, 200, "{database}");
        first.kill();
        let second = ServerProcess::serve(database.url(), &["--clock", "virtual"]);
        assert_eq!(second.get("/readyz").await.status, 200, "{database}");
        let refused = second.post("/v1/runs", &serde_json::json!({"method": "no_such"})).await;
        assert!((400..500).contains(&refused.status), "{database}: {refused:?}");
        assert!(refused.body["code"].is_string(), "{database}: {refused:?}");
        assert!(second.stop().success(), "{database}");
    }
}

#[test]
fn an_embedded_database_is_one_file_once_nothing_uses_it() {
    let database = crate::postgres::TestDb::sqlite();
    let log = PathBuf::from(format!("{}-wal", database.url()));
    assert!(run_abide(&["seed", "--db", database.url()]).status.success());
    assert!(!log.exists(), "after a command");
    let killed = ServerProcess::serve(database.url(), &[]);
    assert!(log.exists(), "while a server runs");
    killed.kill();
    assert!(log.exists(), "a killed server leaves its log");
    assert!(ServerProcess::serve(database.url(), &[]).stop().success());
    assert!(!log.exists(), "after a clean stop");
}

#[test]
fn a_command_runs_and_an_unknown_one_is_refused() {
    let version = run_abide(&["--version"]);
    assert!(version.status.success(), "{version:?}");
    assert!(String::from_utf8_lossy(&version.stdout).starts_with("abide "), "{version:?}");
    assert_eq!(run_abide(&["no-such-command"]).status.code(), Some(2));
}

#[test]
fn a_stale_program_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("abide");
    let source = folder.path().join("main.rs");
    assert!(check_is_fresh(&program).is_err_and(|words| words.contains("is not built")));
    std::fs::write(&source, "").expect("a source");
    std::fs::write(&program, "").expect("a program");
    std::fs::write(program.with_extension("d"), format!("abide: {}\n", source.display()))
        .expect("a note");
    assert_eq!(check_is_fresh(&program), Ok(()));
    let later = modified_at(&program).expect("a time") + Duration::from_secs(1);
    let file = std::fs::File::options().write(true).open(&source).expect("the source");
    file.set_modified(later).expect("a later time");
    assert!(check_is_fresh(&program).is_err_and(|words| words.contains("is older than")));
}

#[test]
fn logs_with_follow_end_when_their_reader_closes_the_pipe() {
    let folder = tempfile::tempdir().expect("a folder");
    let db = folder.path().join("t.db");
    let db = db.to_str().expect("a path");
    assert!(run_abide(&["seed", "--db", db]).status.success());
    let mut follower = command(&["logs", "--follow", "--db", db])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("`abide` runs");
    drop(follower.stdout.take());
    let (sender, ended) = channel();
    let id = follower.id();
    std::thread::spawn(move || sender.send(follower.wait()));
    let ended = ended.recv_timeout(START_MAX);
    if ended.is_err() {
        Command::new("kill").args(["-KILL", &id.to_string()]).status().ok();
    }
    let status = ended.expect("it ends by itself").expect("its end");
    assert!(status.success(), "{status:?}");
}
