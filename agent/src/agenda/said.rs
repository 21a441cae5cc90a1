//! What a message says about the goals that it is about.

use jiff::Timestamp;

use super::goal::{GoalSlot, GoalType, Slots};
use super::{slots, token, topic};

/// A longer slot is left out: it would be no detail.
const SLOT_CHARS_MAX: usize = 60;
/// Maximum number of characters of a message that are read for details.
const CHARS_MAX: usize = 1_000;

/// The details that a message names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) subject: Option<String>,
    pub(super) dish: Option<String>,
    pub(super) meal: Option<String>,
    pub(super) place: Option<String>,
    pub(super) budget: Option<String>,
    pub(super) when: Option<String>,
    pub(super) quantity: Option<String>,
}

impl Said {
    /// Reads a message that was received at this time.
    pub(super) fn read(text: &str, at: Timestamp) -> Self {
        let end = text.char_indices().nth(CHARS_MAX).map_or(text.len(), |(ix, _)| ix);
        let text = &text[..end];
        let mut tokens = token::tokens(text);
        let party = slots::party(&mut tokens);
        let when = slots::when(text, &mut tokens, at);
        let budget = slots::budget(&mut tokens);
        let quantity = party.or_else(|| slots::quantity(&mut tokens));
        let place = slots::place(&mut tokens);
        Self {
            subject: topic::subject(&tokens),
            dish: topic::dish(&tokens),
            meal: topic::meal(&tokens),
            place,
            budget,
            when,
            quantity,
        }
    }

    /// Returns the details that a goal of this type can use.
    pub(super) fn slots_for(&self, goal_type: GoalType) -> Slots {
        let about = self.dish.as_ref().or(self.subject.as_ref());
        let item = match goal_type {
            GoalType::Onboarding => None,
            GoalType::FoodSearch => self.dish.as_ref(),
            _ => about,
        };
        let needs = |slot: GoalSlot| goal_type.slots().contains(&slot);
        let is_food = goal_type == GoalType::FoodSearch;
        let is_comparison = goal_type == GoalType::Recommendation;
        let values = [
            (GoalSlot::Item, item),
            (GoalSlot::Meal, self.meal.as_ref().filter(|_| is_food)),
            (GoalSlot::Place, self.place.as_ref().filter(|_| needs(GoalSlot::Place))),
            (
                GoalSlot::Budget,
                self.budget.as_ref().filter(|_| needs(GoalSlot::Budget) || is_comparison),
            ),
            (GoalSlot::When, self.when.as_ref().filter(|_| needs(GoalSlot::When))),
            (GoalSlot::Quantity, self.quantity.as_ref().filter(|_| needs(GoalSlot::Quantity))),
        ];
        let named = values.into_iter().filter_map(|(slot, value)| Some((slot, value?.clone())));
        named.filter(|(_, value)| value.chars().count() <= SLOT_CHARS_MAX).collect()
    }
}

/// Adds what a message says to what is known about a goal. If it is about another item, what was said about the
/// earlier one no longer holds.
pub(super) fn learned(known: &Slots, said: &Slots) -> Slots {
    let mut slots = known.clone();
    let same = |slot: GoalSlot| {
        known.get(&slot).zip(said.get(&slot)).is_none_or(|(old, new)| old.eq_ignore_ascii_case(new))
    };
    if !same(GoalSlot::Item) {
        for slot in [GoalSlot::Budget, GoalSlot::Quantity] {
            slots.remove(&slot);
        }
    }
    slots.extend(said.iter().map(|(slot, value)| (*slot, value.clone())));
    slots
}
