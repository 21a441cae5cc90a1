//! Contains the contracts, templates and methods that are compiled into the program, by file name.

/// Includes the named files of a folder of the repository, as pairs of file name and content.
macro_rules! texts {
    ($folder:literal: $($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../../../", $folder, "/", $file)))),*]
    };
}

type Texts = &'static [(&'static str, &'static str)];

pub(super) const ADAPTERS: Texts = texts!("contracts/adapters": "people_sql.yaml");
pub(super) const CONTRACTS: Texts = texts!("contracts": "ask.yaml", "calendar.yaml", "comms.yaml", "customer.yaml", "email.yaml", "entity.yaml", "inspection.yaml", "integrations.yaml", "invoice.yaml", "job.yaml", "leads.yaml", "media.yaml", "os.yaml", "payment.yaml", "quote.yaml", "report.yaml", "sms.yaml", "verbs.yaml");
pub(super) const TEMPLATES: Texts = texts!("templates": "about_ask.es.hbs", "about_ask.hbs", "approval_decided.es.hbs", "approval_decided.hbs", "approval_nobody.es.hbs", "approval_nobody.hbs", "approval_over.es.hbs", "approval_over.hbs", "approval_request.es.hbs", "approval_request.hbs", "approval_which.es.hbs", "approval_which.hbs", "assigned.es.hbs", "assigned.hbs", "budget_reached.es.hbs", "budget_reached.hbs", "called_off.es.hbs", "called_off.hbs", "cancel_check.es.hbs", "cancel_check.hbs", "cancelled.es.hbs", "cancelled.hbs", "clarify.es.hbs", "clarify.hbs", "confirmed.es.hbs", "confirmed.hbs", "crisis.es.hbs", "crisis.hbs", "customer_wrote.es.hbs", "customer_wrote.hbs", "dropped.es.hbs", "dropped.hbs", "filled_n_of_m.es.hbs", "filled_n_of_m.hbs", "grave.es.hbs", "grave.hbs", "held.es.hbs", "held.hbs", "help.es.hbs", "help.hbs", "invite.es.hbs", "invite.hbs", "invoice_email.es.hbs", "invoice_email.hbs", "invoice_sms.es.hbs", "invoice_sms.hbs", "kb_answer.es.hbs", "kb_answer.hbs", "last_call.es.hbs", "last_call.hbs", "moved.es.hbs", "moved.hbs", "new_targets.es.hbs", "new_targets.hbs", "no_request.es.hbs", "no_request.hbs", "not_done.es.hbs", "not_done.hbs", "operator_clarify.es.hbs", "operator_clarify.hbs", "operator_done.es.hbs", "operator_done.hbs", "operator_refused.es.hbs", "operator_refused.hbs", "operator_waits.es.hbs", "operator_waits.hbs", "opted_out.es.hbs", "opted_out.hbs", "own_ack.es.hbs", "own_ack.hbs", "own_check.es.hbs", "own_check.hbs", "place_in_doubt.es.hbs", "place_in_doubt.hbs", "placed_elsewhere.es.hbs", "placed_elsewhere.hbs", "question_passed_on.es.hbs", "question_passed_on.hbs", "quote_email.es.hbs", "quote_email.hbs", "quote_sms.es.hbs", "quote_sms.hbs", "rebalanced.es.hbs", "rebalanced.hbs", "staff_ack.es.hbs", "staff_ack.hbs", "staff_examples.es.hbs", "staff_examples.hbs", "staff_notice.es.hbs", "staff_notice.hbs", "status.es.hbs", "status.hbs", "summary.es.hbs", "summary.hbs", "take_your_time.es.hbs", "take_your_time.hbs", "text.es.hbs", "text.hbs", "transfer.es.hbs", "transfer.hbs", "transfer_to_children.es.hbs", "transfer_to_children.hbs", "unmatched.es.hbs", "unmatched.hbs", "waitlisted.es.hbs", "waitlisted.hbs", "which_method.es.hbs", "which_method.hbs", "withdrawn.es.hbs", "withdrawn.hbs");
pub(super) const METHODS: Texts =
    texts!("methods": "cancel_request.yaml", "fill_roles.yaml", "rebalance_roles.yaml");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[track_caller]
    fn check_list(folder: &str, ending: &str, texts: Texts) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        let files = std::fs::read_dir(&path).map(|entries| {
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect()
        });
        let files: Vec<String> = files.unwrap_or_default();
        let there: BTreeSet<&str> =
            files.iter().map(String::as_str).filter(|name| name.ends_with(ending)).collect();
        let listed: BTreeSet<&str> = texts.iter().map(|(name, _)| *name).collect();
        assert_eq!(listed, there, "the list of `{folder}` and the folder differ");
    }

    #[test]
    fn every_file_of_the_content_folders_is_compiled_in() {
        check_list("contracts", ".yaml", CONTRACTS);
        check_list("contracts/adapters", ".yaml", ADAPTERS);
        check_list("templates", ".hbs", TEMPLATES);
        check_list("methods", ".yaml", METHODS);
    }
}
