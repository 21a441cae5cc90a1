//! Simulated people who answer at random: a model says whether they answer, how soon, and in which words.
//!
//! The random numbers depend only on the seed, the person and the number of the question to the person.
//! So two versions of a method meet the same people,
//! and any difference in the result comes from the method.

mod answer;
mod model;
mod question_rng;
mod words;

pub use answer::{CrowdAnswer, TextToAnswer, draw_answers, draw_answers_after, is_question};
pub use model::{AnswerDelay, AnswerWeights, CrowdModel};
