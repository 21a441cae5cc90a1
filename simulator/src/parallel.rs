//! Runs simulations in parallel, on several threads.
//! Each thread has its own runtime and takes the next simulation until none is left.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use abide_engine::base::Problem;

/// Calls `work` for each item on up to `threads` threads. Returns the results in the order of the items.
/// Calls `on_done` after each item, with the number of items done. Blocks the calling thread.
///
/// # Errors
/// If `work` returns a problem, skips the items that have not been started, and returns the problem.
/// Returns a panic in `work` as a bug.
pub(crate) fn run_in_parallel<'i, I, T, F>(
    items: &'i [I],
    threads: usize,
    on_done: &(dyn Fn(usize) + Sync),
    work: impl Fn(&'i I) -> F + Sync,
) -> Result<Vec<T>, Problem>
where
    I: Sync,
    T: Send,
    F: Future<Output = Result<T, Problem>>,
{
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let came = Mutex::new(Vec::with_capacity(items.len()));
    let take_turns = || -> Result<(), Problem> {
        let runtime = runtime()?;
        loop {
            let ix = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(ix) else { return Ok(()) };
            let result = runtime.block_on(work(item));
            if result.is_err() {
                next.store(items.len(), Ordering::Relaxed);
            }
            came.lock().unwrap_or_else(PoisonError::into_inner).push((ix, result?));
            on_done(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    std::thread::scope(|scope| {
        let threads = 0..threads.clamp(1, items.len().max(1));
        let workers: Vec<_> = threads.map(|_| scope.spawn(take_turns)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(worked) => worked,
            Err(panic) => Err(Problem::panicked("a simulation", &*panic)),
        })
    })?;
    let mut came = came.into_inner().unwrap_or_else(PoisonError::into_inner);
    came.sort_by_key(|(ix, _)| *ix);
    Ok(came.into_iter().map(|(_, result)| result).collect())
}

/// Whether a problem was caused by a resource that the machine lacks, and not by the scenario.
pub(crate) fn is_machine_fault(problem: &Problem) -> bool {
    problem.code == "simulator_unavailable"
}

/// Builds a single-threaded runtime. The simulated processes have threads of their own.
fn runtime() -> Result<tokio::runtime::Runtime, Problem> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        Problem::operator("simulator_unavailable", "a simulation cannot be started")
            .with_detail(error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_stands_in_the_order_of_the_items_whoever_was_first() {
        let items: Vec<u32> = (0..50).collect();
        let told = Mutex::new(Vec::new());
        let on_done = |done| told.lock().expect("no thread panicked").push(done);
        let double = |n: &u32| std::future::ready(Ok(n * 2));
        let doubled = run_in_parallel(&items, 4, &on_done, double).expect("all results");
        assert_eq!(doubled, items.iter().map(|n| n * 2).collect::<Vec<_>>());
        let mut told = told.into_inner().expect("no thread panicked");
        told.sort_unstable();
        assert_eq!(told, (1..=50).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_that_fails_ends_it() {
        let items: Vec<u32> = (0..50).collect();
        let fails = |n: &u32| {
            std::future::ready(if *n == 3 {
                Err(Problem::caller("three", "it is three"))
            } else {
                Ok(*n)
            })
        };
        let problem = run_in_parallel(&items, 1, &|_| {}, fails).expect_err("three fails");
        assert_eq!(problem.code, "three");
        assert_eq!(
            run_in_parallel(&[] as &[u32], 2, &|_| {}, fails).expect("nothing to do"),
            [] as [u32; 0]
        );
    }
}
