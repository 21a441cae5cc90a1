//! What a client of the API may do.

abide_engine::words! {
    /// What a client of the API may do. Each role may also do what the roles before it may do.
    pub enum Role {
        /// Reads everything of the tenant, with phone numbers and texts of people redacted.
        Viewer = "viewer",
        /// Does the daily work: people, requests, runs, messages, and tools that need no approval.
        Staff = "staff",
        /// Also decides what others rely on: approvals, facts, capacities. May read redacted events in full.
        Supervisor = "supervisor",
        /// Also changes the tenant itself: settings, tokens, schedules and methods.
        Admin = "admin",
    }
}

impl Role {
    /// Whether the client may consent to calls of risk T2 and approve calls above.
    pub(crate) fn may_consent(self) -> bool {
        self >= Self::Supervisor
    }
}
