//! On which processor a story is played.
//!
//! Of the threads of a story (the one that tells it, its process, the database's) one has work at any time,
//! for some microseconds. On several processors each statement wakes another of them, which takes longer
//! than most statements: on one, the same story takes half the time.

use std::marker::PhantomData;

/// While this lives, the thread that made it works on one processor, and so do those that it starts.
pub(super) struct OneProcessor {
    #[cfg(target_os = "linux")]
    _taken: Option<linux::Taken>,
    /// It is given up by the thread that took it.
    _thread: PhantomData<*const ()>,
}

impl OneProcessor {
    /// Takes the processor on which the fewest stories are played. Where the system refuses, or has no
    /// such thing, the story is played wherever there is room.
    pub(super) fn take() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            _taken: linux::Taken::take().ok(),
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

    /// How many stories are played on each processor.
    static STORIES: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

    fn stories() -> MutexGuard<'static, BTreeMap<usize, usize>> {
        STORIES.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A processor that was taken, and where the thread might work before.
    pub(super) struct Taken {
        processor: usize,
        before: CpuSet,
    }

    impl Taken {
        pub(super) fn take() -> io::Result<Self> {
            let (before, here) = (sched_getaffinity(None)?, sched_getcpu());
            let mut stories = stories();
            let played = |processor: usize| stories.get(&processor).copied().unwrap_or(0);
            let allowed = (0..CpuSet::MAX_CPU).filter(|processor| before.is_set(*processor));
            let free = allowed.min_by_key(|processor| (played(*processor), *processor != here));
            let processor = free.ok_or(io::Errno::NODEV)?;
            let mut only = CpuSet::new();
            only.set(processor);
            sched_setaffinity(None, &only)?;
            *stories.entry(processor).or_default() += 1;
            Ok(Self { processor, before })
        }
    }

    impl Drop for Taken {
        fn drop(&mut self) {
            if let Some(played) = stories().get_mut(&self.processor) {
                *played -= 1;
            }
            let _ = sched_setaffinity(None, &self.before);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use crate::play::processor::OneProcessor;

        /// On how many processors this thread may work.
        fn room() -> u32 {
            sched_getaffinity(None).expect("it is told").count()
        }

        #[test]
        fn the_threads_of_a_story_stay_on_one_processor_until_it_is_told() {
            let before = room();
            let processor = OneProcessor::take();
            let started = std::thread::spawn(room).join().expect("it ends");
            assert_eq!((room(), started), (1, 1));
            drop(processor);
            assert_eq!(room(), before);
        }
    }
}
