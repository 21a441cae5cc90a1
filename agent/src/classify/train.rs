//! Trains a classifier: softmax regression with AdaGrad. The order of the examples is drawn from a
//! fixed seed, and all functions of real numbers come from one library, so that the result is the
//! same everywhere.

use super::features::{BUCKETS, Feature, features};
use super::model::{Classifier, row, softmax};

/// How often each example is seen.
pub(crate) const ROUNDS: usize = 12;
/// How far a weight moves at first.
const RATE: f32 = 0.35;
/// How much a weight shrinks towards zero each time that it is used.
const DECAY: f32 = 2e-5;
/// Seed of the order of the examples.
const SEED: u64 = 20_251_005;
/// Each example whose place is a multiple of this number is kept back, to find out how sure the
/// classifier may be.
const KEPT_BACK: usize = 8;
/// The sharpness that is tried first, and by how much it grows.
const SHARPNESS: [f32; 2] = [0.5, 0.1];
/// How many values of the sharpness are tried.
const TRIES: usize = 40;

/// A text with the label that a person gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingExample {
    /// The text.
    pub text: String,
    /// What its sender had from us; empty if that does not matter.
    pub context: String,
    /// The label.
    pub label: String,
}

/// How a classifier is trained.
#[derive(Debug, Clone, Copy)]
pub struct Course {
    /// The number of its buckets, a power of two. If its features have more, they are folded.
    pub buckets: usize,
    /// How often it goes through the examples.
    pub rounds: usize,
    /// How much of the label is shared among the others, against trust in single words.
    pub smoothing: f32,
}

/// An example that is ready for training.
#[derive(Debug, Clone)]
pub struct PreparedExamples {
    /// The features of the text, in each variant that has the same label. Each round sees one of
    /// them in turn.
    pub variants: Vec<Vec<Feature>>,
    /// The label.
    pub label: String,
}

/// A prepared example with the place of its label, and how much it counts.
struct Weighed<'p> {
    variants: &'p [Vec<Feature>],
    label: usize,
    weight: f32,
}

/// Trains a classifier on the features of [`features`].
#[must_use]
pub fn train(examples: &[TrainingExample]) -> Classifier {
    let prepared = examples.iter().map(|example| PreparedExamples {
        variants: vec![features(&example.text, &example.context)],
        label: example.label.clone(),
    });
    train_on(
        &prepared.collect::<Vec<_>>(),
        Course { buckets: BUCKETS, rounds: ROUNDS, smoothing: 0.0 },
    )
}

/// Trains a classifier on features of the caller.
#[must_use]
pub fn train_on(examples: &[PreparedExamples], course: Course) -> Classifier {
    let mut labels: Vec<String> = examples.iter().map(|example| example.label.clone()).collect();
    labels.sort();
    labels.dedup();
    let weighed = weigh(examples, &labels);
    let (kept, seen): (Vec<_>, Vec<_>) =
        weighed.iter().enumerate().partition(|(ix, _)| ix % KEPT_BACK == 0);
    let seen: Vec<&Weighed<'_>> = seen.into_iter().map(|(_, it)| it).collect();
    let judged = fit(&seen, labels.len(), course);
    let kept: Vec<&Weighed<'_>> = kept.into_iter().map(|(_, it)| it).collect();
    let sharpness = sharpness(&judged, &kept, labels.len());
    let all: Vec<&Weighed<'_>> = weighed.iter().collect();
    let weights = fit(&all, labels.len(), course);
    Classifier::of_weights(labels, &weights, 1.0).with_sharpness(sharpness)
}

/// Finds out how much each example counts: those of rare labels more, up to a limit. A round sees each once, in
/// however many variants it is there.
fn weigh<'p>(examples: &'p [PreparedExamples], labels: &[String]) -> Vec<Weighed<'p>> {
    let position = |label: &String| labels.iter().position(|known| known == label).unwrap_or(0);
    let mut counts = vec![0.0_f32; labels.len()];
    examples.iter().for_each(|example| counts[position(&example.label)] += 1.0);
    let average = counts.iter().sum::<f32>() / labels.len().max(1) as f32;
    examples
        .iter()
        .map(|example| {
            let label = position(&example.label);
            let weight = libm::sqrtf(average / counts[label]).clamp(0.7, 2.0);
            Weighed { variants: &example.variants, label, weight }
        })
        .collect()
}

/// Returns the weights: for each bucket, one for each label.
fn fit(examples: &[&Weighed<'_>], labels: usize, course: Course) -> Vec<f32> {
    let mut weights = vec![0.0_f32; course.buckets * labels];
    let mut squares = vec![1e-3_f32; course.buckets * labels];
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut random = fastrand::Rng::with_seed(SEED);
    for round in 0..course.rounds {
        random.shuffle(&mut order);
        for &ix in &order {
            let example = examples[ix];
            let Some(features) = in_turn(example.variants, round + ix) else { continue };
            let errors = errors(&sums(&weights, features, labels), example, course.smoothing);
            learn(features, &errors, &mut weights, &mut squares);
        }
    }
    weights
}

/// Returns the variant whose turn it is.
fn in_turn(variants: &[Vec<Feature>], turn: usize) -> Option<&[Feature]> {
    variants.get(turn.checked_rem(variants.len())?).map(Vec::as_slice)
}

/// Returns how far each label's probability is from the one that the example wants.
fn errors(sums: &[f32], example: &Weighed<'_>, smoothing: f32) -> Vec<f32> {
    let others = smoothing / (sums.len() - 1).max(1) as f32;
    let wanted = |label| if label == example.label { 1.0 - smoothing } else { others };
    let probabilities = softmax(sums, 1.0).into_iter().enumerate();
    probabilities.map(|(label, p)| (p - wanted(label)) * example.weight).collect()
}

/// Moves the weights towards what one example says.
fn learn(features: &[Feature], errors: &[f32], weights: &mut [f32], squares: &mut [f32]) {
    let labels = errors.len();
    for feature in features {
        let at = row(feature, labels, weights.len());
        let rows = weights[at.clone()].iter_mut().zip(&mut squares[at]);
        for ((weight, square), error) in rows.zip(errors) {
            let slope = error * feature.value + DECAY * *weight;
            *square += slope * slope;
            *weight -= RATE * slope / libm::sqrtf(*square);
        }
    }
}

fn sums(weights: &[f32], features: &[Feature], labels: usize) -> Vec<f32> {
    let mut sums = vec![0.0_f32; labels];
    for feature in features {
        let at = row(feature, labels, weights.len());
        for (sum, weight) in sums.iter_mut().zip(&weights[at]) {
            *sum += weight * feature.value;
        }
    }
    sums
}

/// Returns the sharpness with which the probabilities fit examples that were not seen best.
fn sharpness(weights: &[f32], kept: &[&Weighed<'_>], labels: usize) -> f32 {
    let score = |(ix, example): (usize, &&Weighed<'_>)| {
        sums(weights, in_turn(example.variants, ix).unwrap_or_default(), labels)
    };
    let scores: Vec<Vec<f32>> = kept.iter().enumerate().map(score).collect();
    let loss = |sharpness: f32| -> f32 {
        let each = kept
            .iter()
            .zip(&scores)
            .map(|(example, sums)| -libm::logf(softmax(sums, sharpness)[example.label].max(1e-6)));
        each.sum()
    };
    let tried = (0..TRIES).map(|n| SHARPNESS[0] + SHARPNESS[1] * n as f32);
    let best = tried.map(|value| (value, loss(value))).min_by(|a, b| a.1.total_cmp(&b.1));
    best.map_or(1.0, |(value, _)| value)
}
