//! Settings: one flat table with a default for each setting. The
//! TOML file, tenants and scenarios set values of this table.

use std::collections::{BTreeMap, BTreeSet};

use jiff::tz::TimeZone;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::QuietHours;
use crate::base::{Problem, Span, Value};
use crate::words;

/// Maximum number of characters of a tenant's name: a text has 160, and the name must leave room for what it says.
const NAME_CHARS_MAX: usize = 40;

/// Days for which runs, messages and events are kept unless a setting says otherwise: a year, and a month to look back.
const KEEP_DAYS: i64 = 400;
/// Minimum days for which they are kept: a provider may repeat a message for some days, and the row of a message is what
/// keeps it from being applied twice.
const KEEP_DAYS_MIN: i64 = 30;

/// The shipped methods, by the kinds of goals that they serve.
const DEFAULT_METHODS: [(&str, &str); 3] = [
    ("FillRole", "fill_roles"),
    ("RebalanceTargets", "rebalance_roles"),
    ("CancelRequest", "cancel_request"),
];

/// The operator's settings. Every setting has a default.
///
/// Durations are written in the `humantime` syntax (`4h`). A limit that is absent means no limit.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Name with which texts are signed. A tenant without a name signs no text.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "short_name")]
    pub name: Option<String>,
    /// IANA time zone of quiet hours and of the times that people read.
    #[serde(deserialize_with = "known_zone")]
    pub time_zone: String,
    /// IANA time zone of the tenant's domain, such as that of its church. It is no setting: the domain knows it.
    #[serde(skip)]
    pub domain_time_zone: Option<String>,
    /// Country of the business. It decides which tax the lines of quotes and invoices bear, and how a phone
    /// number without a country code is read.
    pub region: Region,
    /// Domains whose tools can be called, such as `["trade"]`. If it is absent, all domains of the program.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "at_least_one_domain")]
    pub domains: Option<BTreeSet<String>>,
    /// Phone number from which messages are sent.
    pub sms_from: String,
    /// Largest number of recipients of one `broadcast` that needs no approval by a supervisor.
    pub broadcast_approval_over: u64,
    /// Largest cost of one call, in the currency of the tenant, that needs no approval by a supervisor. A call
    /// costs what its contract says, and `segment_price` for each segment of the messages that it sends.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub spend_approval_over: Option<f64>,
    /// What the carrier bills for one segment, in the currency of the tenant. Plans show the cost of their
    /// messages if it is given.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "amount")]
    pub segment_price: Option<f64>,
    /// Maximum number of messages of one tenant in a calendar month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages_per_month: Option<u64>,
    /// Maximum number of unsolicited messages to one person in any seven days; at least 1.
    /// Invitations, reminders, questions and broadcasts count. Answers do not count,
    /// nor do messages about a place that the person has accepted. A message over the limit is delayed
    /// until the oldest counted message is a week old, and the life of its offer begins when it is sent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "at_least_one")]
    pub per_person_per_week: Option<u64>,
    /// Maximum number of unsolicited messages of one tenant in any minute, over all its runs; at least 1.
    /// The messages are spread evenly.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "at_least_one")]
    pub fan_out_per_minute: Option<u64>,
    /// Local time of day in which no message is sent; `none` for never.
    #[schema(value_type = String)]
    pub quiet_hours: QuietHours,
    /// Maximum time to wait for an approval.
    #[serde(with = "positive_duration")]
    #[schema(value_type = String)]
    pub approval_window: Span,
    /// Lowest confidence, from 0 to 1, with which a message is acted upon. If a message is understood with less,
    /// its sender is asked what it means.
    #[serde(deserialize_with = "share")]
    #[schema(minimum = 0, maximum = 1)]
    pub confidence_min: f64,
    /// Time after its last review after which a fact of the knowledge base is stale.
    #[serde(with = "positive_duration")]
    #[schema(value_type = String)]
    pub kb_max_age: Span,
    /// Maximum duration of a run whose method sets none.
    #[serde(with = "positive_duration")]
    #[schema(value_type = String)]
    pub run_max_duration: Span,
    /// Time for which runs and requests stay in the database after they ended; at least 30 days. Then they leave for an
    /// archive.
    #[serde(serialize_with = "positive_duration::serialize", deserialize_with = "retention")]
    #[schema(value_type = String)]
    pub keep_runs: Span,
    /// Time for which messages stay in the database after they were handled; at least 30 days. Then they leave for an
    /// archive.
    #[serde(serialize_with = "positive_duration::serialize", deserialize_with = "retention")]
    #[schema(value_type = String)]
    pub keep_messages: Span,
    /// Time for which the events of the tenant itself stay in the database; at least 30 days. Then they leave for an
    /// archive.
    #[serde(serialize_with = "positive_duration::serialize", deserialize_with = "retention")]
    #[schema(value_type = String)]
    pub keep_events: Span,
    /// When the life of an offer begins if its message was delayed.
    pub expiry_on_resume: ExpiryOnResume,
    /// Whether a reply at the exact instant of a deadline is in time.
    pub offer_boundary: OfferBoundary,
    /// Who is asked first of the people who fit alike. It changes who is asked first, never who may be asked.
    pub ask_order: AskOrder,
    /// Words that no text or email may contain which the operator sends, in lower case.
    pub banned_words: BTreeSet<String>,
    /// Who sends the confirmation of an opt-out such as STOP.
    pub optout_reply: OptoutReply,
    /// What somebody is told who may be in danger, besides that a person will call: whom to call now.
    pub crisis_text: String,
    /// The method that serves a kind of goal if several say that they do, by the kind of the goal.
    pub default_methods: BTreeMap<String, String>,
    /// The methods that begin by themselves when a plan of the operator has done something, by the name of the tool
    /// that did it, such as `{"email.send_quote": "quote_follow_up"}`. The goal of the run has the ids that the call
    /// names. None begins while a run of the same method works on the same record.
    pub follow_ups: BTreeMap<String, String>,
    /// Interval at which PostgreSQL is polled when no notification arrives.
    #[serde(with = "positive_duration")]
    #[schema(value_type = String)]
    pub poll_interval: Span,
    /// Duration of a node's lease on PostgreSQL.
    /// A node that does not renew its lease in time loses its runs.
    #[serde(with = "positive_duration")]
    #[schema(value_type = String)]
    pub node_lease: Span,
}

impl Settings {
    /// Whether the tenant has a domain.
    #[must_use]
    pub fn has_domain(&self, domain: &str) -> bool {
        self.domains.as_ref().is_none_or(|domains| domains.contains(domain))
    }

    /// Checks that the tenant has a domain. `what` begins the sentence that says what needs it, such as
    /// "`leads.list` is a tool of".
    ///
    /// # Errors
    /// `domain_disabled`.
    pub fn check_domain(&self, domain: &str, what: &str) -> Result<(), Problem> {
        if self.has_domain(domain) {
            return Ok(());
        }
        let message = format!("{what} the domain `{domain}`, which this tenant does not have");
        Err(Problem::caller("domain_disabled", message)
            .with_hint("add the domain with `abide tenant set TENANT domains LIST`"))
    }

    /// Returns the time zone of the tenant. The settings accept only names of known zones; UTC stands for a
    /// name that the zone database of this machine lacks.
    #[must_use]
    pub fn zone(&self) -> TimeZone {
        TimeZone::get(&self.time_zone).unwrap_or(TimeZone::UTC)
    }

    /// Returns these settings overridden by `differences`, an object of one tenant's own settings.
    ///
    /// # Errors
    /// `settings_invalid` for an unknown setting or an invalid value.
    pub fn overridden(&self, differences: &Value) -> Result<Self, Problem> {
        let invalid = |e: serde_json::Error| {
            Problem::caller("settings_invalid", e.to_string())
                .with_hint("see the table of settings in `docs/settings.md`")
        };
        let mut all = serde_json::to_value(self).map_err(invalid)?;
        if let (Some(all), Some(differences)) = (all.as_object_mut(), differences.as_object()) {
            all.extend(differences.clone());
        }
        serde_json::from_value(all).map_err(invalid)
    }
}

words! {
    /// The country of a business.
    pub enum Region {
        /// The United States: no tax is added.
        Us = "US",
        /// Australia: GST of 10 % is added.
        Au = "AU",
    }
}

words! {
    /// When the life of an offer begins if its message was delayed.
    pub enum ExpiryOnResume {
        /// When the message is actually sent: the expiry moves by the delay.
        FromSend = "from_send",
        /// When the message was planned to be sent: the expiry stays.
        AsPlanned = "as_planned",
    }
}

words! {
    /// Whether a reply at the exact instant of a deadline is in time.
    pub enum OfferBoundary {
        /// A yes at that instant is late.
        DeadlineWins = "deadline_wins",
        /// A yes at that instant counts.
        ReplyWins = "reply_wins",
    }
}

words! {
    /// Who is asked first of the people who fit alike.
    pub enum AskOrder {
        /// Those who have gone longest without taking a place.
        Rested = "rested",
        /// The same; of those who last took a place on the same day, or never did, those who are likelier to answer.
        Likely = "likely",
    }
}

words! {
    /// Who sends the confirmation when a person opts out.
    pub enum OptoutReply {
        /// The SMS provider sends the confirmation; abide sends nothing.
        Provider = "provider",
        /// Abide sends the template `opted_out`, once per consent and at any hour.
        Ours = "ours",
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_zone: "America/Chicago".to_owned(),
            domain_time_zone: None,
            region: Region::Us,
            domains: None,
            sms_from: "+15125550199".to_owned(),
            broadcast_approval_over: 25,
            spend_approval_over: None,
            segment_price: None,
            messages_per_month: None,
            name: None,
            per_person_per_week: None,
            fan_out_per_minute: None,
            quiet_hours: QuietHours::customary(),
            approval_window: Span::from_secs(4 * 3600),
            confidence_min: 0.6,
            kb_max_age: Span::from_secs(180 * 86_400),
            run_max_duration: Span::from_secs(30 * 86_400),
            keep_runs: Span::from_secs(KEEP_DAYS * 86_400),
            keep_messages: Span::from_secs(KEEP_DAYS * 86_400),
            keep_events: Span::from_secs(KEEP_DAYS * 86_400),
            expiry_on_resume: ExpiryOnResume::FromSend,
            offer_boundary: OfferBoundary::DeadlineWins,
            ask_order: AskOrder::Rested,
            optout_reply: OptoutReply::Provider,
            crisis_text:
                "If you are in danger right now, call 911. You can call or text 988 at any hour."
                    .to_owned(),
            banned_words: BTreeSet::new(),
            default_methods: DEFAULT_METHODS.map(|(k, m)| (k.to_owned(), m.to_owned())).into(),
            follow_ups: BTreeMap::new(),
            poll_interval: Span::from_secs(5),
            node_lease: Span::from_secs(30),
        }
    }
}

/// Deserializes a name. It is part of every text, so it is short.
fn short_name<'de, D: Deserializer<'de>>(d: D) -> Result<Option<String>, D::Error> {
    let Some(name) = Option::<String>::deserialize(d)? else { return Ok(None) };
    let name = name.trim();
    let length = name.chars().count();
    match (1..=NAME_CHARS_MAX).contains(&length) {
        true => Ok(Some(name.to_owned())),
        false => Err(D::Error::custom(format!(
            "`name` has {length} characters: give 1 to {NAME_CHARS_MAX}, or `null` for none"
        ))),
    }
}

/// Deserializes the name of a time zone, which must exist in the time-zone database.
fn known_zone<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    let name = String::deserialize(d)?;
    match TimeZone::get(&name) {
        Ok(_) => Ok(name),
        Err(_) => Err(D::Error::custom(format!(
            "unknown time zone `{name}`: use an IANA name such as `America/Chicago`"
        ))),
    }
}

/// Deserializes a limit of at least 1, because a limit of 0 would delay every message forever.
fn at_least_one<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u64>, D::Error> {
    match Option::<u64>::deserialize(d)? {
        Some(0) => Err(D::Error::custom("`0` blocks every message: give at least 1, or pause")),
        limit => Ok(limit),
    }
}

/// Deserializes an amount of money, which is not negative.
fn amount<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(d)? {
        Some(amount) if !amount.is_finite() || amount < 0.0 => {
            Err(D::Error::custom(format!("`{amount}` is not an amount of money: give at least 0")))
        }
        amount => Ok(amount),
    }
}

/// Deserializes a number from 0 to 1.
fn share<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
    let share = f64::deserialize(d)?;
    if (0.0..=1.0).contains(&share) {
        return Ok(share);
    }
    Err(D::Error::custom(format!("`{share}` is not a number from 0 to 1")))
}

/// Deserializes how long something is kept.
fn retention<'de, D: Deserializer<'de>>(d: D) -> Result<Span, D::Error> {
    let span = positive_duration::deserialize(d)?;
    if span < Span::from_secs(KEEP_DAYS_MIN * 86_400) {
        return Err(D::Error::custom(format!(
            "`{span}` is too short to keep anything: give at least {KEEP_DAYS_MIN}days"
        )));
    }
    Ok(span)
}

/// Deserializes the domains of a tenant. Without a domain, hardly any tool could be called.
fn at_least_one_domain<'de, D: Deserializer<'de>>(
    d: D,
) -> Result<Option<BTreeSet<String>>, D::Error> {
    match Option::<BTreeSet<String>>::deserialize(d)? {
        Some(domains) if domains.is_empty() => {
            Err(D::Error::custom("`domains` is empty: give at least one, or `null` for all"))
        }
        domains => Ok(domains),
    }
}

/// Serializes durations as `humantime` strings.
/// Rejects zero and negative durations, because each setting that uses this module is a time limit or an
/// interval.
pub mod positive_duration {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    use crate::base::Span;

    pub(super) fn serialize<S: Serializer>(span: &Span, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(span)
    }

    /// Reads a duration such as `10s`.
    ///
    /// # Errors
    /// Refuses text that is not a duration, and a duration that is not positive.
    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Span, D::Error> {
        let text = String::deserialize(d)?;
        let span: Span = text.parse().map_err(D::Error::custom)?;
        if span > Span::ZERO {
            Ok(span)
        } else {
            Err(D::Error::custom(format!(
                "`{text}` is not a positive duration: give at least `1s`"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_table_changes_what_it_names_and_keeps_the_rest() {
        let settings: Settings =
            serde_json::from_value(json!({"quiet_hours": "none", "node_lease": "1s"}))
                .expect("settings");
        assert_eq!(settings.quiet_hours, QuietHours::NONE);
        assert_eq!(settings.node_lease, Span::from_secs(1));
        assert_eq!(settings.region, Region::Us);
        assert_eq!(settings.broadcast_approval_over, 25);
    }

    #[test]
    fn settings_round_trip() {
        let settings = Settings::default();
        let json = serde_json::to_value(&settings).expect("serializes");
        assert_eq!(json["quiet_hours"], "21:00-08:00");
        assert_eq!(serde_json::from_value::<Settings>(json).expect("reads back"), settings);
    }

    #[test]
    fn nonsense_is_refused_with_the_remedy() {
        let refused =
            |value| serde_json::from_value::<Settings>(value).expect_err("is refused").to_string();
        assert!(refused(json!({"quiet": "none"})).contains("unknown field `quiet`"));
        assert!(refused(json!({"quiet_hours": "9-8"})).contains("write `21:00-08:00`, or `none`"));
        assert!(refused(json!({"time_zone": "Mars/Base"})).contains("use an IANA name"));
        assert!(refused(json!({"region": "NZ"})).contains("US"));
        assert!(refused(json!({"domains": []})).contains("give at least one"));
        assert!(refused(json!({"fan_out_per_minute": 0})).contains("at least 1"));
        assert!(refused(json!({"per_person_per_week": 0})).contains("at least 1"));
        assert!(refused(json!({"node_lease": "0s"})).contains("at least `1s`"));
    }
}
