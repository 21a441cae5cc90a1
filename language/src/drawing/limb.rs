//! Computes the size of a step in the drawing, with its nested steps (branches, cases, loop bodies)
//! and its attached steps (error handling and undo).
//!
//! Each nested sequence is measured once, recursively, so the work is linear in the number of steps.

use super::block::{Block, FAN, Frame, Item, START_HEIGHT, Tag, Tip};
use super::card::Card;
use super::curve::Point;
use super::picture::{Body, Lane, Limb, Picture, Shape, Way};
use super::text::Font;

/// Horizontal gap between two nested lists of steps that are drawn side by side.
const LANE_GAP: f64 = 34.0;
/// Width of an empty list of steps, which is drawn as a mere edge.
const LANE_MIN: f64 = 40.0;
/// Distance from a card down to the point at which the card's outgoing edge forks.
const FORK: f64 = 18.0;
/// Distance from the point at which an edge forks to the first card of a nested list.
const LEAD: f64 = 26.0;
/// The distance that is used instead of [`LEAD`] if the edge to one of the nested lists has a label.
const LEAD_TAGGED: f64 = 48.0;
/// Distance from the lowest end of the nested lists to the point at which their edges join.
const JOIN: f64 = 18.0;
/// Padding inside the frame of a loop or of a group of steps.
const FRAME_PAD: f64 = 18.0;
/// Width of the space between a loop's frame and its steps, in which the back edge runs.
const BACK: f64 = 46.0;
/// Vertical distance between two edges that leave the same side of a card.
const ASIDE_STEP: f64 = 16.0;
/// Maximum width of a label on an edge.
const TAG_MAX: f64 = 230.0;

/// Measures the steps of a sequence and arranges their boxes.
pub(super) fn sequence(picture: &Picture, limbs: &[Limb]) -> Block {
    let width = width(picture, limbs);
    Block::stack(limbs.iter().map(|one| measure(picture, one, width)).collect())
}

/// Returns the width that every card in a sequence gets: the natural width of the widest card.
fn width(picture: &Picture, limbs: &[Limb]) -> f64 {
    let cards = limbs.iter().filter_map(|one| picture.step(one.node)).map(Card::natural_width);
    cards.fold(0.0, f64::max)
}

/// Measures a step with its nested and attached steps.
fn measure(picture: &Picture, limb: &Limb, width: f64) -> Block {
    let mut block = card(picture, limb.node, width);
    let beside = Point::new(block.width, card_middle(&block));
    if !limb.lanes.is_empty() {
        block = match limb.shape {
            Shape::Loop(word) => framed(picture, block, &limb.lanes, Some(word)),
            Shape::Bracket => framed(picture, block, &limb.lanes, None),
            Shape::Plain | Shape::Parallel | Shape::Choice => forked(picture, block, limb),
        };
    }
    if limb.asides.is_empty() {
        return block;
    }
    let left = block.entry.x - width / 2.0;
    asides(picture, block, &limb.asides, Point::new(left + beside.x, beside.y))
}

/// Measures the card of a step, or a start node, without nested steps.
fn card(picture: &Picture, node: usize, width: f64) -> Block {
    let (width, height, card) = match &picture.nodes[node].body {
        Body::Step(step) => {
            let card = Card::set(step, width);
            let height = card.height + if card.ports.is_some() { FAN } else { 0.0 };
            (width, height, Some(card))
        }
        body => (start_width(body), START_HEIGHT, None),
    };
    let item = Item { node, at: Point::new(0.0, 0.0), width, card };
    Block {
        width,
        height,
        items: vec![item],
        entry: Point::new(width / 2.0, 0.0),
        end: Point::new(width / 2.0, height),
        ..Block::default()
    }
}

/// Returns the width of a start node.
pub(super) fn start_width(body: &Body) -> f64 {
    Font::NAME.width(start_word(body)) + 40.0
}

/// Returns the words on a start node.
pub(super) const fn start_word(body: &Body) -> &'static str {
    match body {
        Body::Cancelled => "when cancelled",
        _ => "start",
    }
}

fn card_middle(block: &Block) -> f64 {
    let card = block.items.first().and_then(|item| item.card.as_ref());
    card.map_or(0.0, |card| card.height / 2.0)
}

/// A measured list of nested or attached steps, with the label on the edge into the list.
struct Measured {
    way: Way,
    block: Block,
    tag: Option<String>,
    width: f64,
}

fn lane(picture: &Picture, lane: &Lane) -> Measured {
    let mut block = sequence(picture, &lane.steps);
    if lane.steps.is_empty() {
        block.width = LANE_MIN;
        block.entry = Point::new(LANE_MIN / 2.0, 0.0);
        block.end = block.entry;
    }
    let words = lane.label.as_deref().or(match lane.way {
        Way::Fails | Way::Undone => lane.way.label(),
        _ => None,
    });
    let tag = words.map(|words| Font::LABEL.elide(words, TAG_MAX - 16.0).into_owned());
    // The label is centred on the entry of the list, which need not be the middle of the list's width.
    let half = tag.as_deref().map_or(0.0, |tag| tag_width(tag) / 2.0);
    let (left, right) = (block.entry.x, block.width - block.entry.x);
    let (more_left, more_right) = ((half - left).max(0.0), (half - right).max(0.0));
    widen(&mut block, more_left);
    let width = block.width + more_right;
    Measured { way: lane.way, block, tag, width }
}

/// Returns the width of a label on an edge, including the border of the label.
fn tag_width(text: &str) -> f64 {
    Font::LABEL.width(text) + 16.0
}

fn put_tag(block: &mut Block, way: Way, at: Point, text: String) {
    block.tags.push(Tag { way, at, width: tag_width(&text), text });
}

/// Adds space to the left of a block. Returns how far the content moved to the right.
fn widen(block: &mut Block, left: f64) -> f64 {
    if left <= 0.0 {
        return 0.0;
    }
    let (entry, end, height) = (block.entry, block.end, block.height);
    let mut wider = Block::default();
    wider.absorb(std::mem::take(block), Point::new(left, 0.0));
    wider.entry = entry.shifted(left, 0.0);
    wider.end = end.shifted(left, 0.0);
    wider.height = height;
    *block = wider;
    left
}

/// Places the nested lists of a step side by side below its card.
/// The edge from the card forks to the lists, and the edges from the lists join.
fn forked(picture: &Picture, mut block: Block, limb: &Limb) -> Block {
    let lanes: Vec<Measured> = limb.lanes.iter().map(|one| lane(picture, one)).collect();
    let tagged = lanes.iter().any(|one| one.tag.is_some());
    let all = lanes.iter().map(|one| one.width).sum::<f64>()
        + LANE_GAP * lanes.len().saturating_sub(1) as f64;
    // The edge through the card is centred between the entries of the first and the last list.
    let first = lanes.first().map_or(0.0, |one| one.block.entry.x);
    let last = lanes.last().map_or(0.0, |one| one.width - one.block.entry.x);
    let middle = f64::midpoint(first, all - last);
    let (spine, height) = (block.entry.x, block.height);
    let moved = widen(&mut block, middle - spine);
    let (spine, mut x) = (spine + moved, (spine + moved) - middle);
    let fork = height + FORK;
    let top = fork + if tagged { LEAD_TAGGED } else { LEAD };
    let mut spines = Vec::new();
    for one in lanes {
        let Measured { way, block: inner, tag, width } = one;
        let (entry, end) = (inner.entry.shifted(x, top), inner.end.shifted(x, top));
        let empty = inner.items.is_empty();
        let tip = if empty { Tip::None } else { Tip::Down };
        block.link(way, tip, vec![Point::new(entry.x, fork), entry]);
        if let Some(tag) = tag {
            put_tag(&mut block, way, Point::new(entry.x, fork + 20.0), tag);
        }
        block.absorb(inner, Point::new(x, top));
        spines.push((entry.x, end, way));
        x += width + LANE_GAP;
    }
    block.width = block.width.max(x - LANE_GAP);
    let join = block.height + JOIN;
    for (_, end, _) in &spines {
        block.link(Way::Next, Tip::None, vec![*end, Point::new(end.x, join)]);
    }
    let tip = if limb.shape == Shape::Parallel { Tip::Bar } else { Tip::None };
    let from = spines.iter().map(|(x, ..)| *x);
    bar(&mut block, tip, from, spine, fork);
    let from = spines.iter().map(|(_, end, _)| end.x);
    bar(&mut block, tip, from, spine, join);
    block.link(Way::Next, Tip::None, vec![Point::new(spine, height), Point::new(spine, fork)]);
    block.height = join;
    block.end = Point::new(spine, join);
    block
}

/// Adds the horizontal line at the vertical position `y` that connects the edges of the nested lists
/// with the edge through the card, at the horizontal position `spine`.
fn bar(block: &mut Block, tip: Tip, lanes: impl Iterator<Item = f64>, spine: f64, y: f64) {
    let xs: Vec<f64> = lanes.chain([spine]).collect();
    let left = xs.iter().copied().fold(f64::INFINITY, f64::min);
    let right = xs.iter().copied().fold(0.0, f64::max);
    let more = if tip == Tip::Bar { 12.0 } else { 0.0 };
    if right > left || tip == Tip::Bar {
        let ends = vec![Point::new(left - more, y), Point::new(right + more, y)];
        block.link(Way::Next, tip, ends);
    }
}

/// Places the only nested list of a step in a frame below the step's card.
/// A loop also gets a back edge. The parameter `again` is the label of
/// this edge; `None` if the step is not a loop.
fn framed(picture: &Picture, mut block: Block, lanes: &[Lane], again: Option<&str>) -> Block {
    let Some(inner) = lanes.first().map(|one| sequence(picture, &one.steps)) else {
        return block;
    };
    if inner.items.is_empty() {
        return block;
    }
    let back = if again.is_some() { BACK } else { 0.0 };
    let (spine, height) = (block.entry.x, block.height);
    let moved = widen(&mut block, inner.entry.x + FRAME_PAD + back - spine);
    let spine = spine + moved;
    let left = spine - inner.entry.x;
    let frame_top = height + FORK - 6.0;
    let fork = frame_top + FORK;
    let top = fork + LEAD;
    let (width, inner_end) = (inner.width, inner.end.shifted(left, top));
    let from = Point::new(spine, height);
    block.link(Way::Next, Tip::Down, vec![from, Point::new(spine, top)]);
    block.absorb(inner, Point::new(left, top));
    let join = block.height + JOIN;
    let mut way_on = vec![inner_end, Point::new(inner_end.x, join)];
    if let Some(word) = again {
        let x = left - FRAME_PAD - BACK / 3.0;
        let back = [
            Point::new(spine.min(inner_end.x), join),
            Point::new(x, join),
            Point::new(x, fork),
            Point::new(spine - 2.0, fork),
        ];
        block.link(Way::Again, Tip::Right, back.to_vec());
        put_tag(&mut block, Way::Again, Point::new(x, f64::midpoint(fork, join)), word.to_owned());
    }
    let bottom = join + FRAME_PAD;
    let at = Point::new(left - FRAME_PAD - back, frame_top);
    let frame_width = width + back + 2.0 * FRAME_PAD;
    block.frames.push(Frame { at, width: frame_width, height: bottom - frame_top });
    block.width = block.width.max(at.x + frame_width);
    if inner_end.x != spine {
        way_on.push(Point::new(spine, join));
    }
    way_on.push(Point::new(spine, bottom + 2.0));
    block.link(Way::Next, Tip::None, way_on);
    block.height = bottom + 2.0;
    block.end = Point::new(spine, block.height);
    block
}

/// Places the attached lists of a step to the right of its card. The edges to the lists leave the side
/// of the card. The edges from the error handling join the step's outgoing edge.
fn asides(picture: &Picture, mut block: Block, lanes: &[Lane], side: Point) -> Block {
    let spine = block.end;
    let mut mended = Vec::new();
    for (nth, one) in lanes.iter().enumerate() {
        let Measured { way, block: inner, tag, width } = lane(picture, one);
        // The edge to a later list leaves the card above the edge to an earlier list,
        // so that the two edges do not cross.
        let y = side.y - ASIDE_STEP * nth as f64;
        let top = side.y + LEAD_TAGGED;
        let left = block.width + LANE_GAP;
        let (entry, end) = (inner.entry.shifted(left, top), inner.end.shifted(left, top));
        block.link(way, Tip::Down, vec![Point::new(side.x, y), Point::new(entry.x, y), entry]);
        if let Some(tag) = tag {
            put_tag(&mut block, way, Point::new(entry.x, side.y + 20.0), tag);
        }
        block.absorb(inner, Point::new(left, top));
        block.width = block.width.max(left + width);
        if way == Way::Fails {
            mended.push(end);
        }
    }
    if !mended.is_empty() {
        let join = block.height + JOIN;
        for end in mended {
            let points = vec![end, Point::new(end.x, join), Point::new(spine.x, join)];
            block.link(Way::Fails, Tip::None, points);
        }
        block.link(Way::Next, Tip::None, vec![spine, Point::new(spine.x, join)]);
        block.height = join;
    } else {
        block.link(Way::Next, Tip::None, vec![spine, Point::new(spine.x, block.height)]);
    }
    block.end = Point::new(spine.x, block.height);
    block
}
