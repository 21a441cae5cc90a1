//! What the words of a message ask for.

use super::goal::GoalType;
use super::turn::{AgendaTurn, Complexity};
use super::{dishes, lexicon};
use crate::text::words;

/// The goals of a classifier that have a type of goal.
const PLAN: &str = "plan";
const REDIRECT: &str = "redirect";
const FOOD_SEARCH: &str = "food_search";
/// Marks before the ending of a word.
const APOSTROPHES: [char; 2] = ['\'', '’'];

/// Which goals a message gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cancellation {
    /// The one at the top.
    Top,
    /// All.
    Every,
}

/// What a message asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) cancellation: Option<Cancellation>,
    pub(super) wishes: Vec<Wish>,
}

/// What a rule of the intents hears in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// To compare prices.
    Prices,
    /// To book.
    Booking,
    /// To plan something.
    Plan,
    /// To find food.
    Food,
    /// To talk about something else.
    Redirect,
    /// Anything else that needs work.
    Other,
}

impl Wish {
    /// Returns the type of the goal that the wish makes.
    pub(super) const fn goal_type(self) -> GoalType {
        match self {
            Self::Prices => GoalType::PriceWatch,
            Self::Booking => GoalType::Upsell,
            Self::Plan => GoalType::TripPlan,
            Self::Food => GoalType::FoodSearch,
            Self::Redirect => GoalType::ReEngagement,
            Self::Other => GoalType::General,
        }
    }
}

impl Heard {
    /// Reads a turn. The wishes are in the sequence in which their rules are applied.
    pub(super) fn read(turn: &AgendaTurn) -> Self {
        let all = words(&without_endings(&turn.text));
        let words: Vec<&str> = all.iter().map(String::as_str).collect();
        let has = |is: fn(&str) -> bool| words.iter().any(|word| is(word));
        let starts = |at: fn(&[&str]) -> bool| (0..words.len()).any(|ix| at(&words[ix..]));
        let every = has(lexicon::is_every);
        let cancels = starts(lexicon::cancels);
        let goal = turn.classification.goal.trim();
        let rules = [
            (Wish::Prices, has(lexicon::is_price) || has_price_tool(turn)),
            (Wish::Booking, has(lexicon::is_booking)),
            (Wish::Plan, goal.eq_ignore_ascii_case(PLAN)),
            (
                Wish::Food,
                has(lexicon::is_food)
                    || starts(|words| dishes::dish(words) > 0)
                    || goal.eq_ignore_ascii_case(FOOD_SEARCH),
            ),
            (Wish::Redirect, goal.eq_ignore_ascii_case(REDIRECT)),
        ];
        let mut wishes: Vec<Wish> =
            rules.into_iter().filter(|(_, fires)| *fires).map(|(wish, _)| wish).collect();
        if wishes.is_empty() && turn.classification.complexity != Complexity::Simple {
            wishes.push(Wish::Other);
        }
        let which = if every { Cancellation::Every } else { Cancellation::Top };
        Self { cancellation: cancels.then_some(which), wishes }
    }
}

/// Returns a text without each `'s` at the end of a word: "the book's price" speaks of a book.
fn without_endings(text: &str) -> String {
    let words = text.split_inclusive(|c: char| !c.is_alphanumeric() && !APOSTROPHES.contains(&c));
    let shorter = words.map(|word| {
        let end = word.trim_end_matches(|c: char| !c.is_alphanumeric()).len();
        let (stem, rest) = word.split_at(end);
        let mut ends = APOSTROPHES.iter().filter_map(|c| stem.strip_suffix('s')?.strip_suffix(*c));
        format!("{}{rest}", ends.next().unwrap_or(stem))
    });
    shorter.collect()
}

/// Whether the tool at work is one about prices: a part of its name is a price word, as in `compare_prices`,
/// `priceTracker` or `pricebot`.
fn has_price_tool(turn: &AgendaTurn) -> bool {
    let Some(tool) = &turn.classification.active_tool else { return false };
    parts(tool).iter().any(|part| lexicon::is_price(part) || part.starts_with("price"))
}

/// Returns the parts of a name in lower case: `priceTracker` and `price_tracker` are `price` and `tracker`.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (was_lower && c.is_uppercase()) {
            parts.push(String::new());
        }
        was_lower = c.is_lowercase();
        if let Some(part) = parts.last_mut().filter(|_| c.is_alphanumeric()) {
            part.extend(c.to_lowercase());
        }
    }
    parts
}
