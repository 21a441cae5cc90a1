//! Places blocks, decisions and ends, and routes the edges between them.
//!
//! All methods have the same shape. The main steps and the decision on success form the first lane,
//! and each fallback forms a lane to the right of the previous one. The edges to success go straight down.
//! The edge that a run follows if it falls short leaves its lane on the right side.
//! This edge leads up between the lanes into the next lane or, from the last lane, down to the end
//! "fell short". In this arrangement no two edges cross, and the work is linear in the number of boxes.

use super::block::{Block, GAP, TURN};
use super::curve::Point;
use super::limb;
use super::picture::{Body, Branch, Limb, Picture, Way};
use super::text::Font;

/// Vertical space between two boxes of a lane, if the edge
/// between the boxes has a label and another edge joins this edge.
const LABELLED_GAP: f64 = 64.0;
/// Distance from a box to the centre of the label below it.
const LABEL_BELOW: f64 = 22.0;
/// Space above the ends, in which the edges from all lanes join.
const JOIN: f64 = 20.0;
/// Distance from a decision to the label beside it.
const LABEL_BESIDE: f64 = 10.0;
/// Distance from a lane to the edge beside it, and from that edge to the next lane.
const LANE_GAP: f64 = 34.0;
/// Width of the pointed sides of a decision.
pub(super) const POINT: f64 = 16.0;
/// Padding above and below the words in a decision.
pub(super) const DECISION_PAD: f64 = 9.0;
/// Maximum width of the words in a decision.
const DECISION_TEXT_MAX: f64 = 280.0;
/// Maximum number of conditions that a decision shows; further conditions are only counted.
const CONDITIONS_MAX: usize = 4;
/// Padding left and right of the words in an end.
const END_PAD: f64 = 20.0;
const END_HEIGHT: f64 = 32.0;
const ENDS_GAP: f64 = 24.0;
/// Height of the label of an edge, including the border of the label.
pub(super) const LABEL_HEIGHT: f64 = 19.0;

/// The complete layout. All positions are relative to the upper left corner of the drawing.
pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) boxes: Vec<Placed>,
    pub(super) routes: Vec<Route>,
}

/// A box with the position of its upper left corner.
pub(super) struct Placed {
    pub(super) at: Point,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) content: Content,
}

/// The content of a box.
pub(super) enum Content {
    Block(Block),
    Decision { node: usize, lines: Vec<(Font, String)> },
    End { node: usize },
}

/// An edge between boxes, made of straight lines.
pub(super) struct Route {
    pub(super) way: Way,
    pub(super) points: Vec<Point>,
    /// Centre of the edge's label.
    pub(super) label: Option<Point>,
}

/// Returns the width of the label of an edge, including the border of the label.
pub(super) fn label_width(way: Way) -> f64 {
    way.label().map_or(0.0, |label| Font::LABEL.width(label) + 16.0)
}

/// Lays out the picture.
pub(super) fn layout(picture: &Picture) -> Layout {
    let story = &picture.story;
    let mut lanes = Lanes { picture, boxes: Vec::new(), routes: Vec::new(), tip: None };
    lanes.block(&story.main);
    let (Some(decision), Some(fell_short)) = (story.decision, story.fell_short) else {
        lanes.next(end(picture, story.succeeded));
        lanes.called_off(&story.on_cancel);
        return framed(lanes.boxes, lanes.routes);
    };
    let decided = lanes.next(self::decision(picture, decision));
    let (mut won, mut short) = (vec![decided], vec![decided]);
    let mut beside = lanes.beside(0, &short);
    for branch in &story.fallbacks {
        let (question, decided) = lanes.branch(branch, beside);
        lanes.over(&short, beside, question);
        won.push(decided);
        short = vec![question, decided];
        beside = lanes.beside(question, &short);
    }
    let succeeded = Ending { from: &won, placed: end(picture, story.succeeded) };
    let fell_short = Ending { from: &short, placed: end(picture, fell_short) };
    lanes.ends(succeeded, fell_short, beside);
    lanes.called_off(&story.on_cancel);
    framed(lanes.boxes, lanes.routes)
}

/// The boxes and edges placed so far. Lanes are placed one after another, each from top to bottom.
struct Lanes<'a> {
    picture: &'a Picture,
    boxes: Vec<Placed>,
    routes: Vec<Route>,
    /// Lower end of the current lane; `None` while the lane has no box.
    tip: Option<Tip>,
}

/// The lower end of a lane.
#[derive(Clone, Copy)]
struct Tip {
    /// Point at which the edge leaves the card or decision that it comes from.
    from: Point,
    /// Position `y` of the lower side of the box, which contains the card and everything beside the card.
    bottom: f64,
    way: Way,
}

impl Lanes<'_> {
    /// Stacks a sequence of steps and places the stack below the tip of the lane.
    fn block(&mut self, steps: &[Limb]) {
        let block = limb::sequence(self.picture, steps);
        self.next(placed(block.width, block.height, Content::Block(block)));
        if let Some(tip) = &mut self.tip {
            tip.way = Way::Next;
        }
    }

    /// Places a box with its entry below the tip, and adds the edge from the tip to the box.
    /// Returns the index of the box.
    fn next(&mut self, mut one: Placed) -> usize {
        let entry = one.entry();
        if let Some(Tip { from, bottom, way }) = self.tip {
            let labelled = way.label().is_some();
            let gap = if labelled { LABELLED_GAP } else { GAP };
            // A sequence that is folded into columns begins with space in which its edges turn.
            // This space counts towards `gap`.
            one.at = Point::new(from.x - entry.x, bottom + gap - entry.y);
            let label = labelled.then_some(Point::new(from.x, bottom + LABEL_BELOW));
            self.routes.push(Route { way, points: vec![from, one.entry()], label });
        }
        self.tip = Some(Tip { from: one.exit(), bottom: one.at.y + one.height, way: Way::Yes });
        self.boxes.push(one);
        self.boxes.len() - 1
    }

    /// Places a fallback as a lane of its own, to the right of the position `beside`.
    /// Returns the indices of the fallback's question and decision.
    fn branch(&mut self, branch: &Branch, beside: f64) -> (usize, usize) {
        let route = self.routes.len();
        let mut asked = decision(self.picture, branch.question);
        asked.at = Point::new(0.0, TURN);
        self.tip = None;
        let question = self.next(asked);
        if !branch.steps.is_empty() {
            self.block(&branch.steps);
        }
        let decided = self.next(decision(self.picture, branch.decision));
        let left = self.boxes[question..].iter().map(|b| b.at.x).fold(f64::INFINITY, f64::min);
        let right = beside + LANE_GAP - left;
        for one in &mut self.boxes[question..] {
            one.at = one.at.shifted(right, 0.0);
        }
        for one in &mut self.routes[route..] {
            one.shift(right, 0.0);
        }
        (question, decided)
    }

    /// Returns the position `x` of the vertical edge between the lane that begins with the box `first`
    /// and the next lane. The position leaves space for the label "no" beside each decision. The list
    /// `leaving` has the indices of the decisions.
    fn beside(&self, first: usize, leaving: &[usize]) -> f64 {
        let right = |one: &Placed| one.at.x + one.width;
        let lane = self.boxes[first..].iter().map(right).fold(0.0, f64::max) + LANE_GAP;
        let room = 2.0 * LABEL_BESIDE + label_width(Way::No) + 6.0;
        leaving.iter().map(|&ix| right(&self.boxes[ix]) + room).fold(lane, f64::max)
    }

    /// Adds the edges "no" of the decisions whose indices the list `short` contains.
    /// The edges lead up between the lanes and then down into the box `question`.
    fn over(&mut self, short: &[usize], beside: f64, question: usize) {
        let entry = self.boxes[question].entry();
        let top = entry.y - TURN;
        for &ix in short {
            let turns = [Point::new(beside, top), Point::new(entry.x, top), entry];
            self.leave(ix, beside, &turns);
        }
    }

    /// Adds the edge "no" of a decision. The edge leads to the right up to the position
    /// `beside`, and then through the points of the list `on`.
    fn leave(&mut self, decision: usize, beside: f64, on: &[Point]) {
        let from = self.boxes[decision].right();
        let mut points = vec![from, Point::new(beside, from.y)];
        points.extend(on);
        let label = from.shifted(LABEL_BESIDE + label_width(Way::No) / 2.0, 0.0);
        self.routes.push(Route { way: Way::No, points, label: Some(label) });
    }

    /// Places the steps of `on_cancel` to the right of everything else. No edge leads to them.
    fn called_off(&mut self, steps: &[Limb]) {
        if steps.is_empty() {
            return;
        }
        let corners = self.boxes.iter().map(|one| one.at.x + one.width);
        let ways = self.routes.iter().flat_map(|route| &route.points).map(|point| point.x);
        let left = corners.chain(ways).fold(0.0, f64::max) + 2.0 * LANE_GAP;
        let top = self.boxes.iter().map(|one| one.at.y).fold(f64::INFINITY, f64::min);
        let block = limb::sequence(self.picture, steps);
        let mut lane = placed(block.width, block.height, Content::Block(block));
        lane.at = Point::new(left, top);
        self.boxes.push(lane);
    }

    /// Places the two ends below everything else: "succeeded" under the first decision,
    /// and "fell short" to the right of the last lane.
    fn ends(&mut self, won: Ending<'_>, short: Ending<'_>, beside: f64) {
        let Ending { from: won, placed: mut succeeded } = won;
        let Ending { from: short, placed: mut fell_short } = short;
        let bottom = self.boxes.iter().map(|b| b.at.y + b.height).fold(0.0, f64::max);
        let top = bottom + LABELLED_GAP;
        let middle = won.first().map_or(0.0, |&ix| self.boxes[ix].exit().x);
        succeeded.at = Point::new(middle - succeeded.width / 2.0, top);
        let apart = (succeeded.width + fell_short.width) / 2.0 + ENDS_GAP;
        let beside = beside.max(middle + apart);
        fell_short.at = Point::new(beside - fell_short.width / 2.0, top);

        let entry = succeeded.entry();
        for &ix in won {
            let from = self.boxes[ix].exit();
            let turns = [Point::new(from.x, top - JOIN), Point::new(entry.x, top - JOIN)];
            let turns = if from.x == entry.x { &[][..] } else { &turns };
            let points = [&[from], turns, &[entry]].concat();
            let label = Some(from.shifted(0.0, LABEL_BELOW));
            self.routes.push(Route { way: Way::Yes, points, label });
        }
        let entry = fell_short.entry();
        short.iter().for_each(|&ix| self.leave(ix, beside, &[entry]));
        self.boxes.extend([succeeded, fell_short]);
    }
}

/// An end of the run, with the indices of the boxes from which edges lead to the end.
struct Ending<'b> {
    from: &'b [usize],
    placed: Placed,
}

impl Route {
    fn shift(&mut self, dx: f64, dy: f64) {
        self.points.iter_mut().chain(&mut self.label).for_each(|p| *p = p.shifted(dx, dy));
    }
}

impl Placed {
    /// Returns the point at which an edge enters the box from above.
    fn entry(&self) -> Point {
        match &self.content {
            Content::Block(block) => self.at.shifted(block.entry.x, block.entry.y),
            _ => self.at.shifted(self.width / 2.0, 0.0),
        }
    }

    /// Returns the right corner of a decision.
    fn right(&self) -> Point {
        self.at.shifted(self.width, self.height / 2.0)
    }

    /// Returns the point at which an edge leaves the box downwards.
    fn exit(&self) -> Point {
        match &self.content {
            Content::Block(block) => self.at.shifted(block.end.x, block.end.y),
            _ => self.at.shifted(self.width / 2.0, self.height),
        }
    }
}

fn placed(width: f64, height: f64, content: Content) -> Placed {
    Placed { at: Point::new(0.0, 0.0), width: width.ceil(), height: height.ceil(), content }
}

fn end(picture: &Picture, node: usize) -> Placed {
    let label = match &picture.nodes[node].body {
        Body::End(ending) => ending.label(),
        _ => "",
    };
    placed(Font::NAME.width(label) + 2.0 * END_PAD, END_HEIGHT, Content::End { node })
}

fn decision(picture: &Picture, node: usize) -> Placed {
    let lines = match &picture.nodes[node].body {
        Body::Decision { caption, conditions } => decision_lines(caption, conditions),
        _ => Vec::new(),
    };
    let width = lines.iter().map(|(font, line)| font.width(line)).fold(0.0, f64::max);
    let height: f64 = lines.iter().map(|(font, _)| font.line()).sum();
    let (width, height) = (width + 2.0 * POINT + 16.0, height + 2.0 * DECISION_PAD);
    placed(width, height, Content::Decision { node, lines })
}

fn decision_lines(caption: &str, conditions: &[String]) -> Vec<(Font, String)> {
    let mut lines = vec![(Font::LABEL, caption.to_owned())];
    for (index, condition) in conditions.iter().take(CONDITIONS_MAX).enumerate() {
        let condition = if index == 0 { condition.clone() } else { format!("and {condition}") };
        let wrapped = Font::CODE.wrap(&condition, DECISION_TEXT_MAX, 3);
        lines.extend(wrapped.into_iter().map(|line| (Font::CODE, line)));
    }
    if conditions.len() > CONDITIONS_MAX {
        lines.push((Font::LABEL, format!("and {} more", conditions.len() - CONDITIONS_MAX)));
    }
    lines
}

/// Moves all boxes and edges, so that none of them is to the left of the origin or above it.
fn framed(mut boxes: Vec<Placed>, mut routes: Vec<Route>) -> Layout {
    let corners = boxes.iter().flat_map(|b| [b.at, b.at.shifted(b.width, b.height)]);
    let points: Vec<Point> = corners.chain(routes.iter().flat_map(|r| r.points.clone())).collect();
    let low = |of: fn(&Point) -> f64| points.iter().map(of).fold(f64::INFINITY, f64::min).floor();
    let high = |of: fn(&Point) -> f64| points.iter().map(of).fold(0.0, f64::max);
    let (left, top) = (low(|p| p.x), low(|p| p.y));
    let (width, height) = (high(|p| p.x) - left, high(|p| p.y) - top);
    for one in &mut boxes {
        one.at = one.at.shifted(-left, -top);
    }
    for route in &mut routes {
        route.shift(-left, -top);
    }
    Layout { width, height, boxes, routes }
}
