//! Finds the tools for an order: what senses the state, and what brings it about.

use abide_agent::obligations::{Obligation, ObligationType};
use abide_engine::base::{Digest, Span, Timestamp, Value};
use abide_engine::contract::Contracts;
use serde_json::{Map, json};

use super::super::adapter::ToolAdapters;
use super::super::choose::{Candidate, candidates};
use super::times::{OrderTimes, order_times};

/// The member of a result that says whether the state holds.
const HOLDS: &str = "holds";
/// A look at a state looks this many looks ahead, if its tool can: then a look that comes late still finds the state
/// unbroken.
const LOOKS_AHEAD: i64 = 2;

/// An order for which there are tools.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StandingOrder {
    /// To achieve, to maintain or to avoid.
    pub(super) kind: ObligationType,
    /// The state.
    pub(super) predicate: String,
    /// The arguments of the state.
    pub(super) args: Map<String, Value>,
    /// When it binds.
    pub(super) times: OrderTimes,
    /// What senses the state; `None` if nothing needs to be sensed.
    pub(super) sense: Option<Candidate>,
    /// What acts if the state is not as it should be; `None` if calls that would bring it about are refused, and that is
    /// all.
    pub(super) act: Option<Candidate>,
}

/// What an obligation comes to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sought {
    /// A run can keep it up or bring it about.
    Order(Box<StandingOrder>),
    /// Something must be known first.
    Missing(String),
    /// No tool does this.
    NoTool(String),
    /// It is discharged at once, by one call.
    AtOnce,
}

/// What tools are sought with.
#[derive(Clone, Copy)]
pub(in crate::obligations) struct Seeker<'a> {
    pub(in crate::obligations) contracts: &'a Contracts,
    pub(in crate::obligations) adapters: &'a ToolAdapters,
    pub(in crate::obligations) user: &'a str,
    pub(in crate::obligations) now: Timestamp,
}

impl StandingOrder {
    /// Returns by what a second order is known to be the same. Until when an order binds does not count.
    pub(super) fn digest(&self) -> Digest {
        let starts = self.times.starts.map(|starts| starts.to_string());
        Digest::of_value(&json!([self.kind.as_str(), self.predicate, self.args, starts]))
    }

    /// Returns the goal of its run.
    pub(super) fn goal(&self, id: &str) -> Value {
        let input = |tool: &Option<Candidate>| tool.as_ref().map(|tool| json!(tool.input));
        json!({
            "obligation_id": id,
            "type": self.kind.as_str(),
            "pred": self.predicate,
            "args": self.args,
            "starts": self.times.starts.map(|starts| starts.to_string()),
            "until": self.times.until.to_string(),
            "every": self.times.every.to_string(),
            "sense": input(&self.sense),
            "act": input(&self.act),
        })
    }
}

impl Seeker<'_> {
    /// Finds the tools for an obligation.
    pub(super) fn seek(&self, obligation: &Obligation) -> Sought {
        match obligation.obligation_type {
            ObligationType::Maintain | ObligationType::Avoid | ObligationType::Achieve => {
                self.order(obligation, None)
            }
            ObligationType::Schedule => match scheduled(obligation) {
                None => Sought::AtOnce,
                Some(inner) => {
                    let said = obligation.text("time").and_then(|time| time.parse().ok());
                    said.map_or_else(
                        || Sought::Missing("time".to_owned()),
                        |starts| self.order(&inner, Some(starts)),
                    )
                }
            },
            _ => Sought::AtOnce,
        }
    }

    fn order(&self, obligation: &Obligation, starts: Option<Timestamp>) -> Sought {
        let kind = obligation.obligation_type;
        let is_state = obligation.text("pred").is_some();
        if !is_state && (kind != ObligationType::Achieve || starts.is_none()) {
            return Sought::AtOnce;
        }
        let times = match order_times(obligation, starts, self.now) {
            Ok(times) => times,
            Err(missing) => return Sought::Missing(missing.to_owned()),
        };
        let find = |sought| self.find(sought, &obligation.payload, times.every);
        let sense = if is_state { find(ObligationType::Verify) } else { None };
        let sense = sense.filter(|tool| self.says_whether_it_holds(&tool.tool));
        let act = match kind {
            ObligationType::Maintain => {
                find(ObligationType::Maintain).or_else(|| find(ObligationType::Achieve))
            }
            kind => find(kind),
        };
        for tool in sense.iter().chain(&act) {
            if let Some(missing) = tool.missing.first() {
                return Sought::Missing(missing.clone());
            }
        }
        let predicate = obligation.kind().to_owned();
        let lacks =
            |sought: ObligationType| Sought::NoTool(format!("{}({predicate})", sought.as_str()));
        match (kind, &sense, &act) {
            (ObligationType::Maintain, None, _) => return lacks(ObligationType::Verify),
            (ObligationType::Maintain, _, None) => return lacks(ObligationType::Achieve),
            (ObligationType::Avoid, None, _) if !self.can_be_brought_about(&predicate) => {
                return lacks(ObligationType::Avoid);
            }
            (ObligationType::Achieve, _, None) if starts.is_some() => {
                return lacks(ObligationType::Achieve);
            }
            (ObligationType::Achieve, _, None) => return Sought::AtOnce,
            (ObligationType::Achieve, None, _) if starts.is_none() => return Sought::AtOnce,
            _ => {}
        }
        let args = obligation.payload.get("args").and_then(Value::as_object);
        let args = args.cloned().unwrap_or_default();
        Sought::Order(Box::new(StandingOrder { kind, predicate, args, times, sense, act }))
    }

    /// Returns the best tool for a type of obligation about the state of `payload`.
    fn find(
        &self,
        sought: ObligationType,
        payload: &Map<String, Value>,
        every: Span,
    ) -> Option<Candidate> {
        let wanted = Obligation { obligation_type: sought, payload: payload.clone() };
        let ahead = Span::from_micros(every.micros().saturating_mul(LOOKS_AHEAD));
        let known = Map::from_iter([
            ("user".to_owned(), Value::from(self.user)),
            ("ahead".to_owned(), Value::from(ahead.to_string())),
        ]);
        let found = candidates(self.contracts, self.adapters, &wanted, &known);
        let complete = found.iter().find(|tool| tool.missing.is_empty()).cloned();
        complete.or_else(|| found.into_iter().next())
    }

    fn says_whether_it_holds(&self, tool: &str) -> bool {
        let contract = self.contracts.get(tool);
        contract.is_some_and(|it| it.output.value()["properties"].get(HOLDS).is_some())
    }

    /// Whether a call of some tool can bring a state about.
    fn can_be_brought_about(&self, predicate: &str) -> bool {
        self.contracts.iter().any(|contract| contract.brings_about().any(|it| it == predicate))
    }
}

/// Returns what an obligation wants to be done later, if it is more than an event of the calendar.
pub(super) fn scheduled(obligation: &Obligation) -> Option<Obligation> {
    let inner = obligation.payload.get("obligation")?;
    serde_json::from_value(inner.clone()).ok()
}
