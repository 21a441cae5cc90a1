//! Checks that in the drawing of any method nothing is clipped and nothing overlaps.

use proptest::prelude::*;
use serde_json::json;

use super::super::block::{Block, Item, START_HEIGHT};
use super::super::card::{Anchor, Card};
use super::super::compose::compose;
use super::super::curve::Point;
use super::super::layout::{self, Content, LABEL_HEIGHT, Layout, Placed, Route};
use super::super::picture::Picture;
use super::build::Tree;
use super::*;
use crate::method::graph::Node;

/// A rectangle: the positions of its left, top, right and bottom sides.
type Area = [f64; 4];

fn overlap(a: Area, b: Area) -> bool {
    const TOUCH: f64 = 0.6;
    a[0] + TOUCH < b[2] && b[0] + TOUCH < a[2] && a[1] + TOUCH < b[3] && b[1] + TOUCH < a[3]
}

fn area(at: Point, width: f64, height: f64) -> Area {
    [at.x, at.y, at.x + width, at.y + height]
}

/// Returns the areas of all cards, decisions and ends.
fn solids(boxes: &[Placed]) -> Vec<Area> {
    boxes
        .iter()
        .flat_map(|one| match &one.content {
            Content::Block(block) => cards(one.at, block),
            _ => vec![area(one.at, one.width, one.height)],
        })
        .collect()
}

fn cards(at: Point, block: &Block) -> Vec<Area> {
    let height = |item: &Item| item.card.as_ref().map_or(START_HEIGHT, |card| card.height);
    let items = block.items.iter();
    items.map(|item| area(item.at.shifted(at.x, at.y), item.width, height(item))).collect()
}

/// Returns the areas of the labels on the edges of a block.
fn tags(at: Point, block: &Block) -> Vec<Area> {
    let tags = block.tags.iter();
    tags.map(|tag| {
        let corner = tag.at.shifted(at.x - tag.width / 2.0, at.y - LABEL_HEIGHT / 2.0);
        area(corner, tag.width, LABEL_HEIGHT)
    })
    .collect()
}

/// Checks that no part of an edge overlaps a box.
fn check_way(points: &[Point], at: Point, solid: &[Area]) {
    for pair in points.windows(2) {
        let (a, b) = (pair[0].shifted(at.x, at.y), pair[1].shifted(at.x, at.y));
        let upright = (a.x - b.x).abs() < 0.01;
        assert!(upright || (a.y - b.y).abs() < 0.01, "{a:?} {b:?} is neither upright nor level");
        // The area is as thick as the drawn line.
        // It is shortened at both ends, because the ends of the line touch boxes.
        let (dx, dy) = if upright { (1.0, -2.0) } else { (-2.0, 1.0) };
        let (left, top) = (a.x.min(b.x) - dx, a.y.min(b.y) - dy);
        let line = [left, top, a.x.max(b.x) + dx, a.y.max(b.y) + dy];
        let cut = solid.iter().find(|one| overlap(line, **one));
        assert!(cut.is_none(), "the way {line:?} crosses {cut:?}");
    }
}

fn labels(layout: &Layout) -> Vec<Area> {
    let of = |route: &Route| {
        let width = layout::label_width(route.way);
        route
            .label
            .map(|at| area(at.shifted(-width / 2.0, -LABEL_HEIGHT / 2.0), width, LABEL_HEIGHT))
    };
    layout.routes.iter().filter_map(of).collect()
}

fn check(picture: &Picture) {
    let layout = layout::layout(picture);
    let mut solid = solids(&layout.boxes);
    for route in &layout.routes {
        check_way(&route.points, Point::new(0.0, 0.0), &solid);
    }
    for placed in &layout.boxes {
        let Content::Block(block) = &placed.content else { continue };
        let own = cards(placed.at, block);
        block.links.iter().for_each(|link| check_way(&link.points, placed.at, &own));
        solid.extend(tags(placed.at, block));
    }
    solid.extend(labels(&layout));
    for (index, one) in solid.iter().enumerate() {
        let within = one[0] >= -0.6
            && one[1] >= -0.6
            && one[2] <= layout.width + 0.6
            && one[3] <= layout.height + 0.6;
        assert!(within, "{one:?} leaves the drawing");
        assert!(!solid[..index].iter().any(|other| overlap(*one, *other)), "{one:?} overlaps");
    }
    for placed in &layout.boxes {
        if let Content::Block(block) = &placed.content {
            block.items.iter().filter_map(|item| item.card.as_ref()).for_each(check_card);
        }
    }
}

/// Checks that all strings of a card are inside the card and do not overlap.
fn check_card(card: &Card) {
    let mut texts: Vec<(Area, &str)> = Vec::new();
    for piece in &card.pieces {
        let width = piece.font.width(&piece.text);
        let left = match piece.anchor {
            Anchor::Start => piece.x,
            Anchor::Middle => piece.x - width / 2.0,
            Anchor::End => piece.x - width,
        };
        // The area reaches from the top of a capital letter to the baseline.
        // In this area, strings must not overlap.
        let text = [left, piece.y - 8.0, left + width, piece.y];
        let within = text[0] >= 4.0 && text[2] <= card.width - 3.0 && piece.y <= card.height - 4.0;
        assert!(
            within,
            "`{}` leaves its card of {} by {}: {text:?}",
            piece.text, card.width, card.height
        );
        if let Some((_, other)) = texts.iter().find(|(other, _)| overlap(text, *other)) {
            panic!("`{}` overlaps `{other}`", piece.text);
        }
        texts.push((text, &piece.text));
    }
}

#[test]
fn every_case_has_its_room() {
    for (_, graph, marks) in cases() {
        check(&compose(&graph, &marks));
    }
}

#[test]
fn two_thousand_steps_fold_into_a_picture_about_as_wide_as_high() {
    let steps: Vec<Node> = (0..2_000).map(|i| build::node("notify", json!({ "n": i }))).collect();
    let picture = compose(&build::method("huge", steps, &["true"], Vec::new()), &Marks::default());
    let layout = layout::layout(&picture);
    let shape = layout.width / layout.height;
    assert!((0.5..2.0).contains(&shape), "{} by {}", layout.width, layout.height);
    check(&picture);
}

fn any_node() -> impl Strategy<Value = Node> {
    let verb = prop_oneof![Just("wait_for_replies".to_owned()), ".{0,60}", "[a-z_]{1,90}"];
    let text = || prop_oneof![".{0,80}", "[a-z ]{0,20}"];
    let args = prop::collection::btree_map(text(), text(), 0..9);
    (verb, text(), args, prop::option::of(text()), any::<bool>(), any::<bool>()).prop_map(
        |(verb, id, args, out, each, when)| {
            let mut node = build::node(&verb, json!(args)).id(&id);
            node.call_mut().out = out;
            if each {
                node = node.each("somebody", "candidates.minus(accepted)");
            }
            if when {
                node.when("len(candidates) > 0 and len(accepted) < goal.count")
            } else {
                node
            }
        },
    )
}

/// Generates trees of nested steps of every kind, at most three levels deep.
fn any_tree() -> impl Strategy<Value = Tree> {
    let leaf = any_node().prop_map(Tree::Leaf);
    leaf.prop_recursive(3, 24, 4, |inner| {
        let list = prop::collection::vec(inner, 0..4);
        let lists = prop::collection::vec(list.clone(), 1..4);
        prop_oneof![
            lists.clone().prop_map(Tree::Parallel),
            lists.prop_map(Tree::Switch),
            (list.clone(), any::<bool>()).prop_map(|(steps, each)| Tree::Loop(steps, each)),
            (any_node(), list.clone(), list)
                .prop_map(|(node, fails, undo)| { Tree::Mended(node, fails, undo) }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_tree_of_steps_has_its_room(
        main in prop::collection::vec(any_tree(), 0..6),
        cancelled in prop::collection::vec(any_tree(), 0..3),
        decided in any::<bool>(),
    ) {
        let success: &[&str] = if decided { &["len(accepted) >= goal.count"] } else { &[] };
        let mut graph = build::method("tree", Vec::new(), success, Vec::new());
        graph.main = main.into_iter().map(|tree| tree.plant(&mut graph.nodes)).collect();
        graph.on_cancel = cancelled.into_iter().map(|tree| tree.plant(&mut graph.nodes)).collect();
        check(&compose(&graph, &Marks::default()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_method_has_its_room(
        main in prop::collection::vec(any_node(), 0..30),
        decided in any::<bool>(),
        branches in prop::collection::vec(prop::collection::vec(any_node(), 0..12), 0..5),
    ) {
        let fallbacks = branches.into_iter().map(|steps| ("timeout and len(accepted) < goal.count", steps));
        let success: &[&str] = if decided { &["len(accepted) >= goal.count"] } else { &[] };
        let graph = build::method("any", main, success, fallbacks.collect());
        check(&compose(&graph, &Marks::default()));
    }
}
