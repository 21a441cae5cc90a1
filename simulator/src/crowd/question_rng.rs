//! Generates the random numbers for the answer to one question. They depend only on the seed,
//! on the person, and on the question's position among all questions to this person.

use abide_engine::base::{Digest, Span};

/// A random number generator for one question to one person.
pub(super) struct QuestionRng(fastrand::Rng);

impl QuestionRng {
    /// Creates the generator for the `nth` question to `person` in a simulation with this seed.
    pub(super) fn for_question(seed: u64, person: &str, nth: u32) -> Self {
        let digest = Digest::of(format!("{seed}|{person}|{nth}").as_bytes());
        let mut first = [0_u8; 8];
        first.copy_from_slice(&digest.as_bytes()[..8]);
        Self(fastrand::Rng::with_seed(u64::from_le_bytes(first)))
    }

    /// Returns true with probability `chance`.
    pub(super) fn happens(&mut self, chance: f64) -> bool {
        self.0.f64() < chance
    }

    /// Draws an index into `weights`. The probability of each index is proportional to its weight.
    /// Returns 0 if all weights are 0.
    pub(super) fn weighted_index<const N: usize>(&mut self, weights: [f64; N]) -> usize {
        let mut left = self.0.f64() * weights.iter().sum::<f64>();
        for (ix, weight) in weights.iter().enumerate() {
            if left < *weight {
                return ix;
            }
            left -= weight;
        }
        0
    }

    /// Draws one of the given strings. Each string has the same probability.
    pub(super) fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.0.usize(..of.len())]
    }

    /// Draws a log-normal delay. Half of all delays are below `median`,
    /// and about two thirds are between `median / spread` and `median * spread`.
    /// The delay is computed from a normally distributed number, which a Box–Muller transform yields.
    pub(super) fn delay(&mut self, median: Span, spread: f64) -> Span {
        let (u, v) = (1.0 - self.0.f64(), self.0.f64());
        let normal = (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos();
        let micros = median.micros() as f64 * (normal * spread.ln()).exp();
        Span::from_micros((micros as i64).clamp(SOONEST_MICROS, LATEST_MICROS))
    }
}

/// The shortest delay, in microseconds: the time that a person needs to read and write a message.
const SOONEST_MICROS: i64 = 5_000_000;
/// The longest delay, in microseconds: 30 days.
const LATEST_MICROS: i64 = 30 * 86_400 * 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_all_delays_are_below_the_median_and_two_thirds_within_the_spread() {
        let median = Span::from_secs(3_600);
        let delays: Vec<i64> = (0..2_000)
            .map(|n| QuestionRng::for_question(1, "Ana", n).delay(median, 3.0).micros())
            .collect();
        let share = |test: &dyn Fn(i64) -> bool| {
            delays.iter().filter(|delay| test(**delay)).count() as f64 / delays.len() as f64
        };
        let hour = median.micros();
        let below = share(&|delay| delay < hour);
        assert!((0.46..0.54).contains(&below), "{below}");
        let near = share(&|delay| delay > hour / 3 && delay < hour * 3);
        assert!((0.64..0.73).contains(&near), "{near}");
    }

    #[test]
    fn weights_are_proportions() {
        let drawn = (0..2_000)
            .map(|n| QuestionRng::for_question(2, "Ben", n).weighted_index([3.0, 1.0, 0.0]));
        let mut counts = [0_u32; 3];
        drawn.for_each(|ix| counts[ix] += 1);
        assert!((1_400..1_600).contains(&counts[0]) && counts[2] == 0, "{counts:?}");
    }
}
