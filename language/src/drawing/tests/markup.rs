//! Checks that the SVG is well-formed XML for any string that an author writes.

use super::*;

/// Checks tags, attributes and entities of the subset of XML that the SVG writer uses.
fn check(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg;
    while let Some((text, tail)) = rest.split_once('<') {
        entities(text);
        let (tag, after) = tail.split_once('>').expect("a tag ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closing tag");
        } else {
            let body = tag.strip_suffix('/').unwrap_or(tag);
            attributes(body);
            if !tag.ends_with('/') {
                open.push(body.split(' ').next().unwrap_or_default());
            }
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
}

fn attributes(tag: &str) {
    let quotes: Vec<&str> = tag.split('"').collect();
    assert_eq!(quotes.len() % 2, 1, "quotes are balanced: {tag}");
    for (index, part) in quotes.iter().enumerate() {
        if index % 2 == 1 {
            entities(part);
        } else {
            assert!(index + 1 == quotes.len() || part.ends_with('='), "{tag}");
        }
    }
}

fn entities(text: &str) {
    for after in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
        assert!(known.iter().any(|entity| after.starts_with(entity)), "{after}");
    }
    let forbidden = |c: char| c < ' ' && !matches!(c, '\t' | '\n' | '\r') || c == '\u{ffff}';
    assert!(!text.contains(forbidden), "{text:?}");
}

const HOSTILE: [&str; 6] = [
    "</title></svg><script>alert(1)</script>",
    "\" onload=\"alert(1)",
    "' & &amp; ]]> <!-- -->",
    "nul \0 bell \u{7} \u{ffff} \u{1b}[31m",
    "עברית العربية \u{202e}desrever",
    "👨‍👩‍👧‍👦 e\u{301}\u{301}\u{301}",
];

#[test]
fn every_case_is_well_formed() {
    for (_, graph, marks) in cases() {
        check(&draw(&graph, DrawingFormat::Svg, &marks));
    }
}

#[test]
fn hostile_texts_stay_text() {
    for text in HOSTILE {
        let args = serde_json::json!({ text: text, "nested": { text: [text] } });
        let mut node = build::node(text, args).id(text).giving(text);
        node.call_mut().occasion = Some(text.into());
        let mut graph = build::method(text, vec![node], &["true"], Vec::new());
        graph.description = Some(text.into());
        graph.nodes[0].key = text.into();
        let svg = draw(
            &graph,
            DrawingFormat::Svg,
            &Marks { current: Some(text.into()), ..Marks::default() },
        );
        check(&svg);
        assert!(!svg.contains("<script") && !svg.contains("\" onload"), "{svg}");
        for format in [DrawingFormat::Dot, DrawingFormat::Mermaid, DrawingFormat::Json] {
            let written = draw(&graph, format, &Marks::default());
            assert!(!written.contains(['\0', '\u{7}', '\u{1b}']), "{format}: {written}");
        }
    }
}
