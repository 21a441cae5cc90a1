//! The gate of a call: decides whether the call may act, or needs the consent or the approval of a person first.

use serde::{Deserialize, Serialize};

use super::outside_plan::OutsidePlan;
use super::state::{PlanOrigin, RunState};
use crate::base::{ApprovalId, Digest};
use crate::contract::{Contract, Risk};
use crate::planted::PlantedFault;

crate::words! {
    /// What an approval covers.
    pub enum ApprovalScope {
        /// One call, with the arguments that were approved.
        Call = "call",
        /// All calls of risk T2 of one run, with the version and the goal that were approved. Of a run that
        /// carries out a plan from outside: all calls of the plan.
        Run = "run",
    }
}

/// Whether a person has consented to the calls of risk T2 of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunConsent {
    /// Whoever started the run may consent, and did so by starting it.
    Starter,
    /// Somebody approved the plan of the run.
    Approved(ApprovalId),
    /// Somebody refused the plan of the run, or nobody decided in time.
    Refused(ApprovalId),
}

/// Consent to the calls of risk T2 of a run, given when the run or its schedule was ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StartConsent {
    /// Nobody has consented, so the run asks before its first such call.
    #[default]
    Open,
    /// Whoever starts the run may consent, and does.
    Given,
    /// Somebody consented to the version of the method with this digest, and to no other.
    GivenFor(Digest),
}

impl StartConsent {
    /// Returns what a run knows of the consent if it starts with the version `bundle`.
    #[must_use]
    pub fn of_version(self, bundle: Digest) -> Option<RunConsent> {
        let given = match self {
            Self::Open => false,
            Self::Given => true,
            Self::GivenFor(version) => version == bundle,
        };
        given.then_some(RunConsent::Starter)
    }
}

/// What the gate says about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallGate {
    /// The call may act.
    Open,
    /// The call waits until a person has decided.
    Ask(ApprovalScope, Risk),
    /// The call fails, because a person refused the plan of its run.
    Refused(ApprovalId),
}

impl RunConsent {
    /// Whether the consent was given.
    #[must_use]
    pub const fn is_given(self) -> bool {
        matches!(self, Self::Starter | Self::Approved(_))
    }
}

impl RunState {
    /// Whether the run is a call from outside whose caller approved it, and one approval is enough.
    #[must_use]
    pub fn is_approved_at_start(&self, contract: &Contract) -> bool {
        let consented = self.outside_call.as_ref().is_some_and(|outside| outside.consented);
        consented && contract.one_supervisor_approves()
    }

    /// Whether the run carries out calls for a caller from outside, and no written method.
    #[must_use]
    pub const fn is_from_outside(&self) -> bool {
        self.outside_call.is_some() || self.outside_plan.is_some()
    }

    /// Whether the run asks for a consent before its first call of risk T2: [`RunState::gate`] would ask
    /// with [`ApprovalScope::Run`].
    #[must_use]
    pub fn asks_for_consent(&self) -> bool {
        self.consent.is_none()
            && self.outside_call.is_none()
            && self.outside_plan.is_none()
            && !PlantedFault::GateStaysOpen.is_active()
    }

    /// Judges a call of the run by its contract.
    ///
    /// In a method, calls up to T1 are covered by the start of the run, calls of T2 need one consent for the
    /// run, and every call of T3 or T4 needs an approval of its own. A complex plan needs the consent for T1 as well.
    /// Nobody has planned a call from outside, so it needs an approval of its own from T2 on, and if it sends messages.
    /// A plan from outside with such a call needs an approval before its first call.
    #[must_use]
    pub fn gate(&self, contract: &Contract) -> CallGate {
        if PlantedFault::GateStaysOpen.is_active() {
            return CallGate::Open;
        }
        if self.outside_call.is_some() {
            let risk = contract.risk_unplanned();
            let open = risk < Risk::T2 || self.is_approved_at_start(contract);
            return if open { CallGate::Open } else { CallGate::Ask(ApprovalScope::Call, risk) };
        }
        if let Some(plan) = self.outside_plan {
            return self.gate_of_plan(plan, contract.risk_unplanned());
        }
        match (contract.risk, self.consent) {
            (Risk::T0, _) => CallGate::Open,
            (Risk::T1, _) if self.plan_origin != PlanOrigin::Complex => CallGate::Open,
            (Risk::T1 | Risk::T2, Some(RunConsent::Starter | RunConsent::Approved(_))) => {
                CallGate::Open
            }
            (Risk::T1 | Risk::T2, Some(RunConsent::Refused(id))) => CallGate::Refused(id),
            (Risk::T1 | Risk::T2, None) => CallGate::Ask(ApprovalScope::Run, Risk::T2),
            (risk @ (Risk::T3 | Risk::T4), _) => CallGate::Ask(ApprovalScope::Call, risk),
        }
    }

    /// Judges a call of risk `risk` in a plan from outside. If one of the calls needs an approval, none acts before
    /// somebody has approved the plan.
    fn gate_of_plan(&self, plan: OutsidePlan, risk: Risk) -> CallGate {
        if plan.risk < Risk::T2 || PlantedFault::PlanRunsUnasked.is_active() {
            return CallGate::Open;
        }
        match self.consent {
            Some(RunConsent::Starter | RunConsent::Approved(_)) if plan.covers(risk) => {
                CallGate::Open
            }
            Some(RunConsent::Starter | RunConsent::Approved(_)) => {
                CallGate::Ask(ApprovalScope::Call, risk)
            }
            Some(RunConsent::Refused(id)) => CallGate::Refused(id),
            None => CallGate::Ask(ApprovalScope::Run, plan.risk),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::TypedId as _;
    use crate::contract::Contracts;
    use crate::run::OutsideCall;

    const TOOLS: [(&str, Risk); 5] = [
        ("dog.find", Risk::T0),
        ("dog.note", Risk::T1),
        ("dog.groom", Risk::T2),
        ("dog.bill", Risk::T3),
        ("dog.sell", Risk::T4),
    ];

    fn gate(state: &RunState, tool: &str) -> CallGate {
        let tools = TOOLS.map(|(name, risk)| {
            format!(
                "
  {name}:
    risk: {risk}
    irreversible: {}
    description: Does something with a dog.
    effect: write
    idempotency: none
    timeout_ms: 10000
    receipt_fields: [effects.db_writes]
    input_schema: {{ type: object }}
    output_schema: {{ type: object }}",
                risk == Risk::T4,
            )
        });
        let text = format!("tools:{}\n", tools.concat());
        let (contracts, findings) = Contracts::load(&text, "gate.yaml");
        assert_eq!(findings, []);
        state.gate(contracts.get(tool).expect("a tool"))
    }

    #[test]
    fn a_run_needs_one_consent_for_t2_and_an_approval_for_each_call_above() {
        use CallGate::{Ask, Open, Refused};
        let id = ApprovalId::from_uuid(uuid::Uuid::nil());
        let (call, run) = (ApprovalScope::Call, ApprovalScope::Run);
        let consents = [
            (None, Ask(run, Risk::T2)),
            (Some(RunConsent::Starter), Open),
            (Some(RunConsent::Approved(id)), Open),
            (Some(RunConsent::Refused(id)), Refused(id)),
        ];
        for (consent, plan) in consents {
            let state = RunState { consent, ..RunState::default() };
            assert_eq!(state.asks_for_consent(), plan == Ask(run, Risk::T2), "with {consent:?}");
            let wanted = [
                ("dog.find", Open),
                ("dog.note", Open),
                ("dog.groom", plan),
                ("dog.bill", Ask(call, Risk::T3)),
                ("dog.sell", Ask(call, Risk::T4)),
            ];
            for (tool, wanted) in wanted {
                assert_eq!(gate(&state, tool), wanted, "{tool} with {consent:?}");
            }
        }
    }

    #[test]
    fn a_complex_plan_changes_nothing_without_a_consent() {
        use CallGate::{Ask, Open, Refused};
        let id = ApprovalId::from_uuid(uuid::Uuid::nil());
        for (consent, note) in [
            (None, Ask(ApprovalScope::Run, Risk::T2)),
            (Some(RunConsent::Approved(id)), Open),
            (Some(RunConsent::Refused(id)), Refused(id)),
        ] {
            let plan_origin = PlanOrigin::Complex;
            let state = RunState { consent, plan_origin, ..RunState::default() };
            let found = ["dog.find", "dog.note", "dog.groom"].map(|tool| gate(&state, tool));
            assert_eq!(found, [Open, note, note], "with {consent:?}");
        }
    }

    #[test]
    fn a_call_from_outside_needs_an_approval_from_t2_on() {
        let outside = |consented| {
            let call = OutsideCall { consented, ..OutsideCall::default() };
            RunState { outside_call: Some(call), ..RunState::default() }
        };
        assert_eq!(gate(&outside(false), "dog.note"), CallGate::Open);
        assert_eq!(
            gate(&outside(false), "dog.groom"),
            CallGate::Ask(ApprovalScope::Call, Risk::T2)
        );
        assert_eq!(gate(&outside(false), "dog.sell"), CallGate::Ask(ApprovalScope::Call, Risk::T4));
        assert_eq!(gate(&outside(true), "dog.sell"), CallGate::Open);
        assert!(!outside(false).asks_for_consent(), "it asks about the call");
    }
}
