//! The calls that file an inspection packet: its photos, the inspection, its findings and the summary.

use serde_json::{Map, Value, json};

use super::reading::{ValueOf, WantedCall};

/// The member of the context that holds a packet.
pub(super) const MEMBER: &str = "inspection_packet";
/// The tools that file it, in their order.
pub(super) const TOOLS: [&str; 4] = [
    "media.create_asset",
    "inspection.create",
    "inspection.add_items",
    "inspection.generate_scope_summary",
];
/// Maximum number of photos, of measurements and of defects of a packet.
const PARTS_MAX: usize = 50;

/// Returns the calls that file a packet. What the packet lacks is missing in the calls.
pub(super) fn calls(packet: &Map<String, Value>) -> Vec<WantedCall> {
    let mut calls: Vec<WantedCall> =
        parts(packet, "photos").map(|photo| photo_call(photo, packet)).collect();
    let create = calls.len();
    calls.push(inspection(packet));
    let of_inspection = |tool: &str| {
        let value = ValueOf { call: create, member: "inspection_id".to_owned() };
        let refs = [("inspection_id".to_owned(), value)].into();
        WantedCall { tool: tool.to_owned(), refs, ..WantedCall::default() }
    };
    let mut add = of_inspection(TOOLS[2]);
    let items: Vec<Value> = parts(packet, "measurements")
        .map(measured)
        .chain(parts(packet, "defects").map(|it| Value::Object(it.clone())))
        .collect();
    if !items.is_empty() {
        add.input.insert("items".to_owned(), items.into());
    }
    calls.push(add);
    calls.push(of_inspection(TOOLS[3]));
    calls
}

fn parts<'p>(
    packet: &'p Map<String, Value>,
    member: &str,
) -> impl Iterator<Item = &'p Map<String, Value>> {
    let list = packet.get(member).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object).take(PARTS_MAX)
}

fn photo_call(photo: &Map<String, Value>, packet: &Map<String, Value>) -> WantedCall {
    let mut input = kept(photo, &["name", "content", "digest", "tags"]);
    if let Some(lead) = packet.get("lead_id").filter(|it| it.is_string()) {
        input.insert("entity_type".to_owned(), "lead".into());
        input.insert("entity_id".to_owned(), lead.clone());
    }
    WantedCall { tool: TOOLS[0].to_owned(), input, ..WantedCall::default() }
}

fn inspection(packet: &Map<String, Value>) -> WantedCall {
    let mut input = kept(packet, &["title", "lead_id", "inspector", "comment"]);
    if let Some(address) = packet.get("site_address").filter(|it| it.is_string()) {
        input.insert("address".to_owned(), address.clone());
    }
    WantedCall { tool: TOOLS[1].to_owned(), input, ..WantedCall::default() }
}

fn kept(from: &Map<String, Value>, members: &[&str]) -> Map<String, Value> {
    let has = |member: &&&str| from.get(**member).is_some_and(|it| !it.is_null());
    members.iter().filter(has).map(|member| ((*member).to_owned(), from[*member].clone())).collect()
}

/// Returns a measurement as a finding, with the figure as its comment.
fn measured(measurement: &Map<String, Value>) -> Value {
    let said = |member: &str| match measurement.get(member) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    json!({
        "area": said("area"),
        "condition": said("condition"),
        "comment": format!("{}: {} {}", said("what"), said("value"), said("unit")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_becomes_four_kinds_of_calls() {
        let packet = json!({
            "title": "Roof", "lead_id": "lead_12", "site_address": "22 Ridge Rd",
            "photos": [{ "name": "a.jpg", "digest": "aa" }, { "name": "b.jpg", "digest": "bb" }],
            "measurements": [{ "area": "ridge", "what": "length", "value": 14.5, "unit": "m", "condition": "fair" }],
            "defects": [{ "area": "valley", "condition": "failed" }],
        });
        let calls = calls(packet.as_object().expect("an object"));
        let tools: Vec<&str> = calls.iter().map(|call| call.tool.as_str()).collect();
        assert_eq!(tools, [TOOLS[0], TOOLS[0], TOOLS[1], TOOLS[2], TOOLS[3]]);
        assert_eq!(calls[3].refs["inspection_id"].call, 2);
        assert_eq!(calls[3].input["items"][0]["comment"], "length: 14.5 m");
    }
}
