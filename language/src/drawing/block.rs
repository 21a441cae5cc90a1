//! Lays out a sequence of steps as a column of boxes. A long sequence is folded into several columns.
//!
//! Each box contains a step with its nested steps. [`super::limb`] computes the size of each box.

use super::card::Card;
use super::curve::Point;
use super::picture::Way;

/// Vertical gap between the boxes of two steps: the length of the arrow between them.
pub(super) const GAP: f64 = 30.0;
/// Horizontal gap between two columns. The edge from one column to the next runs in this gap.
const GUTTER: f64 = 64.0;
/// Space above and below the columns of a folded sequence. The edges between columns turn in this space.
pub(super) const TURN: f64 = 24.0;
/// Space below the card of a wait. The edges from the three exits of the wait meet in this space.
pub(super) const FAN: f64 = 30.0;
pub(super) const START_HEIGHT: f64 = 30.0;
/// Height above which a sequence is folded into several columns: about one and a half screens.
const COLUMN_MAX: f64 = 1_700.0;
/// Target ratio of width to height of a folded sequence.
const ASPECT: f64 = 1.0;

/// A laid-out sequence of steps. All positions are relative to the upper left corner of the block.
#[derive(Default)]
pub(super) struct Block {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) items: Vec<Item>,
    pub(super) links: Vec<Link>,
    pub(super) tags: Vec<Tag>,
    pub(super) frames: Vec<Frame>,
    /// The point at the top at which the incoming edge enters the sequence.
    pub(super) entry: Point,
    /// The point at which the outgoing edge leaves the last card, straight down.
    pub(super) end: Point,
}

/// The card of a step, or a start node, with its position.
pub(super) struct Item {
    pub(super) node: usize,
    pub(super) at: Point,
    pub(super) width: f64,
    pub(super) card: Option<Card>,
}

/// An edge between two nodes of a sequence.
pub(super) struct Link {
    pub(super) way: Way,
    pub(super) points: Vec<Point>,
    pub(super) tip: Tip,
}

/// The shape at the end of an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tip {
    /// No arrow, because the edge continues.
    None,
    /// An arrow down, into a box.
    Down,
    /// An arrow to the right, into another edge.
    Right,
    /// No arrow: the edge is drawn as a thick bar across several edges.
    Bar,
}

/// A label on an edge.
pub(super) struct Tag {
    pub(super) way: Way,
    /// The position of the label's centre.
    pub(super) at: Point,
    pub(super) width: f64,
    pub(super) text: String,
}

/// A frame around the nested steps of a loop or of a group of steps.
pub(super) struct Frame {
    pub(super) at: Point,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Block {
    /// Arranges the boxes of a sequence in columns.
    pub(super) fn stack(boxes: Vec<Self>) -> Self {
        place(columns(boxes))
    }

    /// Adds the content of another block. The upper left corner of that block moves to the point `at`.
    pub(super) fn absorb(&mut self, other: Self, at: Point) {
        let moved = |point: Point| point.shifted(at.x, at.y);
        self.items.extend(other.items.into_iter().map(|i| Item { at: moved(i.at), ..i }));
        self.links.extend(
            other
                .links
                .into_iter()
                .map(|link| Link { points: link.points.into_iter().map(moved).collect(), ..link }),
        );
        self.tags.extend(other.tags.into_iter().map(|tag| Tag { at: moved(tag.at), ..tag }));
        self.frames.extend(other.frames.into_iter().map(|f| Frame { at: moved(f.at), ..f }));
        self.width = self.width.max(at.x + other.width);
        self.height = self.height.max(at.y + other.height);
    }

    pub(super) fn link(&mut self, way: Way, tip: Tip, points: Vec<Point>) {
        self.links.push(Link { way, points, tip });
    }
}

/// Distributes the boxes of a sequence over several columns,
/// so that the ratio of the sequence's width to its height comes close to [`ASPECT`].
fn columns(boxes: Vec<Block>) -> Vec<Vec<Block>> {
    let total: f64 = boxes.iter().map(|one| one.height + GAP).sum();
    let width = boxes.iter().map(|one| one.width).fold(0.0, f64::max);
    let count = if total <= COLUMN_MAX {
        1.0
    } else {
        (ASPECT * total / (width + GUTTER)).sqrt().round().max(2.0)
    };
    let room = total / count;
    let mut columns = vec![Vec::new()];
    let mut used = 0.0;
    for one in boxes {
        let height = one.height + GAP;
        // Start a new column if more than half of the box would lie below the end of the current column.
        if used + height / 2.0 > room * columns.len() as f64 {
            columns.push(Vec::new());
        }
        used += height;
        if let Some(column) = columns.last_mut() {
            column.push(one);
        }
    }
    columns.retain(|column| !column.is_empty());
    columns
}

fn place(columns: Vec<Vec<Block>>) -> Block {
    let turn = if columns.len() > 1 { TURN } else { 0.0 };
    let mut block = Block::default();
    let mut left = 0.0;
    for (index, column) in columns.into_iter().enumerate() {
        let spine = left + column.iter().map(|one| one.entry.x).fold(0.0, f64::max);
        let mut y = turn;
        for (row, one) in column.into_iter().enumerate() {
            let at = Point::new(spine - one.entry.x, y);
            let (top, end) = (one.entry.shifted(at.x, at.y), one.end.shifted(at.x, at.y));
            match (index, row) {
                (0, 0) => block.entry = top,
                (_, 0) => block.link(Way::Next, Tip::Down, over(block.end, top, left)),
                _ => block.link(Way::Next, Tip::Down, vec![block.end, top]),
            }
            y += one.height + GAP;
            block.absorb(one, at);
            block.end = end;
        }
        left = block.width + GUTTER;
    }
    block.height += turn;
    block
}

/// Returns the points of the edge from the end of a column to the top of the next column.
/// The edge leads down, sideways into the gap between the columns, up through this gap,
/// sideways to the position above the next column, and down.
/// `left` is the left side of the next column.
fn over(from: Point, top: Point, left: f64) -> Vec<Point> {
    let gutter = left - GUTTER / 2.0;
    let (below, above) = (from.y + TURN, top.y - TURN);
    vec![
        from,
        Point::new(from.x, below),
        Point::new(gutter, below),
        Point::new(gutter, above),
        Point::new(top.x, above),
        top,
    ]
}
