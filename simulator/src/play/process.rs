//! One life of the simulated process: a thread, a runtime and an engine, all of which end at once.
//!
//! Dropping a runtime drops every task, connection and lock that the engine held, wherever it stood:
//! nothing but the database survives, as with SIGKILL.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::thread::JoinHandle;

use abide_engine::base::Problem;
use tokio::sync::{mpsc, oneshot};

use super::switch::Switch;

/// What the thread does with the engine before it looks for the next task.
type Task<E> = Box<dyn FnOnce(Arc<E>) -> Pin<Box<dyn Future<Output = ()>>> + Send>;

/// The process died before it could answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Died;

/// A process that holds an engine `E`.
pub(super) struct Process<E> {
    tasks: mpsc::UnboundedSender<Task<E>>,
    thread: JoinHandle<()>,
    switch: Arc<Switch>,
}

/// Why there is no process: it died while it was starting, or it refused to.
pub(super) enum NotStarted {
    Died,
    Refused(Problem),
}

impl<E: 'static> Process<E> {
    /// Starts a process: `open` makes its engine, on its own thread and runtime.
    pub(super) async fn start<O, F>(switch: Arc<Switch>, open: O) -> Result<Self, NotStarted>
    where
        O: FnOnce() -> F + Send + 'static,
        F: Future<Output = Result<E, Problem>>,
    {
        let (tasks, queue) = mpsc::unbounded_channel::<Task<E>>();
        let (ready, started) = oneshot::channel();
        let own = Arc::clone(&switch);
        let thread = std::thread::Builder::new()
            .name("simulated-process".to_owned())
            .spawn(move || live(&own, open, (queue, ready)))
            .map_err(|error| NotStarted::Refused(no_thread(&error)))?;
        match started.await {
            Ok(Ok(())) => Ok(Self { tasks, thread, switch }),
            Ok(Err(problem)) => Err(NotStarted::Refused(problem)),
            Err(_) => {
                let _ = thread.join();
                Err(NotStarted::Died)
            }
        }
    }

    /// Has the engine do something and waits for the answer.
    pub(super) async fn ask<T, W, F>(&self, work: W) -> Result<T, Died>
    where
        T: Send + 'static,
        W: FnOnce(Arc<E>) -> F + Send + 'static,
        F: Future<Output = T> + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let task: Task<E> = Box::new(move |engine| {
            Box::pin(async move {
                let _ = reply.send(work(engine).await);
            })
        });
        self.tasks.send(task).map_err(|_| Died)?;
        let answer = answer.await.map_err(|_| Died)?;
        if self.switch.is_dead() { Err(Died) } else { Ok(answer) }
    }

    /// Kills it, if it still lives, and waits until nothing of it is left but its switch.
    pub(super) fn kill(self) -> Arc<Switch> {
        self.switch.trip();
        drop(self.tasks);
        let _ = self.thread.join();
        self.switch
    }

    pub(super) fn switch(&self) -> &Switch {
        &self.switch
    }
}

/// The thread of a process, from its start to its end.
fn live<E, O, F>(
    switch: &Switch,
    open: O,
    (mut queue, ready): (mpsc::UnboundedReceiver<Task<E>>, oneshot::Sender<Result<(), Problem>>),
) where
    O: FnOnce() -> F,
    F: Future<Output = Result<E, Problem>>,
{
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = ready.send(Err(no_thread(&error)));
            return;
        }
    };
    let whole_life = async {
        let engine = match open().await {
            Ok(engine) => Arc::new(engine),
            Err(problem) => {
                if !switch.is_dead() {
                    let _ = ready.send(Err(problem));
                }
                return;
            }
        };
        let _ = ready.send(Ok(()));
        while let Some(task) = queue.recv().await {
            task(Arc::clone(&engine)).await;
        }
    };
    runtime.block_on(async {
        tokio::select! {
            biased;
            () = switch.died() => {}
            () = whole_life => {}
        }
    });
}

fn no_thread(error: &std::io::Error) -> Problem {
    Problem::operator("simulator_unavailable", "the simulated process cannot be started")
        .with_detail(error.to_string())
        .with_hint("end other programs: the machine gives out no more threads")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use abide_engine::base::Span;

    use super::super::switch::{Death, Point};
    use super::*;

    /// Tells when it is dropped.
    struct Held(Arc<AtomicBool>);

    impl Drop for Held {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(work)
    }

    #[test]
    fn a_process_answers_until_it_dies_in_mid_work() {
        block_on(async {
            let switch = Arc::new(Switch::default());
            let started = Process::start(Arc::clone(&switch), || async { Ok(20) }).await;
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
    fn what_its_tasks_held_is_gone_when_it_is_killed() {
        block_on(async {
            let released = Arc::new(AtomicBool::new(false));
            let held = Held(Arc::clone(&released));
            let started = Process::start(Arc::default(), || async move {
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
            let refused = Process::<()>::start(Arc::default(), || async {
                Err(Problem::operator("schema_newer", "the schema is newer"))
            });
            let Err(NotStarted::Refused(problem)) = refused.await else { panic!("it starts") };
            assert_eq!(problem.code, "schema_newer");
        });
    }
}
