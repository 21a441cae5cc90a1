//! A trained classifier: its file, and the scores that it gives a text.

use std::ops::Range;

use super::features::{Feature, features};

/// The first bytes of a file of weights.
const MAGIC: &[u8; 8] = b"abidewt1";

/// A classifier of short texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Classifier {
    /// The labels, in the sequence of the scores.
    labels: Vec<String>,
    /// What each step of a weight is worth, for each label.
    steps: Vec<f32>,
    /// How much the scores are stretched before they become probabilities.
    sharpness: f32,
    /// The weights: for each bucket, one for each label.
    weights: Vec<i8>,
}

/// The probability of a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score<'c> {
    /// The label.
    pub label: &'c str,
    /// From 0 to 1. The probabilities of all labels have the sum 1.
    pub probability: f32,
}

/// Why a file of weights cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadWeights(pub &'static str);

/// Returns where the weights of a feature stand. A classifier with fewer buckets than its features folds them.
pub(super) fn row(feature: &Feature, labels: usize, weights: usize) -> Range<usize> {
    let buckets = weights / labels.max(1);
    let at = (feature.bucket as usize).checked_rem(buckets).unwrap_or_default() * labels;
    at..at + labels
}

impl Classifier {
    /// Builds a classifier from weights with fractions: for each bucket, one for each label.
    pub(super) fn of_weights(labels: Vec<String>, exact: &[f32], sharpness: f32) -> Self {
        let count = labels.len();
        let mut steps = vec![0.0_f32; count];
        for row in exact.chunks_exact(count) {
            for (step, weight) in steps.iter_mut().zip(row) {
                *step = step.max(weight.abs());
            }
        }
        steps.iter_mut().for_each(|step| *step = if *step > 0.0 { *step / 127.0 } else { 1.0 });
        let rounded = |(ix, weight): (usize, &f32)| {
            libm::roundf(weight / steps[ix % count]).clamp(-127.0, 127.0) as i8
        };
        let weights = exact.iter().enumerate().map(rounded).collect();
        Self { labels, steps, sharpness, weights }
    }

    /// Returns this classifier with another sharpness.
    pub(super) fn with_sharpness(self, sharpness: f32) -> Self {
        Self { sharpness, ..self }
    }

    /// Returns the probabilities of all labels for a text that answers something in this context,
    /// the most probable first.
    #[must_use]
    pub fn scores(&self, text: &str, context: &str) -> Vec<Score<'_>> {
        self.scores_of(&features(text, context))
    }

    /// Returns the probabilities of all labels for a text with these features, the most probable
    /// first.
    #[must_use]
    pub fn scores_of(&self, features: &[Feature]) -> Vec<Score<'_>> {
        let mut sums = vec![0.0_f32; self.labels.len()];
        for feature in features {
            let at = row(feature, sums.len(), self.weights.len());
            let Some(row) = self.weights.get(at) else { continue };
            for ((sum, weight), step) in sums.iter_mut().zip(row).zip(&self.steps) {
                *sum += f32::from(*weight) * step * feature.value;
            }
        }
        let probabilities = softmax(&sums, self.sharpness);
        let labels = self.labels.iter().map(String::as_str);
        let mut scores: Vec<Score<'_>> = labels
            .zip(probabilities)
            .map(|(label, probability)| Score { label, probability })
            .collect();
        scores.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        scores
    }

    /// Returns the classifier as a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.push(u8::try_from(self.labels.len()).unwrap_or(u8::MAX));
        bytes.extend(self.sharpness.to_le_bytes());
        for (label, step) in self.labels.iter().zip(&self.steps) {
            bytes.push(u8::try_from(label.len()).unwrap_or(u8::MAX));
            bytes.extend(label.bytes());
            bytes.extend(step.to_le_bytes());
        }
        bytes.extend(self.weights.iter().map(|weight| weight.cast_unsigned()));
        bytes
    }

    /// Reads a classifier from a file.
    ///
    /// # Errors
    /// [`BadWeights`] if the file is cut short or is no file of weights.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadWeights> {
        let mut rest = Bytes(bytes);
        if rest.take(MAGIC.len())? != MAGIC {
            return Err(BadWeights("this is no file of weights"));
        }
        let count = usize::from(rest.byte()?);
        let sharpness = rest.float()?;
        let (mut labels, mut steps) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let length = usize::from(rest.byte()?);
            let label = String::from_utf8(rest.take(length)?.to_vec());
            labels.push(label.map_err(|_| BadWeights("a label is no text"))?);
            steps.push(rest.float()?);
        }
        let buckets = rest.0.len().checked_div(count).unwrap_or(0);
        if !buckets.is_power_of_two() || buckets * count != rest.0.len() {
            return Err(BadWeights("the file has another number of weights"));
        }
        let weights = rest.0.iter().map(|byte| byte.cast_signed()).collect();
        Ok(Self { labels, steps, sharpness, weights })
    }
}

/// Returns the probabilities that belong to scores.
pub(super) fn softmax(sums: &[f32], sharpness: f32) -> Vec<f32> {
    let highest = sums.iter().copied().fold(f32::MIN, f32::max);
    let mut found: Vec<f32> =
        sums.iter().map(|sum| libm::expf((sum - highest) * sharpness)).collect();
    let total: f32 = found.iter().sum();
    found.iter_mut().for_each(|value| *value /= total);
    found
}

/// Bytes that are still to be read.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], BadWeights> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or(BadWeights("the file is cut short"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, BadWeights> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn float(&mut self) -> Result<f32, BadWeights> {
        let bytes = self.take(4)?;
        Ok(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }
}
