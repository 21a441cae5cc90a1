//! Draws the rates over the number of waiting runs, one chart for each database.

use abide_engine::base::Problem;
use charts_rs::{Align, Color, LineChart, MultiChart, Series, Symbol};

use super::super::report::{DatabaseKind, Workload};
use super::report::WaitingResult;

/// Width and height of the chart of one database, in pixels.
const WIDTH: f32 = 760.0;
const HEIGHT: f32 = 320.0;
/// The workloads that are drawn.
const DRAWN: [Workload; 4] =
    [Workload::Starts, Workload::Signals, Workload::Resumes, Workload::Timers];

/// Returns the picture as SVG.
///
/// # Errors
/// A bug if the picture cannot be drawn.
pub(super) fn draw(results: &[WaitingResult]) -> Result<String, Problem> {
    let mut charts = MultiChart::new();
    for database in [DatabaseKind::Sqlite, DatabaseKind::Postgres] {
        let of: Vec<&WaitingResult> =
            results.iter().filter(|one| one.measurement.database == database).collect();
        if !of.is_empty() {
            charts.add(charts_rs::ChildChart::Line(chart(database, &of), None));
        }
    }
    charts.background_color = Some(Color::white());
    charts.svg().map_err(|e| Problem::bug(format!("the plot cannot be drawn: {e}")))
}

fn chart(database: DatabaseKind, results: &[&WaitingResult]) -> LineChart {
    let mut levels: Vec<u64> = results.iter().map(|one| one.waiting).collect();
    levels.dedup();
    let rate = |workload, level| {
        let found =
            results.iter().find(|one| one.measurement.workload == workload && one.waiting == level);
        found.map_or(0.0, |one| one.measurement.per_s as f32)
    };
    let series = DRAWN.map(|workload| {
        let rates = levels.iter().map(|level| rate(workload, *level)).collect();
        Series::new(workload.as_str().to_owned(), rates)
    });
    let labels = levels.iter().map(|level| grouped(*level)).collect();
    let mut chart = LineChart::new(series.to_vec(), labels);
    chart.base.width = WIDTH;
    chart.base.height = HEIGHT;
    // The last label reaches over the end of its axis.
    chart.base.margin = (12.0, 12.0, 48.0, 12.0).into();
    chart.base.font_family = "system-ui, sans-serif".to_owned();
    chart.base.title.text =
        format!("{}: operations a second, by the number of waiting runs", database.as_str());
    chart.base.title.align = Align::Left;
    chart.base.title.font.size = 15.0;
    chart.x_axis.boundary_gap = Some(false);
    chart.series.symbol = Some(Symbol::Circle(3.0, None));
    let drawn = results.iter().filter(|one| DRAWN.contains(&one.measurement.workload));
    let highest = drawn.map(|one| one.measurement.per_s).fold(0.0, f64::max);
    let step = step(highest);
    let steps = (highest / step).ceil().max(1.0);
    for axis in &mut chart.y_axis_configs {
        (axis.min, axis.max) = (Some(0.0), Some((steps * step) as f32));
        axis.split_number = steps as usize;
        axis.formatter = Some("{t}".to_owned());
    }
    chart
}

/// Returns the distance of the lines behind the curves: 1, 2 or 5 with zeros, so that there are at most six.
fn step(highest: f64) -> f64 {
    let mut tens = 1.0;
    loop {
        for step in [tens, 2.0 * tens, 5.0 * tens] {
            if highest <= 6.0 * step {
                return step;
            }
        }
        tens *= 10.0;
    }
}

/// Writes a number with a comma after each thousand.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let parts: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|part| std::str::from_utf8(part).unwrap_or_default())
        .collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_stand_at_round_numbers() {
        let cases = [
            (0.0, 1.0),
            (6.0, 1.0),
            (7.0, 2.0),
            (25.0, 5.0),
            (3_700.0, 1_000.0),
            (64_000.0, 20_000.0),
        ];
        for (highest, expected) in cases {
            assert!((step(highest) - expected).abs() < f64::EPSILON, "{highest}");
        }
    }

    #[test]
    fn a_number_has_a_comma_after_each_thousand() {
        let texts = [7, 1_000, 999_999, 1_000_000].map(grouped);
        assert_eq!(texts, ["7", "1,000", "999,999", "1,000,000"]);
    }
}
