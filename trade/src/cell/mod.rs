//! The values of columns in their stored form, and their conversion from and to JSON.

mod money;
mod phone;

use abide_engine::base::{Timestamp, Value, text};
use abide_engine::policy::Region;
use abide_engine::store::Param;
use jiff::civil::Date;

pub use money::{CENTS_MAX, cents, decimal, money};
pub use phone::e164;

use crate::table::{Column, ColumnKind, Presence};

/// The largest magnitude of a whole number that is written with a decimal point, such as `3.0`.
/// Above it, such a number is not exact.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// The value of one column of one row, in its stored form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// The row has no value in the column.
    Null,
    /// A whole number: a number, cents or microseconds.
    Int(i64),
    /// A string: a text, a phone number, a decimal number, a day or JSON.
    Text(String),
}

/// The reason why a value cannot be stored in a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    /// The value is not a phone number. The sentence about the value has no subject.
    Phone(String),
    /// The value is not of the column's kind. The sentence about the value has no subject.
    Other(String),
}

impl Misfit {
    /// Returns the sentence about the value, without its subject.
    #[must_use]
    pub fn what(&self) -> &str {
        let (Self::Phone(what) | Self::Other(what)) = self;
        what
    }
}

impl Column {
    /// Returns the value of a row for which a call gives none: the default of the column, or no value.
    #[must_use]
    pub fn default(&self) -> Cell {
        match self.presence {
            Presence::Required | Presence::Optional => Cell::Null,
            Presence::Default(text) if self.is_number() => {
                text.parse().map_or(Cell::Null, Cell::Int)
            }
            Presence::Default(text) => Cell::Text(text.to_owned()),
        }
    }

    /// Converts a value to its stored form. `null` is no value. A phone number without a country code is
    /// one of the region.
    ///
    /// # Errors
    /// The reason why the column cannot have the value.
    pub fn stored(&self, value: &Value, region: Region) -> Result<Cell, Misfit> {
        if value.is_null() {
            return match self.presence {
                Presence::Optional => Ok(Cell::Null),
                _ => Err(misfit("must have a value")),
            };
        }
        let stored = match self.kind {
            ColumnKind::Text => text::without_nul(string(value)?.to_owned()),
            ColumnKind::Phone => e164(string(value)?, region).map_err(Misfit::Phone)?,
            ColumnKind::Decimal => decimal(value).map_err(Misfit::Other)?,
            ColumnKind::Date => day(string(value)?)?.to_string(),
            ColumnKind::Json => json(value),
            ColumnKind::Money => return cents(value).map(Cell::Int).map_err(Misfit::Other),
            ColumnKind::Int => return whole(value).map(Cell::Int),
            ColumnKind::Instant => {
                let at = string(value)?.parse::<Timestamp>();
                let at = at
                    .map_err(|_| misfit("is not an instant such as `2025-10-05T09:00:00-05:00`"))?;
                return Ok(Cell::Int(at.micros()));
            }
        };
        if self.words.is_empty() || self.words.contains(&stored.as_str()) {
            Ok(Cell::Text(stored))
        } else {
            Err(misfit(format!("must be one of `{}`", self.words.join("`, `"))))
        }
    }

    /// Converts a constant of a contract to its stored form: as [`Self::stored`], but `now` in a column of
    /// instants is the time of the call.
    ///
    /// # Errors
    /// As [`Self::stored`].
    pub fn constant(&self, value: &Value, now: Timestamp, region: Region) -> Result<Cell, Misfit> {
        match (self.kind, value) {
            (ColumnKind::Instant, Value::String(text)) if text == "now" => {
                Ok(Cell::Int(now.micros()))
            }
            _ => self.stored(value, region),
        }
    }

    /// Converts a stored value to JSON, as a row in a result shows it.
    ///
    /// # Errors
    /// A sentence, if the stored value is not one of the column.
    pub fn shown(&self, cell: &Cell) -> Result<Value, String> {
        Ok(match (self.kind, cell) {
            (_, Cell::Null) => Value::Null,
            (ColumnKind::Money, Cell::Int(cents)) => money(*cents).into(),
            (ColumnKind::Instant, Cell::Int(micros)) => {
                Timestamp::from_micros(*micros).to_string().into()
            }
            (ColumnKind::Json, Cell::Text(text)) => serde_json::from_str(text)
                .map_err(|error| format!("column `{}` is not JSON: {error}", self.name))?,
            (_, Cell::Int(number)) => (*number).into(),
            (_, Cell::Text(text)) => text.clone().into(),
        })
    }

    /// Returns a stored value as the parameter of a statement.
    #[must_use]
    pub fn param(&self, cell: &Cell) -> Param {
        match cell {
            Cell::Null if self.is_number() => Param::Int(None),
            Cell::Null => Param::Text(None),
            Cell::Int(number) => (*number).into(),
            Cell::Text(text) => text.into(),
        }
    }
}

fn misfit(what: impl Into<String>) -> Misfit {
    Misfit::Other(what.into())
}

fn string(value: &Value) -> Result<&str, Misfit> {
    value.as_str().ok_or_else(|| misfit("is not a text"))
}

/// Returns a JSON value as a text that both databases can store.
#[must_use]
pub fn json(value: &Value) -> String {
    let mut value = value.clone();
    text::replace_nul(&mut value);
    text::json(&value)
}

/// Reads a whole number. JSON Schema also accepts `3.0` as one.
///
/// # Errors
/// [`Misfit::Other`], if the value is not a whole number.
pub fn whole(value: &Value) -> Result<i64, Misfit> {
    let point = || {
        let number = value.as_f64()?;
        (number.fract() == 0.0 && number.abs() <= EXACT_MAX).then(|| format!("{number:.0}"))
    };
    let number = value.as_i64().or_else(|| point()?.parse().ok());
    number.ok_or_else(|| misfit("is not a whole number"))
}

fn day(text: &str) -> Result<Date, Misfit> {
    let day = text.parse::<Date>().ok().filter(|day| day.to_string() == text);
    day.ok_or_else(|| misfit("is not a day such as `2025-10-05`"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Cell, Column, Region, Timestamp, Value};
    use crate::table::table;

    fn column(table_name: &str, name: &str) -> &'static Column {
        table(table_name).expect("a table").any_column(name).expect("a column")
    }

    #[test]
    fn values_are_stored_and_shown_as_their_column_says() {
        let at = "2025-10-05T09:00:00.5-05:00";
        let cases = [
            ("leads", "name", json!("Ana"), json!("Ana")),
            ("leads", "phone", json!("0400 123 456"), json!("+61400123456")),
            ("leads", "email", Value::Null, Value::Null),
            ("leads", "status", json!("won"), json!("won")),
            ("leads", "archived_at", json!(at), json!("2025-10-05T14:00:00.500000+00:00")),
            ("quotes", "total", json!(1250), json!("1250.00")),
            ("quotes", "total", json!("-0.5"), json!("-0.50")),
            ("quotes", "valid_until_date", json!("2024-02-29"), json!("2024-02-29")),
            ("quote_line_items", "position", json!(3.0), json!(3)),
            ("quote_line_items", "quantity", json!(2.50), json!("2.5")),
            ("notes", "tags", json!(["a", {"b": 1}]), json!(["a", {"b": 1}])),
        ];
        for (table, name, value, shown) in cases {
            let column = column(table, name);
            let cell =
                column.stored(&value, Region::Au).unwrap_or_else(|why| panic!("{name}: {why:?}"));
            assert_eq!(column.shown(&cell), Ok(shown), "{name}");
        }
    }

    #[test]
    fn what_a_column_cannot_hold_is_refused() {
        let cases = [
            ("leads", "name", Value::Null, "must have a value"),
            ("leads", "name", json!(7), "is not a text"),
            ("leads", "status", json!("gone"), "must be one of `new`, `contacted`"),
            ("leads", "archived_at", json!("now"), "is not an instant"),
            ("leads", "phone", json!("Ana"), "is not a phone number"),
            ("quotes", "total", json!("1.005"), "at most two decimals"),
            ("quotes", "total", Value::Null, "must have a value"),
            ("quotes", "valid_until_date", json!("2025-02-29"), "is not a day"),
            ("quotes", "valid_until_date", json!("20250228"), "is not a day"),
            ("quote_line_items", "position", json!(1.5), "is not a whole number"),
            ("quote_line_items", "position", json!(1e300), "is not a whole number"),
            ("quote_line_items", "position", json!("1"), "is not a whole number"),
        ];
        for (table, name, value, words) in cases {
            let misfit = column(table, name).stored(&value, Region::Au).expect_err(name);
            assert!(misfit.what().contains(words), "{name}: {}", misfit.what());
        }
    }

    #[test]
    fn now_is_the_time_of_the_call_in_constants_alone() {
        let now = Timestamp::from_micros(7);
        let archived = column("leads", "archived_at");
        assert_eq!(archived.constant(&json!("now"), now, Region::Au), Ok(Cell::Int(7)));
        assert_eq!(
            column("leads", "name").constant(&json!("now"), now, Region::Au),
            Ok(Cell::Text("now".into()))
        );
    }
}
