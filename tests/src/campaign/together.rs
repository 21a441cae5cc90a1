//! Answers that are applied together lead to the same as answers that are applied one by one.

use super::church::{Church, goal, message};
use super::race::parallel_setup;
use crate::postgres::{TestDb, databases};

/// What the twelve who were asked answer, in the order of their answers. Most are plain; the others are applied alone.
const ANSWERS: [(char, &str); 12] = [
    ('A', "yes"),
    ('B', "no, sorry"),
    ('C', "Sure, happy to"),
    ('D', "maybe, it depends on my shift"),
    ('E', "sí, claro que puedo"),
    ('F', "yes"),
    ('G', "yes"), // staff have taken over this thread
    ('H', "can't make it"),
    ('I', "yes"),
    ('J', "which door do we use?"),
    ('K', "Yes!"),
    ('L', "count me in"),
];

/// What people answer who were asked to serve at 9:00 and at 9:30, which no one can do both.
const ANSWERS_OF_BOTH: [(char, &str); 9] = [
    ('A', "yes to the 9am"),
    ('B', "yes to the 9am"),
    ('C', "yes to the 9:30"),
    ('D', "yes to the 9:30"),
    ('E', "yes to the 9:30"),
    ('A', "yes to the 9:30 as well"),
    ('F', "yes to the 9:30"),
    ('C', "yes to the 9am too"),
    ('G', "no to the 9:30"),
];
const HALF_PAST: &str = "2025-10-05T09:30:00-05:00";

const TAKE_OVER_G: &str = "INSERT INTO thread (tenant, contact, taken_by, taken_at)
    SELECT 'default', contact, 'Pat', 0 FROM person WHERE phone = '+15125550107'";
const ENDS_OF_OFFERS: &str = "SELECT COUNT(*) FROM ledger WHERE kind = 'offers'";

/// What the answers lead to. The number of events that record the ends of offers is left out: one such event can record
/// the ends of several.
const EFFECTS: [&str; 7] = [
    "SELECT p.name || ' ' || a.role || ' ' || a.state || ' ' || COALESCE(CAST(a.seat AS TEXT), '-')
        || ' ' || COALESCE(CAST(a.version AS TEXT), '-') FROM assignment a JOIN person p ON p.id = a.person ORDER BY 1",
    "SELECT p.name || ' ' || o.state || ' ' || COALESCE(o.cause, '-') || ' ' || o.notice
        FROM offer o JOIN person p ON p.id = o.person ORDER BY 1",
    "SELECT cell || ' ' || open || ' ' || yes || ' ' || no || ' ' || gone FROM tally ORDER BY 1",
    "SELECT status || ' ' || version FROM request ORDER BY 1",
    "SELECT p.name || ' ' || o.kind || ' ' || o.cause_kind || ' ' || o.bulk || CASE WHEN o.run_id IS NULL THEN '' ELSE ' of a run' END
        FROM outbox o JOIN person p ON p.id = o.person ORDER BY 1",
    "SELECT i.provider_id || ' ' || i.handled_as || CASE WHEN i.correlation = r.correlation THEN ' of a run' ELSE '' END
        FROM inbound i LEFT JOIN run r ON r.id = i.run_id LEFT JOIN request q ON q.id = i.partition_key
        ORDER BY q.service_time, i.ord, i.provider_id",
    "SELECT kind || ' ' || COUNT(*) FROM ledger WHERE kind IN ('assignment', 'request', 'inbound.applied', 'offered')
        GROUP BY kind ORDER BY kind",
];

/// When the stored messages are applied.
#[derive(Clone, Copy, PartialEq)]
enum Applied {
    EachAlone,
    AllAtOnce,
}

/// Receives all answers while no process serves.
async fn answered(church: &Church, answers: &[(char, &str)], applied: Applied) {
    for (nth, (letter, body)) in answers.iter().enumerate() {
        let answer = message(&format!("SM-{nth:02}"), &Church::phone(*letter), body);
        church.engine().receive("default", answer).await.expect("received");
        if applied == Applied::EachAlone {
            church.engine().tick().await.expect("applied");
        }
    }
    church.engine().tick().await.expect("applied");
}

/// Returns what the answers lead to, and the number of events that record the ends of offers.
async fn effects(church: &Church) -> (Vec<Vec<String>>, i64) {
    let mut effects = Vec::new();
    for sql in EFFECTS {
        effects.push(church.database().texts(sql, sql).await);
    }
    church.assert_consistent().await;
    (effects, church.number(ENDS_OF_OFFERS).await)
}

/// Tells a story twice: the answers are applied each alone, and all at once. Compares what they lead to.
async fn same_effects(story: impl AsyncFn(TestDb, Applied) -> Church) {
    for (alone, together) in databases().into_iter().zip(databases()) {
        let (expected, ends_alone) = effects(&story(alone, Applied::EachAlone).await).await;
        let (found, ends_together) = effects(&story(together, Applied::AllAtOnce).await).await;
        for (expected, found) in expected.iter().zip(&found) {
            assert!(!found.is_empty());
            assert_eq!(found, expected);
        }
        assert!(ends_together < ends_alone, "{ends_together} of {ends_alone}: some are together");
    }
}

#[tokio::test]
async fn answers_applied_together_lead_to_the_same_as_answers_applied_alone() {
    same_effects(async |database, applied| {
        let church = Church::with(database, parallel_setup()).await;
        church.fill(12).await;
        church.engine().tick().await.expect("settled");
        church.execute(TAKE_OVER_G).await;
        answered(&church, &ANSWERS, applied).await;
        church
    })
    .await;
}

#[tokio::test]
async fn nobody_gets_places_in_two_services_that_overlap() {
    same_effects(async |database, applied| {
        let church = Church::with(database, parallel_setup()).await;
        church.fill(12).await;
        let mut later = goal(12);
        later["time"] = HALF_PAST.into();
        church.start("fill_roles", later).await.expect("started");
        church.engine().tick().await.expect("settled");
        assert_eq!(church.number("SELECT COUNT(*) FROM request").await, 2);
        answered(&church, &ANSWERS_OF_BOTH, applied).await;
        let twice =
            "SELECT COUNT(*) - COUNT(DISTINCT person) FROM assignment WHERE state = 'accepted'";
        assert_eq!(church.number(twice).await, 0);
        assert!(
            church.number("SELECT COUNT(*) FROM assignment WHERE state = 'accepted'").await > 3
        );
        church
    })
    .await;
}

#[tokio::test]
async fn the_first_of_many_who_say_yes_at_once_get_the_places() {
    for database in databases() {
        let church = Church::with(database, parallel_setup()).await;
        church.fill(5).await;
        church.engine().tick().await.expect("settled");
        for letter in ('A'..='L').rev() {
            let yes = message(&format!("SM-{letter}"), &Church::phone(letter), "yes");
            church.engine().receive("default", yes).await.expect("received");
        }
        church.engine().tick().await.expect("applied");
        let places = "SELECT SUBSTR(p.name, 1, 1) || ' ' || a.state || ' ' || COALESCE(CAST(a.seat AS TEXT), '-')
            FROM assignment a JOIN person p ON p.id = a.person ORDER BY a.ord";
        let placed = ('A'..='E').zip(1..).map(|(letter, seat)| format!("{letter} accepted {seat}"));
        let waiting = ('F'..='L').map(|letter| format!("{letter} waitlisted -"));
        let expected: Vec<String> = placed.chain(waiting).collect();
        assert_eq!(church.database().texts(places, places).await, expected);
        assert_eq!(church.number(ENDS_OF_OFFERS).await, 1, "one transaction applies all");
        let changes = "SELECT became || ' ' || version FROM request_change ORDER BY version";
        let changes = church.database().texts(changes, changes).await;
        assert_eq!(changes, ["open 1", "open 2", "partially_filled 3", "filled 4"]);
        church.assert_consistent().await;
    }
}
