//! Erasing a person: nothing of them is left in the database, its file, its log or the records of the gateway;
//! counts and hash chains stay.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use abide_engine::base::PersonId;
use abide_engine::clock::VirtualClock;
use abide_engine::facade::{ErasureReport, ToolCall};
use abide_engine::store::{ColumnType, CommitPoint, FaultAction, Leftovers, Store, TextTable};
use abide_simulator::domains;
use serde_json::json;

use super::church::{Church, Setup};
use crate::engines;
use crate::faults::FaultAtCommit;
use crate::postgres::{TestDb, databases};

const ZOE: &str = "+13125550147";
const NAME: &str = "Zebedia Quillfeather";
/// What must not be found anywhere after the erasure, in lower case: parts of the name, the number, and words.
const TRACES: [&str; 6] =
    ["zebedia", "quillfeather", "3125550147", "quibblefrotz", "zephyrmobile", "gwendolfa"];
const STAFF: &str = "+15125550100";
/// More than the commits of an erasure.
const COMMITS: u32 = 40;

/// A church in which Zebedia was asked, said yes, asked something and said no, while staff wrote of her and to her.
pub(crate) async fn church_with_zebedia(database: TestDb, setup: Setup) -> Church {
    let mut church = Church::with(database, setup).await;
    let person = json!([{ "name": NAME, "phone": ZOE, "roles": ["nursery"],
        "email": "zebedia@example.org", "consent_source": "sign-up form of Quillfeather",
        "consent_at": "2025-01-01T00:00:00Z" }]);
    engines::put_people(church.engine(), "default", person).await.expect("stored");
    church.fill(2).await;
    church.engine().tick().await.expect("ticks");
    for text in [
        "Sure thing quibblefrotz",
        "Where do I park my zephyrmobile?",
        "actually I cannot make it, my aunt Gwendolfa is ill",
        "put me down again please",
    ] {
        church.text(ZOE, text).await;
        church.engine().tick().await.expect("ticks");
    }
    church.text(STAFF, "who is Zebedia Quillfeather").await;
    church
        .text(
            STAFF,
            "zebedia quillfeather wrote: my aunt Gwendolfa is ill, so let us see who else can come",
        )
        .await;
    church.engine().tick().await.expect("ticks");
    let call = ToolCall {
        tool: "sms.send".to_owned(),
        input: json!({ "to": ZOE, "body": "Dear Zebedia, (312) 555-0147 is your number" }),
        key: Some("to 3125550147".to_owned()),
        request_key: Some("request to 3125550147".to_owned()),
        request: None,
        consented: true,
    };
    church.engine().call_tool("default", call).await.expect("called");
    church.engine().tick().await.expect("ticks");
    church
}

async fn zebedia(church: &Church) -> PersonId {
    let person = json!([{ "name": NAME, "phone": ZOE }]);
    engines::put_people(church.engine(), "default", person).await.expect("found")[0].id
}

pub(crate) async fn erase(church: &Church) -> ErasureReport {
    let person = zebedia(church).await;
    let erased = church.engine().erase_person("default", person, domains::text_tables()).await;
    erased.expect("erased")
}

/// Whether a text names or quotes the person.
pub(crate) fn has_trace(text: &str) -> bool {
    let text = text.to_lowercase();
    TRACES.iter().any(|trace| text.contains(trace))
}

/// Returns what is left of the person in the rows of the database, in its files, and at the gateway.
pub(crate) async fn traces(church: &Church) -> Vec<String> {
    let mut found: Vec<String> =
        church.database().rows().await.into_iter().filter(|row| has_trace(row)).collect();
    let sent = church.provider.sent();
    found.extend(sent.iter().map(|sent| format!("{sent:?}")).filter(|sent| has_trace(sent)));
    for end in ["", "-wal"] {
        let file = format!("{}{end}", church.database().url());
        if let Ok(bytes) = std::fs::read(&file)
            && has_trace(&String::from_utf8_lossy(&bytes))
        {
            found.push(file);
        }
    }
    found
}

async fn counts(church: &Church) -> BTreeMap<&'static str, i64> {
    let tables = [
        (
            "events",
            "SELECT COUNT(*) FROM ledger WHERE kind NOT IN ('person.erased', 'events.redacted', 'offers', 'assignment', 'request')",
        ),
        ("messages", "SELECT COUNT(*) FROM outbox"),
        ("replies", "SELECT COUNT(*) FROM inbound"),
        ("offers", "SELECT COUNT(*) FROM offer"),
        ("people", "SELECT COUNT(*) FROM person"),
    ];
    let mut counts = BTreeMap::new();
    for (name, sql) in tables {
        counts.insert(name, church.database().number(sql).await);
    }
    counts
}

#[tokio::test]
async fn nothing_is_left_of_a_person_who_is_erased() {
    for database in databases() {
        let told = database.to_string();
        let church = church_with_zebedia(database, Setup::default()).await;
        assert!(traces(&church).await.len() > 10, "{told}: she is everywhere");
        let before = counts(&church).await;
        let report = erase(&church).await;
        assert_eq!(traces(&church).await, [] as [&str; 0], "{told}");
        assert_eq!(counts(&church).await, before, "{told}");
        assert!(report.messages >= 8 && report.events >= 1 && report.rows >= 4, "{report:?}");
        let expected = if told == "sqlite" { Leftovers::None } else { Leftovers::WithServer };
        assert_eq!(report.leftovers, expected, "{told}");
        let audit = church.engine().audit().await.expect("audited");
        assert!(audit.is_clean(), "{told}: {:?}", audit.breaches);
        assert_eq!(church.database().number("SELECT COUNT(*) FROM erasure").await, 0, "{told}");
    }
}

#[tokio::test]
async fn a_redacted_event_cannot_be_changed_once_more() {
    for database in databases() {
        let told = database.to_string();
        let church = church_with_zebedia(database, Setup::default()).await;
        erase(&church).await;
        let forge = "UPDATE ledger SET body = REPLACE(body, '[erased]', '[forged]') WHERE body LIKE '%[erased]%'";
        church.database().execute(forge).await;
        let audit = church.engine().audit().await.expect("audited");
        assert!(audit.breaches.iter().any(|it| it.rule == "chain_broken"), "{told}: {audit:?}");
    }
}

#[tokio::test]
async fn an_erasure_that_crashes_is_finished_by_the_next_process() {
    for side in [CommitPoint::Before, CommitPoint::After] {
        for nth in (1..=COMMITS).step_by(2) {
            let faults = Arc::new(FaultAtCommit::new(FaultAction::Crash));
            let setup = Setup { faults: faults.clone(), ..Setup::default() };
            let mut church = church_with_zebedia(TestDb::sqlite(), setup).await;
            let person = zebedia(&church).await;
            let texts = domains::text_tables();
            faults.arm(side, nth);
            let erased = church.engine().erase_person("default", person, texts).await;
            if faults.is_armed() {
                erased.expect("erased");
                assert!(nth > 5, "an erasure has more than {nth} commits");
                break;
            }
            let told = format!("commit {nth}, {side:?}");
            church.crash().await;
            let begun = church
                .database()
                .number("SELECT COUNT(*) FROM person WHERE erased_at IS NOT NULL")
                .await;
            let open = church.engine().finish_erasures(texts).await.expect("finished");
            if begun == 0 {
                assert_eq!(open, 0, "{told}");
                continue;
            }
            assert_eq!(traces(&church).await, [] as [&str; 0], "{told}");
            let audit = church.engine().audit().await.expect("audited");
            assert!(audit.is_clean(), "{told}: {:?}", audit.breaches);
        }
    }
}

#[tokio::test]
async fn a_person_who_is_erased_has_no_place_and_gets_no_text() {
    for database in databases() {
        let told = database.to_string();
        let mut church = church_with_zebedia(database, Setup::default()).await;
        let person = zebedia(&church).await;
        church.advance("1m").await;
        let sent = church.provider.sent_count();
        let report = erase(&church).await;
        assert_eq!(report.places.len(), 1, "{told}: {report:?}");
        let places = "SELECT COUNT(*) FROM assignment a JOIN person p ON p.id = a.person
            WHERE p.erased_at IS NOT NULL AND a.state IN ('accepted', 'invited', 'waitlisted')";
        assert_eq!(church.database().number(places).await, 0, "{told}");
        church.advance("5days").await;
        let later = church.provider.sent().split_off(sent);
        assert!(later.iter().all(|it| it.to != ZOE && it.to != "[erased]"), "{told}: {later:?}");
        let again = church.engine().erase_person("default", person, domains::text_tables()).await;
        assert_eq!(again.expect_err("she is gone").code, "person_unknown", "{told}");
        // She may come back, as somebody new.
        let back = zebedia(&church).await;
        assert_ne!(back, person, "{told}");
        church.text(ZOE, "STOP").await;
        let number = "SELECT COUNT(*) FROM contact c JOIN pii n ON n.id = c.phone WHERE n.value = '+13125550147'";
        assert_eq!(church.database().number(number).await, 1, "{told}");
        erase(&church).await;
        let opted_out = "SELECT COUNT(*) FROM contact WHERE suppressed = 1";
        assert_eq!(church.database().number(opted_out).await, 1, "{told}: it stays obeyed");
    }
}

#[tokio::test]
async fn what_others_share_with_a_person_stays() {
    for database in databases() {
        let told = database.to_string();
        let mut church = church_with_zebedia(database, Setup::default()).await;
        let others = json!([
            { "name": "Otto Quillfeather", "phone": ZOE, "roles": ["nursery"] },
            { "name": "Will Zebedia", "phone": "+13125550148" },
        ]);
        engines::put_people(church.engine(), "default", others).await.expect("stored");
        church.text(STAFF, "Otto Quillfeather and zebedia quillfeather will come").await;
        let report = erase(&church).await;
        assert!(report.is_number_shared, "{told}");
        let left = traces(&church).await.join("\n");
        for kept in ["Otto Quillfeather", "Will Zebedia", ZOE, "quibblefrotz"] {
            assert!(left.contains(kept), "{told}: `{kept}` is gone:\n{left}");
        }
        assert!(!left.to_lowercase().contains("zebedia quillfeather"), "{told}:\n{left}");
    }
}

/// Names of columns with words of the program, which name nobody.
const WORDS: &str = "tenant kind state status outcome method tool risk role template cause cause_kind reason phase
    scope tz cron overlap catch_up campus time_zone language wrote_in gives signal handled_as carrier_word gateway
    provider_ref recipient user_key session goal_type event_type mode stage domain intent predicate rel_type unit
    digest origin frame cell yes_cell open_cells stuck_on was became targets approvers type target_kind why
    content_type refund_of key topic";
/// Tables with the work of authors and operators, who are not in the directory for it.
const OF_AUTHORS: &str =
    "meta tenant definition method_version node service church token capacity reservation
    live_fill archive seal";

/// Whether a column holds ids, words of the program or the work of authors, which name nobody.
fn names_nobody(column: &str) -> bool {
    let (table, name) = column.split_once('.').unwrap_or_default();
    let has = |words: &str, wanted: &str| words.split_whitespace().any(|word| word == wanted);
    name == "id"
        || name.ends_with("_id")
        || has(WORDS, name)
        || has(OF_AUTHORS, table)
        || table.starts_with("notes_words")
}

#[tokio::test]
async fn every_column_with_texts_is_redacted_or_names_nobody() {
    let special: BTreeSet<&str> = [
        "pii.value",
        "blob.bytes",
        "var.value",
        "run.state",
        "signal.payload",
        "signal.dedupe",
        "ledger.body",
        "person.name",
        "person.phone",
        "person.email",
        "person.external_id",
        "contact.consent_source",
        "contact.consent_wording",
        "contact.reason",
        "run.start_key",
        "signal.name",
        "var.name",
    ]
    .into();
    for database in databases() {
        let clock =
            Arc::new(VirtualClock::starting_at("2025-09-30T10:00:00Z".parse().expect("a time")));
        let options = engines::store_options(database.url(), clock, 1);
        Store::migrate(&options).await.expect("migrated");
        let tables = || TextTable::of_engine().chain(domains::text_tables());
        let redacted: BTreeSet<String> = tables()
            .flat_map(|table| table.texts.iter().map(|text| format!("{}.{text}", table.name)))
            .collect();
        let mut left = Vec::new();
        for column in database.columns().await {
            let (name, kind) = column.split_once(' ').expect("a column and its kind");
            let is_known = redacted.contains(name) || special.contains(name) || names_nobody(name);
            if kind == format!("{:?}", ColumnType::Text) && !is_known {
                left.push(name.to_owned());
            }
        }
        assert_eq!(left, [] as [&str; 0], "{database}");
        for table in tables() {
            let columns: BTreeSet<String> = database.columns().await.into_iter().collect();
            for text in table.texts {
                let column = format!("{}.{text} Text", table.name);
                assert!(columns.contains(&column), "{database}: there is no `{column}`");
            }
        }
    }
}
