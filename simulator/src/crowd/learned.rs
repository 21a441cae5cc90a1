//! The model `learned`: people answer as they have answered before.

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::response::ResponseHistory;

use super::CrowdModel;
use super::model::{AnswerDelay, AnswerWeights, SPREAD_MAX};

/// The name of the model.
pub const LEARNED: &str = "learned";
/// The model from which everything is taken that the histories do not say.
const BASE: &str = "typical";
/// The number of standard deviations from the median to the ninth decile of a normal distribution.
const P90_DEVIATIONS: f64 = 1.281_551_565_5;

impl CrowdModel {
    /// Builds the model of people whose earlier answers are known: of all of them together, and of each by phone
    /// number. Who was asked too rarely answers as all of them do; if all of them were, as people of the model
    /// `typical` do. When people sleep, ask back, opt out and change their minds is taken from that model.
    ///
    /// A rate is that of a whole offer. A reminder therefore has the chance that it has in `typical` in proportion.
    #[must_use]
    pub fn learned(
        all: &ResponseHistory,
        by_phone: &BTreeMap<String, ResponseHistory>,
    ) -> Option<Self> {
        let typical = Self::shipped(BASE)?;
        let usual = if all.is_telling() { typical.adapted(all) } else { typical.clone() };
        let telling = by_phone.iter().filter(|(_, history)| history.is_telling());
        let own = telling.map(|(phone, history)| (phone.clone(), usual.adapted(history)));
        let own: BTreeMap<String, Self> = own.collect();
        let known = own.len();
        Some(Self {
            model: LEARNED.to_owned(),
            description: Some(format!(
                "People answer as they have before: {known} by their own rates."
            )),
            own: Arc::new(own),
            ..usual
        })
    }

    /// Returns the model of the person with this phone number.
    #[must_use]
    pub fn of_person(&self, phone: &str) -> &Self {
        self.own.get(phone).unwrap_or(self)
    }

    /// Whether somebody may answer.
    #[must_use]
    pub fn anybody_answers(&self) -> bool {
        self.replies > 0.0 || self.own.values().any(|own| own.replies > 0.0)
    }

    /// Returns this model with the rates of a history, each the nearer to its own the fewer the asks.
    fn adapted(&self, history: &ResponseHistory) -> Self {
        let again = self.replies_again.unwrap_or(self.replies);
        let again = if self.replies > 0.0 { again / self.replies } else { 0.0 };
        let replies = history.rate(self.replies);
        let AnswerWeights { yes, no, .. } = self.answers;
        let decided = yes + no;
        let yes = decided * history.yes_rate(if decided > 0.0 { yes / decided } else { 0.0 });
        Self {
            replies,
            replies_again: Some((replies * again).min(1.0)),
            delay: delay(history).unwrap_or(self.delay),
            answers: AnswerWeights { yes, no: decided - yes, ..self.answers },
            ..self.clone()
        }
    }
}

/// Returns the log-normal distribution with the median and the ninth decile of a history; `None` if there are too few
/// answers.
fn delay(history: &ResponseHistory) -> Option<AnswerDelay> {
    if history.answered() < abide_engine::response::ASKS_MIN {
        return None;
    }
    let (median, p90) = (history.median()?, history.p90()?);
    let median = median.max(abide_engine::base::Span::from_secs(1));
    let ratio = p90.micros() as f64 / median.micros() as f64;
    let spread = ratio.max(1.0).powf(1.0 / P90_DEVIATIONS).clamp(1.0, SPREAD_MAX);
    Some(AnswerDelay { median, spread })
}

#[cfg(test)]
mod tests {
    use abide_engine::base::Span;
    use abide_engine::response::AskResult;

    use super::*;

    fn minutes(n: i64) -> Span {
        Span::from_secs(60 * n)
    }

    fn history(accepted: usize, silent: usize) -> ResponseHistory {
        let answers = (1..).take(accepted).map(|n| AskResult::Accepted(minutes(n)));
        ResponseHistory::of(answers.chain(std::iter::repeat_n(AskResult::Silent, silent)))
    }

    fn learned(all: &ResponseHistory, own: &[(&str, ResponseHistory)]) -> CrowdModel {
        let own = own.iter().map(|(phone, history)| ((*phone).to_owned(), history.clone()));
        CrowdModel::learned(all, &own.collect()).expect("the model")
    }

    #[test]
    fn without_asks_people_are_typical() {
        let typical = CrowdModel::shipped(BASE).expect("a model");
        let model = learned(&history(2, 0), &[("+1", history(2, 0))]);
        assert_eq!((model.model.as_str(), model.own.len()), (LEARNED, 0));
        assert_eq!(
            (model.replies, model.answers, model.delay),
            (typical.replies, typical.answers, typical.delay)
        );
        assert_eq!(model.of_person("+1").replies.to_bits(), typical.replies.to_bits());
    }

    #[test]
    fn people_have_their_own_rates_and_the_others_those_of_all() {
        let known = [("+1", history(18, 0)), ("+2", history(0, 18)), ("+3", history(1, 1))];
        let model = learned(&history(20, 60), &known);
        let rate = |phone: &str| model.of_person(phone).replies;
        assert!((model.replies - 21.1 / 82.0).abs() < 1e-9, "{}", model.replies);
        assert!(rate("+1") > 0.9 && rate("+2") < 0.05, "{} {}", rate("+1"), rate("+2"));
        assert_eq!(rate("+3").to_bits(), model.replies.to_bits(), "two asks say too little");
        assert_eq!(rate("+4").to_bits(), model.replies.to_bits());
        let own = model.of_person("+1");
        assert_eq!(own.delay.median, minutes(9));
        assert!((own.delay.spread - (17.0_f64 / 9.0).powf(1.0 / P90_DEVIATIONS)).abs() < 1e-9);
        assert!(own.answers.yes > model.of_person("+2").answers.yes);
        let again = own.replies_again.expect("a chance") / own.replies;
        assert!((again - 0.3 / 0.55).abs() < 1e-9, "{again}");
        assert!(model.anybody_answers());
    }
}
