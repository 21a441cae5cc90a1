//! How often and how soon people answer: statistics of what they did when they were asked.
//!
//! The statistics are computed from what the tables show whenever somebody wants them, and are never stored. They say
//! whom to expect an answer from; they never say whom one may ask.

use serde::Serialize;
use utoipa::ToSchema;

use crate::base::{Span, Timestamp};

/// Asks of one person that count, the latest ones: habits change, and a page of people stays bounded.
pub const ASKS_PER_PERSON_MAX: i64 = 20;
/// Maximum number of asks from which the rates of a tenant are computed, the latest ones. The standard error of a rate
/// from that many is about 2 %.
pub const ASKS_PER_TENANT_MAX: i64 = 500;
/// Older asks do not count. A little more than a year, so that what happens once a year is included.
pub const HISTORY_SPAN: Span = Span::from_secs(400 * 86_400);
/// People with fewer asks than this have the rates of their tenant: their own say more about chance than about them.
pub const ASKS_MIN: u64 = 3;
/// An answer to a text that takes longer is about something else.
pub const TEXT_ANSWER_SPAN: Span = Span::from_secs(7 * 86_400);
/// The weight of the expected rate, in asks, when the rate of somebody is estimated.
const PRIOR_ASKS: f64 = 2.0;
/// The rate that is expected of people of whom nothing is known: that of the model `typical`.
pub const TYPICAL_RATE: f64 = 0.55;

/// What somebody did when they were asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskResult {
    /// They did not answer in time.
    Silent,
    /// They answered after this time, with something other than a yes or a no.
    Answered(Span),
    /// They said yes after this time.
    Accepted(Span),
    /// They said no after this time.
    Declined(Span),
}

/// What somebody, or all people of a tenant, did when they were asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseHistory {
    asked: u64,
    accepted: u64,
    /// The times until the answers, sorted.
    delays: Vec<Span>,
}

impl ResponseHistory {
    /// Collects results.
    #[must_use]
    pub fn of(results: impl IntoIterator<Item = AskResult>) -> Self {
        let mut history = Self::default();
        for result in results {
            history.asked += 1;
            history.accepted += u64::from(matches!(result, AskResult::Accepted(_)));
            history.delays.extend(match result {
                AskResult::Silent => None,
                AskResult::Answered(after)
                | AskResult::Accepted(after)
                | AskResult::Declined(after) => Some(after.max(Span::ZERO)),
            });
        }
        history.delays.sort_unstable();
        history
    }

    /// Joins the histories of several people.
    #[must_use]
    pub fn joined<'a>(histories: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        for history in histories {
            all.asked += history.asked;
            all.accepted += history.accepted;
            all.delays.extend(&history.delays);
        }
        all.delays.sort_unstable();
        all
    }

    /// Returns how often they were asked. Asks that are still open do not count, nor do those that were taken back
    /// before they were answered.
    #[must_use]
    pub const fn asked(&self) -> u64 {
        self.asked
    }

    /// Returns how often they answered.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.delays.len() as u64
    }

    /// Returns how often they said yes.
    #[must_use]
    pub const fn accepted(&self) -> u64 {
        self.accepted
    }

    /// Whether there are enough asks to tell habit from chance.
    #[must_use]
    pub const fn is_telling(&self) -> bool {
        self.asked >= ASKS_MIN
    }

    /// Estimates the probability of an answer. The fewer the asks, the nearer the estimate is to `expected`: it is the
    /// mean of the posterior beta distribution after a prior with the mean `expected` and the weight of two asks
    /// (Gelman et al., Bayesian Data Analysis, 3rd ed., section 2.4).
    #[must_use]
    pub fn rate(&self, expected: f64) -> f64 {
        shrunken(self.answered(), self.asked, expected)
    }

    /// Estimates the probability that an answer is a yes, as [`Self::rate`] does.
    #[must_use]
    pub fn yes_rate(&self, expected: f64) -> f64 {
        shrunken(self.accepted, self.answered(), expected)
    }

    /// Returns the time within which half of the answers came; `None` without answers.
    #[must_use]
    pub fn median(&self) -> Option<Span> {
        self.percentile(50)
    }

    /// Returns the time within which nine of ten answers came; `None` without answers.
    #[must_use]
    pub fn p90(&self) -> Option<Span> {
        self.percentile(90)
    }

    /// Returns a percentile of the times until the answers by the nearest-rank method: the smallest time that at least
    /// so much of a hundred answers did not exceed (Hyndman and Fan, Sample Quantiles, 1996, definition 1).
    fn percentile(&self, percent: usize) -> Option<Span> {
        let rank = (self.delays.len() * percent).div_ceil(100);
        self.delays.get(rank.checked_sub(1)?).copied()
    }

    /// Returns the figures that people see.
    #[must_use]
    pub fn figures(&self, expected: f64) -> ResponseFigures {
        let whole_seconds =
            |span: Span| Span::from_secs(span.micros().div_euclid(1_000_000)).to_string();
        ResponseFigures {
            asked: self.asked,
            answered: self.answered(),
            accepted: self.accepted,
            answer_rate: (self.rate(expected) * 100.0).round() / 100.0,
            median_delay: self.median().map(whole_seconds),
            p90_delay: self.p90().map(whole_seconds),
        }
    }
}

fn shrunken(happened: u64, of: u64, expected: f64) -> f64 {
    (happened as f64 + PRIOR_ASKS * expected) / (of as f64 + PRIOR_ASKS)
}

/// A text that was sent to somebody, and their next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextWithAnswer {
    /// When it was sent.
    pub sent_at: Timestamp,
    /// When the next text from them came.
    pub answered_at: Option<Timestamp>,
}

/// Computes the history of somebody from the texts to them, which are in order of time. Texts of the same week without
/// an answer in between are one ask: the later ones remind of the first.
#[must_use]
pub fn history_of_texts(texts: &[TextWithAnswer], now: Timestamp) -> ResponseHistory {
    struct TextAsk {
        first_at: Timestamp,
        last: TextWithAnswer,
    }
    let mut asks: Vec<TextAsk> = Vec::new();
    for text in texts {
        let same = |ask: &&mut TextAsk| {
            text.sent_at < ask.first_at + TEXT_ANSWER_SPAN
                && ask.last.answered_at.is_none_or(|at| at >= text.sent_at)
        };
        match asks.last_mut().filter(same) {
            Some(ask) => ask.last = *text,
            None => asks.push(TextAsk { first_at: text.sent_at, last: *text }),
        }
    }
    ResponseHistory::of(asks.iter().filter_map(|ask| {
        let until = ask.last.sent_at + TEXT_ANSWER_SPAN;
        match ask.last.answered_at.filter(|at| *at < until) {
            Some(at) => Some(AskResult::Answered(at - ask.first_at)),
            None if now < until => None,
            None => Some(AskResult::Silent),
        }
    }))
}

/// How often and how soon somebody answers.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ResponseFigures {
    /// How often they were asked. Asks that are still open do not count, nor do those that were taken back before they
    /// were answered.
    pub asked: u64,
    /// How often they answered.
    pub answered: u64,
    /// How often they said yes.
    pub accepted: u64,
    /// Estimated probability, from 0 to 1, that they answer. The fewer the asks, the nearer it is to the usual rate.
    pub answer_rate: f64,
    /// Half of the answers came within this time; absent without answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_delay: Option<String>,
    /// Nine of ten answers came within this time; absent without answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p90_delay: Option<String>,
}

/// Somebody who was asked, with how they answer.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct InsightView {
    /// Id of the person, customer, lead or supplier.
    pub id: String,
    /// Name.
    pub name: String,
    /// How they answer when they are asked: people when they get an offer, others when they get a text.
    pub responses: ResponseFigures,
    /// How they answer quotes that were sent to them; absent without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotes: Option<ResponseFigures>,
}

/// A page of those who were asked, with how all of them answer.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct InsightPage {
    /// How all of them answer, by the latest asks of the tenant.
    pub all: ResponseFigures,
    /// Those of this page who were asked. It may be empty although another page follows.
    pub items: Vec<InsightView>,
    /// Cursor that requests the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(n: i64) -> Span {
        Span::from_secs(60 * n)
    }

    fn at(n: i64) -> Timestamp {
        Timestamp::EPOCH + minutes(n)
    }

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let of = |n: i64| ResponseHistory::of((1..=n).map(|n| AskResult::Answered(minutes(n))));
        for (n, median, p90) in [(1, 1, 1), (2, 1, 2), (3, 2, 3), (10, 5, 9), (20, 10, 18)] {
            let history = of(n);
            let found = (history.median(), history.p90());
            assert_eq!(found, (Some(minutes(median)), Some(minutes(p90))), "{n}");
        }
        assert_eq!((of(0).median(), of(0).p90()), (None, None));
    }

    #[test]
    fn a_rate_is_the_expected_one_without_asks_and_the_measured_one_with_many() {
        let of = |answered: usize, silent: usize| {
            let answers = std::iter::repeat_n(AskResult::Accepted(minutes(1)), answered);
            ResponseHistory::of(answers.chain(std::iter::repeat_n(AskResult::Silent, silent)))
        };
        assert!((of(0, 0).rate(0.55) - 0.55).abs() < 1e-9);
        assert!((of(1, 0).rate(0.55) - 0.7).abs() < 1e-9);
        assert!((of(300, 100).rate(0.55) - 0.75).abs() < 0.01);
        assert!(of(3, 0).rate(0.55) < of(9, 0).rate(0.55), "more asks are more certain");
        assert_eq!((of(2, 0).is_telling(), of(2, 1).is_telling()), (false, true));
        assert_eq!((of(2, 1).asked(), of(2, 1).answered(), of(2, 1).accepted()), (3, 2, 2));
    }

    #[test]
    fn histories_are_joined_by_their_answers() {
        let ana = ResponseHistory::of([AskResult::Accepted(minutes(9)), AskResult::Silent]);
        let ben = ResponseHistory::of([AskResult::Declined(minutes(3))]);
        let all = ResponseHistory::joined([&ana, &ben]);
        assert_eq!((all.asked(), all.answered(), all.accepted()), (3, 2, 1));
        assert_eq!((all.median(), all.p90()), (Some(minutes(3)), Some(minutes(9))));
        assert!((all.yes_rate(0.5) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn texts_of_one_week_without_an_answer_are_one_ask() {
        const DAY: i64 = 24 * 60;
        let text = |sent: i64, answered: Option<i64>| TextWithAnswer {
            sent_at: at(sent),
            answered_at: answered.map(at),
        };
        let now = at(100 * DAY);
        let reminded = [text(0, Some(2 * DAY + 5)), text(2 * DAY, Some(2 * DAY + 5))];
        let history = history_of_texts(&reminded, now);
        assert_eq!((history.asked(), history.median()), (1, Some(minutes(2 * DAY + 5))));
        let twice = [text(0, Some(5)), text(10, Some(40))];
        let history = history_of_texts(&twice, now);
        assert_eq!((history.asked(), history.p90()), (2, Some(minutes(30))));
        let ignored = [text(0, None), text(30 * DAY, None), text(99 * DAY, None)];
        let history = history_of_texts(&ignored, now);
        assert_eq!((history.asked(), history.answered()), (2, 0), "the last may be answered yet");
        let late = [text(0, Some(9 * DAY))];
        let history = history_of_texts(&late, now);
        assert_eq!((history.asked(), history.answered()), (1, 0), "it is about something else");
    }
}
