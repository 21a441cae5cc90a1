//! Defines the faults that a test can plant. Each fault disables one rule of the engine, to show that the
//! laws of the swarm tests detect the fault.
//! Only a build with the feature `planted` can plant a fault. In all other builds
//! [`PlantedFault::is_active`] is `false`, and the compiler removes the code that depends on it.

/// A fault that a test can plant: one disabled rule of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlantedFault {
    /// A step that puts its run to sleep ignores wake-ups that arrived since the step read the run's state.
    WakeUpLost,
    /// A signal does not wake its run.
    SignalWakesNobody,
    /// A signal stays open after a step has consumed it.
    SignalNeverConsumed,
    /// A deadline passes although a message that was received before the deadline is not applied yet.
    DeadlineBeforeReply,
    /// The engine accepts a commit of a node that no longer owns the run.
    StaleOwnerAccepted,
    /// A run that has ended keeps its turn and still obeys orders.
    EndedRunContinues,
    /// An event does not contain the hash of its predecessor.
    EventUnlinked,
    /// A message that is delivered again at a different time is stored again.
    DuplicateStored,
    /// A message is marked as applied without being applied.
    ReplyDropped,
    /// A message that cannot be interpreted is not shown to staff.
    UnmatchedNotShown,
    /// Only one of the requests that a message changes is locked.
    OneRequestLocked,
    /// The row that numbers the events of a request or a tenant is read without a lock.
    HeadNotLocked,
    /// Offers, questions and requests fall due only in the first tenant.
    OtherTenantsNotSwept,
    /// Offers expire while the tenant is paused.
    SweepWhilePaused,
    /// A role may get one person more than its target.
    TargetExceeded,
    /// A wait ends one minute before its deadline.
    WaitEndsEarly,
    /// A person to whom an invitation was never sent gets a message saying that the invitation is
    /// withdrawn.
    UnsentInvitationWithdrawn,
    /// A message is sent although its recipient has opted out.
    SuppressionIgnored,
    /// Turning the kill switch on has no effect: the switch stays off.
    KillSwitchIgnored,
    /// Turning the kill switch on is confirmed while a message can still be sent.
    SwitchAnsweredEarly,
    /// A call acts whatever its risk, without the consent or approval of a person.
    GateStaysOpen,
    /// Runs that a kill switch holds stay held after their tenant is resumed.
    ResumeReleasesNothing,
    /// A message that nobody requested is sent in quiet hours.
    QuietHoursIgnored,
    /// A message is sent although the month's budget is spent.
    BudgetIgnored,
    /// A message is sent although its cause has ended.
    EndedCauseIgnored,
    /// The time to answer an offer begins before the invitation may be sent.
    OfferExpiryNotMoved,
    /// A message that the provider has received is sent again.
    LookupIgnored,
    /// An approval that nobody decided in time counts as given.
    ExpiryApproves,
    /// Everybody in the directory may decide about an approval.
    ApproverNotChecked,
    /// A call acts although an earlier call has its idempotency key.
    KeyIgnored,
    /// A call to an outside system is made again although the system says that it happened.
    OutcomeIgnored,
    /// Settings are read once and never refreshed.
    SettingsNeverRefreshed,
    /// A plan of the operator that was refused is run nevertheless.
    RefusedPlanRuns,
    /// A plan of calls from outside acts without the consent or approval of a person.
    PlanRunsUnasked,
    /// Nobody continues with a message to the operator whose process has died between two layers.
    LayerForgotten,
    /// A request to the operator with the key of an earlier one is a new request.
    RequestKeyForgotten,
    /// An answer counts as verified without being verified.
    AnswerNotVerified,
    /// The end of a goal of a conversation is not written into its journal.
    GoalEndsUnnoted,
    /// A turn of a conversation is removed without being evaluated.
    TurnDropped,
    /// The end of a run does not settle the order that it kept up or brought about.
    OrderNotSettled,
}

impl PlantedFault {
    /// All faults that can be planted.
    pub const ALL: [Self; 39] = [
        Self::WakeUpLost,
        Self::SignalWakesNobody,
        Self::SignalNeverConsumed,
        Self::DeadlineBeforeReply,
        Self::StaleOwnerAccepted,
        Self::EndedRunContinues,
        Self::EventUnlinked,
        Self::DuplicateStored,
        Self::ReplyDropped,
        Self::UnmatchedNotShown,
        Self::OneRequestLocked,
        Self::HeadNotLocked,
        Self::OtherTenantsNotSwept,
        Self::SweepWhilePaused,
        Self::TargetExceeded,
        Self::WaitEndsEarly,
        Self::UnsentInvitationWithdrawn,
        Self::SuppressionIgnored,
        Self::KillSwitchIgnored,
        Self::SwitchAnsweredEarly,
        Self::ResumeReleasesNothing,
        Self::QuietHoursIgnored,
        Self::BudgetIgnored,
        Self::EndedCauseIgnored,
        Self::OfferExpiryNotMoved,
        Self::LookupIgnored,
        Self::ExpiryApproves,
        Self::ApproverNotChecked,
        Self::KeyIgnored,
        Self::OutcomeIgnored,
        Self::SettingsNeverRefreshed,
        Self::RefusedPlanRuns,
        Self::PlanRunsUnasked,
        Self::LayerForgotten,
        Self::RequestKeyForgotten,
        Self::AnswerNotVerified,
        Self::GoalEndsUnnoted,
        Self::TurnDropped,
        Self::OrderNotSettled,
    ];

    /// Whether this fault is planted in this process.
    #[cfg(feature = "planted")]
    #[must_use]
    pub fn is_active(self) -> bool {
        active::is(self)
    }

    /// Always `false`: this build cannot plant faults.
    #[cfg(not(feature = "planted"))]
    #[must_use]
    #[inline(always)]
    pub const fn is_active(self) -> bool {
        false
    }
}

#[cfg(feature = "planted")]
mod active {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::PlantedFault;

    /// Number of the planted fault, counted from 1; 0 if no fault is planted.
    static PLANTED: AtomicUsize = AtomicUsize::new(0);

    impl PlantedFault {
        /// Plants this fault in the whole process, and removes any other planted fault.
        pub fn plant(self) {
            PLANTED.store(self as usize + 1, Ordering::SeqCst);
        }

        /// Removes the planted fault.
        pub fn clear() {
            PLANTED.store(0, Ordering::SeqCst);
        }
    }

    pub(super) fn is(fault: PlantedFault) -> bool {
        PLANTED.load(Ordering::SeqCst) == fault as usize + 1
    }
}
