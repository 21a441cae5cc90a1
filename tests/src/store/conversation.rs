//! The last texts between a number and us are found, in the sequence in which they were stored.

use abide_engine::store::NewInbound;

use super::support::{Opened, START, TENANT, inbound, law, minutes, tx};
use crate::postgres::TestDb;

law!(the_last_turns_are_those_of_one_number, async |database: &TestDb, store: Opened| {
    let mut ids = Vec::new();
    for (n, from) in (0..).zip(["+15550100", "+15550101", "+15550100", "+15550100", "+15550100"]) {
        let message = NewInbound {
            body: format!("text {n}"),
            ..inbound(&format!("p{n}"), from, START + minutes(n))
        };
        let stored = tx!(store.write, [message], |tx| tx.store_inbound(TENANT, &message).await?);
        ids.push(stored.await.expect("stored").expect("new"));
    }
    let (last, _) = ids[4];
    let read = tx!(store.read, |tx| {
        let contact = tx.contact_id(TENANT, "+15550100");
        tx.last_turns(TENANT, contact, last, 2).await?
    });
    let turns = read.await.expect("read");
    let texts: Vec<&str> = turns.iter().map(|turn| turn.text.as_str()).collect();
    assert_eq!(texts, ["text 2", "text 3"], "{database}");
    assert!(turns.iter().all(|turn| !turn.is_ours));
});
