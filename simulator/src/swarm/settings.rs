//! Draws the settings of a tenant in the swarm from a seed: the initial settings and later changes.

use std::collections::BTreeMap;

use abide_engine::base::{Span, Timestamp, Value};
use fastrand::Rng;
use jiff::tz::TimeZone;
use serde_json::json;

/// On average, one in [`DIFFERS`] settings differs from its default. Quiet hours are drawn separately.
const DIFFERS: u8 = 5;
/// Maximum time from the start of the simulation to the beginning of quiet hours.
/// The quiet hours thus begin while many messages are being sent.
const QUIET_FROM_MAX: Span = Span::from_secs(4 * 3_600);
const HOUR: Span = Span::from_secs(3_600);
/// Range from which a tenant's monthly limit on messages is drawn, if the tenant gets such a limit.
/// Some simulations continue into the next month, for which messages are counted from 0 again.
const BUDGET: std::ops::RangeInclusive<u64> = 10..=40;

/// Draws the settings with which a tenant starts.
pub(super) fn initial(random: &mut Rng, start: Timestamp, zone: &str) -> BTreeMap<String, Value> {
    let mut settings = BTreeMap::new();
    let from = start + Span::from_micros(random.i64(0..QUIET_FROM_MAX.micros()));
    let quiet = quiet_hours(random, from, zone);
    if random.bool() {
        settings.insert("quiet_hours".to_owned(), quiet);
    }
    let mut differs = |random: &mut Rng, name: &str, value: Value| {
        if random.u8(..DIFFERS) == 0 {
            settings.insert(name.to_owned(), value);
        }
    };
    let budget = random.u64(BUDGET);
    differs(random, "messages_per_month", json!(budget));
    let (weekly, at_once) = (random.u64(1..=3), random.u64(5..=30));
    differs(random, "per_person_per_week", json!(weekly));
    differs(random, "fan_out_per_minute", json!(at_once));
    differs(random, "offer_boundary", json!("reply_wins"));
    differs(random, "expiry_on_resume", json!("as_planned"));
    // Half of the tenants must approve messages to a few people, so that many approvals are open.
    let asks_over = random.u64(3..=8);
    if random.bool() {
        settings.insert("broadcast_approval_over".to_owned(), json!(asks_over));
    }
    settings
}

/// Draws one setting and a new value for it.
pub(super) fn change(random: &mut Rng) -> BTreeMap<String, Value> {
    let hour = |random: &mut Rng| random.u8(..24);
    let (from, to) = (hour(random), hour(random));
    let (name, value) = match random.u8(..4) {
        0 => ("quiet_hours", json!("none")),
        1 => ("fan_out_per_minute", json!(random.u64(5..=30))),
        _ if from == to => ("quiet_hours", json!("21:00-08:00")),
        _ => ("quiet_hours", json!(format!("{from:02}:00-{to:02}:30"))),
    };
    BTreeMap::from([(name.to_owned(), value)])
}

/// Draws quiet hours that begin at the instant `from`, in the form of the setting `quiet_hours`.
pub(super) fn quiet_hours(random: &mut Rng, from: Timestamp, zone: &str) -> Value {
    let zone = TimeZone::get(zone).unwrap_or(TimeZone::UTC);
    let until = from + Span::from_micros(random.i64(1..=10) * HOUR.micros());
    let clock = |at: Timestamp| at.to_jiff().to_zoned(zone.clone()).strftime("%H:%M").to_string();
    // If summer time ends during the quiet hours, the clock may show the same time at their
    // beginning and end. Then move the end, so that the two times differ.
    let until = if clock(from) == clock(until) { until + HOUR } else { until };
    json!(format!("{}-{}", clock(from), clock(until)))
}
