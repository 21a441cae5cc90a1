//! Writes the picture for people: a self-contained SVG document,
//! styled by CSS classes, with a title and a description for screen readers.

use std::fmt::Write as _;

use super::block::{Block, FAN, Link, START_HEIGHT, Tag, Tip};
use super::card::{self, Anchor, Card, PORTS_HEIGHT, Piece};
use super::curve::{Point, number, rounded, smooth};
use super::layout::{self, Content, DECISION_PAD, LABEL_HEIGHT, POINT, Placed, Route};
use super::limb::start_word;
use super::picture::{Body, Node, Picture, State, Step, Way};
use super::text::{Font, escape};

mod frame;
mod glyph;

const STYLE: &str = include_str!("style.css");
/// Length of the point of an arrow.
const TIP: f64 = 8.0;
/// Offset of the second card that is drawn behind the card of a `foreach`.
const LAYER: f64 = 5.0;

/// Writes the picture as an SVG document.
pub(super) fn write(picture: &Picture) -> String {
    let layout = layout::layout(picture);
    let frame = frame::Frame::around(picture, &layout);
    let mut svg = frame.open(picture);
    let _ =
        writeln!(svg, "<g transform=\"translate({} {})\">", number(frame.left), number(frame.top));
    for route in &layout.routes {
        way(&mut svg, route);
    }
    for placed in &layout.boxes {
        match &placed.content {
            Content::Block(block) => self::block(&mut svg, picture, placed, block),
            Content::Decision { node, lines } => {
                decision(&mut svg, placed, &picture.nodes[*node].id, lines);
            }
            Content::End { node } => end(&mut svg, picture, placed, *node),
        }
    }
    for route in &layout.routes {
        way_label(&mut svg, route);
    }
    svg.push_str("</g>\n");
    frame.close(&mut svg);
    svg
}

fn way(svg: &mut String, route: &Route) {
    let Some((&end, points)) = route.points.split_last() else { return };
    let mut points = points.to_vec();
    points.push(end.shifted(0.0, -TIP + 1.0));
    let _ = writeln!(
        svg,
        "<g class=\"way {}\"><path d=\"{}\"/>{}</g>",
        route.way.name(),
        rounded(&points),
        tip(end)
    );
}

fn tip(at: Point) -> String {
    let (left, right) = (at.shifted(-4.5, -TIP), at.shifted(4.5, -TIP));
    format!(
        "<path class=\"tip\" d=\"M{} {}L{} {}L{} {}Z\"/>",
        number(left.x),
        number(left.y),
        number(at.x),
        number(at.y),
        number(right.x),
        number(right.y)
    )
}

fn tip_right(at: Point) -> String {
    let (above, below) = (at.shifted(-TIP, -4.5), at.shifted(-TIP, 4.5));
    format!(
        "<path class=\"tip\" d=\"M{} {}L{} {}L{} {}Z\"/>",
        number(above.x),
        number(above.y),
        number(at.x),
        number(at.y),
        number(below.x),
        number(below.y)
    )
}

fn way_label(svg: &mut String, route: &Route) {
    let (Some(at), Some(label)) = (route.label, route.way.label()) else { return };
    let width = layout::label_width(route.way);
    let corner = at.shifted(-width / 2.0, -LABEL_HEIGHT / 2.0);
    let _ = writeln!(
        svg,
        "<g class=\"way {way}\">{}{}</g>",
        rect(corner, width, LABEL_HEIGHT, LABEL_HEIGHT / 2.0, ""),
        text(at.shifted(0.0, 4.0), Font::LABEL, route.way.name(), Anchor::Middle, label),
        way = route.way.name(),
    );
}

fn block(svg: &mut String, picture: &Picture, placed: &Placed, block: &Block) {
    for frame in &block.frames {
        let at = frame.at.shifted(placed.at.x, placed.at.y);
        svg.push_str(&rect(at, frame.width, frame.height, 12.0, "frame"));
        svg.push('\n');
    }
    for link in &block.links {
        self::link(svg, placed.at, link);
    }
    for item in &block.items {
        let at = item.at.shifted(placed.at.x, placed.at.y);
        match (&picture.nodes[item.node].body, &item.card) {
            (Body::Step(step), Some(card)) => {
                self::step(svg, &picture.nodes[item.node], at, step, card)
            }
            (body, _) => start(svg, at, item.width, start_word(body)),
        }
    }
    for one in &block.tags {
        tag(svg, placed.at, one);
    }
}

fn start(svg: &mut String, at: Point, width: f64, word: &str) {
    let middle = at.shifted(width / 2.0, START_HEIGHT / 2.0 + 4.5);
    let _ = writeln!(
        svg,
        "<g class=\"start\">{}{}</g>",
        rect(at, width, START_HEIGHT, START_HEIGHT / 2.0, ""),
        text(middle, Font::NAME, "", Anchor::Middle, word),
    );
}

fn link(svg: &mut String, at: Point, link: &Link) {
    let mut points: Vec<Point> = link.points.iter().map(|p| p.shifted(at.x, at.y)).collect();
    let Some(end) = points.pop() else { return };
    let (last, tip) = match link.tip {
        Tip::None => (end, String::new()),
        Tip::Down => (end.shifted(0.0, -TIP + 1.0), tip(end)),
        Tip::Right => (end.shifted(-TIP + 1.0, 0.0), tip_right(end)),
        Tip::Bar => (end, String::new()),
    };
    points.push(last);
    let bar = if link.tip == Tip::Bar { " bar" } else { "" };
    let _ = writeln!(
        svg,
        "<g class=\"way {}{bar}\"><path d=\"{}\"/>{tip}</g>",
        link.way.name(),
        rounded(&points)
    );
}

fn tag(svg: &mut String, at: Point, tag: &Tag) {
    let middle = tag.at.shifted(at.x, at.y);
    let corner = middle.shifted(-tag.width / 2.0, -LABEL_HEIGHT / 2.0);
    let way = tag.way.name();
    let _ = writeln!(
        svg,
        "<g class=\"way {way}\">{}{}</g>",
        rect(corner, tag.width, LABEL_HEIGHT, LABEL_HEIGHT / 2.0, ""),
        text(middle.shifted(0.0, 4.0), Font::LABEL, way, Anchor::Middle, &tag.text),
    );
}

fn step(svg: &mut String, node: &Node, at: Point, step: &Step, card: &Card) {
    let kind = if card.ports.is_some() { "wait" } else { "step" };
    let _ = writeln!(
        svg,
        "<g class=\"{kind} {}\" data-key=\"{}\" transform=\"translate({} {})\"><title>{}</title>",
        step.state.name(),
        escape(&node.id),
        number(at.x),
        number(at.y),
        escape(&card::tooltip(node, step)),
    );
    let (width, height) = (card.width, card.height);
    let origin = Point::new(0.0, 0.0);
    if step.foreach.is_some() {
        svg.push_str(&rect(Point::new(LAYER, LAYER), width, height, 8.0, "layer"));
    }
    if step.state == State::Current {
        svg.push_str(&rect(Point::new(-3.0, -3.0), width + 6.0, height + 6.0, 10.0, "halo"));
    }
    svg.push_str(&rect(origin, width, height, 8.0, "card"));
    svg.push_str(&rect(Point::new(0.0, 8.0), 4.0, height - 16.0, 0.0, "stripe"));
    if let Some(rule) = card.rule {
        let (right, y) = (number(card.width - 14.0), number(rule));
        let _ = write!(svg, "<path class=\"rule\" d=\"M14 {y}H{right}\"/>");
    }
    if let Some((x, y)) = card.clock {
        svg.push_str(&glyph::clock(Point::new(x, y), 8.0));
    }
    svg.push_str(&glyph::mark(step.state, Point::new(card.width - 17.0, 19.0)));
    if let Some(top) = card.ports {
        ports(svg, card, top);
    }
    svg.extend(card.pieces.iter().map(piece));
    svg.push_str("</g>\n");
}

/// Draws the band with the three exits of a wait,
/// and the curves that lead from the exits and meet below the card.
fn ports(svg: &mut String, card: &Card, top: f64) {
    let (third, bottom) = (card.width / 3.0, top + PORTS_HEIGHT);
    let _ = write!(
        svg,
        "<path class=\"rule\" d=\"M4 {top}H{}M{} {top}V{bottom}M{} {top}V{bottom}\"/>",
        number(card.width),
        number(third),
        number(2.0 * third),
        top = number(top),
        bottom = number(bottom),
    );
    let meeting = Point::new(card.width / 2.0, card.height + FAN);
    for (port, way) in Way::OF_A_WAIT.into_iter().enumerate() {
        let from = Point::new(card.port_x(port), card.height);
        let path = smooth(&[from, meeting]);
        let _ = write!(svg, "<g class=\"way {}\"><path d=\"{path}\"/></g>", way.name());
    }
    let _ = write!(
        svg,
        "<circle class=\"meet\" cx=\"{}\" cy=\"{}\" r=\"3\"/>",
        number(meeting.x),
        number(meeting.y)
    );
}

fn decision(svg: &mut String, placed: &Placed, id: &str, lines: &[(Font, String)]) {
    let (w, h, at) = (placed.width, placed.height, placed.at);
    let corners =
        [(POINT, 0.0), (w - POINT, 0.0), (w, h / 2.0), (w - POINT, h), (POINT, h), (0.0, h / 2.0)];
    let corners = corners.map(|(x, y)| format!("{} {}", number(at.x + x), number(at.y + y)));
    let _ = write!(
        svg,
        "<g class=\"decision\" data-key=\"{}\"><path d=\"M{}Z\"/>",
        escape(id),
        corners.join("L")
    );
    let mut y = at.y + DECISION_PAD;
    for (font, line) in lines {
        let ink = if *font == Font::LABEL { "muted" } else { "ink" };
        let place = Point::new(at.x + w / 2.0, y + font.ascent());
        svg.push_str(&text(place, *font, ink, Anchor::Middle, line));
        y += font.line();
    }
    svg.push_str("</g>\n");
}

fn end(svg: &mut String, picture: &Picture, placed: &Placed, node: usize) {
    let Body::End(ending) = &picture.nodes[node].body else { return };
    let middle = placed.at.shifted(placed.width / 2.0, placed.height / 2.0 + 4.5);
    let _ = writeln!(
        svg,
        "<g class=\"end {}\">{}{}</g>",
        ending.name(),
        rect(placed.at, placed.width, placed.height, placed.height / 2.0, ""),
        text(middle, Font::NAME, "", Anchor::Middle, ending.label()),
    );
}

fn piece(piece: &Piece) -> String {
    text(Point::new(piece.x, piece.y), piece.font, piece.ink, piece.anchor, &piece.text)
}

fn text(at: Point, font: Font, ink: &str, anchor: Anchor, text: &str) -> String {
    let anchor = match anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let class = [font.class, ink].join(" ");
    let (x, y) = (number(at.x), number(at.y));
    format!(
        "<text class=\"{}\" x=\"{x}\" y=\"{y}\"{anchor}>{}</text>",
        class.trim_end(),
        escape(text)
    )
}

fn rect(at: Point, width: f64, height: f64, radius: f64, class: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!(
        "<rect{class} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
        number(at.x),
        number(at.y),
        number(width),
        number(height),
        number(radius)
    )
}
