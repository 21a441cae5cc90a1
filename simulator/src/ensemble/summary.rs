//! Computes statistics over many simulations of one scenario.

use std::collections::{BTreeMap, BTreeSet};

use abide_engine::base::Span;
use serde::{Serialize, Serializer};

use super::Sample;
use super::statistics::{Distribution, Proportion};

/// Statistics over many simulations of one scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Number of simulations.
    pub runs: u64,
    /// Probability that the simulated run succeeds.
    pub succeeded: Proportion,
    /// Number of simulations by outcome of the run that started first:
    /// `succeeded`, `fell_short`, `failed`, `cancelled`, or `open` if that run did not end.
    pub outcomes: BTreeMap<String, u64>,
    /// The share of runs that have succeeded, and the share
    /// that have ended, at several times after the start.
    pub by_time: Vec<ProgressPoint>,
    /// Hours from the run's start to its end. Leaves out simulations in which the run did not end.
    pub hours: Distribution,
    /// Messages sent per simulation.
    pub messages: Distribution,
    /// Segments sent per simulation.
    pub segments: Distribution,
    /// Cost per simulation, if a price per segment was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Distribution>,
    /// The largest number of messages that one person got in a simulation.
    pub most_to_one: Distribution,
    /// Of the people who got a message, the fraction who wrote at least once, from 0 to 1.
    pub answered: f64,
    /// The share of simulations in which each step was done. The most frequent step comes first.
    pub steps: Vec<StepShare>,
    /// Seeds of the simulations that had an unmet expectation
    /// or in which the audit found a broken invariant.
    pub unwell: Vec<u64>,
}

/// A point of the curve that shows success over time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ProgressPoint {
    /// Time since the run's start.
    #[serde(serialize_with = "as_text")]
    pub after: Span,
    /// Fraction of simulations in which the run has succeeded by the time `after`.
    pub succeeded: f64,
    /// Fraction of simulations in which the run has ended by the time `after`, with any outcome.
    pub ended: f64,
}

fn as_text<S: Serializer>(span: &Span, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(span)
}

/// The share of simulations in which a step was done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepShare {
    /// The step's id.
    pub step: String,
    /// Fraction of all simulations in which the step was done, from 0 to 1.
    pub share: f64,
}

/// Approximate maximum number of points on the curve. A chart could not show more points separately.
const POINTS_MAX: i64 = 48;
/// Possible distances between two points of the curve, in seconds: round times such as one hour.
const STRIDES: [i64; 11] =
    [60, 300, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400, 604_800];
const MICROS: i64 = 1_000_000;

impl Summary {
    /// Summarizes these samples. `price` is the price of one message segment.
    #[must_use]
    pub fn of(samples: &[Sample], price: Option<f64>) -> Self {
        let runs = samples.len() as u64;
        let count = |test: &dyn Fn(&Sample) -> bool| samples.iter().filter(|s| test(s)).count();
        let spread =
            |of: fn(&Sample) -> u64| Distribution::of(samples.iter().map(|s| of(s) as f64));
        let mut outcomes: BTreeMap<String, u64> = BTreeMap::new();
        for sample in samples {
            let outcome = sample.measure.outcome.as_deref().unwrap_or("open");
            *outcomes.entry(outcome.to_owned()).or_default() += 1;
        }
        let texted: u64 = samples.iter().map(|s| s.measure.people_texted).sum();
        let writers: u64 = samples.iter().map(|s| s.measure.writers).sum();
        Self {
            runs,
            succeeded: Proportion::of(count(&Sample::succeeded) as u64, runs),
            outcomes,
            by_time: by_time(samples),
            hours: Distribution::of(samples.iter().filter_map(took).map(|t| t as f64 / 3_600e6)),
            messages: spread(|s| s.measure.messages),
            segments: spread(|s| s.measure.segments),
            cost: price.map(|price| {
                Distribution::of(samples.iter().map(|s| s.measure.segments as f64 * price))
            }),
            most_to_one: spread(|s| s.measure.most_to_one),
            answered: if texted == 0 { 0.0 } else { (writers as f64 / texted as f64).min(1.0) },
            steps: steps(samples),
            unwell: samples
                .iter()
                .filter(|s| !s.met() || !s.audit.is_empty())
                .map(|s| s.seed)
                .collect(),
        }
    }
}

/// Returns the microseconds from the run's start to its end, or `None` if the run has not ended.
fn took(sample: &Sample) -> Option<i64> {
    let (from, to) = (sample.measure.began_at?, sample.measure.ended_at?);
    Some((to - from).micros())
}

fn by_time(samples: &[Sample]) -> Vec<ProgressPoint> {
    let last = samples.iter().filter_map(took).max().unwrap_or(0);
    let stride = stride(last);
    let share = |test: &dyn Fn(&Sample) -> bool| {
        samples.iter().filter(|s| test(s)).count() as f64 / samples.len().max(1) as f64
    };
    (0..=last.div_euclid(stride) + 1)
        .map(|n| {
            let by = |s: &Sample| took(s).is_some_and(|took| took <= n * stride);
            ProgressPoint {
                after: Span::from_micros(n * stride),
                succeeded: share(&|s| s.succeeded() && by(s)),
                ended: share(&by),
            }
        })
        .collect()
}

/// Returns the distance between two points of the curve, in microseconds:
/// the smallest of [`STRIDES`] with which fewer than [`POINTS_MAX`] points cover the time up to `last`.
/// Returns the largest stride if no stride is large enough.
pub(super) fn stride(last: i64) -> i64 {
    let fits = |seconds: &&i64| last / (*seconds * MICROS) < POINTS_MAX;
    STRIDES.iter().find(fits).unwrap_or(&STRIDES[STRIDES.len() - 1]) * MICROS
}

fn steps(samples: &[Sample]) -> Vec<StepShare> {
    let ids: BTreeSet<&String> = samples.iter().flat_map(|s| &s.measure.steps).collect();
    let all = samples.len().max(1) as f64;
    let mut steps: Vec<StepShare> = ids
        .into_iter()
        .map(|step| {
            let done = samples.iter().filter(|s| s.measure.steps.contains(step)).count();
            StepShare { step: step.clone(), share: done as f64 / all }
        })
        .collect();
    steps.sort_by(|a, b| b.share.total_cmp(&a.share));
    steps
}

#[cfg(test)]
pub(super) mod tests {
    use abide_engine::base::Timestamp;

    use super::*;
    use crate::report::Measure;

    /// Builds a sample whose run ended `hours` hours after its start.
    /// The run succeeded if `well` is true, and otherwise fell short.
    pub(in crate::ensemble) fn sample(seed: u64, hours: i64, well: bool) -> Sample {
        let began = Timestamp::EPOCH;
        let steps = if well { vec!["ask"] } else { vec!["ask", "ask_again"] };
        let measure = Measure {
            outcome: Some(if well { "succeeded" } else { "fell_short" }.to_owned()),
            began_at: Some(began),
            ended_at: Some(began + Span::from_secs(hours * 3_600)),
            steps: steps.into_iter().map(str::to_owned).collect(),
            messages: 10 + seed,
            segments: 20,
            people_texted: 10,
            writers: 4,
            most_to_one: 2,
            ..Measure::default()
        };
        Sample { seed, measure, unmet: Vec::new(), audit: Vec::new() }
    }

    #[test]
    fn the_chance_grows_with_time_and_says_which_steps_were_needed() {
        let samples =
            [sample(0, 2, true), sample(1, 5, true), sample(2, 8, false), sample(3, 3, true)];
        let summary = Summary::of(&samples, Some(0.01));
        assert_eq!(summary.succeeded.share, 0.75);
        assert_eq!(summary.outcomes["fell_short"], 1);
        let at = |hours: i64| {
            let after = Span::from_secs(hours * 3_600);
            let point = summary.by_time.iter().find(|point| point.after == after).expect("a point");
            (point.succeeded, point.ended)
        };
        assert_eq!(at(0), (0.0, 0.0));
        assert_eq!(at(2), (0.25, 0.25));
        assert_eq!(at(5), (0.75, 0.75));
        assert_eq!(at(8), (0.75, 1.0));
        let steps: Vec<(&str, f64)> =
            summary.steps.iter().map(|s| (s.step.as_str(), s.share)).collect();
        assert_eq!(steps, [("ask", 1.0), ("ask_again", 0.25)]);
        assert_eq!(summary.cost.expect("a price was given").p50, 0.2);
        assert_eq!((summary.answered, summary.most_to_one.max), (0.4, 2.0));
    }

    #[test]
    fn the_points_of_the_curve_are_few_however_long_it_is() {
        for hours in [0_i64, 1, 7, 30, 200, 5_000] {
            let last = hours * 3_600 * MICROS;
            assert!(last / stride(last) < POINTS_MAX, "{hours}");
        }
    }
}
