//! The scenarios that are compiled into the program.

/// The name and the content of each file in a list of files.
type Texts = &'static [(&'static str, &'static str)];

/// Expands to a list with the name and the content of each given file in `simulator/scenarios/`.
macro_rules! texts {
    ($($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../scenarios/", $file)))),*]
    };
}

/// Every scenario in `simulator/scenarios/`, by file name.
pub const SCENARIOS: Texts = texts!(
    "answer-at-the-deadline.yaml",
    "asked-by-a-child.yaml",
    "asked-herself.yaml",
    "asked-step-by-step.yaml",
    "away-in-other-zones.yaml",
    "branches-and-undo.yaml",
    "budget-exhausted.yaml",
    "budget-of-the-month.yaml",
    "cancel-from-the-accepted.yaml",
    "cancel-request.yaml",
    "cancelled-by-text.yaml",
    "cancelled-during-last-call.yaml",
    "capacity-race.yaml",
    "change-of-mind.yaml",
    "chasing-a-quote.yaml",
    "clock-steps-back.yaml",
    "crash-during-offers.yaml",
    "crash-during-resume.yaml",
    "deadline-during-outage.yaml",
    "delivered-late.yaml",
    "delivery-failure.yaml",
    "demo.yaml",
    "dst-begins.yaml",
    "dst-ends.yaml",
    "duplicate-webhook.yaml",
    "dying-over-and-over.yaml",
    "every-monday.yaml",
    "everybody-declines.yaml",
    "fallback-falls-short.yaml",
    "fewer-are-enough.yaml",
    "filled-before-all-are-asked.yaml",
    "filled-during-last-call.yaml",
    "first-supplier-wins.yaml",
    "follow-ups-on-monday.yaml",
    "from-call-to-payment.yaml",
    "goals-after-a-chat.yaml",
    "held-overnight.yaml",
    "how-to-go-on.yaml",
    "kept-after-all.yaml",
    "kill-switch-mid-send.yaml",
    "kill-switch.yaml",
    "last-call-approved.yaml",
    "last-call-refused.yaml",
    "last-call.yaml",
    "last-place-race.yaml",
    "late-yes-when-full.yaml",
    "late-yes.yaml",
    "method-edited.yaml",
    "more-are-needed.yaml",
    "moved-up-while-asked-elsewhere.yaml",
    "nobody-answers.yaml",
    "notice-to-many.yaml",
    "nursery-short.yaml",
    "odd-wording.yaml",
    "one-lead-for-one-phone.yaml",
    "one-phone-two-people.yaml",
    "overtaken-on-the-way.yaml",
    "perhaps-and-questions.yaml",
    "place-given-back-on-saturday.yaml",
    "plain-fill.yaml",
    "plan-approved-after-crash.yaml",
    "published-and-taken-back.yaml",
    "question-asked-twice.yaml",
    "quiet-hours.yaml",
    "race-in-the-dark.yaml",
    "rebalance-below.yaml",
    "rebalance-in-the-dark.yaml",
    "rebalance-refused.yaml",
    "rebalance.yaml",
    "rebalanced-by-text.yaml",
    "reminded-one-by-one.yaml",
    "reminder.yaml",
    "reply-before-wait.yaml",
    "reply-during-crash.yaml",
    "run-cancelled.yaml",
    "service-begins-mid-wait.yaml",
    "signal-twice.yaml",
    "somebody-in-danger.yaml",
    "stop-before-send.yaml",
    "stop-in-other-words.yaml",
    "stop-mid-campaign.yaml",
    "stop-overtakes-start.yaml",
    "stop-start-last-call.yaml",
    "the-ball-in-its-place.yaml",
    "told-of-the-inbox.yaml",
    "told-to-another-system.yaml",
    "tried-in-shadow.yaml",
    "two-answers-in-one-text.yaml",
    "two-roles-at-once.yaml",
    "two-roles-one-morning.yaml",
    "two-services-one-pool.yaml",
    "two-who-ask-for-the-same.yaml",
    "two-wishes-in-one-text.yaml",
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
