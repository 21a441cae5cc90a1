//! Compares two versions of a method that were simulated with the same seeds.

use serde::Serialize;

use super::Sample;

/// The result of simulating two versions of a method once with each of several seeds. With the same seed,
/// both versions meet the same people. So any difference between their results comes from the versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Comparison {
    /// Number of seeds with which both versions succeeded.
    pub both: u64,
    /// Number of seeds with which only the first version succeeded.
    pub only_first: u64,
    /// Number of seeds with which only the second version succeeded.
    pub only_second: u64,
    /// Number of seeds with which neither version succeeded.
    pub neither: u64,
}

impl Comparison {
    /// Compares the samples of two versions in pairs.
    /// The samples at the same index of the two slices must have the same seed.
    #[must_use]
    pub fn of(first: &[Sample], second: &[Sample]) -> Self {
        let mut all = Self::default();
        for (a, b) in first.iter().zip(second) {
            let counter = match (a.succeeded(), b.succeeded()) {
                (true, true) => &mut all.both,
                (true, false) => &mut all.only_first,
                (false, true) => &mut all.only_second,
                (false, false) => &mut all.neither,
            };
            *counter += 1;
        }
        all
    }

    /// Returns the comparison as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { only_first, only_second, .. } = self;
        match only_second.cmp(only_first) {
            _ if *only_first == 0 && *only_second == 0 => {
                "Neither is better: they succeed with the same seeds.".to_owned()
            }
            std::cmp::Ordering::Equal => format!(
                "Neither is better: each succeeds with {only_first} seeds where the other does not."
            ),
            std::cmp::Ordering::Greater => format!(
                "The second is better: with {only_second} seeds only it succeeds, with {only_first} \
                 seeds only the first."
            ),
            std::cmp::Ordering::Less => format!(
                "The first is better: with {only_first} seeds only it succeeds, with {only_second} \
                 seeds only the second."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::sample;
    use super::*;

    #[test]
    fn pairs_of_one_seed_are_compared() {
        let first = [sample(0, 1, true), sample(1, 1, false), sample(2, 1, false)];
        let second = [sample(0, 1, true), sample(1, 1, true), sample(2, 1, false)];
        let compared = Comparison::of(&first, &second);
        assert_eq!(compared, Comparison { both: 1, only_first: 0, only_second: 1, neither: 1 });
        assert!(compared.sentence().starts_with("The second is better"), "{}", compared.sentence());
    }
}
