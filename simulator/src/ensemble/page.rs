//! A report as one page that needs nothing else.

use abide_engine::base::Problem;
use askama::Template;

use super::charts::{self, Version};
use super::{Comparison, Sample, Spread, Summary};

/// A version of a method to be shown: its name and its stories.
pub struct Drawn<'a> {
    /// As people call it.
    pub name: &'a str,
    /// What its stories came to.
    pub samples: &'a [Sample],
    /// The same as a distribution.
    pub summary: &'a Summary,
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: &'a str,
    /// What was played, by whom it was answered, with which seeds.
    played: &'a str,
    versions: Vec<Section<'a>>,
    over_time: String,
    outcomes: String,
    compared: Option<String>,
}

/// What a page says of one version.
struct Section<'a> {
    name: &'a str,
    chance: String,
    between: String,
    rows: Vec<(&'static str, Row)>,
    answered: String,
    unwell: &'a [u64],
    messages: String,
    steps: String,
}

/// A row of the table: mean, one in ten below, half below, one in ten above, most.
struct Row([String; 5]);

/// The page.
///
/// # Errors
/// A bug: a picture or the page cannot be made.
pub fn page(title: &str, played: &str, versions: &[Drawn<'_>]) -> Result<String, Problem> {
    let drawn: Vec<Version<'_>> = versions
        .iter()
        .map(|v| Version { name: v.name, samples: v.samples, summary: v.summary })
        .collect();
    let compared = match versions {
        [first, second] => Some(Comparison::of(first.samples, second.samples).sentence()),
        _ => None,
    };
    let page = Page {
        title,
        played,
        versions: drawn.iter().map(section).collect::<Result<_, _>>()?,
        over_time: charts::over_time(&drawn)?,
        outcomes: charts::outcomes(&drawn)?,
        compared,
    };
    page.render().map_err(|error| Problem::bug(format!("the report cannot be written: {error}")))
}

fn section<'a>(version: &Version<'a>) -> Result<Section<'a>, Problem> {
    let summary = version.summary;
    let mut rows = vec![
        ("hours until it was over", Row::of(summary.hours, 1)),
        ("texts sent", Row::of(summary.messages, 0)),
        ("segments", Row::of(summary.segments, 0)),
        ("most texts to one person", Row::of(summary.most_to_one, 0)),
    ];
    if let Some(cost) = summary.cost {
        rows.push(("cost", Row::of(cost, 2)));
    }
    Ok(Section {
        name: version.name,
        chance: percent(summary.succeeded.share),
        between: format!(
            "{} to {}",
            percent(summary.succeeded.low),
            percent(summary.succeeded.high)
        ),
        rows,
        answered: percent(summary.answered),
        unwell: &summary.unwell,
        messages: charts::messages(version)?,
        steps: charts::steps(version)?,
    })
}

/// A share as people read it: `93 %`, and `99.6 %` where whole numbers would say "always".
pub(super) fn percent(share: f64) -> String {
    let whole = (share * 100.0).round();
    let certain = share == 0.0 || share == 1.0;
    if !certain && (whole <= 0.0 || whole >= 100.0) {
        return format!("{:.1} %", share * 100.0);
    }
    format!("{whole:.0} %")
}

impl Row {
    fn of(spread: Spread, digits: usize) -> Self {
        let Spread { mean, p10, p50, p90, max } = spread;
        let mean = format!("{mean:.*}", digits.max(1));
        let [p10, p50, p90, max] = [p10, p50, p90, max].map(|n| format!("{n:.digits$}"));
        Self([mean, p10, p50, p90, max])
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
        let version = Drawn { name: "v1", samples: &samples, summary: &summary };
        let page = page("<fill>", "typical people, seeds 1 to 2", &[version]).expect("a page");
        assert!(page.contains("&#60;fill&#62;") || page.contains("&lt;fill&gt;"), "escaped");
        assert!(page.contains("50 %") && page.contains("ask_again"), "{page}");
        for outside in ["<script", "src=\"http", "href=\"http", "@import"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    #[test]
    fn a_share_is_never_rounded_to_certainty() {
        let told: Vec<String> = [0.0, 0.002, 0.5, 0.998, 1.0].map(percent).to_vec();
        assert_eq!(told, ["0 %", "0.2 %", "50 %", "99.8 %", "100 %"]);
    }
}
