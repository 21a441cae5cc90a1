//! The inbox of staff: messages that a staff member has to deal with.

use abide_engine::base::MessageId;
use abide_verbs::api::PageRequest;
use abide_verbs::api::inbox::{InboxQuery, InboxView};
use abide_verbs::data;
use abide_verbs::data::inbox::InboxEntry;
use abide_verbs::inbox::Reason;

use super::demo_church::{DemoChurch, NINE_AM, on_both};

fn summaries(items: &[InboxView]) -> Vec<(&str, Option<&str>, Option<&str>)> {
    let name = |item: &InboxView| item.person.as_ref().map(|person| person.name.clone());
    let names: Vec<_> = items.iter().map(name).collect();
    assert!(items.iter().zip(&names).all(|(item, name)| item.from.is_some() || name.is_some()));
    items.iter().map(|i| (i.reason.as_str(), i.from.as_deref(), i.text.as_deref())).collect()
}

#[test]
fn a_message_for_staff_is_listed_with_its_reason_sender_and_text() {
    on_both(|church| async move {
        let run = church.try_fill("nursery", NINE_AM, 2).await.expect("starts");
        church.say("Ana", "yes").await;
        church.say("+15125559999", "who is this?").await;
        church.say("Ana", "so sorry, I can't make it anymore").await;
        church.say("Ben", "STOP").await;
        let open = church.inbox("open").await;
        assert_eq!(
            summaries(&open),
            [
                ("opted_out", Some("+15125550102"), Some("STOP")),
                ("gave_up_place", Some("+15125550101"), Some("so sorry, I can't make it anymore")),
                ("unknown_sender", Some("+15125559999"), Some("who is this?")),
            ]
        );
        assert_eq!(open[1].person.as_ref().map(|person| person.name.as_str()), Some("Ana"));
        assert_eq!(open[1].request_id, run.request_id);
        assert!(open[2].person.is_none() && open[2].request_id.is_none(), "{open:?}");
        assert!(open.iter().all(|item| item.why.ends_with('.') && item.state.as_str() == "open"));
        church.assert_consistent().await;
    });
}

#[test]
fn a_closed_message_leaves_the_list_and_is_logged_once() {
    on_both(|church| async move {
        for text in ["one", "two", "three"] {
            church.say("+15125559999", text).await;
        }
        let open = church.inbox("open").await;
        let closed = church.close_message(open[1].id).await.expect("is closed");
        assert_eq!((closed.state.as_str(), closed.text.as_deref()), ("closed", Some("two")));
        assert_eq!(
            church.close_message(open[1].id).await,
            Ok(closed.clone()),
            "closing it again changes nothing"
        );
        assert_eq!(church.inbox("open").await, [open[0].clone(), open[2].clone()]);
        assert_eq!(church.inbox("closed").await, [closed]);
        assert_eq!(church.inbox("all").await.len(), 3);
        let logged = "SELECT COUNT(*) FROM ledger WHERE kind = 'inbox.closed'";
        assert_eq!(church.db.number(logged).await, 1);
        let nobody = "msg_00000000-0000-7000-8000-000000000000".parse().expect("an id");
        assert_eq!(
            church.close_message(nobody).await.expect_err("is unknown").code,
            "inbox_unknown"
        );
        church.assert_consistent().await;
    });
}

#[test]
fn the_inbox_is_read_in_pages() {
    on_both(|church| async move {
        for text in ["one", "two", "three", "four", "five"] {
            church.say("+15125559999", text).await;
        }
        for state in ["open", "all"] {
            let mut texts = Vec::new();
            let mut cursor = None;
            loop {
                let page = PageRequest { cursor, limit: Some(2) };
                let query = InboxQuery { state: Some(state.to_owned()), page };
                let page = church.inbox_page(query).await;
                texts.extend(page.items.into_iter().filter_map(|item| item.text));
                match page.next_cursor {
                    Some(next) => cursor = Some(next),
                    None => break,
                }
            }
            assert_eq!(texts, ["five", "four", "three", "two", "one"], "{state}");
        }
    });
}

#[test]
fn a_sent_text_of_unknown_delivery_is_listed_with_its_recipient() {
    on_both(|church| async move {
        church.try_fill("nursery", NINE_AM, 1).await.expect("starts");
        let sent = first_invitation(&church).await;
        let put = abide_engine::store::tx_closure(move |tx| {
            Box::pin(async move {
                let entry = InboxEntry::of_message(sent, tx.now(), Reason::UnknownDelivery);
                Ok(data::inbox::put(tx, "default", &entry).await?)
            })
        });
        church.engine.write(put).await.expect("is put");
        let open = church.inbox("open").await;
        assert_eq!((open[0].reason.as_str(), open[0].from.as_deref()), ("unknown_delivery", None));
        assert_eq!(open[0].to.as_deref(), Some("+15125550101"));
        assert!(open[0].text.is_some() && open[0].run_id.is_some(), "{open:?}");
    });
}

async fn first_invitation(church: &DemoChurch) -> MessageId {
    let filter = abide_engine::facade::MessageFilter {
        to: Some("+15125550101".to_owned()),
        ..Default::default()
    };
    church.engine.messages("default", &filter).await.expect("lists").items[0].id
}
