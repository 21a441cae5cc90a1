//! Texts of staff of a trade.

use std::sync::LazyLock;

use abide_agent::operator::{OperatorIntents, OperatorReading, read};
use abide_language::contract::{Contracts, Risk};
use jiff::Zoned;
use serde_json::{Map, Value};

use super::confusion::Confusion;
use super::{lines, path, text};

/// The least share of intents, of tools and of tiers that must be understood.
const INTENTS_AT_LEAST: f64 = 0.9;
const TOOLS_AT_LEAST: f64 = 0.9;
const TIERS_AT_LEAST: f64 = 0.95;

/// The contracts of the program.
pub(super) static CONTRACTS: LazyLock<Contracts> = LazyLock::new(|| {
    let folder = std::fs::read_dir(path("../contracts")).expect("a folder");
    let mut all = Contracts::default();
    for entry in folder {
        let file = entry.expect("an entry").path();
        if file.extension().is_some_and(|it| it == "yaml") {
            let text = std::fs::read_to_string(&file).expect("a file");
            let (contracts, findings) = Contracts::load(&text, "contracts.yaml");
            assert!(findings.is_empty(), "{findings:?}");
            all.extend(contracts);
        }
    }
    all
});

/// A Monday at noon.
pub(super) fn now() -> Zoned {
    "2026-05-04T12:00:00+10:00[Australia/Melbourne]".parse().expect("an instant")
}

pub(super) fn read_text(text: &str, context: &Map<String, Value>) -> OperatorReading {
    read(text, context, &CONTRACTS, OperatorIntents::builtin(), &now())
}

/// What was understood of one half.
#[derive(Default)]
struct Understood {
    intents: Confusion,
    tools: Confusion,
    tiers: Confusion,
    missing: Confusion,
    slots: Confusion,
    /// Texts that would be executed although they are to be refused or asked about.
    executed: usize,
    /// Texts whose tier is lower than it is.
    low: usize,
}

fn understood(half: &str) -> Understood {
    let mut all = Understood::default();
    for line in lines("operator", half) {
        let none = Map::new();
        let found = read_text(text(&line, "text"), line["context"].as_object().unwrap_or(&none));
        let classified = &found.classification;
        let said = text(&line, "text");
        let (wanted, intent) = (text(&line, "intent"), classified.intent.as_str());
        all.intents.add(said, wanted, intent);
        all.executed += usize::from(intent == "execute" && wanted != "execute");
        let risk: Risk = serde_json::from_value(line["risk"].clone()).expect("a tier");
        all.low += usize::from(classified.risk_tier < risk);
        all.tiers.add(said, &risk.to_string(), &classified.risk_tier.to_string());
        let tools = classified.tool_candidates.join(" ");
        let wanted_tools = joined(&line["tools"]);
        // The tools of what is refused are of no use: none is as good.
        let no_use = wanted == "refuse" && intent == "refuse";
        all.tools.add(said, &wanted_tools, if no_use { &wanted_tools } else { &tools });
        if wanted != "refuse" {
            all.missing.add(
                said,
                &joined(&line["missing"]),
                &classified.missing_evidence.join(" "),
            );
            all.slots.add(&shown(said, &found), "", &wrong_slots(&line["slots"], &found.slots));
        }
    }
    all
}

fn joined(list: &Value) -> String {
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.collect::<Vec<_>>().join(" ")
}

fn shown(said: &str, found: &OperatorReading) -> String {
    format!("{said}: {}", serde_json::to_string(&found.slots).expect("JSON"))
}

/// Returns the slots that differ. Times are said in many ways, and are tested elsewhere.
fn wrong_slots(wanted: &Value, found: &Map<String, Value>) -> String {
    let times = [
        "starts_at",
        "ends_at",
        "since",
        "until",
        "due_at",
        "due_date",
        "send_at",
        "valid_until_date",
        "received_at",
    ];
    let members = wanted.as_object().into_iter().flatten();
    let wrong = members.filter(|(member, value)| match found.get(*member) {
        Some(_) if times.contains(&member.as_str()) => false,
        found => found != Some(value),
    });
    wrong.map(|(member, _)| member.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn texts_of_a_trade_are_understood() {
    for (half, with_texts) in [("seen", true), ("held", false)] {
        let all = understood(half);
        let parts = [
            ("intents", &all.intents),
            ("tools", &all.tools),
            ("tiers", &all.tiers),
            ("missing members", &all.missing),
            ("slots", &all.slots),
        ];
        for (name, part) in parts {
            match with_texts {
                true => part.print(&format!("{name} of the operator, {half}"), true),
                // Nobody looks at the other half: not even at what is taken for what.
                false => println!("{name} of the operator, {half}: {:.1} %", 100.0 * part.share()),
            }
        }
        println!("{half}: {} executed, {} tiers too low", all.executed, all.low);
        assert!(all.intents.share() >= INTENTS_AT_LEAST);
        assert!(all.tools.share() >= TOOLS_AT_LEAST && all.tiers.share() >= TIERS_AT_LEAST);
        // None is executed that is to be refused or asked about, and none has a tier that is too low.
        assert_eq!((all.executed, all.low), (0, 0));
    }
}
