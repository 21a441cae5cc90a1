//! Draws the charts of a report: the success over time, the number of messages
//! per run, the share of runs in which each step was done, and the outcomes.

use abide_engine::base::Problem;
use charts_rs::{BarChart, Color, HorizontalBarChart, LineChart, Series, Symbol, YAxisConfig};

use super::ReportedVersion;

/// Width and height with which a chart is drawn, in pixels.
/// The page scales each chart to the width of the page.
const WIDTH: f32 = 760.0;
const HEIGHT: f32 = 300.0;
/// In a horizontal bar chart, in pixels: the height of one bar (`ROW`),
/// and the height of the margins and the axis together (`FRAME`).
const ROW: f32 = 26.0;
const FRAME: f32 = 70.0;
/// Maximum number of bars in a histogram.
const BINS: u64 = 16;

/// Draws a line for each version: the share of its runs that have succeeded, over time.
/// If there is only one version, draws a second line: the share of runs that have ended.
pub(super) fn over_time(versions: &[ReportedVersion<'_>]) -> Result<String, Problem> {
    let longest = versions.iter().max_by_key(|v| v.summary.by_time.last().map(|p| p.after));
    let points = longest.map_or(&[][..], |version| &version.summary.by_time);
    let labels = points.iter().map(|point| point.after.to_string()).collect();
    let mut series: Vec<Series> = Vec::new();
    for version in versions {
        let at = |point: &super::ProgressPoint| {
            let known = version.summary.by_time.iter().rev().find(|own| own.after <= point.after);
            known.copied().unwrap_or(super::ProgressPoint { succeeded: 0.0, ended: 0.0, ..*point })
        };
        let curve = |of: &dyn Fn(super::ProgressPoint) -> f64| {
            points.iter().map(|point| (of(at(point)) * 100.0) as f32).collect::<Vec<f32>>()
        };
        if versions.len() > 1 {
            series.push(Series::new(version.name.to_owned(), curve(&|p| p.succeeded)));
            continue;
        }
        series.push(Series::new("succeeded".to_owned(), curve(&|p| p.succeeded)));
        let mut over = Series::new("ended, with any outcome".to_owned(), curve(&|p| p.ended));
        over.stroke_dash_array = Some("4,3".to_owned());
        series.push(over);
    }
    let mut chart = LineChart::new(series, labels);
    frame(&mut chart.base, HEIGHT);
    chart.x_axis.boundary_gap = Some(false);
    chart.series.symbol = Some(Symbol::None);
    of_hundred(&mut chart.y_axis_configs);
    chart.svg().map_err(|e| undrawn(&e))
}

/// Draws a histogram of the number of messages sent per run.
pub(super) fn messages(version: &ReportedVersion<'_>) -> Result<String, Problem> {
    let counts: Vec<u64> = version.samples.iter().map(|sample| sample.measure.messages).collect();
    let bins = bins(&counts);
    let heights = bins.iter().map(|(_, n)| *n as f32).collect();
    let labels = bins.into_iter().map(|(label, _)| label).collect();
    let mut chart = BarChart::new(vec![Series::new("runs".to_owned(), heights)], labels);
    frame(&mut chart.base, HEIGHT);
    chart.legend.show = Some(false);
    chart.svg().map_err(|e| undrawn(&e))
}

/// Groups numbers into at most [`BINS`] bins of equal width.
/// Returns the label of each bin and the count of numbers in the bin.
fn bins(counts: &[u64]) -> Vec<(String, usize)> {
    let (Some(least), Some(most)) = (counts.iter().min(), counts.iter().max()) else {
        return Vec::new();
    };
    let width = (most - least + 1).div_ceil(BINS);
    (*least..=*most)
        .step_by(usize::try_from(width).unwrap_or(usize::MAX))
        .map(|from| {
            let to = from + width - 1;
            let label = if width == 1 { from.to_string() } else { format!("{from}–{to}") };
            (label, counts.iter().filter(|n| (from..=to).contains(*n)).count())
        })
        .collect()
}

/// Draws a bar for each step: the share of runs in which the step was done.
pub(super) fn steps(version: &ReportedVersion<'_>) -> Result<String, Problem> {
    let steps = &version.summary.steps;
    // The chart draws the first bar at the bottom, but the most frequent step should be on top.
    let upwards = || steps.iter().rev();
    let shares = upwards().map(|step| (step.share * 100.0).round() as f32).collect();
    let labels = upwards().map(|step| step.step.clone()).collect();
    let mut series = Series::new("share".to_owned(), shares);
    series.label_show = true;
    let mut chart = HorizontalBarChart::new(vec![series], labels);
    frame(&mut chart.base, ROW * steps.len() as f32 + FRAME);
    chart.legend.show = Some(false);
    of_hundred(&mut chart.y_axis_configs);
    chart.svg().map_err(|e| undrawn(&e))
}

/// Draws, for each version, a bar for each outcome: the share of runs with that outcome.
pub(super) fn outcomes(versions: &[ReportedVersion<'_>]) -> Result<String, Problem> {
    let names: std::collections::BTreeSet<&String> =
        versions.iter().flat_map(|version| version.summary.outcomes.keys()).collect();
    let series = versions.iter().map(|version| {
        let counts = names.iter().map(|name| {
            let n = version.summary.outcomes.get(*name).copied().unwrap_or(0);
            (n as f64 / version.summary.runs.max(1) as f64 * 100.0).round() as f32
        });
        let mut series = Series::new(version.name.to_owned(), counts.collect());
        series.label_show = true;
        series
    });
    let labels = names.iter().map(|name| name.replace('_', " ")).collect();
    let mut chart = BarChart::new(series.collect(), labels);
    frame(&mut chart.base, HEIGHT);
    chart.legend.show = Some(versions.len() > 1);
    of_hundred(&mut chart.y_axis_configs);
    chart.svg().map_err(|e| undrawn(&e))
}

/// Scales each axis from 0 to 100 %.
fn of_hundred(axes: &mut [YAxisConfig]) {
    for axis in axes {
        (axis.min, axis.max, axis.split_number) = (Some(0.0), Some(100.0), 5);
        axis.formatter = Some("{c} %".to_owned());
    }
}

/// Sets the properties that all charts share.
fn frame(base: &mut charts_rs::ChartBase, height: f32) {
    base.width = WIDTH;
    base.height = height;
    base.margin = (12.0, 12.0, 44.0, 8.0).into();
    base.background_color = Color::transparent();
    base.font_family = "system-ui, sans-serif".to_owned();
}

fn undrawn(error: &dyn std::fmt::Display) -> Problem {
    Problem::bug(format!("a chart cannot be drawn: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_few_and_hold_every_number() {
        assert_eq!(bins(&[3, 4, 4]), [("3".to_owned(), 1), ("4".to_owned(), 2)]);
        let wide = bins(&(0..100).collect::<Vec<u64>>());
        assert!(wide.len() as u64 <= BINS, "{wide:?}");
        assert_eq!(wide.iter().map(|(_, n)| n).sum::<usize>(), 100);
        assert_eq!(wide[0].0, "0–6");
        assert!(bins(&[]).is_empty());
    }
}
