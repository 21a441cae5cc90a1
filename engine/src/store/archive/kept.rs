//! Says for each table of the engine how long its rows are kept.

/// How the rows of a table are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// They leave for an archive, with this group of rows.
    Archived(&'static str),
    /// They are deleted, at this time.
    Deleted(&'static str),
    /// They stay for good, for this reason.
    ForGood(&'static str),
}

/// A table, and how its rows are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptTable {
    /// The name of the table.
    pub name: &'static str,
    /// How its rows are kept.
    pub kept: Kept,
}

/// Describes a table by its name and how long it keeps its rows.
#[must_use]
pub const fn kept(name: &'static str, kept: Kept) -> KeptTable {
    KeptTable { name, kept }
}

static TABLES: &[KeptTable] = &[
    kept("meta", Kept::ForGood("a few values of the database itself")),
    kept("tenant", Kept::ForGood("a tenant is never deleted")),
    kept("tenant_job", Kept::Deleted("when the kill switch has been turned")),
    kept("budget", Kept::ForGood("one row a month")),
    kept("node", Kept::ForGood("one row for each process that has worked on PostgreSQL")),
    kept("definition", Kept::ForGood("one row for each text of each version")),
    kept("method_version", Kept::ForGood("one row for each version")),
    kept("run", Kept::Archived("run")),
    kept("turn", Kept::Deleted("when its run ends")),
    kept("var", Kept::Archived("run")),
    kept("undo", Kept::Archived("run")),
    kept("blob", Kept::Archived("what named it last")),
    kept("signal", Kept::Archived("run")),
    kept("upgrade", Kept::ForGood("one row for each order to move runs")),
    kept("upgrade_run", Kept::Archived("run")),
    kept("wait", Kept::Deleted("when its wait ends")),
    kept("barred", Kept::Deleted("when its message is applied")),
    kept("ledger", Kept::Archived("run, request, and the tenant's own events")),
    kept("event_topic", Kept::Deleted("when its event is archived")),
    kept("tool_key", Kept::Archived("run")),
    kept("approval", Kept::Archived("approval")),
    kept("schedule", Kept::Archived("run; a person adds and removes the others")),
    kept("contact", Kept::ForGood("an opt-out is never forgotten")),
    kept("token", Kept::Deleted("some time after it expired or was revoked")),
    kept("http_key", Kept::Deleted("when it expires")),
    kept("archive", Kept::ForGood("the audit finds the archives by it")),
    kept("erasure", Kept::Deleted("when the erasure is carried out")),
    kept("leaving", Kept::Deleted("when the last row has left")),
    kept("chain_base", Kept::ForGood("one row for each stream that stays")),
    kept("seal", Kept::ForGood("two rows")),
];

/// Returns the tables of the engine.
#[must_use]
pub fn kept_tables() -> &'static [KeptTable] {
    TABLES
}
