//! The words of a message change only while it is queued.

use abide_engine::base::MessageId;
use abide_engine::store::Queued;
use abide_engine::template::{StandardValues, Templates};
use serde_json::json;

use super::outbox::OutboxFixture;
use super::support::{START, TENANT, minutes, tx};
use crate::postgres::databases;

#[tokio::test]
async fn a_text_is_reworded_only_while_it_is_queued() {
    let front = "---\ndescription: d\nfor: staff\n---\n";
    let file = ("hello.hbs".to_owned(), format!("{front}Hello, {{{{name}}}}.\n"));
    let (templates, _) = Templates::load([file]);
    let template = templates.get("hello").expect("a template");
    let said = template.render(&StandardValues::example().with(&json!({}))).expect("a message");
    let other = template.reworded(said.body(), "Good morning, Ana.").expect("says the same");
    for database in databases() {
        let outbox = OutboxFixture::open(&database).await;
        let queued = outbox.queue(vec![outbox.message("first", 0), outbox.message("second", 0)]);
        let ids: Vec<MessageId> = queued
            .await
            .into_iter()
            .filter_map(|it| if let Queued::New(id) = it { Some(id) } else { None })
            .collect();
        let [one, two] = ids[..] else { panic!("two messages") };
        let (store, request) = (&outbox.store, outbox.request);
        let written = tx!(store.write, [other], |tx| {
            let due = tx.texts_to_release(TENANT, START, 9).await?;
            let about = tx.queued_about(request, "offer").await?;
            assert_eq!(about.iter().map(|it| it.id).collect::<Vec<_>>(), [one, two]);
            assert!(tx.queued_about(request, "reminder").await?.is_empty());
            tx.hold_for_rewording(&[one, two], START + minutes(1)).await?;
            let held = tx.texts_to_release(TENANT, START, 9).await?;
            tx.reword(one, Some(&other), START).await?;
            tx.reword(two, None, START).await?;
            let again = tx.texts_to_release(TENANT, START, 9).await?;
            tx.end_queued(&[two], "cancelled", "withdrawn").await?;
            tx.reword(two, Some(&other), START).await?;
            let ended = tx.outgoing(&[two]).await?;
            (due.len(), held.len(), again, ended)
        });
        let (due, held, again, ended) = written.await.expect("written");
        assert_eq!((due, held), (2, 0), "{database}");
        assert_eq!(again[0].body, "Good morning, Ana.", "{database}");
        assert_ne!(again[1].body, "Good morning, Ana.", "{database}: the model had no other words");
        assert_ne!(ended[0].body, "Good morning, Ana.", "{database}: it has ended");
    }
}
