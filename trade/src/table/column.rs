//! The columns of a table: what they hold, and whether a row can lack a value.

/// The kind of values that a column holds, which decides how a value is stored and shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A string.
    Text,
    /// A phone number, stored in E.164.
    Phone,
    /// An amount of money, stored in cents and shown as a decimal string such as `1250.00`.
    Money,
    /// A decimal number, stored and shown as a string such as `2.5`.
    Decimal,
    /// A whole number.
    Int,
    /// An instant, stored in microseconds and shown in RFC 3339.
    Instant,
    /// A day, stored and shown as `YYYY-MM-DD`.
    Date,
    /// A JSON value, stored as a string.
    Json,
}

/// Whether each row has a value in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Each row has a value, which the call gives.
    Required,
    /// A row can lack a value.
    Optional,
    /// Each row has a value. If the call gives none, it is this one, in its stored form.
    Default(&'static str),
}

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The name of the column.
    pub name: &'static str,
    /// What the column holds.
    pub kind: ColumnKind,
    /// Whether each row has a value.
    pub presence: Presence,
    /// Whether no two rows of a tenant have the same value.
    pub unique: bool,
    /// The only values that the column can have; empty if it can have any value of its kind.
    pub words: &'static [&'static str],
    /// The table that the column refers to by the ids of its rows.
    pub references: Option<&'static str>,
}

impl Column {
    /// Creates a column in which each row has a value.
    #[must_use]
    pub const fn new(name: &'static str, kind: ColumnKind) -> Self {
        let (presence, unique, references) = (Presence::Required, false, None);
        Self { name, kind, presence, unique, words: &[], references }
    }

    /// Lets rows lack a value.
    #[must_use]
    pub(super) const fn optional(mut self) -> Self {
        self.presence = Presence::Optional;
        self
    }

    /// Sets the value that a row has if the call gives none.
    #[must_use]
    pub(super) const fn or(mut self, default: &'static str) -> Self {
        self.presence = Presence::Default(default);
        self
    }

    /// Makes the values unique among the rows of a tenant.
    #[must_use]
    pub(super) const fn unique(mut self) -> Self {
        self.unique = true;
        self
    }

    /// Sets the only values that the column can have.
    #[must_use]
    pub(super) const fn words(mut self, words: &'static [&'static str]) -> Self {
        self.words = words;
        self
    }

    /// Makes the column refer to the rows of a table.
    #[must_use]
    pub(super) const fn of(mut self, table: &'static str) -> Self {
        self.references = Some(table);
        self
    }

    /// Whether the column is stored as a whole number. All other columns are stored as strings.
    #[must_use]
    pub const fn is_number(&self) -> bool {
        matches!(self.kind, ColumnKind::Money | ColumnKind::Int | ColumnKind::Instant)
    }
}
