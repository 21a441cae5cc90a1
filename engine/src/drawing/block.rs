//! A sequence of steps, stacked into a column; a long one is folded into several.
//!
//! The sequences of a method are its long part and need no clever layout: stacked here, they are
//! single boxes to the general layout, whose work then grows with the choices alone.

use super::card::Card;
use super::curve::Point;
use super::picture::{Body, Picture};

/// Between two cards, the arrow's length.
pub(super) const GAP: f64 = 30.0;
/// Between two columns; the way from one to the next runs there.
const GUTTER: f64 = 64.0;
/// Over and under folded columns, where that way turns.
pub(super) const TURN: f64 = 24.0;
/// Under a wait, where its three ways out meet.
pub(super) const FAN: f64 = 30.0;
pub(super) const START_WIDTH: f64 = 76.0;
pub(super) const START_HEIGHT: f64 = 30.0;
/// A sequence higher than this is folded: about a screen and a half.
const COLUMN_MAX: f64 = 1_700.0;
/// Folded, it is about as wide as high.
const ASPECT: f64 = 1.0;

/// A sequence, measured; all places are from its upper left corner.
pub(super) struct Block {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) items: Vec<Item>,
    pub(super) links: Vec<Link>,
    /// Where a way from outside comes in, at the top.
    pub(super) entry: Point,
    /// Where the way on leaves the last card, straight down.
    pub(super) end: Point,
}

/// A card, or the start, in its place.
pub(super) struct Item {
    pub(super) node: usize,
    pub(super) at: Point,
    pub(super) card: Option<Card>,
}

/// The way from one item to the next.
pub(super) enum Link {
    Down(Point, Point),
    /// To the next column, through the gutter.
    Over(Vec<Point>),
}

/// An item before it has a place.
struct Measured {
    node: usize,
    card: Option<Card>,
    /// With the room for the meeting of its ways out.
    height: f64,
}

impl Block {
    /// Measures and stacks the nodes of a chain.
    pub(super) fn stack(picture: &Picture, chain: &[usize]) -> Self {
        let width = chain
            .iter()
            .filter_map(|&node| picture.step(node))
            .map(Card::natural_width)
            .fold(START_WIDTH, f64::max);
        let measured: Vec<Measured> =
            chain.iter().map(|&node| measure(picture, node, width)).collect();
        place(columns(measured, width), width)
    }
}

fn measure(picture: &Picture, node: usize, width: f64) -> Measured {
    match &picture.nodes[node].body {
        Body::Step(step) => {
            let card = Card::set(step, width);
            let height = card.height + if card.ports.is_some() { FAN } else { 0.0 };
            Measured { node, card: Some(card), height }
        }
        _ => Measured { node, card: None, height: START_HEIGHT },
    }
}

/// Folds a sequence into as many columns as give the picture a pleasant shape.
fn columns(measured: Vec<Measured>, width: f64) -> Vec<Vec<Measured>> {
    let total: f64 = measured.iter().map(|item| item.height + GAP).sum();
    let count = if total <= COLUMN_MAX {
        1.0
    } else {
        (ASPECT * total / (width + GUTTER)).sqrt().round().max(2.0)
    };
    let room = total / count;
    let mut columns = vec![Vec::new()];
    let mut used = 0.0;
    for item in measured {
        let height = item.height + GAP;
        // The item goes where more than half of it belongs.
        if used + height / 2.0 > room * columns.len() as f64 {
            columns.push(Vec::new());
        }
        used += height;
        if let Some(column) = columns.last_mut() {
            column.push(item);
        }
    }
    columns.retain(|column| !column.is_empty());
    columns
}

fn place(columns: Vec<Vec<Measured>>, width: f64) -> Block {
    let turn = if columns.len() > 1 { TURN } else { 0.0 };
    let count = columns.len();
    let (mut items, mut links) = (Vec::new(), Vec::new());
    let (mut bottom, mut lowest): (Option<Point>, f64) = (None, 0.0);
    for (index, column) in columns.into_iter().enumerate() {
        let left = index as f64 * (width + GUTTER);
        let middle = left + width / 2.0;
        let mut y = turn;
        for (row, item) in column.into_iter().enumerate() {
            let top = Point::new(middle, y);
            match bottom {
                Some(from) if row == 0 => links.push(over(from, top, left)),
                Some(from) => links.push(Link::Down(from, top)),
                None => {}
            }
            let inset = if item.card.is_some() { 0.0 } else { (width - START_WIDTH) / 2.0 };
            items.push(Item { node: item.node, at: Point::new(left + inset, y), card: item.card });
            bottom = Some(Point::new(middle, y + item.height));
            lowest = lowest.max(y + item.height);
            y += item.height + GAP;
        }
    }
    let spread = count.saturating_sub(1) as f64;
    let entry = Point::new(width / 2.0, turn);
    let end = bottom.unwrap_or(entry);
    Block {
        width: width + spread * (width + GUTTER),
        height: lowest + turn,
        items,
        links,
        entry,
        end,
    }
}

/// Down, into the gutter before the column that begins at `left`, up, over and down into its top.
fn over(from: Point, top: Point, left: f64) -> Link {
    let gutter = left - GUTTER / 2.0;
    let (below, above) = (from.y + TURN, top.y - TURN);
    Link::Over(vec![
        from,
        Point::new(from.x, below),
        Point::new(gutter, below),
        Point::new(gutter, above),
        Point::new(top.x, above),
        top,
    ])
}
