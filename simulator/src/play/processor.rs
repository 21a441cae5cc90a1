//! Keeps the threads of a simulation on one processor.
//!
//! A simulation has several threads (of the simulator, the process and the database),
//! but only one thread has work at any time, for a few microseconds. With several processors,
//! each statement wakes a thread on another processor, which takes longer than most statements.
//! A simulation takes half as long on one processor as on several.

use std::marker::PhantomData;

/// While this value exists, the thread that created the value,
/// and the threads that this thread starts, run on one processor.
pub(super) struct OneProcessor {
    #[cfg(target_os = "linux")]
    _taken: Option<linux::BoundThread>,
    /// Makes the type not `Send`, because the thread that took the processor must also release it.
    _thread: PhantomData<*const ()>,
}

impl OneProcessor {
    /// Binds the current thread to the processor on which the fewest simulations run.
    /// If the system refuses, or is not Linux, the thread may run on any processor.
    pub(super) fn take() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            _taken: linux::BoundThread::take().ok(),
            _thread: PhantomData,
        }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use rustix::io;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// Number of simulations on each processor.
    static SIMULATIONS: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

    fn simulations() -> MutexGuard<'static, BTreeMap<usize, usize>> {
        SIMULATIONS.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The processor to which a thread is bound, and the processors on which it could run before.
    pub(super) struct BoundThread {
        processor: usize,
        before: CpuSet,
    }

    impl BoundThread {
        pub(super) fn take() -> io::Result<Self> {
            let (before, here) = (sched_getaffinity(None)?, sched_getcpu());
            let mut simulations = simulations();
            let played = |processor: usize| simulations.get(&processor).copied().unwrap_or(0);
            let allowed = (0..CpuSet::MAX_CPU).filter(|processor| before.is_set(*processor));
            let free = allowed.min_by_key(|processor| (played(*processor), *processor != here));
            let processor = free.ok_or(io::Errno::NODEV)?;
            let mut only = CpuSet::new();
            only.set(processor);
            sched_setaffinity(None, &only)?;
            *simulations.entry(processor).or_default() += 1;
            Ok(Self { processor, before })
        }
    }

    impl Drop for BoundThread {
        fn drop(&mut self) {
            if let Some(played) = simulations().get_mut(&self.processor) {
                *played -= 1;
            }
            let _ = sched_setaffinity(None, &self.before);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::play::processor::OneProcessor;

        /// Returns the number of processors on which this thread may run.
        fn room() -> u32 {
            sched_getaffinity(None).expect("the affinity can be read").count()
        }

        #[test]
        fn the_threads_of_a_story_stay_on_one_processor_until_it_is_told() {
            let before = room();
            let processor = OneProcessor::take();
            let started = std::thread::spawn(room).join().expect("the thread ends");
            assert_eq!((room(), started), (1, 1));
            drop(processor);
            assert_eq!(room(), before);
        }
    }
}
