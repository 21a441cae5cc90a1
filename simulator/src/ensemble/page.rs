//! The HTML report of an ensemble: one self-contained page.

use abide_engine::base::Problem;
use handlebars::Handlebars;
use serde::Serialize;

use super::{Comparison, Sample, Summary, charts, percent};

/// A version of a method to report on: its name and its simulations.
pub struct ReportedVersion<'a> {
    /// The name to show for the version.
    pub name: &'a str,
    /// The results of the version's simulations.
    pub samples: &'a [Sample],
    /// Statistics over the version's simulations.
    pub summary: &'a Summary,
}

/// The heading of the page.
#[derive(Debug, Clone, Copy)]
pub struct PageHeading<'a> {
    /// The title of the page, which names what was simulated.
    pub title: &'a str,
    /// A sentence that names the model of people and the seeds of the simulations.
    pub played: &'a str,
    /// Words that say from which instant the page counts times: `after its start` or `from now`.
    pub since: &'a str,
}

/// The template of the page.
/// Values in triple braces are SVG that this program drew; all other values are escaped.
const TEMPLATE: &str = include_str!("../../templates/report.html");

/// The values of the template.
#[derive(Serialize)]
struct Page<'a> {
    title: &'a str,
    played: &'a str,
    since: &'a str,
    versions: Vec<Section<'a>>,
    /// Whether the page reports on a single version; if not, the page compares versions.
    one_version: bool,
    over_time: String,
    outcomes: String,
    compared: Option<String>,
}

/// The section of the page about one version.
#[derive(Serialize)]
struct Section<'a> {
    name: &'a str,
    chance: String,
    between: String,
    /// The rows of the section's table.
    rows: Vec<TableRow>,
    answered: String,
    /// The seeds of the simulations with an unmet expectation or a broken invariant, in words;
    /// `None` if there is no such simulation.
    unwell: Option<String>,
    messages: String,
    steps: String,
}

/// A row of a section's table.
#[derive(Serialize)]
struct TableRow {
    label: &'static str,
    /// The cells that [`super::Distribution::columns`] returns.
    cells: [String; 5],
}

/// Renders the page as HTML.
///
/// # Errors
/// Returns a bug if a chart or the page cannot be rendered.
pub fn render_page(
    heading: PageHeading<'_>,
    versions: &[ReportedVersion<'_>],
) -> Result<String, Problem> {
    let compared = match versions {
        [first, second] => Some(Comparison::of(first.samples, second.samples).sentence()),
        _ => None,
    };
    let PageHeading { title, played, since } = heading;
    let page = Page {
        title,
        played,
        since,
        one_version: versions.len() == 1,
        versions: versions.iter().map(section).collect::<Result<_, _>>()?,
        over_time: charts::over_time(versions)?,
        outcomes: charts::outcomes(versions)?,
        compared,
    };
    let mut renderer = Handlebars::new();
    renderer.set_strict_mode(true);
    renderer
        .render_template(TEMPLATE, &page)
        .map_err(|error| Problem::bug(format!("the report cannot be rendered: {error}")))
}

fn section<'a>(version: &ReportedVersion<'a>) -> Result<Section<'a>, Problem> {
    let summary = version.summary;
    let mut rows = vec![
        ("hours until the run ended", summary.hours.columns(1)),
        ("texts sent", summary.messages.columns(0)),
        ("segments", summary.segments.columns(0)),
        ("most texts to one person", summary.most_to_one.columns(0)),
    ];
    if let Some(cost) = summary.cost {
        rows.push(("cost", cost.columns(2)));
    }
    Ok(Section {
        name: version.name,
        chance: percent(summary.succeeded.share),
        between: format!(
            "{} to {}",
            percent(summary.succeeded.low),
            percent(summary.succeeded.high)
        ),
        rows: rows.into_iter().map(|(label, cells)| TableRow { label, cells }).collect(),
        answered: percent(summary.answered),
        unwell: seeds(&summary.unwell),
        messages: charts::messages(version)?,
        steps: charts::steps(version)?,
    })
}

/// Lists seeds in words, such as `the seeds 3, 8`; `None` if there are no seeds.
fn seeds(seeds: &[u64]) -> Option<String> {
    match seeds {
        [] => None,
        [seed] => Some(format!("seed {seed}")),
        several => {
            let listed: Vec<String> = several.iter().map(ToString::to_string).collect();
            Some(format!("the seeds {}", listed.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::summary::tests::sample;
    use super::*;

    #[test]
    fn a_page_needs_nothing_else_and_escapes_what_it_is_told() {
        let samples = [sample(0, 2, true), sample(1, 9, false)];
        let summary = Summary::of(&samples, Some(0.01));
        let version = ReportedVersion { name: "v1", samples: &samples, summary: &summary };
        let played = "typical people, seeds 1 to 2";
        let heading = PageHeading { title: "<fill>", played, since: "from noon" };
        let page = render_page(heading, &[version]).expect("a page");
        assert!(page.contains("has ended, by time from noon."), "{page}");
        assert!(page.contains("&#60;fill&#62;") || page.contains("&lt;fill&gt;"), "escaped");
        assert!(page.contains("50 %") && page.contains("ask_again"), "{page}");
        for outside in ["<script", "src=\"http", "href=\"http", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
}
