//! The input of a call, and how its members become values of columns.

use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::policy::Settings;
use abide_engine::store::Tx;
use abide_engine::verb::{CallContext, Effects};
use jiff::tz::TimeZone;

use crate::cell;
use crate::data::{self, StoredRow};
use crate::reference::ColumnValue;
use crate::refusal::{self, NamedRow};
use crate::table::{Table, table};

/// The input of a call, with what the tools read from its context.
#[derive(Clone, Copy)]
pub(super) struct Input<'a> {
    /// The tenant that the call is made for.
    pub(super) tenant: &'a str,
    /// The time of the call.
    pub(super) now: Timestamp,
    /// The settings of the tenant.
    pub(super) settings: &'a Settings,
    args: &'a Value,
}

impl<'a> Input<'a> {
    pub(super) fn of(cx: &CallContext<'a>, args: &'a Value) -> Self {
        Self { tenant: cx.tenant, now: cx.now, settings: cx.settings, args }
    }

    /// Creates the input of what no call makes, such as the rows of the demo.
    pub(super) fn new(
        tenant: &'a str,
        now: Timestamp,
        settings: &'a Settings,
        args: &'a Value,
    ) -> Self {
        Self { tenant, now, settings, args }
    }

    /// Returns a member; `None` if it is left out or null.
    pub(super) fn given(&self, member: &str) -> Option<&'a Value> {
        self.args.get(member).filter(|value| !value.is_null())
    }

    /// Returns a member that is a string; `None` if it is left out or null.
    pub(super) fn text(&self, member: &str) -> Option<&'a str> {
        self.given(member).and_then(Value::as_str)
    }

    /// Returns a member that is a string.
    pub(super) fn required_text(&self, member: &str) -> Result<&'a str, Problem> {
        self.text(member).ok_or_else(|| refusal::invalid(member, "is not a text"))
    }

    /// Returns a member that is a list; no values if it is left out or null.
    pub(super) fn list(&self, member: &str) -> &'a [Value] {
        self.given(member).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// Returns a member that is an instant.
    pub(super) fn instant(&self, member: &str) -> Result<Timestamp, Problem> {
        self.required_text(member)?.parse().map_err(|_| {
            refusal::invalid(member, "is not an instant such as `2025-10-05T09:00:00-05:00`")
        })
    }

    /// Returns a member that is a whole number; `None` if it is left out or null.
    pub(super) fn whole(&self, member: &str) -> Result<Option<i64>, Problem> {
        let number = self.given(member).map(cell::whole).transpose();
        number.map_err(|misfit| refusal::misfit(member, &misfit))
    }

    /// Returns a member that is an amount of money of more than zero, in cents; `None` if it is left out.
    pub(super) fn amount(&self, member: &str) -> Result<Option<i64>, Problem> {
        let Some(value) = self.given(member) else { return Ok(None) };
        match cell::cents(value) {
            Ok(cents) if cents > 0 => Ok(Some(cents)),
            Ok(_) => Err(refusal::invalid(member, "must be more than zero")),
            Err(what) => Err(refusal::invalid(member, &what)),
        }
    }

    /// Returns the row that a member names.
    pub(super) fn row(&self, member: &'a str) -> Result<NamedRow<'a>, Problem> {
        Ok(NamedRow { member, id: self.required_text(member)? })
    }

    /// Returns the time zone of the business.
    pub(super) fn zone(&self) -> TimeZone {
        self.settings.zone()
    }

    /// Returns the names of all members.
    pub(super) fn members(&self) -> Vec<&'a str> {
        let members = self.args.as_object().into_iter().flatten();
        members.map(|(name, _)| name.as_str()).collect()
    }

    /// Returns an input without members, for the same call.
    pub(super) fn emptied(&self) -> Self {
        static NOTHING: Value = Value::Null;
        Self { args: &NOTHING, ..*self }
    }

    /// Returns the row that a member names, without locking it.
    pub(super) async fn find(
        &self,
        tx: &mut Tx,
        table: &'static Table,
        named: NamedRow<'_>,
    ) -> Result<StoredRow, Problem> {
        let row = data::find(tx, table, self.tenant, named.id).await?;
        row.ok_or_else(|| refusal::not_found(named, table.name))
    }

    /// Locks and returns the row that a member names.
    pub(super) async fn lock(
        &self,
        tx: &mut Tx,
        table: &'static Table,
        named: NamedRow<'_>,
    ) -> Result<StoredRow, Problem> {
        let row = data::lock(tx, table, self.tenant, named.id).await?;
        row.ok_or_else(|| refusal::not_found(named, table.name))
    }

    /// Sets the columns of a row for which the input has a member of the same name. Returns their names.
    pub(super) async fn assign(
        &self,
        tx: &mut Tx,
        row: &mut StoredRow,
        members: &[&str],
    ) -> Result<Vec<&'static str>, Problem> {
        let mut changed = Vec::new();
        for &source in members {
            let Some(value) = self.args.get(source) else { continue };
            let column = row.table().column(source).map_err(Problem::bug)?;
            let stored = column.stored(value, self.settings.region);
            let cell = stored.map_err(|misfit| refusal::misfit(source, &misfit))?;
            let value = ColumnValue { source, column, cell };
            value.check_reference(tx, self.tenant).await?;
            row.set(column.name, value.cell);
            changed.push(column.name);
        }
        Ok(changed)
    }

    /// Inserts a row that has no unique value, and records that.
    pub(super) async fn insert(
        &self,
        tx: &mut Tx,
        row: &StoredRow,
        effects: &mut Effects,
    ) -> Result<(), Problem> {
        data::insert_unless_known(tx, self.tenant, row).await?;
        effects.wrote(row.table().name, "insert", row.id());
        Ok(())
    }

    /// Writes some columns of a row that the call has locked, and records that.
    pub(super) async fn update(
        &self,
        tx: &mut Tx,
        row: &mut StoredRow,
        changed: &[&str],
        effects: &mut Effects,
    ) -> Result<(), Problem> {
        let columns = changed.iter().map(|name| row.table().column(name));
        let columns: Vec<_> = columns.collect::<Result<_, String>>().map_err(Problem::bug)?;
        data::update(tx, self.tenant, row, &columns, self.now).await?;
        effects.wrote(row.table().name, "update", row.id());
        Ok(())
    }
}

/// Returns a table that the code of a tool names.
pub(super) fn known(name: &str) -> Result<&'static Table, Problem> {
    table(name).map_err(Problem::bug)
}

/// Returns a row as the member of a result.
pub(super) fn shown(row: &StoredRow) -> Result<Value, Problem> {
    row.shown().map(Value::Object).map_err(Problem::bug)
}

/// Returns rows as the member of a result.
pub(super) fn all_shown(rows: &[StoredRow]) -> Result<Value, Problem> {
    rows.iter().map(shown).collect::<Result<Vec<Value>, Problem>>().map(Value::Array)
}
