//! The settings: one table, each with its default, the same in TOML, in a tenant and in a scenario.

use jiff::tz::TimeZone;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::QuietHours;
use crate::base::{Problem, Span, Value};

/// What the operator chose, with a default for everything.
///
/// Durations are written in the `humantime` dialect (`4h`). An absent limit means none.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// IANA zone of a tenant that names none: whose evenings the quiet hours are.
    #[serde(deserialize_with = "known_zone")]
    pub time_zone: String,
    /// The number that outbound texts come from.
    pub sms_from: String,
    /// Recipients of one `broadcast` beyond which a supervisor must approve.
    pub broadcast_approval_over: u64,
    /// Messages of one tenant and calendar month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages_per_month: Option<u64>,
    /// Unasked messages to one person in seven days.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    pub per_person_per_week: Option<u64>,
    /// Unasked messages of one tenant a minute.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    pub fan_out_per_minute: Option<u64>,
    /// When nobody is texted, in local time.
    pub quiet_hours: QuietHours,
    /// How long an approval may be waited for.
    #[serde(with = "humane")]
    pub approval_window: Span,
    /// How long ago a fact of the knowledge base may have been reviewed before it is stale.
    #[serde(with = "humane")]
    pub kb_max_age: Span,
    /// How long a run may take whose method does not say.
    #[serde(with = "humane")]
    pub run_max_duration: Span,
    /// From when an offer's life counts once held sends are let go.
    pub expiry_on_resume: ExpiryOnResume,
    /// Who wins at the very instant of a deadline.
    pub offer_boundary: OfferBoundary,
    /// Who answers STOP.
    pub optout_reply: OptoutReply,
    /// How often PostgreSQL is asked when no notification came.
    #[serde(with = "humane")]
    pub poll_interval: Span,
    /// How long a node that shows no life keeps its runs, on PostgreSQL.
    #[serde(with = "humane")]
    pub node_lease: Span,
}

impl Settings {
    /// These settings with the differences of one tenant.
    ///
    /// # Errors
    /// `settings_invalid` for an unknown setting or a value that none can have.
    pub fn overridden(&self, differences: &Value) -> Result<Self, Problem> {
        let invalid = |e: serde_json::Error| {
            Problem::caller("settings_invalid", e.to_string())
                .with_hint("see the table of settings in `docs/how-to/operate.md`")
        };
        let mut all = serde_json::to_value(self).map_err(invalid)?;
        if let (Some(all), Some(differences)) = (all.as_object_mut(), differences.as_object()) {
            all.extend(differences.clone());
        }
        serde_json::from_value(all).map_err(invalid)
    }
}

/// From when an offer's life counts once held sends are let go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpiryOnResume {
    /// From the first permitted send.
    FromSend,
    /// As planned when the offer was made.
    AsPlanned,
}

/// Who wins at the very instant of a deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OfferBoundary {
    /// A yes of that instant is late.
    DeadlineWins,
    /// A yes of that instant counts.
    ReplyWins,
}

/// Who answers STOP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OptoutReply {
    /// The provider: we send nothing.
    Provider,
    /// We do: exactly one message.
    Ours,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            time_zone: "America/Chicago".to_owned(),
            sms_from: "+15125550199".to_owned(),
            broadcast_approval_over: 25,
            messages_per_month: None,
            per_person_per_week: None,
            fan_out_per_minute: None,
            quiet_hours: QuietHours::customary(),
            approval_window: Span::from_secs(4 * 3600),
            kb_max_age: Span::from_secs(180 * 86_400),
            run_max_duration: Span::from_secs(30 * 86_400),
            expiry_on_resume: ExpiryOnResume::FromSend,
            offer_boundary: OfferBoundary::DeadlineWins,
            optout_reply: OptoutReply::Provider,
            poll_interval: Span::from_secs(5),
            node_lease: Span::from_secs(30),
        }
    }
}

/// A zone of the time-zone database.
fn known_zone<'de, D: Deserializer<'de>>(d: D) -> Result<String, D::Error> {
    let name = String::deserialize(d)?;
    match TimeZone::get(&name) {
        Ok(_) => Ok(name),
        Err(_) => Err(D::Error::custom(format!(
            "unknown time zone `{name}`: use an IANA name such as `America/Chicago`"
        ))),
    }
}

/// A limit that lets something through: a rate of none would hold every message for ever.
fn some<'de, D: Deserializer<'de>>(d: D) -> Result<Option<u64>, D::Error> {
    match Option::<u64>::deserialize(d)? {
        Some(0) => Err(D::Error::custom("`0` lets nothing through: give at least 1, or pause")),
        limit => Ok(limit),
    }
}

/// Durations as people write them; zero and negative ones are refused: each of these is a wait.
mod humane {
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    use crate::base::Span;

    pub(super) fn serialize<S: Serializer>(span: &Span, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(span)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Span, D::Error> {
        let text = String::deserialize(d)?;
        let span: Span = text.parse().map_err(D::Error::custom)?;
        if span > Span::ZERO {
            Ok(span)
        } else {
            Err(D::Error::custom(format!("`{text}` is no time at all: give at least `1s`")))
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
        assert!(refused(json!({"fan_out_per_minute": 0})).contains("at least 1"));
        assert!(refused(json!({"per_person_per_week": 0})).contains("at least 1"));
        assert!(refused(json!({"node_lease": "0s"})).contains("at least `1s`"));
    }
}
