//! Formatting the result of an audit.

use serde_json::Value;

use super::members::text;
use super::plural::counted;

/// Formats the result of an audit: one line if all invariants hold, else a heading and a line per breach.
#[must_use]
pub(crate) fn page(report: &Value) -> String {
    let breaches = report["breaches"].as_array().map_or(&[][..], Vec::as_slice);
    if breaches.is_empty() {
        return format!("audit: clean{}", checked(report));
    }
    let mut lines = vec![format!("audit: breaches: {}{}", breaches.len(), checked(report))];
    lines.extend(breaches.iter().map(|breach| {
        format!("  {}: {}", text(breach, "rule").replace('_', " "), text(breach, "detail"))
    }));
    lines.join("\n")
}

/// Formats the numbers of checked items: ` (120 events, 14 receipts)`.
fn checked(report: &Value) -> String {
    let members = report.as_object().into_iter().flatten();
    let shown: Vec<String> = members
        .filter_map(|(what, n)| {
            let what = what.replace('_', " ");
            Some(counted(n.as_u64()?, what.strip_suffix('s').unwrap_or(&what)))
        })
        .collect();
    if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_clean_audit_is_one_line_and_each_breach_another() {
        let clean = json!({"breaches": [], "events": 120, "receipts": 14});
        assert_eq!(page(&clean), "audit: clean (120 events, 14 receipts)");
        let one = json!({"breaches": [], "archives": 1, "streams": 3});
        assert_eq!(page(&one), "audit: clean (1 archive, 3 streams)");
        let broken =
            json!({"breaches": [{"rule": "one_receipt_a_call", "detail": "call_1 has 2"}]});
        assert_eq!(page(&broken), "audit: breaches: 1\n  one receipt a call: call_1 has 2");
    }
}
