//! Writes the scope of the work of an inspection as a plain text: by area, the worst first.

use std::cmp::Reverse;

/// Maximum number of characters of a summary, as the contract says.
const SUMMARY_MAX: usize = 20_000;
/// Number of characters that are kept free for the line that counts what was left out.
const REST_MAX: usize = 80;
/// The conditions, from the best to the worst.
const CONDITIONS: [&str; 4] = ["good", "fair", "poor", "failed"];
/// The severities, from the least to the most serious.
const SEVERITIES: [&str; 3] = ["low", "medium", "high"];

/// An item of an inspection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Item<'a> {
    /// The part that was looked at.
    pub(super) area: &'a str,
    /// The condition that it is in.
    pub(super) condition: &'a str,
    /// How much that matters.
    pub(super) severity: &'a str,
    /// What should be done; empty for nothing.
    pub(super) recommendation: &'a str,
    /// A remark; empty for none.
    pub(super) comment: &'a str,
}

impl Item<'_> {
    /// Returns a number that is higher for a worse item. The condition decides before the severity.
    fn badness(&self) -> usize {
        let place = |words: &[&str], word: &str| {
            words.iter().position(|known| *known == word).unwrap_or_default()
        };
        place(&CONDITIONS, self.condition) * SEVERITIES.len() + place(&SEVERITIES, self.severity)
    }

    fn line(&self) -> String {
        let texts = [self.recommendation, self.comment].map(one_line);
        let texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        let colon = if texts.is_empty() { "" } else { ": " };
        format!("- {} ({}){colon}{}", self.condition, self.severity, texts.join(" / "))
    }
}

/// The items of one area, worst first.
struct Area<'a> {
    name: String,
    items: Vec<&'a Item<'a>>,
}

/// Returns the summary of the items, which are given in their order. Areas whose names differ only in case
/// or white space are one area.
pub(super) fn summary(items: &[Item<'_>]) -> String {
    let mut text = headline(items);
    let mut left = items.len();
    let mut length = text.chars().count();
    for area in areas(items) {
        for (ix, item) in area.items.iter().enumerate() {
            let heading = if ix == 0 { format!("\n\n{}", area.name) } else { String::new() };
            let lines = format!("{heading}\n{}", item.line());
            length += lines.chars().count();
            if length > SUMMARY_MAX - REST_MAX {
                let noun = if left == 1 { "item is" } else { "items are" };
                return format!("{text}\n\n{left} more {noun} left out.");
            }
            text += &lines;
            left -= 1;
        }
    }
    text
}

/// Returns the line that counts the items by condition, worst first.
fn headline(items: &[Item<'_>]) -> String {
    if items.is_empty() {
        return "No items.".to_owned();
    }
    let counts = CONDITIONS.iter().rev().filter_map(|condition| {
        let number = items.iter().filter(|item| item.condition == *condition).count();
        (number > 0).then(|| format!("{number} {condition}"))
    });
    let noun = if items.len() == 1 { "item" } else { "items" };
    format!("{} {noun}: {}.", items.len(), counts.collect::<Vec<_>>().join(", "))
}

/// Groups the items by area. Both the areas and the items in them are sorted from the worst to the best;
/// equal ones stay in their order.
fn areas<'a>(items: &'a [Item<'a>]) -> Vec<Area<'a>> {
    let mut areas: Vec<Area<'a>> = Vec::new();
    for item in items {
        let name = one_line(item.area);
        match areas.iter_mut().find(|area| area.name.to_lowercase() == name.to_lowercase()) {
            Some(area) => area.items.push(item),
            None => areas.push(Area { name, items: vec![item] }),
        }
    }
    for area in &mut areas {
        area.items.sort_by_key(|item| Reverse(item.badness()));
    }
    areas.sort_by_key(|area| Reverse(area.items.first().map(|item| item.badness())));
    areas
}

/// Returns a text on one line, with single spaces between its words.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(area: &'static str, condition: &'static str, severity: &'static str) -> Item<'static> {
        Item { area, condition, severity, ..Item::default() }
    }

    #[test]
    fn the_worst_area_and_the_worst_item_come_first() {
        let items = [
            item("Gutters", "good", "low"),
            item("Ridge", "fair", "high"),
            Item {
                recommendation: "Replace\nthe  capping",
                comment: "since 2019",
                ..item("ridge ", "failed", "medium")
            },
            item("Valley", "failed", "high"),
            item("Ridge", "failed", "medium"),
        ];
        let expected = "5 items: 3 failed, 1 fair, 1 good.

Valley
- failed (high)

Ridge
- failed (medium): Replace the capping / since 2019
- failed (medium)
- fair (high)

Gutters
- good (low)";
        assert_eq!(summary(&items), expected);
    }

    #[test]
    fn a_summary_is_never_empty_and_never_too_long() {
        assert_eq!(summary(&[]), "No items.");
        assert_eq!(
            summary(&[item("Roof", "poor", "low")]),
            "1 item: 1 poor.\n\nRoof\n- poor (low)"
        );
        let long = "ä".repeat(2_000);
        let items = vec![Item { recommendation: &long, ..item("Roof", "poor", "low") }; 500];
        let text = summary(&items);
        assert!(text.chars().count() <= SUMMARY_MAX);
        assert!(text.ends_with("491 more items are left out."), "{}", &text[text.len() - 60..]);
    }
}
