use proptest::prelude::*;

use super::*;
use crate::base::Span;

fn at(kind: ExprKind) -> Expr {
    Expr { kind, at: Range::default() }
}

fn name() -> impl Strategy<Value = String> {
    "[a-z_][a-z0-9_]{0,6}".prop_filter("reserved", |name| !RESERVED.contains(&name.as_str()))
}

fn leaf() -> impl Strategy<Value = Expr> {
    let literal = prop_oneof![
        any::<bool>().prop_map(Value::from),
        (0..i64::MAX).prop_map(Value::from),
        (0.0..1e300_f64).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(Value::Null),
    ];
    let member = "[a-z_][A-Za-z0-9_]{0,6}";
    prop_oneof![
        literal.prop_map(|value| at(ExprKind::Literal(value))),
        (0..i64::MAX / 2).prop_map(|n| at(ExprKind::Duration(Span::from_micros(n)))),
        (name(), proptest::collection::vec(member, 0..3)).prop_map(|(root, members)| {
            let path = std::iter::once(root).chain(members).collect();
            at(ExprKind::Path(path))
        }),
    ]
}

fn expression() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(5, 40, 4, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        let unary = prop_oneof![Just(UnaryOp::Not), Just(UnaryOp::Negate)];
        let binary = proptest::sample::select(BinaryOp::ALL.to_vec());
        let list = || proptest::collection::vec(inner.clone(), 0..3);
        let named = proptest::collection::btree_map(name(), inner.clone(), 0..3);
        prop_oneof![
            (boxed(), boxed()).prop_map(|(base, key)| at(ExprKind::Index(base, key))),
            list().prop_map(|items| at(ExprKind::List(items))),
            (unary, boxed()).prop_map(|(op, operand)| at(ExprKind::Unary(op, operand))),
            (binary, boxed(), boxed()).prop_map(|(op, a, b)| at(ExprKind::Binary(op, a, b))),
            (name(), proptest::option::of(boxed()), list(), named).prop_map(
                |(name, receiver, args, named)| {
                    let named = named.into_iter().collect();
                    at(ExprKind::Call { name, receiver, args, named })
                }
            ),
        ]
    })
}

struct Anything;

impl TypeScope for Anything {
    fn variable(&self, _: &str) -> Option<Type> {
        Some(Type::Any)
    }
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

proptest! {
    #[test]
    fn printing_and_parsing_give_the_same_tree(expr in expression()) {
        let text = print(&expr);
        match parse(&text) {
            Ok(back) => prop_assert_eq!(back, expr, "{}", text),
            Err(errors) => prop_assert!(false, "`{}`: {:?}", text, errors),
        }
    }

    #[test]
    fn storing_gives_the_same_tree_and_text(expr in expression()) {
        let stored = serde_json::to_string(&expr).expect("serialises");
        let back: Expr = serde_json::from_str(&stored).expect("deserialises");
        prop_assert_eq!(serde_json::to_string(&back).expect("serialises"), stored);
    }

    #[test]
    fn no_text_whatever_panics(text in any::<String>()) {
        if let Err(errors) = parse(&text) {
            for error in errors {
                let _ = excerpt(&text, error.at);
            }
        }
    }

    /// Tests sources made of valid tokens, which reach deeper into the parser than random characters.
    #[test]
    fn no_heap_of_tokens_panics(
        tokens in proptest::collection::vec(proptest::sample::select(TOKENS.to_vec()), 0..25)
    ) {
        if let Ok(expr) = parse(&tokens.concat()) {
            let world = World::of_the_seed();
            let _ = eval(&expr, &world);
            check(&expr, &Anything, &mut Vec::new());
        }
    }

    #[test]
    fn no_tree_whatever_panics(expr in expression()) {
        let first = eval(&expr, &World::of_the_seed());
        prop_assert_eq!(eval(&expr, &World::of_the_seed()), first);
        check(&expr, &Anything, &mut Vec::new());
    }
}

const TOKENS: [&str; 45] = [
    "a",
    ".",
    "b",
    "(",
    ")",
    "[",
    "]",
    ",",
    "=",
    "==",
    "!=",
    "<",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    " and ",
    " or ",
    " not ",
    " in ",
    "1",
    "2.5",
    "24h",
    "'x'",
    "\"y",
    "null",
    "true",
    "now",
    "goal",
    ".targets",
    "accepted",
    "candidates",
    "len",
    "minus",
    "take",
    "sort",
    "sum",
    "round",
    "format",
    "working_day",
    "\\",
    "{{",
    "é",
];
