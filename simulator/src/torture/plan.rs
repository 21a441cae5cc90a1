//! Chooses the points of a scenario at which the process is killed.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::store::{CommitParts, CommitPoint};

use crate::play::{CommitCrash, FaultKind, FaultMix};

/// In a scenario with at most this number of commits, every commit is tested by default.
/// Most commits of a longer scenario repeat the work of earlier commits.
/// Each tested point costs a whole simulation, so only some commits of a longer scenario are tested.
pub const COMMITS_MAX: usize = 1_000;
/// Number of commits that are drawn from the seed in a scenario with more than [`COMMITS_MAX`] commits.
/// For each combination of kinds of rows, the first and the
/// last commit that wrote this combination are tested as well.
pub const COMMITS_CHOSEN: usize = 64;

/// Selects the points of a scenario at which the process is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sampling {
    /// Whether to test every commit even if the scenario has more than [`COMMITS_MAX`] commits.
    pub every_commit: bool,
    /// If this is `n`, only every n-th point is tested,
    /// starting at a point that the scenario's seed chooses; 0 and 1 mean that all points are tested.
    pub sample_every: usize,
}

/// Chooses the points at which to kill the process.
/// `commits` lists, for each commit of the scenario, the kinds of rows that the commit wrote.
#[must_use]
pub fn plan_crashes(commits: &[CommitParts], sampling: Sampling, seed: u64) -> Vec<CommitCrash> {
    let Sampling { every_commit, sample_every } = sampling;
    let chosen: BTreeSet<usize> = if every_commit || commits.len() <= COMMITS_MAX {
        (0..commits.len()).collect()
    } else {
        let mut random = fastrand::Rng::with_seed(seed);
        let drawn = random.choose_multiple(0..commits.len(), COMMITS_CHOSEN);
        drawn.into_iter().chain(ends(commits)).collect()
    };
    let sides = [CommitPoint::Before, CommitPoint::After];
    let point = |ix: usize| sides.map(|side| CommitCrash { nth: ix as u64 + 1, side });
    let sample_every = sample_every.max(1);
    let first = fastrand::Rng::with_seed(seed).usize(..sample_every);
    chosen.into_iter().flat_map(point).skip(first).step_by(sample_every).collect()
}

/// Rates of faults, in thousandths: one sixth and one third.
/// These rates are so high that at least one fault occurs in most simulations.
const SIXTH: u16 = 167;
const THIRD: u16 = 333;

/// Range from which the number of crashes in one simulation is drawn.
const CRASHES: std::ops::RangeInclusive<usize> = 1..=4;

/// Draws the crashes of one simulation of a scenario with `commits` commits.
/// Each crash happens just before or just after a random commit. Commits are counted as they begin.
/// If a new process repeats a commit that a crash interrupted, the repetition counts as another commit.
#[must_use]
pub fn draw_crashes(commits: usize, seed: u64) -> Vec<CommitCrash> {
    let mut random = fastrand::Rng::with_seed(seed);
    let crashes = random.usize(CRASHES);
    let points = (0..crashes).map(|_| {
        let side = if random.bool() { CommitPoint::Before } else { CommitPoint::After };
        CommitCrash { nth: random.u64(1..=commits.max(1) as u64), side }
    });
    let chosen: BTreeSet<CommitCrash> = points.collect();
    chosen.into_iter().collect()
}

/// Builds the fault mix for this seed. The mix contains only kinds of faults
/// after which the final state must be the same as without faults.
#[must_use]
pub fn fault_mix(seed: u64) -> FaultMix {
    FaultMix::without_faults(seed)
        .with(FaultKind::CallLost, SIXTH)
        .with(FaultKind::AnswerLost, SIXTH)
        .with(FaultKind::LookUpFails, SIXTH)
        .with(FaultKind::DeliveredAgain, THIRD)
        .with(FaultKind::OlderDeliveredAgain, THIRD)
}

/// Returns the indexes of the first and the last commit of each kind.
/// Commits are of the same kind if they wrote the same kinds of rows.
fn ends(commits: &[CommitParts]) -> impl Iterator<Item = usize> {
    let mut ends: BTreeMap<CommitParts, [usize; 2]> = BTreeMap::new();
    for (ix, kind) in commits.iter().enumerate() {
        ends.entry(*kind).or_insert([ix, ix])[1] = ix;
    }
    ends.into_values().flatten()
}

#[cfg(test)]
mod tests {
    use abide_engine::store::CommitPart;

    use super::*;

    fn told(points: &[CommitCrash]) -> Vec<String> {
        points.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_story_is_killed_on_both_sides_of_each_commit() {
        let commits = [CommitParts::default(); 2];
        let points = told(&plan_crashes(&commits, Sampling::default(), 1));
        assert_eq!(
            points,
            ["before commit 1", "after commit 1", "before commit 2", "after commit 2"]
        );
        assert_eq!(plan_crashes(&[], Sampling::default(), 1), []);
    }

    #[test]
    fn one_point_in_twenty_is_another_with_another_seed() {
        let commits = [CommitParts::default(); 60];
        let chosen = |seed| {
            plan_crashes(&commits, Sampling { sample_every: 20, ..Sampling::default() }, seed)
        };
        assert!((1..50).all(|seed| chosen(seed).len() == 6));
        let all: BTreeSet<CommitCrash> = (1..500).flat_map(chosen).collect();
        assert_eq!(all.len(), 120, "every point is chosen by some seed");
    }

    #[test]
    fn a_seed_draws_some_deaths_of_the_story() {
        let draws: Vec<Vec<CommitCrash>> = (0..50).map(|seed| draw_crashes(40, seed)).collect();
        assert_eq!(draws[7], draw_crashes(40, 7));
        assert!(draws.iter().flatten().all(|point| (1..=40).contains(&point.nth)));
        let counts: BTreeSet<usize> = draws.iter().map(Vec::len).collect();
        assert_eq!(counts, BTreeSet::from([1, 2, 3, 4]));
    }

    #[test]
    fn a_long_story_is_killed_at_the_ends_of_each_kind_and_where_the_seed_says() {
        let (step, timer) = (
            CommitParts::default().with(CommitPart::Step),
            CommitParts::default().with(CommitPart::Timer),
        );
        let mut commits = vec![step; COMMITS_MAX * 3];
        commits[70] = timer;
        commits[500] = timer;
        let chosen = |seed| -> BTreeSet<u64> {
            plan_crashes(&commits, Sampling::default(), seed)
                .iter()
                .map(|point| point.nth)
                .collect()
        };
        let ends = [1, 71, 501, COMMITS_MAX as u64 * 3];
        assert!(ends.iter().all(|nth| chosen(7).contains(nth)), "{:?}", chosen(7));
        assert!((COMMITS_CHOSEN..=COMMITS_CHOSEN + ends.len()).contains(&chosen(7).len()));
        assert_eq!(chosen(7), chosen(7));
        assert_ne!(chosen(7), chosen(8));
        let every = Sampling { every_commit: true, ..Sampling::default() };
        assert_eq!(plan_crashes(&commits, every, 7).len(), commits.len() * 2);
    }
}
