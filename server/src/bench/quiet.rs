//! Waits until a server in this process has done what earlier measurements left to do, so that each begins from rest.

use std::time::Duration;

use super::figures::processor_s_of;

/// Interval between two looks at the processor time.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// The process is at rest once it has used no more processor time than this between two looks, twice in turn. It is
/// more than the ten milliseconds in which processor time is counted.
const BUSY_S: f64 = 0.015;
/// Number of looks after which the measurement begins anyway: ten seconds.
const LOOKS_MAX: usize = 200;

/// Returns once the process is at rest; at once on systems without `/proc`.
pub(super) async fn until_at_rest() {
    let mut looks = tokio::time::interval(LOOK_INTERVAL);
    looks.tick().await;
    let (mut before, mut quiet) = (processor_s_of("self"), 0);
    for _ in 0..LOOKS_MAX {
        looks.tick().await;
        let now = processor_s_of("self");
        let Some(used) = before.zip(now).map(|(before, now)| now - before) else { return };
        quiet = if used <= BUSY_S { quiet + 1 } else { 0 };
        if quiet == 2 {
            return;
        }
        before = now;
    }
}
