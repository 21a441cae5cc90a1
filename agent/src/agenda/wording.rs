//! The texts of goals: what is to be reached, the next step toward it, and how to ask the user for that.

use super::goal::{GoalSlot, GoalType, Slots, missing};

/// Details that a description lists after its sentence.
const DETAILS: [GoalSlot; 4] =
    [GoalSlot::Place, GoalSlot::When, GoalSlot::Quantity, GoalSlot::Budget];

/// Returns the fixed description of a type of goal.
pub(super) const fn fixed_description(goal_type: GoalType) -> &'static str {
    match goal_type {
        GoalType::Onboarding => "Collect missing profile basics (name + city)",
        GoalType::PriceWatch => "Guide user from interest to a clear price comparison decision",
        GoalType::Recommendation => "Convert comparison output into one concrete recommendation",
        GoalType::Upsell => "Drive clean booking confirmation and immediate follow-through",
        GoalType::TripPlan => "Advance conversation objective: plan",
        GoalType::FoodSearch => "Advance conversation objective: food_search",
        GoalType::ReEngagement => "Advance conversation objective: redirect",
        GoalType::General => "Advance current conversation objective with one concrete next step",
    }
}

/// Returns the fixed next action of a type of goal.
pub(super) const fn fixed_next_action(goal_type: GoalType) -> &'static str {
    match goal_type {
        GoalType::Onboarding => "Ask for the user's name and city",
        GoalType::PriceWatch => "Show the prices side by side",
        GoalType::Recommendation => "Recommend one option and say why",
        GoalType::Upsell => "Confirm the booking",
        GoalType::TripPlan => "Propose the next step of the plan",
        GoalType::FoodSearch => "Suggest a place to eat",
        GoalType::ReEngagement => "Follow the user to the new topic",
        GoalType::General => "Take one concrete step toward what the user wants",
    }
}

/// Returns the description of a goal, which names what the user is talking about.
pub(super) fn description(goal_type: GoalType, slots: &Slots) -> String {
    if goal_type == GoalType::Onboarding {
        let names: Vec<&str> =
            missing(goal_type, slots).into_iter().map(GoalSlot::as_str).collect();
        return format!("Collect missing profile basics ({})", names.join(" + "));
    }
    let details = details(slots);
    let Some(about) = about(slots) else {
        return format!("{}{details}", fixed_description(goal_type));
    };
    let sentence = match goal_type {
        GoalType::PriceWatch => {
            format!("Guide user from {about} interest to a clear price comparison decision")
        }
        GoalType::Recommendation => {
            format!("Convert {about} comparison output into one concrete recommendation")
        }
        GoalType::Upsell => {
            format!("Drive clean booking confirmation of {about} and immediate follow-through")
        }
        GoalType::TripPlan => format!("Advance conversation objective: plan {about}"),
        GoalType::FoodSearch => format!("Advance conversation objective: find {about}"),
        GoalType::ReEngagement => format!("Advance conversation objective: redirect to {about}"),
        GoalType::General | GoalType::Onboarding => {
            format!("Advance conversation objective about {about} with one concrete next step")
        }
    };
    format!("{sentence}{details}")
}

/// Returns the next action of a goal: to ask for the first slot that is missing, or what to do if none is.
pub(super) fn next_action(goal_type: GoalType, slots: &Slots) -> String {
    let item = about(slots).unwrap_or("it");
    let what = |slot: GoalSlot| slots.get(&slot).map_or("", String::as_str);
    let lacking = missing(goal_type, slots);
    match (goal_type, lacking.as_slice()) {
        (GoalType::Onboarding, [GoalSlot::Name]) => "Ask for the user's name".into(),
        (GoalType::Onboarding, [GoalSlot::City]) => "Ask for the user's city".into(),
        (GoalType::PriceWatch, [GoalSlot::Item, ..]) => "Ask which item to compare".into(),
        (GoalType::PriceWatch, [GoalSlot::Place, ..]) => format!("Ask where to look for {item}"),
        (GoalType::PriceWatch, [GoalSlot::Budget, ..]) => format!("Ask for the budget for {item}"),
        (GoalType::PriceWatch, _) => format!(
            "Show the prices of {item} in {} side by side, for {}",
            what(GoalSlot::Place),
            what(GoalSlot::Budget)
        ),
        (GoalType::Recommendation, []) => format!("Recommend one option for {item} and say why"),
        (GoalType::Upsell, [GoalSlot::Item, ..]) => "Ask what to book".into(),
        (GoalType::Upsell, [GoalSlot::When, ..]) => format!("Ask for when to book {item}"),
        (GoalType::Upsell, [GoalSlot::Quantity, ..]) => {
            format!("Ask how many to book, or for how many people: {item}")
        }
        (GoalType::Upsell, _) => format!(
            "Confirm the booking: {item}, {}, number: {}",
            what(GoalSlot::When),
            what(GoalSlot::Quantity)
        ),
        (GoalType::TripPlan, [GoalSlot::Place, ..]) => "Ask for the place of the plan".into(),
        (GoalType::TripPlan, [GoalSlot::When, ..]) => {
            format!("Ask for the dates in {}", what(GoalSlot::Place))
        }
        (GoalType::TripPlan, _) => {
            format!("Propose a plan for {}: {}", what(GoalSlot::Place), what(GoalSlot::When))
        }
        (GoalType::FoodSearch, [GoalSlot::Item, ..]) => "Ask which dish the user wants".into(),
        (GoalType::FoodSearch, [GoalSlot::Place, ..]) => format!("Ask where to find {item}"),
        (GoalType::FoodSearch, _) => {
            format!("Suggest where to eat {item} in {}", what(GoalSlot::Place))
        }
        (GoalType::General, _) if slots.contains_key(&GoalSlot::Item) => {
            format!("Take one concrete step about {item}")
        }
        _ => fixed_next_action(goal_type).into(),
    }
}

/// Returns what to ask the user, so that the goal gets further.
pub(super) fn question(goal_type: GoalType, slots: &Slots) -> String {
    let item = about(slots);
    let of_item = |before: &str| item.map_or_else(String::new, |item| format!("{before}{item}"));
    let lacking = missing(goal_type, slots);
    match (goal_type, lacking.as_slice()) {
        (GoalType::Onboarding, [GoalSlot::Name]) => "By the way, what may I call you?".into(),
        (GoalType::Onboarding, [GoalSlot::City]) => "By the way, which city do you live in?".into(),
        (GoalType::Onboarding, _) => {
            "By the way, what may I call you, and which city do you live in?".into()
        }
        (GoalType::PriceWatch, [GoalSlot::Item, ..]) => "Which item shall I compare?".into(),
        (GoalType::PriceWatch, [GoalSlot::Place, ..]) => {
            format!("Where shall I look{}?", of_item(" for "))
        }
        (GoalType::PriceWatch, [GoalSlot::Budget, ..]) => {
            format!("What is your budget{}?", of_item(" for "))
        }
        (GoalType::PriceWatch, _) => {
            format!("Shall I compare the prices{} now?", of_item(" of "))
        }
        (GoalType::Recommendation, _) => {
            format!("Shall I recommend one option{}?", of_item(" for "))
        }
        (GoalType::Upsell, [GoalSlot::Item, ..]) => "What shall I book?".into(),
        (GoalType::Upsell, [GoalSlot::When, ..]) => {
            format!("For when shall I book{}?", of_item(" "))
        }
        (GoalType::Upsell, [GoalSlot::Quantity, ..]) => {
            format!("How many shall I book{}?", of_item(": "))
        }
        (GoalType::Upsell, _) => format!("Shall I book{} now?", of_item(" ")),
        (GoalType::TripPlan, [GoalSlot::Place, ..]) => "Where shall the plan take you?".into(),
        (GoalType::TripPlan, [GoalSlot::When, ..]) => "When shall it begin?".into(),
        (GoalType::TripPlan, _) => "Shall I go on with the plan?".into(),
        (GoalType::FoodSearch, [GoalSlot::Item, ..]) => "Which dish would you like?".into(),
        (GoalType::FoodSearch, [GoalSlot::Place, ..]) => {
            format!("Where would you like to eat{}?", of_item(" "))
        }
        (GoalType::FoodSearch, _) => format!("Shall I suggest a place{}?", of_item(" for ")),
        (GoalType::ReEngagement, _) => "What would you like to talk about?".into(),
        (GoalType::General, _) => format!("Shall we go on{}?", of_item(" with ")),
    }
}

/// Returns what a goal is about.
fn about(slots: &Slots) -> Option<&str> {
    slots.get(&GoalSlot::Item).or_else(|| slots.get(&GoalSlot::Meal)).map(String::as_str)
}

/// Returns the known details as they follow a description: ` (place: Pune; budget: under 300)`.
fn details(slots: &Slots) -> String {
    let known = DETAILS.iter().filter_map(|slot| Some(format!("{slot}: {}", slots.get(slot)?)));
    let known: Vec<String> = known.collect();
    if known.is_empty() { String::new() } else { format!(" ({})", known.join("; ")) }
}
