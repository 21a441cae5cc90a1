//! Simulated people who answer at random: a model says whether they answer, how soon, and in which words.
//!
//! The random numbers for an answer depend only on the seed, on the person, and on how many questions
//! the person has got so far.
//! If two versions of a method are simulated with the same seed, people therefore answer the
//! same question in the same way. So any difference in the results comes from the versions.

mod answer;
mod learned;
mod model;
mod question_rng;
mod words;

pub use answer::{CrowdAnswer, TextToAnswer, draw_answers, draw_answers_after, is_question};
pub use learned::LEARNED;
pub use model::{AnswerDelay, AnswerWeights, CrowdModel};
