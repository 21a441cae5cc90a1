//! Trains a classifier: softmax regression with AdaGrad. The order of the examples is drawn from a fixed seed, and
//! all functions of real numbers come from one library, so that the result is the same everywhere.

use super::features::{BUCKETS, Feature, features};
use super::model::{Classifier, softmax};

/// How often each example is seen.
const ROUNDS: usize = 12;
/// How far a weight moves at first.
const RATE: f32 = 0.35;
/// How much a weight shrinks towards zero each time that it is used.
const DECAY: f32 = 2e-5;
/// Seed of the order of the examples.
const SEED: u64 = 20_251_005;
/// Each example whose place is a multiple of this number is kept back, to find out how sure the classifier may be.
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

/// An example that is ready for training.
struct Prepared {
    features: Vec<Feature>,
    label: usize,
    weight: f32,
}

/// Trains a classifier.
#[must_use]
pub fn train(examples: &[TrainingExample]) -> Classifier {
    let mut labels: Vec<String> = examples.iter().map(|example| example.label.clone()).collect();
    labels.sort();
    labels.dedup();
    let prepared = prepare(examples, &labels);
    let (kept, seen): (Vec<_>, Vec<_>) =
        prepared.iter().enumerate().partition(|(ix, _)| ix % KEPT_BACK == 0);
    let seen: Vec<&Prepared> = seen.into_iter().map(|(_, it)| it).collect();
    let judged = fit(&seen, labels.len());
    let kept: Vec<&Prepared> = kept.into_iter().map(|(_, it)| it).collect();
    let sharpness = sharpness(&judged, &kept, labels.len());
    let all: Vec<&Prepared> = prepared.iter().collect();
    let weights = fit(&all, labels.len());
    Classifier::of_weights(labels, &weights, 1.0).with_sharpness(sharpness)
}

/// Computes the features once. Examples of rare labels count more, up to a limit.
fn prepare(examples: &[TrainingExample], labels: &[String]) -> Vec<Prepared> {
    let position = |label: &String| labels.iter().position(|known| known == label).unwrap_or(0);
    let mut counts = vec![0.0_f32; labels.len()];
    examples.iter().for_each(|example| counts[position(&example.label)] += 1.0);
    let average = examples.len() as f32 / labels.len().max(1) as f32;
    examples
        .iter()
        .map(|example| {
            let label = position(&example.label);
            let weight = libm::sqrtf(average / counts[label]).clamp(0.7, 2.0);
            Prepared { features: features(&example.text, &example.context), label, weight }
        })
        .collect()
}

/// Returns the weights: for each bucket, one for each label.
fn fit(examples: &[&Prepared], labels: usize) -> Vec<f32> {
    let mut weights = vec![0.0_f32; BUCKETS * labels];
    let mut squares = vec![1e-3_f32; BUCKETS * labels];
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut random = fastrand::Rng::with_seed(SEED);
    for _ in 0..ROUNDS {
        random.shuffle(&mut order);
        for &ix in &order {
            learn(examples[ix], labels, &mut weights, &mut squares);
        }
    }
    weights
}

/// Moves the weights towards what one example says.
fn learn(example: &Prepared, labels: usize, weights: &mut [f32], squares: &mut [f32]) {
    let errors: Vec<f32> = softmax(&sums(weights, example, labels), 1.0)
        .into_iter()
        .enumerate()
        .map(|(label, p)| (p - f32::from(u8::from(label == example.label))) * example.weight)
        .collect();
    for feature in &example.features {
        let at = feature.bucket as usize * labels;
        let rows = weights[at..at + labels].iter_mut().zip(&mut squares[at..at + labels]);
        for ((weight, square), error) in rows.zip(&errors) {
            let slope = error * feature.value + DECAY * *weight;
            *square += slope * slope;
            *weight -= RATE * slope / libm::sqrtf(*square);
        }
    }
}

fn sums(weights: &[f32], example: &Prepared, labels: usize) -> Vec<f32> {
    let mut sums = vec![0.0_f32; labels];
    for feature in &example.features {
        let at = feature.bucket as usize * labels;
        for (sum, weight) in sums.iter_mut().zip(&weights[at..at + labels]) {
            *sum += weight * feature.value;
        }
    }
    sums
}

/// Returns the sharpness with which the probabilities fit examples that were not seen best.
fn sharpness(weights: &[f32], kept: &[&Prepared], labels: usize) -> f32 {
    let scores: Vec<Vec<f32>> = kept.iter().map(|example| sums(weights, example, labels)).collect();
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
