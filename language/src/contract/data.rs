//! Data-driven tools: the contract alone says what a call does to the rows of one table.
//!
//! This module reads the member `data` of a contract and checks everything that can be checked without the
//! table. The program that has the tables checks the names and kinds of the columns.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::fault::{Fault, fault};
use super::terms::{Effect, Idempotency};
use super::{Contract, NAME_CHARS_MAX};
use crate::base::Value;

/// The input members of a list that select a page and a period, and so are not columns.
const PAGE_MEMBERS: [&str; 4] = ["limit", "after", "since", "until"];

/// The columns of every table that the program sets itself.
const SYSTEM_COLUMNS: [&str; 4] = ["tenant", "id", "created_at", "updated_at"];

const KEYS_HINT: &str = "give `data` the keys `table` or `collection`, `action`, `id` and `record`; \
    the others are `columns set only_if where period promised`";
const EFFECT_HINT: &str =
    "`get` and `list` have `effect: read`, `create` and `update` have `effect: write`";
const CLOSED_HINT: &str =
    "add `additionalProperties: false` to `input_schema`, and list each member in `properties`";
const ID_HINT: &str = "for `create`, `id` is the member of the result that holds the new id; for `get` and \
    `update`, the required member of the input that names the row";
const RECORD_HINT: &str =
    "`record` is the member of the result that holds the row, or the rows of a list";
const PLACE_HINT: &str = "`set` and `promised` are for `create` and `update`, `only_if` for `update`, `where` and \
    `period` for `list`";
const COLUMN_HINT: &str = "give each column one source: an input member of its name, an input member that \
    `columns` maps to it, or `set`";
const KEY_HINT: &str = "only a `create` is `keyed`, by the `key_field` whose column is unique";

crate::words! {
    /// What a call of a data-driven tool does.
    pub enum DataAction {
        /// Inserts a row.
        Create = "create",
        /// Returns one row.
        Get = "get",
        /// Returns a page of rows, the newest first.
        List = "list",
        /// Changes one row.
        Update = "update",
    }
}

/// Where the rows of a data-driven tool are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataSource {
    /// In a table of the program.
    Table(String),
    /// In a collection of a home, whose records have the members that the tools of the home give them.
    Collection(String),
}

/// What a data-driven tool does to one table: the member `data` of its contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataTool {
    /// Where the rows are.
    pub source: DataSource,
    /// What a call does.
    pub action: DataAction,
    /// For `create`, the member of the result that holds the id of the new row. For `get` and `update`,
    /// the member of the input that names the row. `None` for `list`.
    pub id: Option<String>,
    /// The member of the result that holds the row, or the rows of a list. Without it, `create` and
    /// `update` return the id alone.
    pub record: Option<String>,
    /// The columns of those members whose column has another name, by the name of the member.
    pub columns: BTreeMap<String, String>,
    /// The columns that a call sets to constants.
    pub set: BTreeMap<String, Value>,
    /// What the columns of a row must hold before an update.
    pub only_if: BTreeMap<String, OneOf>,
    /// What the columns of the listed rows hold.
    pub conditions: BTreeMap<String, OneOf>,
    /// The column that `since` and `until` of a list compare; `created_at` if this is `None`.
    pub period: Option<String>,
    /// The period that a row promises to people, if `create` and `update` must not override it unasked.
    pub promised: Option<Box<PromisedPeriod>>,
}

/// The period that a row promises to people. A call needs an approval if it moves a promised period, or if
/// it adds one that overlaps the promised period of another row for the same people.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PromisedPeriod {
    /// The column with the beginning.
    pub from: String,
    /// The column with the end.
    pub until: String,
    /// The column that names whose time it is: one name, or a JSON list of names. Without it, or where it
    /// has no value, it is everybody's.
    #[serde(default)]
    pub whose: Option<String>,
    /// What the columns of a row hold while its period is promised.
    #[serde(rename = "while")]
    pub holds: BTreeMap<String, OneOf>,
}

/// The values that a column may hold, of which null stands for a missing value.
/// Written as one value, or as a list of values.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Value")]
pub struct OneOf(pub Vec<Value>);

impl From<Value> for OneOf {
    fn from(written: Value) -> Self {
        match written {
            Value::Array(values) => Self(values),
            value => Self(vec![value]),
        }
    }
}

/// The member `data` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDataTool {
    #[serde(default)]
    table: Option<String>,
    #[serde(default)]
    collection: Option<String>,
    action: DataAction,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    record: Option<String>,
    #[serde(default)]
    columns: BTreeMap<String, String>,
    #[serde(default)]
    set: BTreeMap<String, Value>,
    #[serde(default)]
    only_if: BTreeMap<String, OneOf>,
    #[serde(default, rename = "where")]
    conditions: BTreeMap<String, OneOf>,
    #[serde(default)]
    period: Option<String>,
    #[serde(default)]
    promised: Option<PromisedPeriod>,
}

impl DataTool {
    /// Returns the column of a member of the input or of a row in the result.
    #[must_use]
    pub fn column_of<'a>(&'a self, member: &'a str) -> &'a str {
        self.columns.get(member).map_or(member, String::as_str)
    }

    /// Returns the input members that are columns: all but the id of the row and what selects a page.
    pub fn column_members<'a>(&'a self, contract: &'a Contract) -> impl Iterator<Item = &'a str> {
        contract.input.members().filter(|member| {
            let names_row =
                self.action != DataAction::Create && self.id.as_deref() == Some(*member);
            let selects_page = self.action == DataAction::List && PAGE_MEMBERS.contains(member);
            !names_row && !selects_page
        })
    }

    /// Reads the member `data` of a contract.
    pub(super) fn read(written: Value) -> Result<Self, Fault> {
        let written: WrittenDataTool = serde_json::from_value(written)
            .map_err(|error| refused(error.to_string(), KEYS_HINT))?;
        let source = match (written.table, written.collection) {
            (Some(table), None) => DataSource::Table(table),
            (None, Some(collection)) => DataSource::Collection(collection),
            _ => {
                return Err(refused("`data` needs either a `table` or a `collection`", KEYS_HINT));
            }
        };
        Ok(Self {
            source,
            action: written.action,
            id: written.id,
            record: written.record,
            columns: written.columns,
            set: written.set,
            only_if: written.only_if,
            conditions: written.conditions,
            period: written.period,
            promised: written.promised.map(Box::new),
        })
    }

    /// Checks the tool against the rest of its contract.
    pub(super) fn check(&self, contract: &Contract) -> Result<(), Fault> {
        self.check_names()?;
        self.check_effect(contract)?;
        self.check_id(contract)?;
        self.check_input(contract)?;
        self.check_record(contract)?;
        self.check_places()?;
        self.check_assignments(contract)?;
        self.check_key(contract)
    }

    /// Checks that tables, collections and columns are named by lower-case words.
    fn check_names(&self) -> Result<(), Fault> {
        let (DataSource::Table(source) | DataSource::Collection(source)) = &self.source;
        let columns = [self.columns.values().collect(), self.set.keys().collect()];
        let conditions = [&self.only_if, &self.conditions].map(|all| all.keys().collect());
        let promised = self.promised.iter().map(|promised| {
            let whose = promised.whose.iter();
            whose.chain([&promised.from, &promised.until]).chain(promised.holds.keys()).collect()
        });
        let columns: Vec<Vec<&String>> =
            columns.into_iter().chain(conditions).chain(promised).collect();
        let names = columns.into_iter().flatten().chain([source]).chain(&self.period);
        match names.into_iter().find(|name| !is_word(name)) {
            None => Ok(()),
            Some(name) => {
                let what = format!("`{name}` is not the name of a table, a collection or a column");
                Err(refused(what, "write a name with lower-case letters, digits and `_`"))
            }
        }
    }

    fn check_effect(&self, contract: &Contract) -> Result<(), Fault> {
        let effect = match self.action {
            DataAction::Create | DataAction::Update => Effect::Write,
            DataAction::Get | DataAction::List => Effect::Read,
        };
        if contract.effect == effect {
            return Ok(());
        }
        let what = format!("`action: {}` does not have this effect", self.action);
        Err(Fault { hint: Some(EFFECT_HINT), ..fault("effect", what) })
    }

    /// Checks that the input has no members besides those that the schema lists, because members become
    /// columns.
    fn check_input(&self, contract: &Contract) -> Result<(), Fault> {
        let refused = |what: &str| {
            Err(Fault { hint: Some(CLOSED_HINT), ..fault("input_schema", what.to_owned()) })
        };
        let schema = contract.input.value();
        if schema.get("additionalProperties") != Some(&Value::Bool(false))
            || schema.get("patternProperties").is_some()
        {
            return refused("a call could name any column");
        }
        if self.action == DataAction::Get
            && let Some(member) = self.column_members(contract).next()
        {
            let what = format!("`get` takes only the id, but the input has the member `{member}`");
            return refused(&what);
        }
        Ok(())
    }

    fn check_id(&self, contract: &Contract) -> Result<(), Fault> {
        let what = match (self.action, &self.id) {
            (DataAction::List, None) => return Ok(()),
            (DataAction::List, Some(_)) => "`list` has no `id`".to_owned(),
            (action, None) => format!("`{action}` needs an `id`"),
            (DataAction::Create, Some(id)) => match contract.output.member(id) {
                Some(_) => return Ok(()),
                None => format!("`id`: the result has no member `{id}`"),
            },
            (DataAction::Get | DataAction::Update, Some(id)) => match contract.input.member(id) {
                Some(_) if contract.input.requires(id) => return Ok(()),
                Some(_) => format!("`id`: the input does not require `{id}`"),
                None => format!("`id`: the input has no member `{id}`"),
            },
        };
        Err(refused(what, ID_HINT))
    }

    fn check_record(&self, contract: &Contract) -> Result<(), Fault> {
        match &self.record {
            Some(record) if contract.output.member(record).is_none() => {
                Err(refused(format!("`record`: the result has no member `{record}`"), RECORD_HINT))
            }
            None if matches!(self.action, DataAction::Get | DataAction::List) => {
                Err(refused(format!("`{}` needs a `record`", self.action), RECORD_HINT))
            }
            None => match self.id.as_deref().filter(|id| contract.output.member(id).is_none()) {
                None => Ok(()),
                Some(id) => Err(refused(
                    format!("the result has no `record`, and no member `{id}` either"),
                    RECORD_HINT,
                )),
            },
            Some(_) => Ok(()),
        }
    }

    /// Checks that each key of `data` applies to the action, and that each condition can hold.
    fn check_places(&self) -> Result<(), Fault> {
        use DataAction::{Create, List, Update};
        let places: [(&str, bool, &[DataAction]); 5] = [
            ("set", !self.set.is_empty(), &[Create, Update]),
            ("only_if", !self.only_if.is_empty(), &[Update]),
            ("where", !self.conditions.is_empty(), &[List]),
            ("period", self.period.is_some(), &[List]),
            ("promised", self.promised.is_some(), &[Create, Update]),
        ];
        let misplaced = places
            .into_iter()
            .find(|(_, given, actions)| *given && !actions.contains(&self.action));
        if let Some((key, ..)) = misplaced {
            let what = format!("`{key}` does not apply to `action: {}`", self.action);
            return Err(refused(what, PLACE_HINT));
        }
        let composed = |value: &Value| value.is_array() || value.is_object();
        let impossible = |OneOf(values): &OneOf| values.is_empty() || values.iter().any(composed);
        match self.only_if.iter().chain(&self.conditions).find(|(_, values)| impossible(values)) {
            None => Ok(()),
            Some((column, _)) => {
                let what = format!("no row can have the values that are listed for `{column}`");
                Err(refused(what, "give one value, or a list of values; null is a missing value"))
            }
        }
    }

    /// Checks that a call gives each column at most one value, and none to the columns of the program.
    fn check_assignments(&self, contract: &Contract) -> Result<(), Fault> {
        let mut columns = BTreeSet::new();
        let given = self.column_members(contract).map(|member| self.column_of(member));
        for column in given.chain(self.set.keys().map(String::as_str)) {
            let what = if !columns.insert(column) {
                format!("the column `{column}` would get two values")
            } else if self.action != DataAction::List && SYSTEM_COLUMNS.contains(&column) {
                format!("the program itself sets the column `{column}`")
            } else {
                continue;
            };
            return Err(refused(what, COLUMN_HINT));
        }
        match self.action {
            DataAction::Update if columns.is_empty() => {
                Err(refused("`update` would change no column", COLUMN_HINT))
            }
            _ => Ok(()),
        }
    }

    fn check_key(&self, contract: &Contract) -> Result<(), Fault> {
        let keyed = contract.idempotency == Idempotency::Keyed;
        if !keyed || (self.action == DataAction::Create && contract.key_field.is_some()) {
            return Ok(());
        }
        let what = "a second call could not be recognised by a key";
        Err(Fault { hint: Some(KEY_HINT), ..fault("idempotency", what) })
    }
}

fn refused(what: impl Into<String>, hint: &'static str) -> Fault {
    Fault { hint: Some(hint), ..fault("data", what) }
}

/// Whether a name consists of lower-case letters, digits and `_`, and begins with a letter.
fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && name.len() <= NAME_CHARS_MAX
}

#[cfg(test)]
mod tests;
