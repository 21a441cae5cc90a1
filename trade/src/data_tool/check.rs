//! Checks the contract of a data-driven tool against the tables, before any call is made.

use abide_engine::base::{Timestamp, Value};
use abide_engine::contract::{Contract, DataAction, DataTool, Handler, Idempotency, OneOf};
use abide_engine::policy::Region;

use super::target::{Field, Target};
use crate::table::{Column, ColumnKind, Presence};

/// Maximum number of input members by which a list selects rows. Each set of members that calls give is a
/// statement of its own, which is kept for as long as the program runs.
const FILTERS_MAX: usize = 8;

/// Checks that the table and the columns exist, and that the columns can be used as the contract says.
pub(super) fn check(contract: &Contract) -> Result<(), String> {
    let Handler::Data(tool) = &contract.handler else {
        return Err("the tool is not data-driven".to_owned());
    };
    let checked = Checked { contract, tool, target: Target::of(tool)? };
    checked.shown_names()?;
    checked.conditions()?;
    checked.promised()?;
    match tool.action {
        DataAction::Create => {
            checked.assignments()?;
            checked.completeness()?;
            checked.key()
        }
        DataAction::Update => checked.assignments(),
        DataAction::List => checked.list(),
        DataAction::Get => Ok(()),
    }
}

struct Checked<'a> {
    contract: &'a Contract,
    tool: &'a DataTool,
    target: Target<'a>,
}

impl<'a> Checked<'a> {
    /// Returns the input members that are columns, each with what its column is.
    fn members(&self) -> impl Iterator<Item = InputColumn<'a>> {
        let tool = self.tool;
        tool.column_members(self.contract)
            .map(move |member| InputColumn { member, column: tool.column_of(member) })
    }

    /// Checks that the columns exist that have another name in the contract.
    fn shown_names(&self) -> Result<(), String> {
        self.tool.columns.values().try_for_each(|name| self.target.readable(name).map(drop))
    }

    /// Checks `only_if` and `where`.
    fn conditions(&self) -> Result<(), String> {
        for (name, OneOf(values)) in self.tool.only_if.iter().chain(&self.tool.conditions) {
            if let Field::Column(column) = self.target.readable(name)? {
                check_comparable(column)?;
                values
                    .iter()
                    .filter(|value| !value.is_null())
                    .try_for_each(|value| check_constant(column, value))?;
            }
        }
        Ok(())
    }

    /// Checks `promised`: its columns exist, and the first two are times.
    fn promised(&self) -> Result<(), String> {
        let Some(promised) = &self.tool.promised else { return Ok(()) };
        if self.target.collection.is_some() {
            return Err("`promised` needs a table: records of a collection promise nothing".into());
        }
        for name in [&promised.from, &promised.until] {
            if self.target.table.any_column(name)?.kind != ColumnKind::Instant {
                return Err(format!("`{name}` is not a column of times, as `promised` needs it"));
            }
        }
        promised.whose.iter().try_for_each(|name| self.target.readable(name).map(drop))?;
        for (name, OneOf(values)) in &promised.holds {
            let column = self.target.table.any_column(name)?;
            check_comparable(column)?;
            values.iter().try_for_each(|value| check_constant(column, value))?;
        }
        Ok(())
    }

    /// Checks that calls can set the columns of the input members and of `set`, and that the columns can
    /// have the constants and the values that the input schema lists.
    fn assignments(&self) -> Result<(), String> {
        for input in self.members() {
            if let Field::Column(column) = self.target.settable(input.column)? {
                self.check_listed_values(input.member, column)?;
            }
        }
        for (name, value) in &self.tool.set {
            if let Field::Column(column) = self.target.settable(name)? {
                check_constant(column, value)?;
            }
        }
        Ok(())
    }

    /// Checks that each call of `create` gives a value to each column that needs one.
    fn completeness(&self) -> Result<(), String> {
        if self.target.collection.is_some() {
            return Ok(());
        }
        let required = |name: &str| {
            self.members()
                .any(|input| input.column == name && self.contract.input.requires(input.member))
        };
        let lacking = self.target.table.columns.iter().find(|column| {
            column.presence == Presence::Required
                && !self.tool.set.contains_key(column.name)
                && !required(column.name)
        });
        match lacking {
            None => Ok(()),
            Some(column) => Err(format!(
                "each row needs a value in the column `{}`: require an input member for it, or use `set`",
                column.name
            )),
        }
    }

    /// Checks that a row can be recognised by the key field of the contract.
    fn key(&self) -> Result<(), String> {
        if self.contract.idempotency != Idempotency::Keyed {
            return Ok(());
        }
        let key = self.contract.key_field.as_deref().unwrap_or_default();
        let unique = self.target.table.unique_column();
        if unique.is_some_and(|column| column.name == self.tool.column_of(key)) {
            return Ok(());
        }
        Err(format!("the `key_field` `{key}` is not unique in `{}`", self.target.name()))
    }

    /// Checks the members of the input by which a list selects rows, and its `period`.
    fn list(&self) -> Result<(), String> {
        for input in self.members() {
            if let Field::Column(column) = self.target.readable(input.column)? {
                check_comparable(column)?;
                self.check_listed_values(input.member, column)?;
            }
        }
        if self.members().count() > FILTERS_MAX {
            return Err(format!("a list can have at most {FILTERS_MAX} filters"));
        }
        let Some(name) = &self.tool.period else { return Ok(()) };
        match self.target.readable(name)? {
            Field::Column(Column { kind: ColumnKind::Instant | ColumnKind::Date, .. }) => Ok(()),
            _ => Err(format!("`{name}` is not a column of times or days, as a `period` is")),
        }
    }

    /// Checks that a column can have the values that the input schema lists for a member.
    fn check_listed_values(&self, member: &str, column: &Column) -> Result<(), String> {
        let schema = self.contract.input.member(member);
        let listed = schema.and_then(|schema| schema.get("enum")).and_then(Value::as_array);
        let mut listed = listed.into_iter().flatten().filter(|value| !value.is_null());
        listed.try_for_each(|value| check_constant(column, value))
    }
}

/// A member of the input, and the name of its column.
struct InputColumn<'a> {
    member: &'a str,
    column: &'a str,
}

fn check_constant(column: &Column, value: &Value) -> Result<(), String> {
    // A contract belongs to no tenant, so the region of its callers is not known here.
    let stored = column.constant(value, Timestamp::EPOCH, Region::Us);
    stored
        .map(drop)
        .map_err(|misfit| format!("{value} in the column `{}`: {}", column.name, misfit.what()))
}

/// Checks that the values of a column can be compared. JSON values cannot: equal ones can be written
/// differently.
fn check_comparable(column: &Column) -> Result<(), String> {
    if column.kind == ColumnKind::Json {
        return Err(format!("the column `{}` holds JSON, which cannot be compared", column.name));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use abide_engine::contract::Contracts;

    use super::check;

    /// Loads a tool from the members of its input, those that are required, and its `data`.
    fn checked(input: &str, required: &str, data: &str) -> Result<(), String> {
        let writes = data.contains("create") || data.contains("update");
        let effect = if writes { "write" } else { "read" };
        let keyed = data.contains("create") && input.contains("key");
        let key = if keyed { "{ mode: keyed, key_field: key }" } else { "none" };
        let text = format!(
            "tools:
  a.tool:
    description: A tool.
    effect: {effect}
    idempotency: {key}
    risk: T1
    timeout: 10s
    handler: data
    data: {{ {data} }}
    input_schema:
      type: object
      required: [{required}]
      additionalProperties: false
      properties: {{ {input} }}
    output_schema: {{ type: object, properties: {{ id: {{ type: string }}, row: {{}} }} }}
"
        );
        let (contracts, findings) = Contracts::load(&text, "a.yaml");
        assert_eq!(findings, [], "{text}");
        check(contracts.get("a.tool").expect("a contract"))
    }

    #[test]
    fn tools_that_fit_their_table_are_accepted() {
        let any = "{ type: string }";
        let cases = [
            (
                format!("name: {any}, key: {any}, stage: {{ enum: [new, won] }}"),
                "name, key, stage",
                "table: leads, action: create, id: id, columns: { key: phone, stage: status }",
            ),
            (
                format!("id: {any}"),
                "id",
                "table: invoices, action: update, id: id, set: { status: void, voided_at: now }, \
                 only_if: { status: [draft, sent], paid: 0, due_date: null }",
            ),
            (
                format!("status: {any}, since: {any}, limit: {{}}"),
                "",
                "table: invoices, action: list, record: row, period: due_date, where: { sent_at: null }",
            ),
            (
                format!("name: {any}, size: {{}}"),
                "",
                "collection: kennels, action: create, id: id, set: { archived_at: now, seen_at: now }",
            ),
            (
                format!("town: {any}"),
                "",
                "collection: kennels, action: list, record: row, where: { archived_at: null }",
            ),
        ];
        for (input, required, data) in cases {
            assert_eq!(checked(&input, required, data), Ok(()), "{data}");
        }
    }

    /// A member of the input, which members are required, the `data` of a tool, and words of the refusal.
    type Refused = (&'static str, &'static str, &'static str, &'static str);

    const REFUSED: [Refused; 18] = [
        (
            "id: {}",
            "id",
            "table: lead, action: get, id: id, record: row",
            "no table `lead`; did you mean",
        ),
        (
            "id: {}",
            "id",
            "table: records, action: get, id: id, record: row",
            "through a `collection`",
        ),
        (
            "id: {}",
            "id",
            "table: leads, action: get, id: id, record: row, columns: { a: b }",
            "no column `b`",
        ),
        (
            "id: {}, nam: {}",
            "id",
            "table: leads, action: update, id: id",
            "no column `nam`; did you mean `name`?",
        ),
        (
            "id: {}, status: { enum: [new, gone] }",
            "id",
            "table: leads, action: update, id: id",
            "\"gone\" in the column `status`",
        ),
        (
            "id: {}",
            "id",
            "table: leads, action: update, id: id, set: { status: gone }",
            "must be one of `new`",
        ),
        (
            "id: {}",
            "id",
            "table: leads, action: update, id: id, set: { name: null }",
            "must have a value",
        ),
        (
            "id: {}, name: {}",
            "id",
            "table: leads, action: update, id: id, only_if: { status: gone }",
            "must be one of",
        ),
        (
            "id: {}, name: {}",
            "id",
            "table: notes, action: update, id: id, columns: { name: title }, only_if: { tags: a }",
            "holds JSON",
        ),
        (
            "name: {}, phone: {}, status: {}",
            "name, phone",
            "table: leads, action: create, id: id",
            "a value in the column `status`",
        ),
        (
            "title: {}, key: {}",
            "title, key",
            "table: quotes, action: create, id: id, columns: { key: comment }, set: { status: draft }",
            "`key` is not unique in `quotes`",
        ),
        (
            "key: {}",
            "key",
            "collection: kennels, action: create, id: id",
            "`key` is not unique in `kennels`",
        ),
        (
            "body: {}",
            "",
            "collection: kennels, action: create, id: id",
            "cannot have a member `body`",
        ),
        ("town: {}", "", "table: leads, action: list, record: row", "no column `town`"),
        ("tags: {}", "", "table: notes, action: list, record: row", "holds JSON"),
        (
            "name: {}",
            "",
            "table: leads, action: list, record: row, where: { x: 1 }",
            "no column `x`",
        ),
        (
            "name: {}",
            "",
            "table: leads, action: list, record: row, period: name",
            "as a `period` is",
        ),
        (
            "a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {}, h: {}, i: {}",
            "",
            "collection: kennels, action: list, record: row",
            "at most 8 filters",
        ),
    ];

    #[test]
    fn tools_that_do_not_fit_their_table_are_refused() {
        for (input, required, data, words) in REFUSED {
            let refused = checked(input, required, data).expect_err(data);
            assert!(refused.contains(words), "{data}: {refused}");
        }
    }
}
