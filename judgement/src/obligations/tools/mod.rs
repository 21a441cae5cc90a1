//! The code of the tools that discharge obligations. The operations themselves are pure (`abide_agent::obligations`).

mod ball;
mod calendar;
mod compute;
mod memory;
mod people;
mod release;
mod time;

use std::sync::Arc;

use abide_engine::base::{Problem, Value};
use abide_engine::verb::{Effects, PureVerb, Verb, VerbOutcome, Verbs, WriteVerb};
use serde::de::DeserializeOwned;
use serde_json::json;

/// Returns the tools that discharge obligations.
#[must_use]
pub fn verbs() -> Verbs {
    Verbs::new()
        .with("ask.eval_math", computing(compute::EvalMath))
        .with("ask.count_letters", computing(compute::CountLetters))
        .with("ask.people_sql", code(people::PeopleSql))
        .with("ask.time_now", code(time::TimeNow))
        .with("ask.memory_check", code(memory::MemoryCheck))
        .with("ask.save", code(memory::Save))
        .with("ask.forget", code(memory::Forget))
        .with("ask.calendar_read", code(calendar::CalendarRead))
        .with("ask.calendar_write", code(calendar::CalendarWrite))
        .with("ask.release", code(release::ReleaseOrders))
        .with("ask.ball_sense", code(ball::BallSense))
        .with("ask.ball_nudge", code(ball::BallNudge))
        .with("ask.ball_push", code(ball::BallPush))
}

fn computing(tool: impl PureVerb + 'static) -> Verb {
    Verb::Pure(Arc::new(tool))
}

fn code(tool: impl WriteVerb + 'static) -> Verb {
    Verb::Write(Arc::new(tool))
}

/// Reads the arguments of a call, which fit the schema of its tool.
fn read<T: DeserializeOwned>(args: &Value) -> Result<T, Problem> {
    serde_json::from_value(args.clone())
        .map_err(|error| Problem::caller("args_invalid", error.to_string()))
}

/// Builds one assertion.
fn assertion(subject: &str, predicate: &str, object: &str) -> Value {
    json!({ "subject": subject, "predicate": predicate, "object": object })
}

/// Builds the result of a call that changes nothing.
fn looked_up(result: Value) -> VerbOutcome {
    VerbOutcome::done(result, Effects::default())
}
