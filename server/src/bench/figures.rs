//! Measures elapsed time and memory, and computes rates and percentiles.

use std::time::{Duration, Instant};

/// Measures elapsed time by the machine's monotonic clock, not by the engine's clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "measuring is what the bench is for")]
    pub(super) fn started() -> Self {
        Self(Instant::now())
    }

    pub(super) fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// Number of operations, and the time that all of them took together.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rate {
    pub(super) n: u64,
    pub(super) took: Duration,
}

impl Rate {
    pub(super) fn per_s(self) -> f64 {
        if self.took.is_zero() { 0.0 } else { self.n as f64 / self.took.as_secs_f64() }
    }

    /// Adds the counts and the times of two measurements.
    pub(super) fn and(self, other: Self) -> Self {
        Self { n: self.n + other.n, took: self.took + other.took }
    }
}

/// Sorts the latencies and returns the percentile `share` (0 to 1) in milliseconds.
/// Returns `None` for an empty list.
pub(super) fn percentile(latencies: &mut [Duration], share: f64) -> Option<f64> {
    latencies.sort_unstable();
    let last = latencies.len().checked_sub(1)?;
    let at = (share * last as f64).round() as usize;
    Some(latencies[at.min(last)].as_secs_f64() * 1e3)
}

/// Returns the mean latency, or `None` for an empty list.
pub(super) fn mean(latencies: &[Duration]) -> Option<Duration> {
    let n = u32::try_from(latencies.len()).ok().filter(|n| *n > 0)?;
    Some(latencies.iter().sum::<Duration>() / n)
}

/// Returns the resident memory of this process in MiB, on systems with `/proc`.
pub(super) fn rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some((kilobytes / 1024.0 * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_sorted_list() {
        let mut all: Vec<Duration> = (1..=101).rev().map(Duration::from_millis).collect();
        assert_eq!(percentile(&mut all, 0.5), Some(51.0));
        assert_eq!(percentile(&mut all, 0.99), Some(100.0));
        assert_eq!(percentile(&mut all, 1.0), Some(101.0));
        assert_eq!(percentile(&mut [], 0.5), None);
    }

    #[test]
    fn a_mean_is_of_all() {
        let all: Vec<Duration> = [1, 2, 6].map(Duration::from_millis).to_vec();
        assert_eq!(mean(&all), Some(Duration::from_millis(3)));
        assert_eq!(mean(&[]), None);
    }

    #[test]
    fn rates_add_up_over_their_times() {
        let rate = |n, secs| Rate { n, took: Duration::from_secs(secs) };
        assert_eq!(rate(10, 1).and(rate(50, 2)).per_s(), 20.0);
        assert_eq!(Rate::default().per_s(), 0.0);
    }
}
