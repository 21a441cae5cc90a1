//! Models of how people answer, read from YAML files.

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::base::{Problem, Span};
use abide_engine::diagnostic::Source;
use abide_engine::policy::QuietHours;
use abide_engine::yaml;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// The sources of the models that are compiled into the program.
const SHIPPED: [&str; 3] = [
    include_str!("../../models/silent.yaml"),
    include_str!("../../models/typical.yaml"),
    include_str!("../../models/eager.yaml"),
];

/// A model of how people answer messages that ask something.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrowdModel {
    /// The model's name.
    pub model: String,
    /// A sentence that describes the modelled people.
    #[serde(default)]
    pub description: Option<String>,
    /// The chance, from 0 to 1, that a person answers the first message that asks them something.
    pub replies: f64,
    /// The chance, from 0 to 1, that a person answers a later message that asks them something;
    /// `None` means the same chance as for the first message.
    #[serde(default)]
    pub replies_again: Option<f64>,
    /// The distribution of the time until a person answers.
    pub delay: AnswerDelay,
    /// The part of each day in which people do not write.
    /// An answer that would fall into this period is written when the period ends.
    #[serde(default = "awake")]
    pub asleep: QuietHours,
    /// The relative frequency of each kind of answer.
    pub answers: AnswerWeights,
    /// The chance, from 0 to 1, that a person who said yes takes it back later.
    #[serde(default)]
    pub changes_mind: f64,
    /// The models of people whose own earlier answers are known, by phone number. A file has none.
    #[serde(skip)]
    pub own: Arc<BTreeMap<String, Self>>,
}

/// The distribution of the time until an answer: a log-normal distribution.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerDelay {
    /// The median of the time until an answer.
    #[serde(deserialize_with = "duration")]
    pub median: Span,
    /// The spread factor: about two thirds of the times lie between
    /// `median / spread` and `median * spread`.
    #[serde(default = "usual_spread")]
    pub spread: f64,
}

/// Relative weights of the kinds of answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnswerWeights {
    /// The weight of answers that say yes.
    pub yes: f64,
    /// The weight of answers that say no.
    pub no: f64,
    /// The weight of answers that ask for time or are unsure.
    pub maybe: f64,
    /// The weight of answers that ask a question.
    pub question: f64,
    /// The weight of answers that opt out.
    pub stop: f64,
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse()
        .map_err(|_| D::Error::custom(format!("expected a duration such as `45m`, found `{text}`")))
}

fn awake() -> QuietHours {
    QuietHours::NONE
}

fn usual_spread() -> f64 {
    3.0
}

impl CrowdModel {
    /// Returns the names of the models that are compiled into the program.
    #[must_use]
    pub fn names() -> Vec<String> {
        SHIPPED
            .iter()
            .filter_map(|text| Self::read("model.yaml", text).ok())
            .map(|m| m.model)
            .collect()
    }

    /// Returns the model with this name that is compiled into the program, if there is one.
    #[must_use]
    pub fn shipped(name: &str) -> Option<Self> {
        SHIPPED
            .iter()
            .filter_map(|text| Self::read("model.yaml", text).ok())
            .find(|model| model.model == name)
    }

    /// Reads and checks a model from its YAML source.
    ///
    /// # Errors
    /// Returns `model_invalid` with a description of the error, and with its line if the line is known.
    pub fn read(file: &str, text: &str) -> Result<Self, Problem> {
        let invalid = |why: String| {
            Problem::caller("model_invalid", format!("`{file}` is not a valid model: {why}"))
                .with_hint("see `docs/how-to/simulate-people.md` for the format")
        };
        let source = Source::new(file, text);
        let (root, found) = yaml::read(&source);
        if let Some(fault) = found.iter().find(|finding| finding.is_error()) {
            return Err(invalid(format!("line {}: {}", fault.line, fault.message)));
        }
        let value = root.map(|root| root.to_value()).unwrap_or_default();
        let model: Self = serde_json::from_value(value).map_err(|e| invalid(e.to_string()))?;
        model.check().map_err(invalid)?;
        Ok(model)
    }

    fn check(&self) -> Result<(), String> {
        let chances = [
            ("replies", Some(self.replies)),
            ("replies_again", self.replies_again),
            ("changes_mind", Some(self.changes_mind)),
        ];
        for (name, chance) in chances {
            if chance.is_some_and(|chance| !(0.0..=1.0).contains(&chance)) {
                return Err(format!("`{name}` must be a probability from 0 to 1"));
            }
        }
        let weights = self.answers.weights();
        if weights.iter().any(|weight| !weight.is_finite() || *weight < 0.0)
            || weights.iter().sum::<f64>() <= 0.0
        {
            return Err("`answers` needs at least one weight above 0, and none below 0".to_owned());
        }
        if self.delay.median <= Span::ZERO || !(1.0..=SPREAD_MAX).contains(&self.delay.spread) {
            return Err(format!(
                "`delay` needs a `median` above 0 and a `spread` from 1 to {SPREAD_MAX}"
            ));
        }
        Ok(())
    }
}

/// The largest valid spread. With this spread, one answer in ten takes at least 365 times the median.
/// No real people answer that late, so a larger spread is refused as a mistake of the author.
pub(super) const SPREAD_MAX: f64 = 100.0;

impl AnswerWeights {
    /// Returns the weights in the order `yes`, `no`, `maybe`, `question`, `stop`.
    pub(super) fn weights(&self) -> [f64; 5] {
        [self.yes, self.no, self.maybe, self.question, self.stop]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_models_read() {
        assert_eq!(CrowdModel::names(), ["silent", "typical", "eager"]);
        let typical = CrowdModel::shipped("typical").expect("the model");
        assert_eq!(typical.delay.median, Span::from_secs(50 * 60));
        assert!(CrowdModel::shipped("rude").is_none());
    }

    #[test]
    fn what_is_wrong_with_a_model_is_said() {
        let good = "model: m\nreplies: 0.5\ndelay: { median: 1h }\nanswers: { yes: 1 }\n";
        assert!(CrowdModel::read("m.yaml", good).is_ok());
        let cases = [
            (good.replace("0.5", "1.5"), "`replies` must be a probability from 0 to 1"),
            (good.replace("yes: 1", "yes: 0"), "`answers` needs at least one weight above 0"),
            (good.replace("1h }", "1h, spread: 0.5 }"), "a `spread` from 1 to 100"),
            (good.replace("yes", "ja"), "unknown field `ja`"),
            (good.replace("1h", "soon"), "soon"),
            ("model: [".to_owned(), "line 1"),
        ];
        for (text, told) in cases {
            let problem = CrowdModel::read("m.yaml", &text).expect_err(&text);
            assert_eq!(problem.code, "model_invalid");
            assert!(problem.message.contains(told), "{text}\n{problem}");
        }
    }
}
