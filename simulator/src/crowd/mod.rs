//! People who answer by chance, as a model says: whether at all, how soon, with which words.
//!
//! Chance hangs on the seed, the person and the how-manieth question this is to that person, and on
//! nothing else. So two versions of a method meet the very same people, and what differs in the end
//! is the method's doing.

mod answer;
mod chance;
mod model;
mod words;

pub use answer::{Answer, Asked, answers, answers_after, asks};
pub use model::{Answers, Delay, Model};
