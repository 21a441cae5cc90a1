//! Runs a simulated process from its start to its crash:
//! a thread, a runtime and an engine that end together.
//!
//! Dropping the runtime drops every task, connection and lock of the engine, whatever the engine is doing.
//! Only the database survives, as after SIGKILL.
//!
//! The simulator gives a process tasks only while the process is *at rest*:
//! nothing in the process can proceed until the simulator sends input or lets time pass.
//! After each input the process works until it is at rest again.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use abide_engine::base::{Problem, Timestamp};
use abide_engine::clock::VirtualClock;
use abide_engine::facade::Engine;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::{mpsc, oneshot, watch};

use super::crash_switch::CrashSwitch;
use super::turns::{RestListener, TurnProgress, TurnQueue};

/// A task that the simulator gives to a process.
type Task<E> = Box<dyn FnOnce(Arc<E>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// If a simulation has several nodes and an answer is missing, the simulator looks for the answer again.
/// If some task waits for a later time, it looks up to `CHECKS` times, and then lets time pass.
/// Otherwise it looks up to `CHECKS_MAX` times, and then considers the answer lost.
const CHECKS: u32 = 3;
const CHECKS_MAX: u32 = 2_000;

/// The process crashed before it could answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Crashed;

/// A process with an engine `E`.
pub(super) struct Process<E> {
    tasks: mpsc::UnboundedSender<Task<E>>,
    /// Number of tasks given to the process.
    given: AtomicU64,
    /// Number of tasks that the process had started when it last came to rest.
    rest_count: watch::Receiver<u64>,
    thread: JoinHandle<()>,
    switch: Arc<CrashSwitch>,
    clock: Arc<VirtualClock>,
}

/// Why a process did not start.
pub(super) enum NotStarted {
    Crashed,
    Refused(Problem),
}

/// The role of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProcessRole {
    /// The process does all work of the engine.
    Worker,
    /// The process only answers queries.
    /// It does no work, and does not fetch the messages that wait at the provider.
    Reader,
}

/// Starts the engine's work in the background, until the process ends.
pub(super) async fn serve(engine: Arc<Engine>) {
    let (stays, stops) = watch::channel(false);
    tokio::spawn(async move {
        engine.serve(stops).await;
        drop(stays);
    });
}

impl<E: Send + Sync + 'static> Process<E> {
    /// Starts a process. `open` creates its engine on the process's own thread and runtime.
    pub(super) async fn start<O, F>(
        switch: Arc<CrashSwitch>,
        clock: Arc<VirtualClock>,
        open: O,
    ) -> Result<Self, NotStarted>
    where
        O: FnOnce() -> F + Send + 'static,
        F: Future<Output = Result<E, Problem>> + Send + 'static,
    {
        let (tasks, queue) = mpsc::unbounded_channel::<Task<E>>();
        let (ready, started) = oneshot::channel();
        let (rest_sender, rest_count) = watch::channel(0);
        let own = Arc::clone(&switch);
        let thread = std::thread::Builder::new()
            .name("simulated-process".to_owned())
            .spawn(move || run_process(&own, open, ProcessChannels { queue, ready, rest_sender }))
            .map_err(|error| NotStarted::Refused(no_thread(&error)))?;
        match started.await {
            Ok(Ok(())) => {
                let given = AtomicU64::new(0);
                Ok(Self { tasks, given, rest_count, thread, switch, clock })
            }
            Ok(Err(problem)) => Err(NotStarted::Refused(problem)),
            Err(_) => {
                let _ = thread.join();
                Err(NotStarted::Crashed)
            }
        }
    }

    /// Gives the engine a task and waits for the answer.
    /// Advances the clock if the task waits for a later time.
    pub(super) async fn ask<T, W, F>(&self, work: W) -> Result<T, Crashed>
    where
        T: Send + 'static,
        W: FnOnce(Arc<E>) -> F + Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let mut answer = self.submit(work).await?;
        self.wait_for(&mut answer).await
    }

    /// Gives the engine a task. Returns when the process is at rest, even if the task has not answered.
    pub(super) async fn submit<T, W, F>(&self, work: W) -> Result<oneshot::Receiver<T>, Crashed>
    where
        T: Send + 'static,
        W: FnOnce(Arc<E>) -> F + Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let task: Task<E> = Box::new(move |engine| {
            let work = work(engine);
            Box::pin(async move {
                let _ = reply.send(work.await);
            })
        });
        self.run_to_rest(task).await?;
        Ok(answer)
    }

    /// Waits for the answer to a task. Advances the clock if the task waits for a later time.
    pub(super) async fn wait_for<T>(
        &self,
        answer: &mut oneshot::Receiver<T>,
    ) -> Result<T, Crashed> {
        let mut checks = 0;
        loop {
            match answer.try_recv() {
                Ok(answer) => return Ok(answer),
                Err(TryRecvError::Closed) => return Err(Crashed),
                Err(TryRecvError::Empty) => {}
            }
            let awaited = self.clock.next_awaited();
            if self.switch.shares_turns()
                && checks < if awaited.is_some() { CHECKS } else { CHECKS_MAX }
            {
                // The nodes may have seemed at rest while one of them
                // was about to proceed, so check again.
                checks += 1;
                self.run_to_rest(Box::new(|_| Box::pin(async {}))).await?;
                continue;
            }
            checks = 0;
            match awaited {
                Some(at) => self.advance_clock(at).await?,
                None => {
                    self.switch.note_breach("a command is never answered".to_owned());
                    self.switch.trip();
                    return Err(Crashed);
                }
            }
        }
    }

    /// Sets the clock to `to`, and lets the process do the work that falls due.
    pub(super) async fn advance_clock(&self, to: Timestamp) -> Result<(), Crashed> {
        let clock = Arc::clone(&self.clock);
        self.run_to_rest(Box::new(move |_| Box::pin(async move { clock.set(to) }))).await
    }

    /// Gives the engine a task and waits until the process is at rest again.
    async fn run_to_rest(&self, task: Task<E>) -> Result<(), Crashed> {
        let number = self.given.fetch_add(1, Ordering::SeqCst) + 1;
        self.tasks.send(task).map_err(|_| Crashed)?;
        let mut rest_count = self.rest_count.clone();
        rest_count.wait_for(|taken| *taken >= number).await.map_err(|_| Crashed)?;
        if self.switch.is_dead() { Err(Crashed) } else { Ok(()) }
    }

    /// Kills the process if it is still running, and waits until its thread has ended.
    /// Returns the crash switch of the process.
    pub(super) fn kill(self) -> Arc<CrashSwitch> {
        self.switch.trip();
        drop(self.tasks);
        let _ = self.thread.join();
        self.switch
    }

    pub(super) fn switch(&self) -> &CrashSwitch {
        &self.switch
    }

    pub(super) fn shared_switch(&self) -> Arc<CrashSwitch> {
        Arc::clone(&self.switch)
    }
}

/// The ends of the channels that the process's own thread uses.
struct ProcessChannels<E> {
    queue: mpsc::UnboundedReceiver<Task<E>>,
    ready: oneshot::Sender<Result<(), Problem>>,
    rest_sender: watch::Sender<u64>,
}

/// The main function of a process's thread.
fn run_process<E, O, F>(switch: &Arc<CrashSwitch>, open: O, ends: ProcessChannels<E>)
where
    E: Send + Sync + 'static,
    O: FnOnce() -> F + Send + 'static,
    F: Future<Output = Result<E, Problem>> + Send + 'static,
{
    let ProcessChannels { queue, ready, rest_sender } = ends;
    let taken = Arc::new(AtomicU64::new(0));
    let resting =
        RestReporter { switch: Arc::clone(switch), taken: Arc::clone(&taken), rest_sender };
    let resting: Arc<dyn RestListener> = Arc::new(resting);
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all();
    let turns = Arc::clone(switch.turns());
    if switch.shares_turns() {
        let (woken, idle) = (Arc::clone(&turns), Arc::clone(&turns));
        builder
            .on_thread_park(move || idle.thread_idle())
            .on_thread_unpark(move || woken.thread_woke());
        turns.join(Arc::clone(&resting));
    } else {
        let (turns, resting) = (Arc::clone(&turns), Arc::clone(&resting));
        builder.on_thread_park(move || idle(&turns, &*resting));
    }
    match builder.build() {
        Ok(runtime) => {
            let engine = EngineTask { switch: Arc::clone(switch), taken, queue, ready };
            runtime.spawn(engine.run(open));
            runtime.block_on(switch.until_dead());
        }
        Err(error) => drop(ready.send(Err(no_thread(&error)))),
    }
    if switch.shares_turns() {
        turns.leave(&resting);
    }
}

/// Called when the runtime is idle. Gives a waiting task its permit to work.
/// If no task waits for a permit, reports that the process is at rest.
fn idle(turns: &Arc<TurnQueue>, process: &dyn RestListener) {
    match turns.give_next() {
        TurnProgress::Working => {}
        TurnProgress::AtRest => process.at_rest(),
        TurnProgress::Endless => process.never_rests(),
    }
}

/// Reports to the simulator that a process is at rest.
struct RestReporter {
    switch: Arc<CrashSwitch>,
    /// Number of tasks that the process has started.
    taken: Arc<AtomicU64>,
    rest_sender: watch::Sender<u64>,
}

impl RestListener for RestReporter {
    fn at_rest(&self) {
        let taken = self.taken.load(Ordering::SeqCst);
        self.rest_sender.send_if_modified(|known| std::mem::replace(known, taken) != taken);
    }

    fn never_rests(&self) {
        self.switch.note_breach("the process never comes to rest".to_owned());
        self.switch.trip();
    }
}

/// The data of the main task of a process.
struct EngineTask<E> {
    switch: Arc<CrashSwitch>,
    /// Number of tasks that the process has started.
    taken: Arc<AtomicU64>,
    queue: mpsc::UnboundedReceiver<Task<E>>,
    ready: oneshot::Sender<Result<(), Problem>>,
}

impl<E: Send + Sync + 'static> EngineTask<E> {
    /// Opens the engine and starts each task that the simulator gives to the process.
    async fn run<O, F>(mut self, open: O)
    where
        O: FnOnce() -> F + Send + 'static,
        F: Future<Output = Result<E, Problem>> + Send + 'static,
    {
        let engine = match open().await {
            Ok(engine) => Arc::new(engine),
            Err(problem) => {
                if !self.switch.is_dead() {
                    let _ = self.ready.send(Err(problem));
                }
                return self.switch.trip();
            }
        };
        self.switch.mark_open();
        let _ = self.ready.send(Ok(()));
        while let Some(task) = self.queue.recv().await {
            self.switch.turns().work_arrived();
            tokio::spawn(task(Arc::clone(&engine)));
            self.taken.fetch_add(1, Ordering::SeqCst);
        }
        self.switch.trip();
    }
}

fn no_thread(error: &std::io::Error) -> Problem {
    Problem::operator("simulator_unavailable", "the simulated process cannot be started")
        .with_detail(error.to_string())
        .with_hint("end other programs: the system cannot create more threads")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use abide_engine::base::Span;
    use abide_engine::clock::Clock as _;

    use super::super::crash::{CrashSite, ScheduledCrash};
    use super::*;

    /// A value that sets its flag when it is dropped.
    struct Held(Arc<AtomicBool>);

    impl Drop for Held {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    fn clock() -> Arc<VirtualClock> {
        Arc::new(VirtualClock::starting_at(Timestamp::EPOCH))
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(work)
    }

    #[test]
    fn a_process_answers_until_it_dies_in_mid_work() {
        block_on(async {
            let switch = Arc::new(CrashSwitch::default());
            let started = Process::start(Arc::clone(&switch), clock(), || async { Ok(20) }).await;
            let Ok(process) = started else { panic!("it starts") };
            assert_eq!(process.ask(|n| async move { *n + 1 }).await, Ok(21));
            process.switch().arm(ScheduledCrash {
                site: CrashSite::Send,
                left: 1,
                down: Span::ZERO,
            });
            let own = Arc::clone(&switch);
            let answer = process
                .ask(|_| async move {
                    own.reached(CrashSite::Send);
                    std::future::pending::<()>().await;
                })
                .await;
            assert_eq!(answer, Err(Crashed));
            assert_eq!(process.ask(|n| async move { *n }).await, Err(Crashed));
            process.kill();
        });
    }

    #[test]
    fn time_passes_where_an_answer_waits_for_it() {
        block_on(async {
            let clock = clock();
            let started = Process::start(Arc::default(), Arc::clone(&clock), || async { Ok(()) });
            let Ok(process) = started.await else { panic!("it starts") };
            let (own, later) = (Arc::clone(&clock), Timestamp::EPOCH + Span::from_secs(60));
            let answer = process
                .ask(move |_| async move {
                    own.until(later).await;
                    own.now()
                })
                .await;
            assert_eq!(answer, Ok(later));
            process.kill();
        });
    }

    #[test]
    fn what_its_tasks_held_is_gone_when_it_is_killed() {
        block_on(async {
            let released = Arc::new(AtomicBool::new(false));
            let held = Held(Arc::clone(&released));
            let started = Process::start(Arc::default(), clock(), || async move {
                tokio::spawn(async move {
                    let _held = held;
                    std::future::pending::<()>().await;
                });
                Ok(())
            })
            .await;
            let Ok(process) = started else { panic!("it starts") };
            assert!(!released.load(Ordering::SeqCst));
            process.kill();
            assert!(released.load(Ordering::SeqCst));
        });
    }

    #[test]
    fn a_start_that_is_refused_says_why() {
        block_on(async {
            let refused = Process::<()>::start(Arc::default(), clock(), || async {
                Err(Problem::operator("schema_newer", "the schema is newer"))
            });
            let Err(NotStarted::Refused(problem)) = refused.await else { panic!("it starts") };
            assert_eq!(problem.code, "schema_newer");
        });
    }
}
