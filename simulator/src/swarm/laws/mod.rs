//! Checks the laws: statements that must hold after every simulation, whatever failed in the simulation.
//! Each law has its own file.
//!
//! The function of a law reads the evidence of a simulation and reports every breach.
//! A law depends only on what the engine promises, not on how the engine keeps the promise.
//! `tests/src/planted.rs` disables single rules of the engine and tests that a law then reports a breach.

mod agendas_are_complete;
mod answers_are_verified;
mod approvals_serve_one_call;
mod budgets_are_kept;
mod calls_have_one_receipt;
mod deadlines_wait_for_replies;
mod everything_ends;
mod history;
mod invariants_hold;
mod invitations_have_a_reason;
#[cfg(test)]
mod judgement_tests;
mod keys_act_once;
mod layers_follow_each_other;
mod ledger_is_intact;
mod messages_leave_once;
mod nothing_acts_unasked;
mod nothing_fails_inside;
mod nothing_falls_due_while_paused;
mod offers_outlive_their_hold;
mod only_the_asked_are_told;
mod orders_follow_their_runs;
mod outside_systems_act_once;
mod plans_call_what_they_list;
mod plans_wait_for_consent;
mod refusals_are_kept;
mod replies_are_kept;
mod requests_act_once;
mod signals_are_read_once;
mod tenants_make_progress;
#[cfg(test)]
mod tests;
mod texts_have_an_effect;
mod timers_fire_once;
mod turns_are_evaluated_once;

use crate::play::{SimulationEvidence, TenantEvidence};

/// The function that checks a law and returns every breach of the law in the evidence.
enum Law {
    /// A law about the evidence of a single tenant.
    OfTenant(fn(&TenantEvidence) -> Vec<String>),
    /// A law about the evidence of the whole simulation.
    OfStory(fn(&SimulationEvidence) -> Vec<String>),
}

use Law::{OfStory, OfTenant};

/// All laws, each with its name.
const LAWS: [(&str, Law); 30] = [
    ("replies_are_kept", OfTenant(replies_are_kept::law)),
    ("texts_have_an_effect", OfTenant(texts_have_an_effect::law)),
    ("messages_leave_once", OfTenant(messages_leave_once::law)),
    ("calls_have_one_receipt", OfTenant(calls_have_one_receipt::law)),
    ("approvals_serve_one_call", OfTenant(approvals_serve_one_call::law)),
    ("nothing_acts_unasked", OfTenant(nothing_acts_unasked::law)),
    ("keys_act_once", OfTenant(keys_act_once::law)),
    ("outside_systems_act_once", OfTenant(outside_systems_act_once::law)),
    ("plans_call_what_they_list", OfTenant(plans_call_what_they_list::law)),
    ("plans_wait_for_consent", OfTenant(plans_wait_for_consent::law)),
    ("layers_follow_each_other", OfTenant(layers_follow_each_other::law)),
    ("requests_act_once", OfTenant(requests_act_once::law)),
    ("answers_are_verified", OfTenant(answers_are_verified::law)),
    ("orders_follow_their_runs", OfTenant(orders_follow_their_runs::law)),
    ("agendas_are_complete", OfTenant(agendas_are_complete::law)),
    ("turns_are_evaluated_once", OfTenant(turns_are_evaluated_once::law)),
    ("invariants_hold", OfStory(invariants_hold::law)),
    ("timers_fire_once", OfTenant(timers_fire_once::law)),
    ("deadlines_wait_for_replies", OfTenant(deadlines_wait_for_replies::law)),
    ("nothing_falls_due_while_paused", OfTenant(nothing_falls_due_while_paused::law)),
    ("offers_outlive_their_hold", OfTenant(offers_outlive_their_hold::law)),
    ("signals_are_read_once", OfTenant(signals_are_read_once::law)),
    ("ledger_is_intact", OfTenant(ledger_is_intact::law)),
    ("refusals_are_kept", OfTenant(refusals_are_kept::law)),
    ("budgets_are_kept", OfTenant(budgets_are_kept::law)),
    ("invitations_have_a_reason", OfTenant(invitations_have_a_reason::law)),
    ("only_the_asked_are_told", OfTenant(only_the_asked_are_told::law)),
    ("nothing_fails_inside", OfTenant(nothing_fails_inside::law)),
    ("tenants_make_progress", OfStory(tenants_make_progress::law)),
    ("everything_ends", OfTenant(everything_ends::law)),
];

/// Returns the names of all laws.
pub fn law_names() -> impl Iterator<Item = &'static str> {
    LAWS.iter().map(|(name, _)| *name)
}

/// Checks all laws. Returns every breach, in the form `law: detail` or `law: tenant: detail`.
pub(super) fn breaches(evidence: &SimulationEvidence) -> Vec<String> {
    let mut broken = Vec::new();
    for (name, law) in &LAWS {
        match law {
            OfStory(law) => {
                broken.extend(law(evidence).into_iter().map(|detail| format!("{name}: {detail}")));
            }
            OfTenant(law) => {
                for tenant in &evidence.tenants {
                    let of = |detail| format!("{name}: {}: {detail}", tenant.tenant);
                    broken.extend(law(tenant).into_iter().map(of));
                }
            }
        }
    }
    broken
}
