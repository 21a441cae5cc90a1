//! Three classifiers of a clause: one for the tool, one for what it works on, and one for what it does. Tools of
//! different records have acts in common ("archive"), so that the second and third learn from many more examples. A
//! fourth reads whole texts and says whether they must not be done: the reason often stands apart from the request.

use std::collections::BTreeMap;

use super::{REFUSE, is_idle};
use crate::classify::{BadWeights, Classifier, Course, Feature, PreparedExamples, train_on};

/// How much the record and the act count beside the tool.
const RECORD_WEIGHT: f32 = 1.0;
const ACT_WEIGHT: f32 = 1.0;
/// How much of each label is shared among the others in training.
const SMOOTHING: f32 = 0.02;
/// How often the examples are gone through: enough that more changes little.
const ROUNDS: usize = 10;
/// Records and acts have fewer labels with more examples each than the tools, so that a smaller classifier tells them.
const PARTS_FOLD: usize = 2;
/// How far the product of the three is tempered, because they rest on the same words: the probability is then about the
/// share of clauses that are understood.
const TEMPER: f32 = 0.5;
/// A probability below this one counts as this one.
const LEAST: f32 = 1e-4;

/// The label of the texts that the fourth classifier lets through.
const ALLOWED: &str = "allowed";

/// The classifiers of the operator.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorClassifier {
    tools: Classifier,
    records: Classifier,
    acts: Classifier,
    refusals: Classifier,
}

/// Examples that are ready for training, with the names of their intents.
pub(super) struct PreparedTexts {
    /// The features as of a clause.
    pub(super) clauses: Vec<PreparedExamples>,
    /// The features as of a whole text, in the same sequence.
    pub(super) texts: Vec<PreparedExamples>,
}

impl OperatorClassifier {
    /// Trains on examples whose labels are names of intents.
    pub(super) fn train(examples: &PreparedTexts, buckets: usize) -> Self {
        let of = |part: fn(&str) -> String, all: &[PreparedExamples], buckets: usize| {
            let course = Course { buckets, rounds: ROUNDS, smoothing: SMOOTHING };
            let labelled = all.iter().map(|it| PreparedExamples {
                variants: it.variants.clone(),
                label: part(&it.label),
            });
            train_on(&labelled.collect::<Vec<_>>(), course)
        };
        Self {
            tools: of(ToOwned::to_owned, &examples.clauses, buckets),
            records: of(record, &examples.clauses, buckets / PARTS_FOLD),
            acts: of(act, &examples.clauses, buckets / PARTS_FOLD),
            refusals: of(rule, &examples.texts, buckets),
        }
    }

    /// Returns the probability that a text with these features must not be done.
    pub(super) fn refusal(&self, features: &[Feature]) -> f32 {
        let scores = self.refusals.scores_of(features);
        scores.iter().find(|it| it.label == REFUSE).map_or(0.0, |it| it.probability)
    }

    /// Returns the probabilities of all intents for a clause with these features, in no order.
    pub(super) fn scores(&self, features: &[Feature]) -> Vec<super::ScoredIntent> {
        let by_label = |classifier: &Classifier| -> BTreeMap<String, f32> {
            let scores = classifier.scores_of(features);
            scores.iter().map(|it| (it.label.to_owned(), it.probability)).collect()
        };
        let (records, acts) = (by_label(&self.records), by_label(&self.acts));
        let log = |probability: f32| libm::logf(probability.max(LEAST));
        let part = |all: &BTreeMap<String, f32>, label: &str| {
            log(all.get(label).copied().unwrap_or(LEAST))
        };
        let mut scores: Vec<super::ScoredIntent> = Vec::new();
        let mut total = 0.0;
        for score in self.tools.scores_of(features) {
            let sum = log(score.probability)
                + RECORD_WEIGHT * part(&records, &record(score.label))
                + ACT_WEIGHT * part(&acts, &act(score.label));
            let probability = libm::expf(sum * TEMPER);
            total += probability;
            scores.push(super::ScoredIntent { name: score.label.to_owned(), probability });
        }
        scores.iter_mut().for_each(|it| it.probability /= total.max(f32::MIN_POSITIVE));
        scores
    }

    /// Returns the classifiers as a file: each after its length.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for classifier in [&self.tools, &self.records, &self.acts, &self.refusals] {
            let bytes = classifier.to_bytes();
            all.extend(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
            all.extend(bytes);
        }
        all
    }

    /// Reads the classifiers from a file.
    ///
    /// # Errors
    /// [`BadWeights`] if the file is cut short or is no file of weights.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadWeights> {
        let mut rest = bytes;
        let mut next = || {
            let short = || BadWeights("the file is cut short");
            let (length, after) = rest.split_first_chunk::<4>().ok_or_else(short)?;
            let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| short())?;
            let (own, after) = after.split_at_checked(length).ok_or_else(short)?;
            rest = after;
            Classifier::from_bytes(own)
        };
        Ok(Self { tools: next()?, records: next()?, acts: next()?, refusals: next()? })
    }
}

/// Returns what the tool of an intent works on: `leads`, `task`. An intent of a home is a record of its own.
fn record(intent: &str) -> String {
    match intent.split_once('.') {
        Some(("os", act)) => act.split('_').nth(1).unwrap_or(act).trim_end_matches('s').to_owned(),
        Some(("integrations", act)) => act.split('.').next().unwrap_or(act).to_owned(),
        Some((domain, _)) => domain.to_owned(),
        None => intent.to_owned(),
    }
}

/// Returns whether an intent must not be done.
fn rule(intent: &str) -> String {
    (if intent == REFUSE { REFUSE } else { ALLOWED }).to_owned()
}

/// Returns what the tool of an intent does: `archive`, `create`. An intent of a home is an act of its own.
fn act(intent: &str) -> String {
    if is_idle(intent) {
        return intent.to_owned();
    }
    match intent.split_once('.') {
        Some(("os", act)) => act.split('_').next().unwrap_or(act).to_owned(),
        Some(("integrations", act)) => act.rsplit('.').next().unwrap_or(act).to_owned(),
        Some((_, act)) => act.to_owned(),
        None => intent.to_owned(),
    }
}
