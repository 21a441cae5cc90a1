//! The page around the drawing: the heading above it, and the legend and key figures below it.

use std::fmt::Write as _;

use super::super::curve::{Point, number};
use super::super::layout::Layout;
use super::super::picture::{Body, Limb, Picture, Shape, State};
use super::super::text::{Font, escape};
use super::{Anchor, STYLE, glyph, rect, text};

const MARGIN: f64 = 28.0;
/// Minimum width of the page, for the heading above a narrow drawing.
const WIDTH_MIN: f64 = 460.0;
/// Maximum width of a line of prose; longer lines are hard to read.
const PROSE_MAX: f64 = 720.0;
const HEADING_GAP: f64 = 24.0;
const LEGEND_GAP: f64 = 26.0;
const LEGEND_LINE: f64 = 24.0;
/// Distance from a sign of the legend to its explanation.
const SIGN: f64 = 28.0;
/// Gap between the explanation of a sign and the next sign.
const SIGN_GAP: f64 = 18.0;

/// The page around a drawing: its size, and the positions of the parts on it.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    width: f64,
    height: f64,
    legend_at: f64,
    /// Rows of signs with their explanations.
    legend: Vec<Vec<(Sign, &'static str)>>,
    heading: Heading,
    /// Position `y` of the line above the figures, if there are figures.
    rule: Option<f64>,
    figures: Heading,
}

#[derive(Clone, Copy)]
enum Sign {
    Step,
    Wait,
    Each,
    Together,
    Loop,
    Decision,
    Mark(State),
}

impl Frame {
    pub(super) fn around(picture: &Picture, layout: &Layout) -> Self {
        let inner = layout.width.max(WIDTH_MIN).ceil();
        let (heading, heading_height) = heading(picture, inner);
        let legend = legend(picture, inner);
        let top = MARGIN + heading_height + HEADING_GAP;
        let legend_at = top + layout.height + LEGEND_GAP;
        let legend_end = legend_at + legend.len() as f64 * LEGEND_LINE;
        let rule = (!picture.figures.is_empty()).then_some(legend_end + 4.0);
        let (figures, figures_height) = figures(picture, legend_end, inner);
        Self {
            left: MARGIN + ((inner - layout.width) / 2.0).floor(),
            top,
            width: inner + 2.0 * MARGIN,
            height: (legend_end + figures_height + MARGIN - 8.0).ceil(),
            legend_at,
            legend,
            heading,
            rule,
            figures,
        }
    }

    /// Writes the beginning of the document, including the heading.
    pub(super) fn open(&self, picture: &Picture) -> String {
        let (width, height) = (number(self.width), number(self.height));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"abide-graph\" role=\"img\" \
             width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
             <title>{}</title>\n<desc>{}</desc>\n<style>\n{STYLE}</style>\n\
             <rect class=\"page\" width=\"{width}\" height=\"{height}\" rx=\"10\"/>\n",
            escape(&format!("The method {}", picture.title)),
            escape(&describe(picture)),
        );
        write_lines(&mut svg, &self.heading);
        svg
    }

    /// Writes the legend, the figures and the end of the document.
    pub(super) fn close(&self, svg: &mut String) {
        svg.push_str("<g class=\"legend\">\n");
        for (row, signs) in self.legend.iter().enumerate() {
            let y = self.legend_at + row as f64 * LEGEND_LINE;
            let mut x = MARGIN;
            for &(sign, word) in signs {
                svg.push_str(&draw(sign, Point::new(x, y)));
                let at = Point::new(x + SIGN, y + 12.0);
                svg.push_str(&text(at, Font::LABEL, "muted", Anchor::Start, word));
                svg.push('\n');
                x += SIGN + Font::LABEL.width(word) + SIGN_GAP;
            }
        }
        svg.push_str("</g>\n");
        if let Some(y) = self.rule {
            let (y, right) = (number(y), number(self.width - MARGIN));
            let _ = write!(
                svg,
                "<g class=\"figures\">\n<path class=\"rule\" d=\"M{} {y}H{right}\"/>\n",
                number(MARGIN)
            );
            write_lines(svg, &self.figures);
            svg.push_str("</g>\n");
        }
        svg.push_str("</svg>\n");
    }
}

fn write_lines(svg: &mut String, lines: &Heading) {
    for (at, font, ink, line) in lines {
        svg.push_str(&text(*at, *font, ink, Anchor::Start, line));
        svg.push('\n');
    }
}

/// Lays out the key figures, each next to its label. Returns the lines and their height.
fn figures(picture: &Picture, top: f64, inner: f64) -> (Heading, f64) {
    if picture.figures.is_empty() {
        return (Vec::new(), 0.0);
    }
    let labels = picture.figures.iter().map(|one| Font::LABEL.width(one.label));
    let indent = labels.fold(0.0, f64::max) + 22.0;
    let mut lines = Vec::new();
    let mut y = top + 14.0;
    for one in &picture.figures {
        let at = Point::new(MARGIN, y + Font::CODE.ascent());
        lines.push((at, Font::LABEL, "muted", one.label.to_owned()));
        for line in Font::CODE.wrap(&one.value, inner - indent, 2) {
            let at = Point::new(MARGIN + indent, y + Font::CODE.ascent());
            lines.push((at, Font::CODE, "ink", line));
            y += Font::CODE.line();
        }
    }
    (lines, y - top + 4.0)
}

type Heading = Vec<(Point, Font, &'static str, String)>;

fn heading(picture: &Picture, inner: f64) -> (Heading, f64) {
    let mut lines = Vec::new();
    let mut y = MARGIN;
    let mut put = |font: Font, ink, x: f64, line: String| {
        lines.push((Point::new(MARGIN + x, y + font.ascent()), font, ink, line));
        y += font.line();
    };
    for line in Font::TITLE.wrap(&picture.title, inner, 2) {
        put(Font::TITLE, "ink", 0.0, line);
    }
    let description = picture.description.as_deref().unwrap_or_default();
    for line in Font::PROSE.wrap(description, inner.min(PROSE_MAX), 4) {
        put(Font::PROSE, "muted", 0.0, line);
    }
    let height = y - MARGIN;
    let mut y = y + if picture.remarks.is_empty() { 0.0 } else { 4.0 };
    let top = y;
    let labels = picture.remarks.iter().map(|(label, _)| Font::LABEL.width(label));
    let indent = labels.fold(0.0, f64::max) + 8.0;
    for (label, remark) in &picture.remarks {
        lines.push((
            Point::new(MARGIN, y + Font::CODE.ascent()),
            Font::LABEL,
            "muted",
            (*label).into(),
        ));
        for line in Font::CODE.wrap(remark, inner - indent, 2) {
            lines.push((
                Point::new(MARGIN + indent, y + Font::CODE.ascent()),
                Font::CODE,
                "ink",
                line,
            ));
            y += Font::CODE.line();
        }
    }
    (lines, height + (y - top) + if picture.remarks.is_empty() { 0.0 } else { 4.0 })
}

/// Describes the picture in a few sentences, for screen readers.
fn describe(picture: &Picture) -> String {
    let steps: Vec<&str> = picture.steps().map(|step| step.id.as_str()).collect();
    let fallbacks = picture.nodes.iter().filter(|node| {
        matches!(&node.body, Body::Decision { caption, .. } if caption.starts_with("fallback"))
    });
    let mut text = picture.description.as_ref().map(|d| format!("{d} ")).unwrap_or_default();
    let shown = steps.iter().take(30).copied().collect::<Vec<_>>().join(", ");
    let more = if steps.len() > 30 { ", …" } else { "" };
    let _ = write!(text, "Steps: {shown}{more}. Fallbacks: {}.", fallbacks.count());
    if let Some(step) = picture.steps().find(|step| step.state == State::Current) {
        let _ = write!(text, " The run is at {}.", step.id);
    }
    text
}

/// Returns the signs that the drawing uses, in rows that fit the page.
fn legend(picture: &Picture, inner: f64) -> Vec<Vec<(Sign, &'static str)>> {
    let any = |test: &dyn Fn(&super::Step) -> bool| picture.steps().any(test);
    let decides = picture.nodes.iter().any(|node| matches!(node.body, Body::Decision { .. }));
    let has = |shape: Shape| {
        let story = &picture.story;
        let fallbacks = story.fallbacks.iter().flat_map(|branch| &branch.steps);
        let mut limbs = story.main.iter().chain(fallbacks).chain(&story.on_cancel);
        limbs.any(|limb| drawn_so(limb, shape))
    };
    let signs = [
        (any(&|step| step.wait.is_none()), Sign::Step, "step"),
        (any(&|step| step.wait.is_some()), Sign::Wait, "waits for people"),
        (any(&|step| step.foreach.is_some()), Sign::Each, "once for each"),
        (has(Shape::Parallel), Sign::Together, "side by side"),
        (has(Shape::Loop("")), Sign::Loop, "loop"),
        (decides, Sign::Decision, "decision"),
        (
            picture.marked && any(&|step| step.state == State::Finished),
            Sign::Mark(State::Finished),
            "done",
        ),
        (
            picture.marked && any(&|step| step.state == State::Current),
            Sign::Mark(State::Current),
            "the run is here",
        ),
    ];
    let shown: Vec<_> = signs.into_iter().filter(|(shown, ..)| *shown).collect();
    // A picture with only one kind of sign needs no legend.
    if shown.len() < 2 {
        return Vec::new();
    }
    let mut rows = vec![Vec::new()];
    let mut used = 0.0;
    for (_, sign, word) in shown {
        let width = SIGN + Font::LABEL.width(word) + SIGN_GAP;
        if used > 0.0 && used + width - SIGN_GAP > inner {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += width;
        if let Some(row) = rows.last_mut() {
            row.push((sign, word));
        }
    }
    rows
}

/// Whether the step, or a step nested in or attached to it, has the shape `shape`.
/// All loops count as the same shape.
fn drawn_so(limb: &Limb, shape: Shape) -> bool {
    let same = match (limb.shape, shape) {
        (Shape::Loop(_), Shape::Loop(_)) => true,
        (one, other) => one == other,
    };
    let lanes = limb.lanes.iter().chain(&limb.asides);
    same || lanes.flat_map(|lane| &lane.steps).any(|inner| drawn_so(inner, shape))
}

/// Draws a sign of the legend, 22 by 16 pixels in size.
fn draw(sign: Sign, at: Point) -> String {
    let card = |class| {
        let body = rect(at, 20.0, 15.0, 3.0, "card");
        let stripe = rect(at.shifted(0.0, 3.0), 3.0, 9.0, 0.0, "stripe");
        format!("<g class=\"{class}\">{body}{stripe}</g>")
    };
    match sign {
        Sign::Step => card("step"),
        Sign::Wait => format!("<g class=\"wait\">{}</g>", glyph::clock(at.shifted(11.0, 8.0), 7.5)),
        Sign::Each => {
            let behind = rect(at.shifted(3.0, 3.0), 20.0, 15.0, 3.0, "layer");
            format!("{behind}{}", card("step"))
        }
        Sign::Together => {
            let at = at.shifted(0.0, 1.0);
            let lines = [(0.0, 3.0), (0.0, 12.0)]
                .map(|(x, y)| format!("M{} {}h22", number(at.x + x), number(at.y + y)));
            format!("<g class=\"way bar\"><path d=\"{}\"/></g>", lines.concat())
        }
        Sign::Loop => rect(at.shifted(0.0, 1.0), 22.0, 14.0, 4.0, "frame"),
        Sign::Decision => {
            let corners =
                [(4.0, 0.0), (18.0, 0.0), (22.0, 7.5), (18.0, 15.0), (4.0, 15.0), (0.0, 7.5)];
            let corners =
                corners.map(|(x, y)| format!("{} {}", number(at.x + x), number(at.y + y)));
            format!("<g class=\"decision\"><path d=\"M{}Z\"/></g>", corners.join("L"))
        }
        Sign::Mark(state) => {
            format!(
                "<g class=\"{}\">{}</g>",
                state.name(),
                glyph::mark(state, at.shifted(12.0, 8.0))
            )
        }
    }
}
