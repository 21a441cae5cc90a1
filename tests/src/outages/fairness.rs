//! While one tenant sends many messages through a slow provider, answers to other people are not late.
//! If the provider does not respond for one recipient, messages to other recipients are not late.

use std::collections::BTreeMap;
use std::sync::Arc;

use abide_engine::base::{MessageId, PiiId, Problem, Span, Timestamp};
use abide_engine::driver::DriveMode;
use abide_engine::facade::Engine;
use abide_engine::gateway::{LookupBehaviour, Reaction, Script, ScriptRule};
use abide_engine::params;
use abide_engine::store::{ColumnType, Param, Rows, Tx, tx_closure};
use serde_json::json;

use super::idle_clock::IdleClock;
use crate::campaign::church::{Church, Setup, message};
use crate::engines::{Serving, put_people};
use crate::postgres::{TestDb, databases};

/// Time that the provider takes to respond to a request to send a message.
const ANSWER_DELAY: Span = Span::from_micros(200_000);
/// Maximum time until the provider receives the answer to a person's message.
const ANSWERED_WITHIN: Span = Span::from_secs(2);
/// Number of messages that the tenant `default` sends.
const FLOOD: usize = 10_000;
/// Names of the tenants besides `default`.
const OTHERS: [&str; 9] = ["t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"];

/// A church whose engine serves while virtual time passes.
struct BusyChurch {
    idle_clock: IdleClock,
    church: Church,
    serving: Serving,
}

impl BusyChurch {
    /// Opens a church whose provider follows these rules, calls the function `prepare`, and then starts
    /// the engine.
    async fn open(
        database: TestDb,
        idle_clock: IdleClock,
        rules: Vec<ScriptRule>,
        prepare: impl AsyncFnOnce(&Church),
    ) -> Self {
        let (drive_mode, faults) = (DriveMode::Tasks(4), Arc::new(idle_clock.clone()));
        let church = Church::with(database, Setup { drive_mode, faults, ..Setup::default() }).await;
        let script = Script::new(church.clock());
        church.provider.set_script(rules.into_iter().fold(script, Script::with));
        prepare(&church).await;
        idle_clock.drive(church.clock());
        let serving = Serving::begin([church.engine()]);
        Self { idle_clock, church, serving }
    }

    fn engine(&self) -> &Engine {
        self.church.engine()
    }

    /// Receives a message in a separate task, without waiting for the result.
    fn receive(&self, tenant: &'static str, id: &str, from: &str, body: &str) {
        let (engine, message) = (self.engine().clone(), message(id, from, body));
        tokio::spawn(async move { engine.receive(tenant, message).await.expect("received") });
    }

    async fn stop(self) {
        self.serving.ask_to_stop();
        self.idle_clock.advance(Span::from_secs(20)).await;
        self.serving.stop().await;
    }
}

/// Returns the phone number of the only person of the n-th tenant.
fn phone(tenant: usize) -> String {
    format!("+1713555{tenant:04}")
}

/// Creates the tenant if it does not exist, and adds a person to it.
async fn add_person(church: &Church, tenant: &'static str, phone: String) {
    let person = json!([{ "name": "Max", "phone": phone, "roles": ["nursery"] }]);
    let ensure = tx_closure(move |tx| Box::pin(async move { Ok(tx.ensure_tenant(tenant).await?) }));
    church.engine().write(ensure).await.expect("ensured");
    put_people(church.engine(), tenant, person).await.expect("added");
}

/// Number of messages that one transaction queues.
const TEXTS_PER_COMMIT: usize = 1_000;

/// Queues messages of the tenant `default`, each to a different phone number.
async fn queue_flood(church: &Church, texts: usize) {
    for from in (0..texts).step_by(TEXTS_PER_COMMIT) {
        let phones: Vec<String> =
            (from..texts.min(from + TEXTS_PER_COMMIT)).map(|n| format!("+1832{n:07}")).collect();
        let task = tx_closure(move |tx| {
            let phones = phones.clone();
            Box::pin(async move { queue(tx, &phones).await })
        });
        church.engine().write(task).await.expect("queued");
    }
}

async fn queue(tx: &mut Tx, phones: &[String]) -> Result<(), Problem> {
    let body: PiiId = tx.store_pii("Picnic on Sunday").await?;
    let contacts = tx.contacts("default", phones).await?;
    let mut rows = Rows::new(&[
        ("id", ColumnType::Id),
        ("key", ColumnType::Text),
        ("contact", ColumnType::Bytes),
    ]);
    for (contact, phone) in contacts.into_iter().zip(phones) {
        let id: MessageId = tx.mint();
        rows.push([id.into(), Param::from(&format!("flood:{phone}")), contact.into()]);
    }
    tx.bulk(
        "INSERT INTO outbox (id, tenant, key, kind, contact, body, segments, cause_kind, not_before, state,
            attempt, created_at, bulk, unasked)
         SELECT id, 'default', key, 'picnic', contact, $1, 1, 'picnic', $2, 'queued', 0, $2, 1, 0 FROM {rows}",
        &params![body, tx.now()],
        &rows,
    )
    .await?;
    Ok(())
}

/// Returns, for each phone number, the time at which the provider received its first message to that
/// number. The messages of the flood are not counted.
fn answers(church: &Church) -> BTreeMap<String, Timestamp> {
    let sent = church.provider.sent().into_iter().filter(|sent| !sent.body.starts_with("Picnic"));
    let mut first = BTreeMap::new();
    for sent in sent {
        first.entry(sent.to).or_insert(sent.at);
    }
    first
}

#[test]
fn ten_thousand_texts_of_one_tenant_delay_no_answer() {
    for database in databases() {
        IdleClock::run(async |idle_clock| {
            let slow = vec![ScriptRule::always(Reaction::Accept { after: ANSWER_DELAY })];
            let prepare = async |church: &Church| {
                for (n, tenant) in OTHERS.into_iter().enumerate() {
                    add_person(church, tenant, phone(n)).await;
                }
                add_person(church, "default", phone(OTHERS.len())).await;
                queue_flood(church, FLOOD).await;
            };
            let busy = BusyChurch::open(database, idle_clock, slow, prepare).await;
            // A person of `default`, the tenant that sends the flood, also writes a message.
            let tenants = OTHERS.into_iter().chain(["default"]);
            let mut written = BTreeMap::new();
            for (n, tenant) in tenants.enumerate() {
                busy.idle_clock.advance(Span::from_micros(170_000)).await;
                written.insert(phone(n), busy.engine().now());
                busy.receive(tenant, "SM-help", &phone(n), "HELP");
            }
            busy.idle_clock.advance(ANSWERED_WITHIN).await;
            let answered = answers(&busy.church);
            for (phone, written) in written {
                let answered =
                    *answered.get(&phone).unwrap_or_else(|| panic!("{phone}: no answer"));
                assert!(answered <= written + ANSWERED_WITHIN, "{phone}: {}", answered - written);
            }
            let left = busy.church.provider.sent_count();
            assert!((100..FLOOD).contains(&left), "the flood has begun and not ended: {left}");
            busy.stop().await;
        });
    }
}

#[test]
fn a_provider_that_hangs_for_one_recipient_delays_no_other() {
    for database in databases() {
        IdleClock::run(async |idle_clock| {
            let hung = "+18320000003";
            let (hangs, loses) = (Reaction::Hang, Reaction::LoseAnswer { sent: true });
            let rules = vec![
                ScriptRule::to(hung, hangs).with_lookups(LookupBehaviour::CanNeverTell),
                ScriptRule::to("+18320000005", loses),
                ScriptRule::always(Reaction::Accept { after: ANSWER_DELAY }),
            ];
            let prepare = async |church: &Church| {
                add_person(church, OTHERS[0], phone(0)).await;
                queue_flood(church, 200).await;
            };
            let busy = BusyChurch::open(database, idle_clock, rules, prepare).await;
            busy.idle_clock.advance(Span::from_secs(1)).await;
            busy.receive(OTHERS[0], "SM-help", &phone(0), "HELP");
            busy.idle_clock.advance(ANSWERED_WITHIN).await;
            assert!(
                answers(&busy.church).contains_key(&phone(0)),
                "another tenant's answer is sent"
            );
            busy.idle_clock.advance(Span::from_secs(60)).await;
            let states = "SELECT COUNT(*) FROM outbox WHERE state = 'sent'";
            assert_eq!(busy.church.number(states).await, 200, "all other texts, and the answer");
            let lost =
                "SELECT COUNT(*) FROM outbox WHERE state = 'sent' AND key = 'flood:+18320000005'";
            assert_eq!(busy.church.number(lost).await, 1, "looking it up shows that it was sent");
            let unknown = "SELECT COUNT(*) FROM outbox WHERE state = 'unknown' AND key = 'flood:+18320000003'";
            assert_eq!(busy.church.number(unknown).await, 1, "its delivery stays unknown");
            busy.church.assert_consistent().await;
            busy.stop().await;
        });
    }
}
