//! Words that say what a user wants. Each counts only as a whole word.

/// Words about prices.
const PRICE: &[&str] = &[
    "price",
    "prices",
    "priced",
    "pricing",
    "cost",
    "costs",
    "costing",
    "compare",
    "compares",
    "compared",
    "comparing",
    "comparison",
    "comparisons",
    "cheap",
    "cheaper",
    "cheapest",
    "cheaply",
    "deal",
    "deals",
];
/// Words about a booking. What is booked or ordered already is no wish.
const BOOKING: &[&str] =
    &["book", "booking", "bookings", "reserve", "reservation", "reservations", "order", "orders"];
/// Words about food.
const FOOD: &[&str] = &[
    "food",
    "foods",
    "restaurant",
    "restaurants",
    "eat",
    "eats",
    "eating",
    "eaten",
    "ate",
    "dinner",
    "dinners",
    "lunch",
    "lunches",
    "breakfast",
    "breakfasts",
    "hungry",
];
/// Words for a meal or for a place to eat.
const MEAL: &[&str] = &["breakfast", "lunch", "dinner", "restaurant", "restaurants"];
/// Words that give up a goal, in sequence.
const CANCEL: &[&[&str]] = &[&["cancel"], &["stop"], &["not", "now"]];
/// Words that make it every goal.
const EVERY: &[&str] = &["all", "everything"];

/// Whether a word is about prices.
pub(super) fn is_price(word: &str) -> bool {
    PRICE.contains(&word)
}

/// Whether a word is about a booking.
pub(super) fn is_booking(word: &str) -> bool {
    BOOKING.contains(&word)
}

/// Whether a word is about food; a dish is not meant.
pub(super) fn is_food(word: &str) -> bool {
    FOOD.contains(&word)
}

/// Whether a word is a meal or a place to eat.
pub(super) fn is_meal(word: &str) -> bool {
    MEAL.contains(&word)
}

/// Whether a word makes a cancellation one of every goal.
pub(super) fn is_every(word: &str) -> bool {
    EVERY.contains(&word)
}

/// Whether these words begin with words that give up a goal.
pub(super) fn cancels(words: &[&str]) -> bool {
    CANCEL.iter().any(|cancel| words.starts_with(cancel))
}
