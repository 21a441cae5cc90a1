//! Two versions of a method that met the same people.

use serde::Serialize;

use super::Sample;

/// In how many stories which of two did what it was for. The same seed is the same people, so what
/// differs is the doing of the version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Comparison {
    /// Both succeeded.
    pub both: u64,
    /// Only the first did.
    pub only_first: u64,
    /// Only the second did.
    pub only_second: u64,
    /// Neither did.
    pub neither: u64,
}

impl Comparison {
    /// Of the stories of the same seeds.
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

    /// What it says, as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { only_first, only_second, .. } = self;
        match only_second.cmp(only_first) {
            _ if *only_first == 0 && *only_second == 0 => {
                "Neither succeeds where the other does not.".to_owned()
            }
            std::cmp::Ordering::Equal => {
                format!("Each succeeds {only_first} times where the other does not.")
            }
            std::cmp::Ordering::Greater => format!(
                "The second is better: it alone succeeds {only_second} times, the first alone {only_first}."
            ),
            std::cmp::Ordering::Less => format!(
                "The first is better: it alone succeeds {only_first} times, the second alone {only_second}."
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
