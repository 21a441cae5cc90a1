//! Examples of the program that say the opposite of a home's: "the sink is leaking" asks for nothing, unless a home has an
//! intent for it.

use std::collections::BTreeMap;

use super::super::StaffIntent;
use crate::classify::{TrainingExample, features};

/// The likeness from which an example that asks for nothing rivals one of a home. Of two texts with half of their
/// words in common it is about 0.3.
const ALIKE_FROM: f32 = 0.25;
/// Most examples of a home that are compared, so that training stays a matter of seconds.
const COMPARED_MAX: usize = 1_000;

/// Returns the examples without those that ask for nothing and are like an example of a home.
pub(in crate::staff) fn without_rivals(mut all: Vec<TrainingExample>) -> Vec<TrainingExample> {
    let vector = |text: &str| -> BTreeMap<u32, f32> {
        features(text, "").iter().map(|feature| (feature.bucket, feature.value)).collect()
    };
    let is_own = |example: &&TrainingExample| StaffIntent::parse(&example.label).is_none();
    let mut own: Vec<&str> = all.iter().filter(is_own).map(|it| it.text.as_str()).collect();
    own.dedup();
    let own: Vec<BTreeMap<u32, f32>> = own.into_iter().take(COMPARED_MAX).map(vector).collect();
    let is_alike = |text: &str| {
        let features = features(text, "");
        own.iter().any(|own| {
            let shared = features.iter().filter_map(|it| Some(own.get(&it.bucket)? * it.value));
            shared.sum::<f32>() >= ALIKE_FROM
        })
    };
    if !own.is_empty() {
        all.retain(|it| it.label != StaffIntent::Unrelated.as_str() || !is_alike(&it.text));
    }
    all
}
