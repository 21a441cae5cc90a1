//! A scenario for a method that was named without one: the demo church on an ordinary Tuesday, its
//! people answering as people do, by the seed.

use std::fmt::Write as _;

/// Everybody who is asked, in seed order.
const POOL: [&str; 12] =
    ["Ana", "Ben", "Carla", "Dana", "Eli", "Fay", "Gus", "Hana", "Ivan", "Joy", "Kim", "Lee"];
/// What they say; nothing at all is as likely as any.
const ANSWERS: [Option<&str>; 6] = [
    Some("sure, happy to"),
    Some("Yes I can"),
    Some("count me in"),
    Some("Sorry, I can't this week"),
    None,
    None,
];
/// Within how many minutes of the start somebody answers who answers at all.
const MINUTES_MAX: u32 = 8 * 60;

/// The text of the scenario.
pub(super) fn scenario(method: &str, seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut answers: Vec<(u32, &str, &str)> = POOL
        .iter()
        .filter_map(|who| Some((random.u32(1..MINUTES_MAX), *who, random.choice(ANSWERS)??)))
        .collect();
    answers.sort_unstable();
    let mut text = format!(
        "scenario: {method}\n\
         start: 2025-09-30T10:00:00-05:00\n\
         seed: {seed}\n\
         people: {{ demo: church }}\n\
         steps:\n\
         \x20 - at: +0s\n\
         \x20   start:\n\
         \x20     method: {method}\n\
         \x20     goal: {{ kind: FillRole, role: nursery, count: 5, time: \"2025-10-05T09:00:00-05:00\" }}\n"
    );
    for (minutes, who, says) in answers {
        let _ =
            writeln!(text, "  - {{ at: +{minutes}m, reply: {{ from: {who}, body: \"{says}\" }} }}");
    }
    text.push_str("  - advance: 1day\nexpect:\n  - audit: clean\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_seed_gives_a_sound_scenario_and_always_the_same() {
        for seed in 0..50 {
            let text = scenario("fill_roles", seed);
            let (scenario, findings) = abide_simulator::scenario::read("casual", &text);
            assert!(scenario.is_some(), "{findings:#?}\n{text}");
            assert_eq!(text, super::scenario("fill_roles", seed));
        }
    }
}
