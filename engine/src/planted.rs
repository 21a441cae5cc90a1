//! Faults that a test can plant: each takes one rule out of the engine, so that the laws of the swarm are
//! seen to notice. Only a build with the feature `planted` can plant one; in every other build
//! [`Planted::is_in`] is `false` and the compiler leaves out what depends on it.

/// A rule that is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planted {
    /// A step that parks ignores that its run was woken since it looked.
    WakeUpLost,
    /// A signal does not wake its run.
    SignalWakesNobody,
    /// A signal stays open when it has been read.
    SignalNeverConsumed,
    /// Deadlines ignore messages that were received before them and are not applied.
    DeadlineBeforeReply,
    /// A commit is accepted from a node that has lost the run.
    StaleOwnerAccepted,
    /// A run that has ended keeps its turn and obeys orders.
    EndedRunGoesOn,
    /// An event does not name the one before.
    EventUnlinked,
    /// A message that is delivered again at another instant is stored again.
    DeliveredTwice,
    /// A message is marked as applied without being applied.
    ReplyDropped,
    /// What nobody understands is not shown to staff.
    UnmatchedUnseen,
    /// Only one of the requests that a message changes is locked.
    OneRequestLocked,
    /// The head of a request or a tenant is read and not locked.
    LockLeftOut,
    /// Nothing but the first tenant's offers, questions and requests falls due.
    TenantLeftOut,
    /// Offers expire while the tenant is paused.
    SweepWhilePaused,
    /// One place more is given than there are.
    OneTooMany,
    /// A wait ends a minute before its time.
    WaitEndsEarly,
    /// Whoever was not asked is told that it is over.
    ToldThoughNotAsked,
    /// A text leaves though its recipient has opted out.
    SuppressionIgnored,
    /// The kill switch is not kept when it is turned on.
    KillSwitchIgnored,
    /// The kill switch is answered while a text may still begin to leave.
    SwitchAnsweredEarly,
    /// A resume frees no runs.
    ResumeFreesNothing,
    /// A text that nobody asked for leaves in quiet hours.
    QuietHoursIgnored,
    /// A text leaves when the month's budget is spent.
    BudgetIgnored,
    /// A text leaves though its reason has gone.
    WithdrawalIgnored,
    /// An offer's life begins before its invitation may leave.
    OfferLeftBehind,
    /// A text that the provider has is sent again.
    LookUpIgnored,
    /// Settings are read once and never again.
    SettingsNeverRead,
}

impl Planted {
    /// All of them.
    pub const ALL: [Self; 27] = [
        Self::WakeUpLost,
        Self::SignalWakesNobody,
        Self::SignalNeverConsumed,
        Self::DeadlineBeforeReply,
        Self::StaleOwnerAccepted,
        Self::EndedRunGoesOn,
        Self::EventUnlinked,
        Self::DeliveredTwice,
        Self::ReplyDropped,
        Self::UnmatchedUnseen,
        Self::OneRequestLocked,
        Self::LockLeftOut,
        Self::TenantLeftOut,
        Self::SweepWhilePaused,
        Self::OneTooMany,
        Self::WaitEndsEarly,
        Self::ToldThoughNotAsked,
        Self::SuppressionIgnored,
        Self::KillSwitchIgnored,
        Self::SwitchAnsweredEarly,
        Self::ResumeFreesNothing,
        Self::QuietHoursIgnored,
        Self::BudgetIgnored,
        Self::WithdrawalIgnored,
        Self::OfferLeftBehind,
        Self::LookUpIgnored,
        Self::SettingsNeverRead,
    ];

    /// True where this fault is planted in this process.
    #[cfg(feature = "planted")]
    #[must_use]
    pub fn is_in(self) -> bool {
        plot::holds(self)
    }

    /// No fault is planted in this build.
    #[cfg(not(feature = "planted"))]
    #[must_use]
    #[inline(always)]
    pub const fn is_in(self) -> bool {
        false
    }
}

#[cfg(feature = "planted")]
mod plot {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::Planted;

    /// The one that is planted, counted from 1; 0 for none.
    static PLANTED: AtomicUsize = AtomicUsize::new(0);

    impl Planted {
        /// Plants this fault, and no other, in the whole process.
        pub fn plant(self) {
            PLANTED.store(self as usize + 1, Ordering::SeqCst);
        }

        /// Takes out whatever was planted.
        pub fn clear() {
            PLANTED.store(0, Ordering::SeqCst);
        }
    }

    pub(super) fn holds(fault: Planted) -> bool {
        PLANTED.load(Ordering::SeqCst) == fault as usize + 1
    }
}
