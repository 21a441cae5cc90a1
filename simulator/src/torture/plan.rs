//! Chooses the points of a scenario at which the process is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use abide_engine::store::{CommitPoint, Holding};

use crate::play::{Fault, Mix};

/// A scenario with more commits than this is not killed at each of them: long scenarios repeat themselves,
/// and each point costs a whole simulation.
pub const COMMITS_MAX: usize = 1_000;
/// Number of commits of such a scenario that the seed chooses, besides the first and last of each kind.
pub const CHOSEN: usize = 64;

/// A point of a simulation: one side of one commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// The commit, counted from 1.
    pub nth: u64,
    /// Whether the process is killed before or after it.
    pub side: CommitPoint,
}

impl Point {
    /// Returns `before` or `after`.
    #[must_use]
    pub fn side_word(self) -> &'static str {
        match self.side {
            CommitPoint::Before => "before",
            CommitPoint::After => "after",
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} commit {}", self.side_word(), self.nth)
    }
}

/// Chooses the points of a scenario whose commits held `commits`. `every` includes every commit even beyond
/// [`COMMITS_MAX`]; of the points only every `one_in`-th is kept, starting at one that the seed chooses.
#[must_use]
pub fn plan(commits: &[Holding], (every, one_in): (bool, usize), seed: u64) -> Vec<Point> {
    let chosen: BTreeSet<usize> = if every || commits.len() <= COMMITS_MAX {
        (0..commits.len()).collect()
    } else {
        let mut random = fastrand::Rng::with_seed(seed);
        let drawn = random.choose_multiple(0..commits.len(), CHOSEN);
        drawn.into_iter().chain(ends(commits)).collect()
    };
    let sides = [CommitPoint::Before, CommitPoint::After];
    let point = |ix: usize| sides.map(|side| Point { nth: ix as u64 + 1, side });
    let one_in = one_in.max(1);
    let first = fastrand::Rng::with_seed(seed).usize(..one_in);
    chosen.into_iter().flat_map(point).skip(first).step_by(one_in).collect()
}

/// Fault rates out of a thousand occasions, high enough that a fault occurs in most simulations.
const SIXTH: u16 = 167;
const THIRD: u16 = 333;

/// Number of crashes that a seed draws for one simulation.
const DEATHS: std::ops::RangeInclusive<usize> = 1..=4;

/// Draws the crashes of one simulation of a scenario with this many commits. Each crash happens at its count
/// of begun commits; a commit that is begun again after a crash counts again.
#[must_use]
pub fn drawn(commits: usize, seed: u64) -> Vec<Point> {
    let mut random = fastrand::Rng::with_seed(seed);
    let deaths = random.usize(DEATHS);
    let points = (0..deaths).map(|_| {
        let side = if random.bool() { CommitPoint::Before } else { CommitPoint::After };
        Point { nth: random.u64(1..=commits.max(1) as u64), side }
    });
    let chosen: BTreeSet<Point> = points.collect();
    chosen.into_iter().collect()
}

/// Builds the fault mix of a seed. It has only faults that must leave no trace in the state.
#[must_use]
pub fn mix(seed: u64) -> Mix {
    Mix::calm(seed)
        .with(Fault::CallLost, SIXTH)
        .with(Fault::AnswerLost, SIXTH)
        .with(Fault::LookUpFails, SIXTH)
        .with(Fault::DeliveredAgain, THIRD)
        .with(Fault::OlderAgain, THIRD)
}

/// Returns the positions of the first and last commit of each kind.
fn ends(commits: &[Holding]) -> impl Iterator<Item = usize> {
    let mut ends: BTreeMap<Holding, [usize; 2]> = BTreeMap::new();
    for (ix, kind) in commits.iter().enumerate() {
        ends.entry(*kind).or_insert([ix, ix])[1] = ix;
    }
    ends.into_values().flatten()
}

#[cfg(test)]
mod tests {
    use abide_engine::store::Part;

    use super::*;

    fn told(points: &[Point]) -> Vec<String> {
        points.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_story_is_killed_on_both_sides_of_each_commit() {
        let commits = [Holding::default(); 2];
        let points = told(&plan(&commits, (false, 1), 1));
        assert_eq!(
            points,
            ["before commit 1", "after commit 1", "before commit 2", "after commit 2"]
        );
        assert_eq!(plan(&[], (false, 1), 1), []);
    }

    #[test]
    fn one_point_in_twenty_is_another_with_another_seed() {
        let commits = [Holding::default(); 60];
        let chosen = |seed| plan(&commits, (false, 20), seed);
        assert!((1..50).all(|seed| chosen(seed).len() == 6));
        let all: BTreeSet<Point> = (1..500).flat_map(chosen).collect();
        assert_eq!(all.len(), 120, "every point is chosen by some seed");
    }

    #[test]
    fn a_seed_draws_some_deaths_of_the_story() {
        let draws: Vec<Vec<Point>> = (0..50).map(|seed| drawn(40, seed)).collect();
        assert_eq!(draws[7], drawn(40, 7));
        assert!(draws.iter().flatten().all(|point| (1..=40).contains(&point.nth)));
        let counts: BTreeSet<usize> = draws.iter().map(Vec::len).collect();
        assert_eq!(counts, BTreeSet::from([1, 2, 3, 4]));
    }

    #[test]
    fn a_long_story_is_killed_at_the_ends_of_each_kind_and_where_the_seed_says() {
        let (step, timer) =
            (Holding::default().with(Part::Step), Holding::default().with(Part::Timer));
        let mut commits = vec![step; COMMITS_MAX * 3];
        commits[70] = timer;
        commits[500] = timer;
        let chosen = |seed| -> BTreeSet<u64> {
            plan(&commits, (false, 1), seed).iter().map(|point| point.nth).collect()
        };
        let ends = [1, 71, 501, COMMITS_MAX as u64 * 3];
        assert!(ends.iter().all(|nth| chosen(7).contains(nth)), "{:?}", chosen(7));
        assert!((CHOSEN..=CHOSEN + ends.len()).contains(&chosen(7).len()));
        assert_eq!(chosen(7), chosen(7));
        assert_ne!(chosen(7), chosen(8));
        assert_eq!(plan(&commits, (true, 1), 7).len(), commits.len() * 2);
    }
}
