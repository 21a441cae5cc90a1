//! One life of the simulated process: a thread, a runtime and an engine, all of which end at once.
//!
//! Dropping the runtime drops every task, connection and lock of the engine, whatever it was doing. Only the
//! database survives, as after SIGKILL.
//!
//! The world talks to a process only while that is at rest: nothing in it can proceed without input from the
//! world or the passing of time, which the world controls. After each input the process works until it is
//! at rest again.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use abide_engine::base::{Problem, Timestamp};
use abide_engine::clock::VirtualClock;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::{mpsc, oneshot, watch};

use super::switch::Switch;
use super::turns::{Rests, Standing, Turns};

/// A task that the world gives to a process.
type Task<E> = Box<dyn FnOnce(Arc<E>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// How often nodes that share turns are checked again before time passes for an answer, and before the answer
/// is considered lost.
const LOOKS: u32 = 3;
const LOOKS_MAX: u32 = 2_000;

/// The process crashed before it could answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Died;

/// A process with an engine `E`.
pub(super) struct Process<E> {
    tasks: mpsc::UnboundedSender<Task<E>>,
    /// Number of tasks given to it.
    given: AtomicU64,
    /// Number of tasks that it had taken when it last came to rest.
    rests: watch::Receiver<u64>,
    thread: JoinHandle<()>,
    switch: Arc<Switch>,
    clock: Arc<VirtualClock>,
}

/// Why a process did not start: it crashed during startup, or its engine refused to open.
pub(super) enum NotStarted {
    Died,
    Refused(Problem),
}

impl<E: Send + Sync + 'static> Process<E> {
    /// Starts a process; `open` creates its engine, on its own thread and runtime.
    pub(super) async fn start<O, F>(
        (switch, clock): (Arc<Switch>, Arc<VirtualClock>),
        open: O,
    ) -> Result<Self, NotStarted>
    where
        O: FnOnce() -> F + Send + 'static,
        F: Future<Output = Result<E, Problem>> + Send + 'static,
    {
        let (tasks, queue) = mpsc::unbounded_channel::<Task<E>>();
        let (ready, started) = oneshot::channel();
        let (rested, rests) = watch::channel(0);
        let own = Arc::clone(&switch);
        let thread = std::thread::Builder::new()
            .name("simulated-process".to_owned())
            .spawn(move || live(&own, open, Ends { queue, ready, rested }))
            .map_err(|error| NotStarted::Refused(no_thread(&error)))?;
        match started.await {
            Ok(Ok(())) => {
                let given = AtomicU64::new(0);
                Ok(Self { tasks, given, rests, thread, switch, clock })
            }
            Ok(Err(problem)) => Err(NotStarted::Refused(problem)),
            Err(_) => {
                let _ = thread.join();
                Err(NotStarted::Died)
            }
        }
    }

    /// Gives the engine something to do and waits for the answer. If the answer needs time to pass, it
    /// passes.
    pub(super) async fn ask<T, W, F>(&self, work: W) -> Result<T, Died>
    where
        T: Send + 'static,
        W: FnOnce(Arc<E>) -> F + Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let mut answer = self.begin(work).await?;
        self.finish(&mut answer).await
    }

    /// Gives the engine something to do without waiting for the answer.
    pub(super) async fn begin<T, W, F>(&self, work: W) -> Result<oneshot::Receiver<T>, Died>
    where
        T: Send + 'static,
        W: FnOnce(Arc<E>) -> F + Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let asked = move |engine| {
            let work = work(engine);
            async move {
                let _ = reply.send(work.await);
            }
        };
        self.tell(asked).await?;
        Ok(answer)
    }

    /// Waits for an answer. If it needs time to pass, time passes.
    pub(super) async fn finish<T>(&self, answer: &mut oneshot::Receiver<T>) -> Result<T, Died> {
        let mut looks = 0;
        loop {
            match answer.try_recv() {
                Ok(answer) => return Ok(answer),
                Err(TryRecvError::Closed) => return Err(Died),
                Err(TryRecvError::Empty) => {}
            }
            let awaited = self.clock.awaited();
            if self.switch.shares_turns()
                && looks < if awaited.is_some() { LOOKS } else { LOOKS_MAX }
            {
                // The nodes may have seemed at rest while one of them was about to proceed: check again.
                looks += 1;
                self.tell(|_| async {}).await?;
                continue;
            }
            looks = 0;
            match awaited {
                Some(at) => self.pass(at).await?,
                None => {
                    self.switch.note_breach("a question is never answered".to_owned());
                    self.switch.trip();
                    return Err(Died);
                }
            }
        }
    }

    /// Sets the clock to `to` and lets the process do what falls due.
    pub(super) async fn pass(&self, to: Timestamp) -> Result<(), Died> {
        let clock = Arc::clone(&self.clock);
        self.tell(move |_| async move { clock.set(to) }).await
    }

    /// Gives the engine something to do and waits until the process is at rest again.
    async fn tell<W, F>(&self, work: W) -> Result<(), Died>
    where
        W: FnOnce(Arc<E>) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let number = self.given.fetch_add(1, Ordering::SeqCst) + 1;
        let task: Task<E> = Box::new(move |engine| Box::pin(work(engine)));
        self.tasks.send(task).map_err(|_| Died)?;
        let mut rests = self.rests.clone();
        rests.wait_for(|taken| *taken >= number).await.map_err(|_| Died)?;
        if self.switch.is_dead() { Err(Died) } else { Ok(()) }
    }

    /// Kills the process, if it still runs, and waits until only its switch is left.
    pub(super) fn kill(self) -> Arc<Switch> {
        self.switch.trip();
        drop(self.tasks);
        let _ = self.thread.join();
        self.switch
    }

    pub(super) fn switch(&self) -> &Switch {
        &self.switch
    }

    pub(super) fn shared_switch(&self) -> Arc<Switch> {
        Arc::clone(&self.switch)
    }
}

/// The ends of a process's channels that its own thread holds.
struct Ends<E> {
    queue: mpsc::UnboundedReceiver<Task<E>>,
    ready: oneshot::Sender<Result<(), Problem>>,
    rested: watch::Sender<u64>,
}

/// The main function of a process's thread.
fn live<E, O, F>(switch: &Arc<Switch>, open: O, ends: Ends<E>)
where
    E: Send + Sync + 'static,
    O: FnOnce() -> F + Send + 'static,
    F: Future<Output = Result<E, Problem>> + Send + 'static,
{
    let Ends { queue, ready, rested } = ends;
    let taken = Arc::new(AtomicU64::new(0));
    let resting = Resting { switch: Arc::clone(switch), taken: Arc::clone(&taken), rested };
    let resting: Arc<dyn Rests> = Arc::new(resting);
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all();
    let turns = Arc::clone(switch.turns());
    if switch.shares_turns() {
        let (woken, idle) = (Arc::clone(&turns), Arc::clone(&turns));
        builder.on_thread_park(move || idle.falls_idle()).on_thread_unpark(move || woken.wake());
        turns.join(Arc::clone(&resting));
    } else {
        let (turns, resting) = (Arc::clone(&turns), Arc::clone(&resting));
        builder.on_thread_park(move || idle(&turns, &*resting));
    }
    match builder.build() {
        Ok(runtime) => {
            runtime.spawn(whole_life((Arc::clone(switch), taken), open, (queue, ready)));
            runtime.block_on(switch.died());
        }
        Err(error) => drop(ready.send(Err(no_thread(&error)))),
    }
    if switch.shares_turns() {
        turns.leave(&resting);
    }
}

/// Called when the runtime is idle: gives someone a turn, or tells the world that the process is at rest.
fn idle(turns: &Arc<Turns>, process: &dyn Rests) {
    match turns.next() {
        Standing::Goes => {}
        Standing::Rests => process.rest(),
        Standing::Circles => process.circles(),
    }
}

/// Tells the world when a process is at rest.
struct Resting {
    switch: Arc<Switch>,
    /// Number of tasks that it has taken.
    taken: Arc<AtomicU64>,
    rested: watch::Sender<u64>,
}

impl Rests for Resting {
    fn rest(&self) {
        let taken = self.taken.load(Ordering::SeqCst);
        self.rested.send_if_modified(|known| std::mem::replace(known, taken) != taken);
    }

    fn circles(&self) {
        self.switch.note_breach("the process never comes to rest".to_owned());
        self.switch.trip();
    }
}

async fn whole_life<E, O, F>(
    (switch, taken): (Arc<Switch>, Arc<AtomicU64>),
    open: O,
    (mut queue, ready): (mpsc::UnboundedReceiver<Task<E>>, oneshot::Sender<Result<(), Problem>>),
) where
    E: Send + Sync + 'static,
    O: FnOnce() -> F + Send + 'static,
    F: Future<Output = Result<E, Problem>> + Send + 'static,
{
    let engine = match open().await {
        Ok(engine) => Arc::new(engine),
        Err(problem) => {
            if !switch.is_dead() {
                let _ = ready.send(Err(problem));
            }
            return switch.trip();
        }
    };
    switch.open();
    let _ = ready.send(Ok(()));
    while let Some(task) = queue.recv().await {
        switch.turns().told();
        tokio::spawn(task(Arc::clone(&engine)));
        taken.fetch_add(1, Ordering::SeqCst);
    }
    switch.trip();
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

    use super::super::switch::{Death, Point};
    use super::*;

    /// Notes that it was dropped.
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
            let switch = Arc::new(Switch::default());
            let started = Process::start((Arc::clone(&switch), clock()), || async { Ok(20) }).await;
            let Ok(process) = started else { panic!("it starts") };
            assert_eq!(process.ask(|n| async move { *n + 1 }).await, Ok(21));
            process.switch().arm(Death { point: Point::Send, left: 1, down: Span::ZERO });
            let own = Arc::clone(&switch);
            let answer = process
                .ask(|_| async move {
                    own.reached(Point::Send);
                    std::future::pending::<()>().await;
                })
                .await;
            assert_eq!(answer, Err(Died));
            assert_eq!(process.ask(|n| async move { *n }).await, Err(Died));
            process.kill();
        });
    }

    #[test]
    fn time_passes_where_an_answer_waits_for_it() {
        block_on(async {
            let clock = clock();
            let started = Process::start((Arc::default(), Arc::clone(&clock)), || async { Ok(()) });
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
            let started = Process::start((Arc::default(), clock()), || async move {
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
            let refused = Process::<()>::start((Arc::default(), clock()), || async {
                Err(Problem::operator("schema_newer", "the schema is newer"))
            });
            let Err(NotStarted::Refused(problem)) = refused.await else { panic!("it starts") };
            assert_eq!(problem.code, "schema_newer");
        });
    }
}
