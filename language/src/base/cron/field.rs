//! One field of a cron schedule, with the numbers that it matches.

use std::collections::BTreeSet;

use super::invalid;
use crate::base::calendar::{MONTHS, WEEKDAYS};
use crate::base::problem::Problem;

/// The definition of a field in the format of cron: its name, its range, and names for its numbers.
pub(super) struct Spec {
    name: &'static str,
    least: u32,
    most: u32,
    /// Names of the numbers from `least` upwards. The first three letters of a name suffice.
    names: &'static [&'static str],
    /// What must be added to a number of the field to get the number that the `cron` crate uses:
    /// 1 for weekdays, because that crate counts Sunday as 1, and 0 for the other fields.
    shift: u32,
}

/// The definitions of the six fields, seconds first.
pub(super) const FIELDS: [Spec; 6] = [
    Spec { name: "second", least: 0, most: 59, names: &[], shift: 0 },
    Spec { name: "minute", least: 0, most: 59, names: &[], shift: 0 },
    Spec { name: "hour", least: 0, most: 23, names: &[], shift: 0 },
    Spec { name: "day of month", least: 1, most: 31, names: &[], shift: 0 },
    Spec { name: "month", least: 1, most: 12, names: &MONTHS, shift: 0 },
    Spec { name: "day of week", least: 0, most: 7, names: &WEEKDAYS, shift: 1 },
];

/// A parsed field with the numbers that it matches; Sunday is the number 0.
pub(super) struct Field {
    spec: &'static Spec,
    admitted: BTreeSet<u32>,
    text: String,
}

impl Field {
    pub(super) fn parse(spec: &'static Spec, text: &str) -> Result<Self, Problem> {
        let mut admitted = BTreeSet::new();
        for item in text.split(',') {
            let (from, to, step) = spec.item(item)?;
            admitted.extend((from..=to).step_by(step));
        }
        if spec.is_weekday() && admitted.remove(&7) {
            admitted.insert(0);
        }
        Ok(Self { spec, admitted, text: text.to_owned() })
    }

    /// Whether the field leaves out at least one number of its range.
    pub(super) fn is_restricted(&self) -> bool {
        let all = self.spec.most - self.spec.least + u32::from(!self.spec.is_weekday());
        usize::try_from(all).is_ok_and(|all| self.admitted.len() < all)
    }

    /// Whether the field is written with `*` or `/`.
    pub(super) fn has_wildcard_or_step(&self) -> bool {
        self.text.contains(['*', '/'])
    }

    /// Returns the field in the syntax that the `cron` crate reads: a list of numbers, or `*`.
    pub(super) fn numbers(&self) -> String {
        if !self.is_restricted() {
            return "*".to_owned();
        }
        let numbers = self.admitted.iter().map(|number| (number + self.spec.shift).to_string());
        numbers.collect::<Vec<_>>().join(",")
    }
}

impl Spec {
    fn is_weekday(&self) -> bool {
        self.shift == 1
    }

    /// Parses an item into its first number, its last number and its step.
    /// An item is `*`, `5` or `1-5`, optionally with a step such as `/2`.
    /// The item `5/2` matches every second number from 5 to the end of the field's range.
    fn item(&self, item: &str) -> Result<(u32, u32, usize), Problem> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(step)),
            None => (item, None),
        };
        let (from, to) = match range.split_once('-') {
            _ if range == "*" => (self.least, self.most - u32::from(self.is_weekday())),
            Some((from, to)) => (self.number(from)?, self.number(to)?),
            None => {
                let from = self.number(range)?;
                let last = self.most - u32::from(self.is_weekday() && from < self.most);
                (from, if step.is_some() { last } else { from })
            }
        };
        if from > to {
            return Err(self.backward(range, from, to));
        }
        Ok((from, to, self.step(step)?))
    }

    fn step(&self, step: Option<&str>) -> Result<usize, Problem> {
        let Some(step) = step else { return Ok(1) };
        digits(step)
            .filter(|step| (1..=self.most).contains(step))
            .and_then(|step| usize::try_from(step).ok())
            .ok_or_else(|| {
                let message = format!("`/{step}` is not a valid step of the {}", self.name);
                invalid(message, Some(&format!("give a number from 1 to {}", self.most)))
            })
    }

    fn number(&self, text: &str) -> Result<u32, Problem> {
        if let Some(number) = digits(text).or_else(|| self.named(text)) {
            if (self.least..=self.most).contains(&number) {
                return Ok(number);
            }
            return Err(self.unknown(text));
        }
        let marks = text.chars().find(|c| matches!(c.to_ascii_uppercase(), 'L' | 'W' | '#' | '?'));
        match marks {
            Some(mark) => {
                let message = format!("`{mark}` in the {} is not supported", self.name);
                let hint = "list the days, or start the method daily and check the date in it";
                Err(invalid(message, Some(if mark == '?' { "write `*`" } else { hint })))
            }
            None => Err(self.unknown(text)),
        }
    }

    fn named(&self, text: &str) -> Option<u32> {
        let text = text.to_ascii_lowercase();
        let is = |name: &&str| *name == text || (text.len() == 3 && name.starts_with(&text));
        let position = self.names.iter().position(is)?;
        Some(self.least + u32::try_from(position).ok()?)
    }

    fn unknown(&self, text: &str) -> Problem {
        let shown: String = text.chars().take(20).collect();
        let names = self.names.first().zip(self.names.last());
        let names =
            names.map_or(String::new(), |(a, b)| format!(", or `{}` to `{}`", &a[..3], &b[..3]));
        let hint = format!("give a number from {} to {}{names}", self.least, self.most);
        invalid(format!("`{shown}` is not a valid {}", self.name), Some(&hint))
    }

    fn backward(&self, range: &str, from: u32, to: u32) -> Problem {
        let message = format!("the range `{range}` of the {} is in descending order", self.name);
        let hint = match (self.is_weekday(), to) {
            (true, 0) => format!("write Sunday as 7: `{from}-7`"),
            (true, _) => format!("write `{from}-6,0-{to}`"),
            _ => format!("write `{from}-{},{}-{to}`", self.most, self.least),
        };
        invalid(message, Some(&hint))
    }
}

/// Parses a number that consists of decimal digits only.
fn digits(text: &str) -> Option<u32> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if plain { text.parse().ok() } else { None }
}
