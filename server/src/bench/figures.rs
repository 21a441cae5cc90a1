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
    rss_mb_of("self")
}

/// Returns the resident memory of a process in MiB, on systems with `/proc`. `process` is the name of its
/// folder there.
pub(super) fn rss_mb_of(process: &str) -> Option<f64> {
    memory_mb(process, "VmRSS:")
}

/// Returns the most resident memory that a process ever had in MiB, on systems with `/proc`.
pub(super) fn peak_rss_mb_of(process: &str) -> Option<f64> {
    memory_mb(process, "VmHWM:")
}

fn memory_mb(process: &str, field: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some((kilobytes / 1024.0 * 10.0).round() / 10.0)
}

/// Number of units per second in which `/proc` counts processor time, on every architecture of Linux.
const TICKS_PER_S: f64 = 100.0;

/// Returns the processor time that a process has used, in seconds, on systems with `/proc`.
pub(super) fn processor_s_of(process: &str) -> Option<f64> {
    processor_s(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

/// Reads the processor time in seconds from the text of `/proc/PID/stat`. The name of the program, which is
/// in parentheses, can contain spaces and parentheses.
fn processor_s(stat: &str) -> Option<f64> {
    let mut fields = stat.rsplit_once(") ")?.1.split(' ').skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / TICKS_PER_S)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_that_of_the_program_and_of_the_system_for_it() {
        let stat = "42 (a) b) S 1 42 42 0 -1 4194560 9 0 0 0 150 50 7 7 20 0 3 0 100 0 0";
        assert_eq!(processor_s(stat), Some(2.0));
        assert_eq!(processor_s("42 (a) S 1"), None);
    }

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
