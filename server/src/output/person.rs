//! Formats people of the directory: a table of many people, or a page for one person.

use std::fmt::Write as _;

use serde_json::Value;

use super::members::{list as list_of, member, text};
use super::plural::counted;
use super::table;

/// Formats the table of `people list`.
#[must_use]
pub(crate) fn list(people: &[Value]) -> String {
    table(
        ["person", "name", "phone", "roles", "campus", "active"],
        people.iter().map(|person| {
            [
                text(person, "id").to_owned(),
                text(person, "name").to_owned(),
                text(person, "phone").to_owned(),
                roles(person),
                text(person, "campus").to_owned(),
                active(person).to_owned(),
            ]
        }),
    )
}

/// Formats the page of `people show`.
#[must_use]
pub(crate) fn page(person: &Value) -> String {
    let mut page = format!("{}  {}", text(person, "name"), text(person, "id"));
    let members =
        ["phone", "guardian_phone", "email", "campus", "time_zone", "language", "household"]
            .map(|name| (name, text(person, name).to_owned()));
    let more = [
        ("external_id", text(person, "external_id").to_owned()),
        ("roles", roles(person)),
        ("active", active(person).to_owned()),
        ("consent", consent(person)),
    ];
    for (label, shown) in members.into_iter().chain(more).filter(|(_, shown)| !shown.is_empty()) {
        let _ = write!(page, "\n  {:<14} {shown}", label.replace('_', " "));
    }
    page
}

/// Formats the report of `person erase`.
#[must_use]
pub(crate) fn erasure(report: &Value) -> String {
    let count = |name: &str, what: &str| counted(report[name].as_u64().unwrap_or(0), what);
    let mut out = format!(
        "erased {}\n  texts         {} from and to the person\n  traces        {} and {} that named or quoted the person",
        text(report, "person"),
        count("messages", "message"),
        count("rows", "row"),
        count("events", "event"),
    );
    for place in member(report, "places").and_then(Value::as_array).into_iter().flatten() {
        let (role, at) = (text(place, "role"), text(place, "service_time"));
        let _ = write!(out, "\n  free again    {role}, {at}");
    }
    if report["archives"].as_u64().is_some_and(|archives| archives > 0) {
        let _ = write!(out, "\n  archives      {} rewritten", count("archives", "file"));
    }
    for missing in list_of(report, "missing_archives").iter().filter_map(Value::as_str) {
        let _ = write!(out, "\n  not here      {missing}: erase the person there too");
    }
    if report["is_number_shared"] == true {
        out += "\n  kept          the phone number and its texts, because other people share it";
    }
    match text(report, "leftovers") {
        "found" => {
            out += "\n  left          old pages in the file of the database, which another process reads"
        }
        "with_server" => {
            out += "\n  left          old versions of rows, which the database server drops with its next vacuum"
        }
        _ => {}
    }
    out
}

fn roles(person: &Value) -> String {
    let roles = member(person, "roles").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    roles.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
}

/// Describes the consent to texts on record, and whether the person has opted out.
fn consent(person: &Value) -> String {
    let given = match (text(person, "consent_source"), text(person, "consent_at")) {
        ("", _) => String::new(),
        (source, at) => format!("{source}, {at}"),
    };
    let wording = match text(person, "consent_wording") {
        "" => String::new(),
        wording => format!(": \"{wording}\""),
    };
    match (person["opted_out"] == true, given.as_str()) {
        (false, _) => format!("{given}{wording}"),
        (true, "") => "opted out".to_owned(),
        (true, _) => format!("opted out, although on record: {given}{wording}"),
    }
}

fn active(person: &Value) -> &'static str {
    if person["active"] == false { "no" } else { "yes" }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_person_is_a_line_or_a_page() {
        let ana = json!({"id": "per_1", "name": "Ana", "phone": "+15125550101", "active": false,
            "roles": ["greeters", "nursery"], "guardian_phone": "+15125550102"});
        let table = list(std::slice::from_ref(&ana));
        let line = table.lines().nth(1).expect("a row");
        let words: Vec<_> = line.split_whitespace().collect();
        assert_eq!(words, ["per_1", "Ana", "+15125550101", "greeters,", "nursery", "no"]);
        assert_eq!(
            page(&ana),
            "Ana  per_1\n  phone          +15125550101\n  guardian phone +15125550102\n\
             \x20 roles          greeters, nursery\n  active         no"
        );
    }

    #[test]
    fn a_page_says_what_is_on_record_about_consent() {
        let line = |person: Value| page(&person).lines().last().map(|line| line[17..].to_owned());
        let mut person =
            json!({"consent_source": "form", "consent_at": "2025-09-01T15:00:00+00:00"});
        let given = "form, 2025-09-01T15:00:00+00:00";
        assert_eq!(line(person.clone()).as_deref(), Some(given));
        person["consent_wording"] = json!("Text me.");
        assert_eq!(line(person.clone()), Some(format!("{given}: \"Text me.\"")));
        person["opted_out"] = json!(true);
        let out = format!("opted out, although on record: {given}: \"Text me.\"");
        assert_eq!(line(person), Some(out));
        assert_eq!(line(json!({"opted_out": true})).as_deref(), Some("opted out"));
    }
}
