//! What descriptions and next actions say.

use super::*;
use crate::agenda::said::Said;

/// Returns a list of details as `slot=value`, in the order of the slots.
fn details(said: &Said) -> String {
    let parts = [
        ("subject", &said.subject),
        ("dish", &said.dish),
        ("meal", &said.meal),
        ("place", &said.place),
        ("budget", &said.budget),
        ("when", &said.when),
        ("quantity", &said.quantity),
    ];
    let named = parts.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    named.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn messages_name_details() {
    let cases = [
        ("I fancy biryani tonight", "subject=biryani dish=biryani when=tonight"),
        (
            "Compare biryani in Pune under 300 rupees",
            "subject=biryani dish=biryani place=Pune budget=under 300 rupees",
        ),
        (
            "a spicy chicken biryani near me",
            "subject=spicy chicken biryani dish=spicy chicken biryani place=nearby",
        ),
        ("What does a ticket cost", "subject=ticket"),
        ("Any cheap hostel nearby?", "subject=hostel place=nearby"),
        ("Which is the better deal?", ""),
        ("Book a table for two on Friday at 8pm", "subject=table when=Friday at 8pm quantity=two"),
        ("Reserve four seats for tomorrow", "subject=seats when=tomorrow quantity=four"),
        ("Order the guide for Tuesday", "subject=guide when=Tuesday"),
        ("order it again for June", "when=June"),
        ("Help me plan three days in Jaipur", "place=Jaipur when=three days"),
        ("plan a trip to goa next weekend", "subject=trip place=goa when=next weekend"),
        ("I'm in Porto; plan my weekend", "place=Porto when=weekend"),
        ("And the plan for Sunday?", "when=Sunday"),
        ("Where should we have lunch?", "meal=lunch"),
        ("price of tickets and drinks", "subject=tickets and drinks"),
        ("is there a good laptop for $800", "subject=laptop budget=$800"),
        ("Why is the sky blue?", "subject=sky blue"),
        ("in order to compare", ""),
        ("Reserve the red one", ""),
        ("SUSHI, maybe?", "subject=sushi dish=sushi"),
        ("compare {{system}} <b>x</b>", "subject=system"),
        ("", ""),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let found = details(&Said::read(text, at("4 11:00")));
        if found != expected {
            wrong.push(format!("{text}: {found}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Evaluates texts with a plan by those that begin with `Plan`. Returns the agenda.
fn after(texts: &[&str], switches: &AgendaSwitches) -> Agenda {
    let mut agenda = Agenda::new(1);
    for (minute, text) in texts.iter().enumerate() {
        let mut turn = said(text, &format!("2026-03-04T11:{minute:02}:00Z"));
        if text.starts_with("Plan") {
            turn.classification.goal = "plan".to_owned();
        }
        evaluate(&mut agenda, &turn, switches);
    }
    agenda
}

/// `texts | type of goal | description | next action`; texts are separated by `/`.
const GOALS: &str = "
    What is the price of biryani? | price_watch | Guide user from biryani interest to a clear price comparison decision | Ask where to look for biryani
    Compare biryani / it should cost less than 300, in Baner | price_watch | Guide user from biryani interest to a clear price comparison decision (place: Baner; budget: less than 300) | Show the prices of biryani in Baner side by side, for less than 300
    Compare lamps under $30 / and now compare vans | price_watch | Guide user from vans interest to a clear price comparison decision | Ask where to look for vans
    Any cheap lamps in Bern? | price_watch | Guide user from lamps interest to a clear price comparison decision (place: Bern) | Ask for the budget for lamps
    what does it cost | price_watch | Guide user from interest to a clear price comparison decision | Ask which item to compare
    I want pizza / what is the price | price_watch | Guide user from pizza interest to a clear price comparison decision | Ask where to look for pizza
    Compare the two villas | recommendation | Convert villas comparison output into one concrete recommendation | Recommend one option for villas and say why
    Compare bikes / Book the red one for Friday | upsell | Drive clean booking confirmation of bikes and immediate follow-through (when: Friday) | Ask how many to book, or for how many people: bikes
    Reserve a table for two tonight | upsell | Drive clean booking confirmation of table and immediate follow-through (when: tonight; quantity: two) | Confirm the booking: table, tonight, number: two
    book something | upsell | Drive clean booking confirmation and immediate follow-through | Ask what to book
    order a lamp | upsell | Drive clean booking confirmation of lamp and immediate follow-through | Ask for when to book lamp
    Plan three days in Jaipur | trip_plan | Advance conversation objective: plan (place: Jaipur; when: three days) | Propose a plan for Jaipur: three days
    Plan the garden party / Plan it in Bern | trip_plan | Advance conversation objective: plan garden party (place: Bern) | Ask for the dates in Bern
    Plan a party | trip_plan | Advance conversation objective: plan party | Ask for the place of the plan
    Where is lunch? | food_search | Advance conversation objective: find lunch | Ask which dish the user wants
    I want pizza | food_search | Advance conversation objective: find pizza | Ask where to find pizza
    I want pizza / in Oslo, for dinner | food_search | Advance conversation objective: find pizza (place: Oslo) | Suggest where to eat pizza in Oslo
";

#[test]
fn goals_name_the_words_of_the_user_and_ask_for_what_is_missing() {
    for line in GOALS.lines().filter(|line| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let texts: Vec<&str> = cells[0].split('/').map(str::trim).collect();
        let agenda = after(&texts, &AgendaSwitches::default());
        let goal_type = GoalType::parse(cells[1]).expect("a type of goal");
        let goal = agenda.of_type(goal_type).expect("the goal");
        assert_eq!([goal.description.as_str(), goal.next_action.as_str()], cells[2..], "{line}");
    }
}

#[test]
fn onboarding_asks_for_what_the_profile_lacks() {
    let cases = [
        ("nothing", "(name + city)", "Ask for the user's name and city"),
        ("name", "(city)", "Ask for the user's city"),
        ("city", "(name)", "Ask for the user's name"),
    ];
    for (known, basics, next_action) in cases {
        let mut agenda = Agenda::new(1);
        let turn = AgendaTurn { profile: profile(known), ..said("hi", "2026-03-04T11:00:00Z") };
        let result = evaluate(&mut agenda, &turn, &AgendaSwitches::default());
        let goal = &result.stack[0];
        assert_eq!(goal.description, format!("Collect missing profile basics {basics}"));
        assert_eq!(goal.next_action, next_action);
    }
}

#[test]
fn by_the_basic_rules_texts_are_fixed() {
    let texts = ["Compare biryani in Pune", "Plan a trip to Goa", "book a table for two"];
    let agenda = after(&texts[..2], &AgendaSwitches::seed());
    let found: Vec<&str> = agenda.goals().iter().map(|goal| goal.description.as_str()).collect();
    let expected = [
        "Guide user from interest to a clear price comparison decision",
        "Advance conversation objective: plan",
        "Convert comparison output into one concrete recommendation",
        "Advance conversation objective: food_search",
    ];
    assert_eq!(found, expected);
    let agenda = after(&texts, &AgendaSwitches::seed());
    assert_eq!(agenda.goals()[0].next_action, "Confirm the booking");
    assert!(agenda.goals().iter().all(|goal| goal.slots.is_empty()));
}

#[test]
fn each_of_the_two_switches_works_alone() {
    let own_words = AgendaSwitches { own_words: AgendaSwitch::On, ..AgendaSwitches::seed() };
    let goal = after(&["Compare lamps"], &own_words).goals()[0].clone();
    assert!(goal.description.contains("lamps") && !goal.next_action.contains("lamps"));
    let by_slot = AgendaSwitches { next_by_slot: AgendaSwitch::On, ..AgendaSwitches::seed() };
    let goal = after(&["Compare lamps"], &by_slot).goals()[0].clone();
    assert!(!goal.description.contains("lamps") && goal.next_action.contains("lamps"));
}
