//! Whether the answers of the assistant follow the top goal.

use serde_json::json;

use super::goal::{AgendaGoal, GoalSlot, GoalType};
use super::journal::JournalEventType;
use super::stack::Agenda;
use super::switches::AgendaSwitches;
use super::wording;
use super::{dishes, lexicon};
use crate::text::{has, padded, words};

/// The number of answers in a row that may ignore a goal before it is phrased into the next one.
const IGNORED_MAX: u32 = 2;
/// The least length of a word of a goal that an answer must contain to be about it.
const WORD_CHARS_MIN: usize = 3;

/// What is to be said in the next answer, because the last ones ignored the top goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GoalPhrase {
    /// The goal.
    pub goal: i64,
    /// Its type.
    pub goal_type: GoalType,
    /// A question to the user that takes the goal further. It may contain words of the user.
    pub text: String,
}

/// Notes an answer of the assistant. When it is the second in a row that does not address the top goal, the journal
/// says so, and the phrase to add to the next answer is returned.
pub fn note_answer(
    agenda: &mut Agenda,
    answer: &str,
    switches: &AgendaSwitches,
) -> Option<GoalPhrase> {
    if !switches.follow_through.is_on() {
        return None;
    }
    let top = agenda.top()?.clone();
    for other in agenda.goals().to_vec().into_iter().skip(1) {
        count(agenda, &other, 0); // "in a row" is about the goal at the top
    }
    let ignored = if addresses(answer, &top) { 0 } else { top.ignored_answers + 1 };
    if ignored < IGNORED_MAX {
        count(agenda, &top, ignored);
        return None;
    }
    count(agenda, &top, 0);
    let text = wording::question(top.goal_type, &top.slots);
    let payload = json!({ "goalType": top.goal_type, "ignoredAnswers": ignored, "phrase": text });
    agenda.enter(JournalEventType::Updated, Some(top.id), payload);
    Some(GoalPhrase { goal: top.id, goal_type: top.goal_type, text })
}

fn count(agenda: &mut Agenda, goal: &AgendaGoal, ignored_answers: u32) {
    if goal.ignored_answers != ignored_answers {
        agenda.put(AgendaGoal { ignored_answers, ..goal.clone() });
    }
}

/// Whether an answer is about a goal: it contains a word of its type, or what the user called it.
fn addresses(answer: &str, goal: &AgendaGoal) -> bool {
    let words = words(answer);
    let text = padded(&words.join(" "));
    let speaks_of_type = cues(goal.goal_type).iter().any(|cue| has(&text, cue))
        || words.iter().any(|word| is_about(goal.goal_type, word))
        || (goal.goal_type == GoalType::FoodSearch && names_dish(&words));
    speaks_of_type || names_slot(&text, goal)
}

/// Words of an answer that shows that it is about a type of goal.
const fn cues(goal_type: GoalType) -> &'static [&'static str] {
    match goal_type {
        GoalType::Onboarding => &["name", "call you", "city", "live", "based", "located", "from"],
        GoalType::PriceWatch => &["expensive", "budget", "per person", "cost", "discount"],
        GoalType::Recommendation => &[
            "recommend",
            "recommendation",
            "suggest",
            "suggestion",
            "go with",
            "go for",
            "pick",
            "choose",
            "best",
        ],
        GoalType::Upsell => &["confirm", "confirmed", "confirmation", "checkout", "pay"],
        GoalType::TripPlan => {
            &["plan", "plans", "planning", "trip", "itinerary", "schedule", "route", "visit"]
        }
        GoalType::FoodSearch => &["dish", "dishes", "menu", "meal", "cuisine"],
        GoalType::ReEngagement => {
            &["instead", "something else", "would you like", "talk about", "happy to", "sure"]
        }
        GoalType::General => &["next step", "go on", "first", "because"],
    }
}

fn is_about(goal_type: GoalType, word: &str) -> bool {
    match goal_type {
        GoalType::PriceWatch => lexicon::is_price(word),
        GoalType::Upsell => lexicon::is_booking(word),
        GoalType::FoodSearch => lexicon::is_food(word),
        _ => false,
    }
}

fn names_dish(words: &[String]) -> bool {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    (0..words.len()).any(|at| dishes::dish(&words[at..]) > 0)
}

/// Whether an answer names what a goal is about or one of its details. A general goal without any is addressed by
/// every answer.
fn names_slot(padded_answer: &str, goal: &AgendaGoal) -> bool {
    let named = |slot: GoalSlot| goal.slots.get(&slot).map(|value| words(value));
    let of_user = [GoalSlot::Item, GoalSlot::Meal, GoalSlot::Place].into_iter().filter_map(named);
    let of_user: Vec<String> = of_user.flatten().collect();
    if of_user.is_empty() {
        return goal.goal_type == GoalType::General;
    }
    let long = of_user.iter().filter(|word| word.chars().count() >= WORD_CHARS_MIN);
    long.into_iter().any(|word| has(padded_answer, word))
}
