//! A linear classifier of short texts: softmax regression over hashed words, pairs of words and parts of words.
//!
//! The weights are whole numbers of eight bits in a file that is committed. Training is deterministic: the same
//! examples give the same file, bit for bit, on every machine.

mod features;
mod model;
mod train;

pub use features::{BUCKETS, Feature, features};
pub(crate) use features::{Counts, length_class, masked, normalised};
pub use model::{BadWeights, Classifier, Score};
pub(crate) use train::ROUNDS;
pub use train::{Course, PreparedExamples, TrainingExample, train, train_on};
