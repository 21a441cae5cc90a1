//! A goal: what kind it is, how urgent, and what is known about it.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::STALE_AFTER_HOURS;
use super::turn::Pulse;
use crate::words;

/// The least and the greatest priority.
const PRIORITY_MIN: i64 = 1;
const PRIORITY_MAX: i64 = 10;

words! {
    /// What kind of goal it is.
    pub enum GoalType {
        /// Learn the name and the city of the user.
        Onboarding = "onboarding",
        /// Compare prices until the user can decide.
        PriceWatch = "price_watch",
        /// Turn a comparison into one recommendation; always the child of a price goal.
        Recommendation = "recommendation",
        /// Bring a booking to its confirmation.
        Upsell = "upsell",
        /// Plan a trip or an event.
        TripPlan = "trip_plan",
        /// Find something to eat.
        FoodSearch = "food_search",
        /// Follow the user to another topic.
        ReEngagement = "re_engagement",
        /// Take the conversation one step further.
        General = "general",
    }
}

words! {
    /// Whether a goal is still pursued.
    pub enum GoalStatus {
        /// It is pursued.
        Active = "active",
        /// It was reached.
        Completed = "completed",
        /// It was given up: stale, cancelled by the user, or beyond the maximum.
        Abandoned = "abandoned",
    }
}

words! {
    /// A detail that a goal needs, or that its user named.
    pub enum GoalSlot {
        /// What the user is called.
        Name = "name",
        /// Where the user lives.
        City = "city",
        /// What it is about, in the words of the user.
        Item = "item",
        /// The meal or the kind of place, if no dish was named.
        Meal = "meal",
        /// Where.
        Place = "place",
        /// How much it may cost.
        Budget = "budget",
        /// When, or for how long.
        When = "when",
        /// How many, or for how many people.
        Quantity = "quantity",
    }
}

impl GoalType {
    /// Returns the priority of such a goal before the pulse of the user changes it.
    #[must_use]
    pub const fn base_priority(self) -> i64 {
        match self {
            Self::Upsell => 9,
            Self::Onboarding => 8,
            Self::PriceWatch => 7,
            Self::Recommendation | Self::TripPlan => 6,
            Self::FoodSearch => 5,
            Self::ReEngagement => 4,
            Self::General => 3,
        }
    }

    /// Returns the priority of such a goal, from 1 to 10, for a user with this pulse.
    #[must_use]
    pub fn priority(self, pulse: Pulse) -> i64 {
        (self.base_priority() + pulse.boost()).clamp(PRIORITY_MIN, PRIORITY_MAX)
    }

    /// Returns the slots that such a goal needs, the one to ask for first at the front.
    #[must_use]
    pub const fn slots(self) -> &'static [GoalSlot] {
        match self {
            Self::Onboarding => &[GoalSlot::Name, GoalSlot::City],
            Self::PriceWatch => &[GoalSlot::Item, GoalSlot::Place, GoalSlot::Budget],
            Self::Recommendation => &[GoalSlot::Item],
            Self::Upsell => &[GoalSlot::Item, GoalSlot::When, GoalSlot::Quantity],
            Self::TripPlan => &[GoalSlot::Place, GoalSlot::When],
            Self::FoodSearch => &[GoalSlot::Item, GoalSlot::Place],
            Self::ReEngagement | Self::General => &[],
        }
    }
}

/// What is known about a goal.
pub(super) type Slots = BTreeMap<GoalSlot, String>;

/// A goal of a user in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgendaGoal {
    /// The id, unique among the goals of all users and sessions.
    pub id: i64,
    /// The kind.
    pub goal_type: GoalType,
    /// The goal that this one is a part of.
    #[serde(rename = "parentGoalId", default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<i64>,
    /// Whether it is still pursued.
    pub status: GoalStatus,
    /// The priority, from 1 to 10.
    pub priority: i64,
    /// What is to be reached. It may contain words of the user, which are data and no instructions.
    pub description: String,
    /// The next step toward it.
    pub next_action: String,
    /// What is known about it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub slots: BTreeMap<GoalSlot, String>,
    /// How many answers in a row have ignored this goal while it was the top goal.
    #[serde(default)]
    pub ignored_answers: u32,
    /// When it was created.
    pub created_at: Timestamp,
    /// When a turn last touched it.
    pub updated_at: Timestamp,
}

impl AgendaGoal {
    /// Returns the slots that the goal needs and that nobody has filled, the one to ask for first at the front.
    #[must_use]
    pub fn missing(&self) -> Vec<GoalSlot> {
        missing(self.goal_type, &self.slots)
    }

    /// Whether nothing has touched the goal for too long.
    #[must_use]
    pub fn is_stale(&self, now: Timestamp) -> bool {
        now.duration_since(self.updated_at) > SignedDuration::from_hours(STALE_AFTER_HOURS)
    }

    /// Compares two goals: the one to pursue first is the lesser. Of two with the same priority, it is the one that was
    /// touched last; of two that the same turn touched, the one of the more urgent kind, then the one created first.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let rank = |goal: &Self| (goal.priority, goal.updated_at, goal.goal_type.base_priority());
        rank(other).cmp(&rank(self)).then(self.id.cmp(&other.id))
    }
}

/// Returns the slots that a goal of this type needs beyond those that are filled.
pub(super) fn missing(goal_type: GoalType, slots: &Slots) -> Vec<GoalSlot> {
    goal_type.slots().iter().copied().filter(|slot| !slots.contains_key(slot)).collect()
}
