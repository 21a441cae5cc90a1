//! Text tables: a header, columns two spaces apart, no ruled lines.

use comfy_table::{ContentArrangement, Table, presets};

/// Formats `rows` under `header`.
/// Without rows, the table is only a header, so callers print a note instead.
#[must_use]
pub(crate) fn table<const N: usize>(
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.map(str::to_uppercase));
    for row in rows {
        table.add_row(row);
    }
    for (ix, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if ix + 1 == N { 0 } else { 2 }));
    }
    let printed = table.to_string();
    printed.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Formats facts, each on an indented line of its own with its label. Leaves out the empty ones.
#[must_use]
pub(crate) fn fact_lines(facts: &[(&str, String)]) -> String {
    let shown = facts.iter().filter(|(_, shown)| !shown.is_empty());
    shown.map(|(label, shown)| format!("\n  {label:<9} {shown}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_no_line_ends_in_spaces() {
        let printed = table(
            ["run", "status"],
            [["run_1".into(), "waiting".into()], ["run_22".into(), "failed".into()]],
        );
        assert_eq!(printed, "RUN     STATUS\nrun_1   waiting\nrun_22  failed");
    }
}
