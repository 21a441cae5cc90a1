//! A full disk: every write fails as a whole with the code `disk_full`.
//! Work continues as soon as the disk has free space again.

use abide_engine::base::Problem;
use abide_engine::facade::Received;
use abide_engine::run::RunOutcome;
use abide_engine::store::{Dialect, tx_closure};
use serde_json::json;

use crate::campaign::church::{Church, message, on_both};
use crate::postgres::TestDb;
use crate::process::{ServerProcess, run_abide};

/// Lets a test fill the disk of PostgreSQL: every write asks the function `check_room`, which allows it for now.
/// The triggers are created before an engine or a server writes, because `CREATE TRIGGER` locks its table
/// and two transactions that lock several tables can end in a deadlock. To replace the function locks none.
const CHECK_ROOM: &str = "
    CREATE FUNCTION check_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
    DO $$ DECLARE t text; BEGIN
        FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
            EXECUTE format('CREATE TRIGGER check_room BEFORE INSERT OR UPDATE ON %I
                FOR EACH ROW EXECUTE FUNCTION check_room()', t);
        END LOOP;
    END $$;";

/// Makes every write to PostgreSQL fail with the error of a full disk.
const NO_ROOM: &str = "
    CREATE OR REPLACE FUNCTION check_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
    END $$";

/// Makes PostgreSQL fail every insert of an outbound message.
/// Inbound messages can then be stored, but not applied.
const NO_REPLIES: &str = "
    CREATE OR REPLACE FUNCTION check_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF TG_TABLE_NAME = 'outbox' AND TG_OP = 'INSERT' THEN
            RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
        END IF;
        RETURN NEW;
    END $$";

const ROOM: &str = "
    CREATE OR REPLACE FUNCTION check_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RETURN NEW;
    END $$";

/// Keeps an embedded file from growing. The statement sets the maximum number of pages to 1.
/// If the file already has more pages, SQLite takes the current number of pages as the maximum.
const NO_MORE_PAGES: &str = "PRAGMA max_page_count = 1";
const PAGES: &str = "PRAGMA max_page_count = 1000000";

/// A phone number that is not in the directory.
const STRANGER: &str = "+15125559999";

async fn set_limit(church: &Church, sqlite: &'static str, postgres: &'static str) {
    if church.engine().dialect() == Dialect::Postgres {
        return church.execute(postgres).await;
    }
    let task =
        tx_closure(move |tx| Box::pin(async move { Ok(tx.rows(sqlite, &[]).await.map(drop)?) }));
    church.engine().write(task).await.expect("the connection takes the setting");
}

async fn deliver(church: &Church, id: &str, from: &str, body: &str) -> Result<Received, Problem> {
    church.engine().receive("default", message(id, from, body)).await
}

/// Stops the database from growing, and uses up the free space in its existing pages.
async fn fill_disk(church: &Church) {
    set_limit(church, NO_MORE_PAGES, NO_ROOM).await;
    for (name, body) in [("long", "lorem ".repeat(200)), ("short", "lorem".to_owned())] {
        let mut full = None;
        for n in 0..500 {
            full = deliver(church, &format!("{name}-{n}"), STRANGER, &body).await.err();
            if full.is_some() {
                break;
            }
        }
        assert_disk_full(&full.expect("the disk is full"));
    }
}

#[track_caller]
fn assert_disk_full(problem: &Problem) {
    assert_eq!(problem.code, "disk_full", "{problem:?}");
    assert_eq!(problem.message, "the database has no room left");
    let hint = problem.hint.as_deref().unwrap_or_default();
    assert!(hint.contains("free space on the database's disk"), "{hint}");
}

on_both!(a_full_disk_loses_nothing_and_work_resumes_when_there_is_room, async |church: Church| {
    set_limit(&church, PAGES, CHECK_ROOM).await;
    let run = church.fill(2).await.id;
    fill_disk(&church).await;
    let ana = Church::phone('A');
    assert_disk_full(&deliver(&church, "SM-yes", &ana, "yes").await.expect_err("refused"));
    assert_disk_full(&deliver(&church, "SM-yes", &ana, "yes").await.expect_err("refused again"));
    assert_disk_full(
        &church.start("fill_roles", super::goals::other_goal()).await.expect_err("refused"),
    );
    assert_eq!(church.run(run).await.status.as_str(), "waiting");
    assert_eq!(church.number("SELECT COUNT(*) FROM assignment WHERE state = 'accepted'").await, 0);
    assert_eq!(church.number("SELECT COUNT(*) FROM run").await, 1);
    church.assert_consistent().await;

    set_limit(&church, PAGES, ROOM).await;
    let taken = deliver(&church, "SM-yes", &ana, "yes").await.expect("received");
    assert_eq!(taken.run_id, Some(run), "{taken:?}");
    assert_eq!(church.number("SELECT COUNT(*) FROM assignment WHERE state = 'accepted'").await, 1);
    deliver(&church, "SM-2", &Church::phone('B'), "yes").await.expect("received");
    assert_eq!(church.run(run).await.outcome, Some(RunOutcome::Succeeded));
    assert_eq!(church.sent(&ana, "invite").await, 1);
    church.assert_consistent().await;
});

on_both!(a_reply_stored_as_the_disk_fills_is_applied_when_there_is_room, async |church: Church| {
    set_limit(&church, PAGES, CHECK_ROOM).await;
    let run = church.fill(2).await.id;
    let applying = "SELECT COUNT(*) FROM inbound WHERE applied_at IS NULL";
    set_limit(&church, NO_MORE_PAGES, NO_REPLIES).await;
    let ana = Church::phone('A');
    let mut n = 0;
    // Each message uses space in an embedded file. In the end, there is room to store a message
    // but not to apply it.
    while church.number(applying).await == 0 && n < 500 {
        n += 1;
        let _ = deliver(&church, &format!("SM-{n}"), &ana, "maybe I can, maybe not").await;
    }
    assert_eq!(church.number(applying).await, 1, "after {n} texts");
    set_limit(&church, PAGES, ROOM).await;
    church.engine().tick().await.expect("goes on");
    assert_eq!(church.number(applying).await, 0);
    let aside = "SELECT COUNT(*) FROM ledger WHERE kind = 'inbound.set_aside'";
    assert_eq!(church.number(aside).await, 0, "a text is not set aside for a full disk");
    assert_eq!(church.run(run).await.status.as_str(), "waiting");
    church.assert_consistent().await;
});

#[tokio::test]
async fn over_http_a_full_disk_is_a_503_and_the_gateway_delivers_again() {
    let database = TestDb::postgres();
    assert!(run_abide(&["migrate", "--db", database.url()]).status.success());
    assert!(run_abide(&["seed", "--db", database.url()]).status.success());
    database.execute(CHECK_ROOM).await;
    let server = ServerProcess::serve(database.url(), &[]);
    database.execute(NO_ROOM).await;
    let text = json!({"id": "SM1", "from": "+15125550101", "to": "+15125550000", "body": "STOP"});
    for _ in 0..2 {
        let refused = server.post("/v1/messages/inbound", &text).await;
        assert_eq!(
            (refused.status, &refused.body["code"]),
            (503, &json!("disk_full")),
            "{refused:?}"
        );
        assert!(refused.body["hint"].is_string(), "{refused:?}");
    }
    assert_eq!(database.number("SELECT COUNT(*) FROM inbound").await, 0);
    database.execute(ROOM).await;
    let taken = server.post("/v1/messages/inbound", &text).await;
    assert_eq!((taken.status, &taken.body["duplicate"]), (200, &json!(false)), "{taken:?}");
    let suppressed = "SELECT COUNT(*) FROM contact WHERE suppressed = 1";
    assert_eq!(database.number(suppressed).await, 1);
}
