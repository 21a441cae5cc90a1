//! The basic rules, as stories.

use super::*;

/// Plays a story by the basic rules. A line is `day time | profile | pulse complexity goal tool | text | what
/// changed | active goals, best first`. What changed is `+` created, `=` completed, `-` abandoned.
#[track_caller]
fn story(lines: &str) {
    let mut agenda = Agenda::new(1);
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [when, known, classified, text, changed, active] = cells[..] else {
            panic!("six cells: {line}")
        };
        let words: Vec<&str> = classified.split_whitespace().collect();
        let turn = AgendaTurn {
            at: at(when),
            text: text.to_owned(),
            classification: Classification {
                complexity: Complexity::parse(words[1]).expect("a complexity"),
                goal: words[2].to_owned(),
                pulse: Pulse::parse(words[0]).expect("a pulse"),
                active_tool: words.get(3).map(|tool| (*tool).to_owned()),
            },
            profile: profile(known),
            proposals: Vec::new(),
        };
        let result = evaluate(&mut agenda, &turn, &AgendaSwitches::seed());
        assert_eq!(shown(&mut agenda, &result), changed, "{line}\n{:#?}", result.actions);
        assert_eq!(types(agenda.goals()), active, "{line}");
        assert_eq!(result.stack, agenda.stack(), "{line}");
        assert!(result.stack.len() <= STACK_MAX && agenda.goals().len() <= ACTIVE_MAX, "{line}");
    }
}

/// Returns what a turn changed, and checks that the goals to persist say the same.
fn shown(agenda: &mut Agenda, result: &AgendaEvalResult) -> String {
    let changes = agenda.take_changes();
    let parts = [
        ("+", &result.created_goal_ids, None),
        ("=", &result.completed_goal_ids, Some(GoalStatus::Completed)),
        ("-", &result.abandoned_goal_ids, Some(GoalStatus::Abandoned)),
    ];
    let mut words = Vec::new();
    for (mark, ids, status) in parts {
        for id in ids {
            let goal = changes.goals.iter().find(|goal| goal.id == *id).expect("a changed goal");
            assert!(status.is_none_or(|status| goal.status == status), "{goal:?}");
            words.push(format!("{mark}{}", goal.goal_type));
        }
    }
    words.join(" ")
}

#[test]
fn onboarding_lasts_until_name_and_city_are_known() {
    story(
        "
        2 09:00 | nothing | ENGAGED simple chat  | Hello       | +onboarding | onboarding
        2 09:01 | name    | ENGAGED simple chat  | I am Mira   |             | onboarding
        2 09:02 | both    | ENGAGED simple chat  | from Pune   | =onboarding |
        2 09:03 | city    | PASSIVE simple chat  | forget me   | +onboarding | onboarding
        ",
    );
}

#[test]
fn prices_lead_to_a_recommendation_and_a_booking_completes_both() {
    story(
        "
        2 09:00 | both | ENGAGED moderate inform | Compare biryani near me | +price_watch +recommendation +food_search | price_watch recommendation food_search
        2 09:05 | both | PASSIVE simple chat     | ok                      |                              | price_watch recommendation food_search
        2 09:06 | both | PASSIVE simple chat     | Order the second one    | +upsell =price_watch =recommendation | upsell food_search
        2 09:07 | both | ENGAGED simple chat     | I reserved a table too  |                              | upsell food_search
        ",
    );
}

#[test]
fn a_booking_with_a_price_word_completes_the_price_goals_that_it_makes() {
    story(
        "
        2 09:00 | both | ENGAGED simple chat | Book the cheapest one | +price_watch +recommendation +upsell =price_watch =recommendation | upsell
        ",
    );
}

#[test]
fn words_count_in_their_inflections_and_only_as_whole_words() {
    let prices = "+price_watch +recommendation";
    let cases = [
        ("Are the prices fair?", prices),
        ("this one is cheaper", prices),
        ("I compared them", prices),
        ("any deals", prices),
        (
            "the book’s price, or lunch's",
            "+price_watch +recommendation +upsell +food_search =price_watch =recommendation",
        ),
        ("it's yours, boss's orders are border's", "+upsell"),
        ("PRICE?", prices),
        ("a priceless costume is ideal", ""),
        ("the weatherman in a notebook", ""),
        ("booking for two", "+upsell"),
        ("We ordered already", ""),
        ("Across the border", ""),
        ("curries or sandwiches", "+food_search"),
        ("Pad Thai!", "+food_search"),
        ("where to eat", "+food_search"),
        ("a great theatre", ""),
        ("hot dogs", "+food_search"),
        ("a hot day", ""),
    ];
    for (text, changed) in cases {
        let active =
            if changed.contains('=') { "upsell food_search" } else { &changed.replace('+', "") };
        story(&format!("2 09:00 | both | ENGAGED simple chat | {text} | {changed} | {active}"));
    }
}

#[test]
fn a_tool_about_prices_counts_like_a_word() {
    let prices = "+price_watch +recommendation | price_watch recommendation";
    for tool in ["compare_prices", "priceTracker", "deals.find", "pricebot"] {
        story(&format!("2 09:00 | both | ENGAGED simple chat {tool} | go on | {prices}"));
    }
    for tool in ["weather", "dealership", "bookkeeping"] {
        story(&format!("2 09:00 | both | ENGAGED simple chat {tool} | go on | |"));
    }
}

#[test]
fn a_cancellation_takes_the_top_goal_or_every_goal_and_creates_only_onboarding() {
    story(
        "
        2 09:00 | both | ENGAGED moderate plan   | Plan a trip              | +trip_plan | trip_plan
        2 09:01 | both | ENGAGED simple chat     | book it, and dinner      | +upsell +food_search | upsell trip_plan food_search
        2 09:02 | both | ENGAGED complex plan    | Stop. What is the price? | -upsell | trip_plan food_search
        2 09:03 | both | ENGAGED simple chat     | it was cancelled, it stops, not right now | | trip_plan food_search
        2 09:04 | city | PASSIVE simple chat     | Not now, who am I?       | +onboarding -onboarding | trip_plan food_search
        2 09:05 | city | PASSIVE simple chat     | ok                       | +onboarding | onboarding trip_plan food_search
        2 09:06 | both | ENGAGED simple chat     | cancel everything        | =onboarding -trip_plan -food_search |
        2 09:07 | both | ENGAGED complex plan    | stop all                 | |
        ",
    );
}

#[test]
fn the_child_of_a_cancelled_price_goal_is_completed_by_a_booking() {
    story(
        "
        2 09:00 | both | ENGAGED simple chat | what does it cost | +price_watch +recommendation | price_watch recommendation
        2 09:01 | both | ENGAGED simple chat | cancel            | -price_watch                 | recommendation
        2 09:02 | both | ENGAGED simple chat | and the price?    | +price_watch +recommendation | price_watch recommendation recommendation
        2 09:03 | both | ENGAGED simple chat | order it          | +upsell =price_watch =recommendation =recommendation | upsell
        ",
    );
}

#[test]
fn a_goal_is_stale_after_more_than_72_hours() {
    story(
        "
        2 09:00    | both | ENGAGED moderate plan | Plan a trip  | +trip_plan            | trip_plan
        5 09:00    | both | ENGAGED simple chat   | hello        |                       | trip_plan
        5 09:00:01 | both | ENGAGED simple plan   | plan it      | +trip_plan -trip_plan | trip_plan
        8 09:00:01 | both | ENGAGED simple plan   | plan it more |                       | trip_plan
        11 09:00   | both | ENGAGED simple chat   | still there? |                       | trip_plan
        ",
    );
}

#[test]
fn only_a_message_that_needs_work_and_fits_no_rule_becomes_a_general_goal() {
    story(
        "
        2 09:00 | both    | ENGAGED simple chat      | hello                | |
        2 09:01 | both    | ENGAGED moderate inform  | Why is the sky blue? | +general | general
        2 09:02 | both    | ENGAGED complex redirect | never mind           | +re_engagement | re_engagement general
        2 09:03 | nothing | ENGAGED complex inform   | And the sea?         | +onboarding | onboarding re_engagement general
        2 09:04 | both    | ENGAGED complex food_search | something with cheese | +food_search =onboarding | food_search re_engagement general
        ",
    );
}

#[test]
fn beyond_six_the_lowest_are_trimmed() {
    story(
        "
        2 09:00 | nothing | ENGAGED moderate inform | Why?             | +onboarding +general | onboarding general
        2 09:01 | nothing | ENGAGED simple redirect | well             | +re_engagement | onboarding re_engagement general
        2 09:02 | nothing | ENGAGED simple plan     | dinner on Sunday | +trip_plan +food_search | onboarding trip_plan food_search re_engagement general
        2 09:03 | nothing | ENGAGED simple chat     | book it          | +upsell | upsell onboarding trip_plan food_search re_engagement general
        2 09:04 | nothing | ENGAGED simple chat     | at what price?   | +price_watch +recommendation -re_engagement -general | upsell onboarding price_watch recommendation trip_plan food_search
        2 09:05 | nothing | ENGAGED complex inform  | Why not?         | +general -general | upsell onboarding price_watch recommendation trip_plan food_search
        ",
    );
}

#[test]
fn priorities_follow_the_pulse_within_one_and_ten() {
    let cases = [
        (GoalType::Upsell, [10, 10, 8]),
        (GoalType::Onboarding, [10, 9, 7]),
        (GoalType::PriceWatch, [9, 8, 6]),
        (GoalType::Recommendation, [8, 7, 5]),
        (GoalType::TripPlan, [8, 7, 5]),
        (GoalType::FoodSearch, [7, 6, 4]),
        (GoalType::ReEngagement, [6, 5, 3]),
        (GoalType::General, [5, 4, 2]),
    ];
    assert_eq!(cases.len(), GoalType::ALL.len());
    for (goal_type, expected) in cases {
        let found = [Pulse::Proactive, Pulse::Engaged, Pulse::Passive]
            .map(|pulse| goal_type.priority(pulse));
        assert_eq!(found, expected, "{goal_type}");
    }
}

#[test]
fn a_pulse_counts_again_with_each_update_and_ties_go_to_the_newest() {
    story(
        "
        2 09:00 | both | PROACTIVE simple redirect | else      | +re_engagement | re_engagement
        2 09:01 | both | ENGAGED simple chat       | breakfast | +food_search   | food_search re_engagement
        2 09:02 | both | PROACTIVE simple redirect | other     |                | re_engagement food_search
        2 09:03 | both | PASSIVE simple redirect   | hm        |                | food_search re_engagement
        ",
    );
}

#[test]
fn goals_of_one_turn_with_one_priority_are_in_the_order_of_their_urgency() {
    story(
        "
        2 09:00 | nothing | PROACTIVE simple chat | book it | +onboarding +upsell | upsell onboarding
        ",
    );
}
