//! Trains the classifier of replies.

use super::features::{BUCKETS, features};
use crate::classify::{Classifier, Course, PreparedExamples, ROUNDS, TrainingExample, train_on};

/// How much of each label is shared among the others in training.
const SMOOTHING: f32 = 0.1;

/// Trains the classifier of replies. Neighbours with the same text and label are one example in
/// several contexts.
#[must_use]
pub fn train(examples: &[TrainingExample]) -> Classifier {
    let same =
        |a: &TrainingExample, b: &TrainingExample| (&a.text, &a.label) == (&b.text, &b.label);
    let prepared = examples.chunk_by(same).map(|chunk| PreparedExamples {
        variants: chunk.iter().map(|it| features(&it.text, &it.context)).collect(),
        label: chunk[0].label.clone(),
    });
    train_on(
        &prepared.collect::<Vec<_>>(),
        Course { buckets: BUCKETS, rounds: ROUNDS, smoothing: SMOOTHING },
    )
}
