//! Computes the distribution of a number, and the confidence interval of a share.

use serde::Serialize;

/// The distribution of a number over all simulations, as mean, percentiles and maximum.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Distribution {
    /// The mean.
    pub mean: f64,
    /// The 10th percentile.
    pub p10: f64,
    /// The median.
    pub p50: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The maximum.
    pub max: f64,
}

impl Distribution {
    /// Computes the distribution of `numbers`. All fields are 0 if `numbers` is empty.
    #[must_use]
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut all: Vec<f64> = numbers.into_iter().collect();
        all.sort_by(f64::total_cmp);
        let Some(last) = all.len().checked_sub(1) else { return Self::default() };
        let at = |share: f64| all[(share * last as f64).round() as usize];
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        Self { mean, p10: at(0.1), p50: at(0.5), p90: at(0.9), max: all[last] }
    }

    /// Formats the distribution as the cells of a table row: mean, p10, median, p90
    /// and max, with `digits` decimal places. The mean has at least one decimal place.
    #[must_use]
    pub fn columns(self, digits: usize) -> [String; 5] {
        let Self { mean, p10, p50, p90, max } = self;
        let [p10, p50, p90, max] = [p10, p50, p90, max].map(|n| format!("{n:.digits$}"));
        [format!("{mean:.*}", digits.max(1)), p10, p50, p90, max]
    }
}

/// A share of all simulations with its 95 % confidence interval.
///
/// The bounds are those of the Wilson score interval (E. B. Wilson, "Probable inference", JASA 22, 1927).
/// These bounds are also valid for few simulations and for shares near 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Proportion {
    /// The observed share, from 0 to 1.
    pub share: f64,
    /// Lower bound of the confidence interval.
    pub low: f64,
    /// Upper bound of the confidence interval.
    pub high: f64,
}

/// Number of standard deviations on each side of the mean within which 95 % of a normal distribution lie.
const Z: f64 = 1.959_964;

impl Proportion {
    /// Computes the share and the confidence interval for `hits` successes in `all` simulations.
    #[must_use]
    pub fn of(hits: u64, all: u64) -> Self {
        if all == 0 {
            return Self { share: 0.0, low: 0.0, high: 1.0 };
        }
        let (n, share) = (all as f64, hits as f64 / all as f64);
        let middle = share + Z * Z / (2.0 * n);
        let reach = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        let bound = |bound: f64| (bound / scale).clamp(0.0, 1.0);
        Self { share, low: bound(middle - reach), high: bound(middle + reach) }
    }
}

/// Formats a share as a whole percentage such as `93 %`.
/// Adds a decimal place, as in `99.6 %`, to a share that is neither
/// 0 nor 1 but would be rounded to 0 % or 100 %.
#[must_use]
pub fn percent(share: f64) -> String {
    let whole = (share * 100.0).round();
    let certain = share == 0.0 || share == 1.0;
    if !certain && (whole <= 0.0 || whole >= 100.0) {
        return format!("{:.1} %", share * 100.0);
    }
    format!("{whole:.0} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_knows_its_quantiles() {
        let spread = Distribution::of((0..=100).rev().map(f64::from));
        assert_eq!(
            spread,
            Distribution { mean: 50.0, p10: 10.0, p50: 50.0, p90: 90.0, max: 100.0 }
        );
        assert_eq!(Distribution::of([]), Distribution::default());
    }

    #[test]
    fn a_chance_is_surer_the_more_there_were() {
        let few = Proportion::of(8, 10);
        let many = Proportion::of(800, 1_000);
        assert!(few.low < many.low && many.high < few.high);
        // Published tables give these bounds of Wilson's interval for 8 successes in 10.
        assert!((few.low - 0.490).abs() < 0.001 && (few.high - 0.943).abs() < 0.001, "{few:?}");
        assert_eq!(Proportion::of(0, 0).high, 1.0);
    }

    #[test]
    fn a_share_is_never_rounded_to_certainty() {
        let told: Vec<String> = [0.0, 0.002, 0.5, 0.998, 1.0].map(percent).to_vec();
        assert_eq!(told, ["0 %", "0.2 %", "50 %", "99.8 %", "100 %"]);
    }
}
