//! Tests the pictures of hand-built graphs. When a snapshot `snapshots/*.svg` changes, look at the picture.

use super::*;

mod build;
mod geometry;
mod markup;

fn cases() -> [(&'static str, Graph, Marks); 5] {
    let standing = Marks {
        current: Some("steps/2".into()),
        finished: ["steps/0", "steps/1"].map(String::from).into(),
        figures: vec![Figure {
            name: "in_all",
            label: "total messages",
            value: "at most 30,600 = 3 × candidates + 3 × pastor_of_{goal.role} + 3 × staff".into(),
        }],
    };
    [
        ("seed", build::seed(), standing),
        ("one", build::one(), Marks::default()),
        ("long", build::long(), Marks::default()),
        ("names", build::names(), Marks::default()),
        ("every", build::every(), Marks::default()),
    ]
}

#[test]
fn pictures_are_as_they_were_looked_at() {
    for (name, graph, marks) in cases() {
        let svg = draw(&graph, DrawingFormat::Svg, &marks);
        insta::assert_binary_snapshot!(&format!("{name}.svg"), svg.into_bytes());
    }
}

#[test]
fn dot_is_as_graphviz_accepted_it() {
    let (_, graph, marks) = &cases()[0];
    insta::assert_snapshot!(draw(graph, DrawingFormat::Dot, marks));
    let names = draw(&build::names(), DrawingFormat::Dot, &Marks::default());
    assert!(names.contains("<script>alert(1)</script> & \\\"co\\\""), "{names}");
}

#[test]
fn mermaid_shows_every_way_and_reads_no_text_as_markup() {
    let (_, graph, marks) = &cases()[0];
    insta::assert_snapshot!(draw(graph, DrawingFormat::Mermaid, marks));
    let names = draw(&build::names(), DrawingFormat::Mermaid, &Marks::default());
    assert!(names.contains("#60;script#62;alert(1)#60;/script#62; #38; #34;co#34;"), "{names}");
}

#[test]
fn json_names_nodes_and_edges_by_the_keys_of_the_graph() {
    let (_, graph, marks) = &cases()[0];
    insta::assert_snapshot!(draw(graph, DrawingFormat::Json, marks));
}

#[test]
fn a_key_that_the_graph_does_not_have_marks_nothing() {
    let nowhere = Marks {
        current: Some("steps/99".into()),
        finished: ["fallbacks/7".to_owned()].into(),
        ..Marks::default()
    };
    for format in DrawingFormat::ALL {
        let unmarked = draw(&build::seed(), format, &Marks::default());
        assert_eq!(draw(&build::seed(), format, &nowhere), unmarked, "{format}");
    }
}

#[test]
fn a_fallback_that_is_never_tried_is_said_and_not_drawn() {
    let fallbacks = vec![("timeout", vec![build::node("broadcast", serde_json::json!({}))])];
    let steps = vec![build::node("notify", serde_json::json!({}))];
    let graph = build::method("eager", steps, &[], fallbacks);
    let svg = draw(&graph, DrawingFormat::Svg, &Marks::default());
    assert!(svg.contains("no fallback is ever tried") && !svg.contains("broadcast"), "{svg}");
}

#[test]
fn a_graph_whose_indices_lead_nowhere_is_drawn_without_them() {
    let mut graph = build::seed();
    graph.main.push(999);
    graph.fallbacks[0].steps = vec![1_000];
    for format in DrawingFormat::ALL {
        assert!(!draw(&graph, format, &Marks::default()).is_empty());
    }
}

#[test]
fn formats_are_read_by_their_names() {
    for format in DrawingFormat::ALL {
        assert_eq!(format.name().parse(), Ok(format));
    }
    let problem = "png".parse::<DrawingFormat>().expect_err("no such format");
    assert_eq!(problem.hint.as_deref(), Some("the formats are: svg, dot, mermaid, json"));
}
