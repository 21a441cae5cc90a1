//! Policy: the limits that the operator sets. Each rule is
//! a setting and a pure function that applies the setting.
//!
//! A rule returns a [`PolicyVerdict`] about an effect. If several rules apply, the strictest decision
//! and the latest `hold_until` win. No message is dropped silently: a delayed message is sent later.

mod broadcast;
pub mod budget;
mod carrier;
mod fan_out;
mod gate_rule;
mod quiet_hours;
mod recurrence;
mod settings;
pub mod skew;
mod spend;
mod stale_fact;
mod verdict;
pub mod weekly_limit;

pub use broadcast::broadcast;
pub use budget::{BUDGET_EXHAUSTED, BUDGET_NOTICE, Month};
pub use carrier::{CarrierWord, OPT_OUT_CONFIRMED};
pub use fan_out::FanOutRate;
pub use gate_rule::{GateRule, RuleVerdict};
pub use quiet_hours::{BadQuietHours, QuietHours};
pub use recurrence::{CatchUp, FireDecision, Overlap, Recurrence, zone};
pub use settings::{
    AskOrder, ExpiryOnResume, OfferBoundary, OptoutReply, Region, Settings, positive_duration,
};
pub use skew::Skew;
pub use spend::spend;
pub use stale_fact::stale_fact;
pub use verdict::{PolicyDecision, PolicyVerdict};
