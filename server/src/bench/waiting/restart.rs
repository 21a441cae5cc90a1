//! Measures how an engine continues after it was killed while many runs wait.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use abide_engine::base::{Problem, RunId};
use abide_engine::store::Address;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;

use super::super::figures::{Stopwatch, peak_rss_mb_of, processor_s_of, rss_mb_of};
use super::child::{AUDIT, ENDED, LISTS, READY, SEND};
use super::reads::{self, AuditTime, FirstPages};

/// Number of signals that the process works on when it is killed.
const INTERRUPTED: usize = 64;
/// Maximum time until the process answers.
const ANSWER_MAX: Duration = Duration::from_secs(600);
/// Time between the end of all work and the beginning of the idle time that is measured.
const SETTLE: Duration = Duration::from_secs(2);

/// What a restart takes. Times count from the start of the second process.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Restart {
    /// Time until the engine serves, in milliseconds.
    pub(super) ready_ms: f64,
    /// Time until the first run that got a signal has ended, in milliseconds.
    pub(super) first_resume_ms: f64,
    /// Number of runs that had got a signal when the first process was killed, or were about to get it.
    pub(super) interrupted: u64,
    /// Time until all interrupted runs have ended, in milliseconds.
    pub(super) recovered_ms: f64,
    /// Processor time of the idle engine, in percent of one processor, on systems with `/proc`.
    pub(super) idle_cpu_percent: Option<f64>,
    /// Resident memory of the idle engine in MiB, on systems with `/proc`.
    pub(super) idle_rss_mb: Option<f64>,
}

/// What was measured of a second process.
#[derive(Debug, Clone)]
pub(super) struct SecondProcess {
    pub(super) restart: Restart,
    pub(super) reads: Reads,
}

/// What people read in the second process, after it was idle.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Reads {
    /// How long the first page of each list takes, in milliseconds.
    pub(super) first_pages: FirstPages,
    pub(super) audit: AuditTime,
    /// The most resident memory that the process ever had, after the audit, in MiB, on systems with `/proc`.
    pub(super) peak_rss_mb: Option<f64>,
}

/// Kills an engine while it works, and measures how a second one continues, and what people read in it. `runs` wait for a
/// signal. The idle time that is measured is `idle`.
///
/// # Errors
/// Any problem of starting this program again; a bug if it does not answer as expected.
pub(super) async fn measure(
    address: &Address,
    runs: &[RunId],
    idle: Duration,
) -> Result<SecondProcess, Problem> {
    let Some((first, others)) = runs.split_first() else {
        return Err(Problem::bug("no run waits"));
    };
    let interrupted = &others[..others.len().min(INTERRUPTED)];
    let mut killed = EngineProcess::start(address)?;
    killed.until(READY).await?;
    killed.send_all(interrupted)?;
    if !interrupted.is_empty() {
        killed.until(ENDED).await?;
    }
    drop(killed);
    let clock = Stopwatch::started();
    let mut process = EngineProcess::start(address)?;
    process.until(READY).await?;
    let ready_ms = ms(clock);
    process.send_all(std::slice::from_ref(first))?;
    process.until(ENDED).await?;
    let first_resume_ms = ms(clock);
    // A signal that was not stored before the crash is sent again; its key makes it act once.
    process.send_all(interrupted)?;
    for _ in interrupted {
        process.until(ENDED).await?;
    }
    let recovered_ms = ms(clock);
    wait_for(SETTLE).await;
    let (before, idled) = (process.processor_s(), Stopwatch::started());
    wait_for(idle).await;
    let used = process.processor_s().zip(before).map(|(after, before)| after - before);
    let restart = Restart {
        ready_ms,
        first_resume_ms,
        interrupted: interrupted.len() as u64,
        recovered_ms,
        idle_cpu_percent: used.map(|used| 100.0 * used / idled.elapsed().as_secs_f64()),
        idle_rss_mb: process.rss_mb(),
    };
    Ok(SecondProcess { restart, reads: process.reads().await? })
}

fn ms(clock: Stopwatch) -> f64 {
    clock.elapsed().as_secs_f64() * 1e3
}

/// Lets time pass by the machine's clock.
async fn wait_for(time: Duration) {
    let _ = tokio::time::timeout(time, std::future::pending::<()>()).await;
}

/// A process of this program that serves the database. It is killed (SIGKILL) when this value is dropped.
struct EngineProcess {
    process: Child,
    stdin: ChildStdin,
    lines: mpsc::UnboundedReceiver<String>,
}

impl EngineProcess {
    /// Starts the process. The environment tells it the address, which can contain a password.
    fn start(address: &Address) -> Result<Self, Problem> {
        let address = match address {
            Address::Sqlite(path) => path.clone().into_os_string(),
            Address::Postgres(url) => url.into(),
        };
        let program = std::env::current_exe().map_err(failed)?;
        let mut process = Command::new(program)
            .args(["bench", "--reopen"])
            .env("ABIDE_DB", address)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (stdin, stdout) = (process.stdin.take(), process.stdout.take());
        let (Some(stdin), Some(stdout)) = (stdin, stdout) else {
            let _ = process.kill().and_then(|()| process.wait());
            return Err(Problem::bug("the engine's process has no pipes"));
        };
        let (sender, lines) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { process, stdin, lines })
    }

    /// Asks the process to send each of `runs` its signal.
    fn send_all(&mut self, runs: &[RunId]) -> Result<(), Problem> {
        let text: String = runs.iter().map(|run| format!("{SEND}{run}\n")).collect();
        self.stdin.write_all(text.as_bytes()).and_then(|()| self.stdin.flush()).map_err(failed)
    }

    /// Asks the process for the lists and an audit.
    async fn reads(&mut self) -> Result<Reads, Problem> {
        let first_pages = self.asked(LISTS).await?;
        let audit = self.asked(AUDIT).await?;
        let peak_rss_mb = peak_rss_mb_of(&self.process.id().to_string());
        Ok(Reads { first_pages, audit, peak_rss_mb })
    }

    /// Writes a line, and returns the answer that begins with the same word.
    async fn asked<T: DeserializeOwned>(&mut self, line: &str) -> Result<T, Problem> {
        let text = format!("{line}\n");
        self.stdin.write_all(text.as_bytes()).and_then(|()| self.stdin.flush()).map_err(failed)?;
        reads::parsed(&self.until(line).await?)
    }

    /// Reads the next line of the process, which must begin with `expected`. Returns the rest of it.
    async fn until(&mut self, expected: &str) -> Result<String, Problem> {
        match tokio::time::timeout(ANSWER_MAX, self.lines.recv()).await {
            Ok(Some(line)) if line.starts_with(expected) => Ok(line[expected.len()..].to_owned()),
            Ok(Some(line)) => Err(Problem::bug(format!("the engine's process writes `{line}`"))),
            Ok(None) => Err(Problem::bug("the engine's process has ended")),
            Err(_) => Err(Problem::bug("the engine's process does not answer")),
        }
    }

    fn processor_s(&self) -> Option<f64> {
        processor_s_of(&self.process.id().to_string())
    }

    fn rss_mb(&self) -> Option<f64> {
        rss_mb_of(&self.process.id().to_string())
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        // An error means that the process has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn failed(error: std::io::Error) -> Problem {
    Problem::operator("internal", "the benchmark cannot run the engine in a process of its own")
        .with_detail(error.to_string())
        .with_hint("check that this program may start processes")
}
