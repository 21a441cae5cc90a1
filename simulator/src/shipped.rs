//! The scenarios that are compiled into the program.

/// Names and texts of files.
type Texts = &'static [(&'static str, &'static str)];

/// The text of each named file of the folder of scenarios.
macro_rules! texts {
    ($($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../scenarios/", $file)))),*]
    };
}

/// Every scenario of `simulator/scenarios/`, by the name of its file.
pub const SCENARIOS: Texts = texts!(
    "away-in-other-zones.yaml",
    "branches-and-undo.yaml",
    "budget-of-the-month.yaml",
    "cancel-request.yaml",
    "cancelled-during-last-call.yaml",
    "change-of-mind.yaml",
    "clock-steps-back.yaml",
    "crash-during-offers.yaml",
    "deadline-during-outage.yaml",
    "demo.yaml",
    "dst-begins.yaml",
    "dst-ends.yaml",
    "duplicate-webhook.yaml",
    "everybody-declines.yaml",
    "fallback-falls-short.yaml",
    "filled-during-last-call.yaml",
    "kill-switch.yaml",
    "last-call.yaml",
    "last-place-race.yaml",
    "late-yes.yaml",
    "method-edited.yaml",
    "nobody-answers.yaml",
    "nursery-short.yaml",
    "one-phone-two-people.yaml",
    "place-given-back-on-saturday.yaml",
    "plain-fill.yaml",
    "quiet-hours.yaml",
    "rebalance-refused.yaml",
    "rebalance.yaml",
    "reminder.yaml",
    "reply-before-wait.yaml",
    "reply-during-crash.yaml",
    "run-cancelled.yaml",
    "stop-mid-campaign.yaml",
    "two-roles-at-once.yaml",
    "two-roles-one-morning.yaml",
    "unknown-sender.yaml",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_of_the_folder_is_compiled_in() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios");
        let entries = std::fs::read_dir(folder).expect("the folder");
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut there: Vec<String> = names.collect();
        there.sort();
        let listed: Vec<&str> = SCENARIOS.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, there);
    }
}
