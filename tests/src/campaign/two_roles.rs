//! A person who is both staff and a volunteer can act in either role.
//! Tenants whose messages are in the same outbox do not affect each other.

use std::sync::Arc;

use abide_engine::base::Timestamp;
use abide_engine::domain::StartRun;
use abide_engine::gateway::{
    Gateway, GatewayError, LookupAnswer, LookupRequest, Loopback, SendAnswer, SendRequest,
};
use abide_engine::store::{NewInbound, tx_closure};
use async_trait::async_trait;
use serde_json::json;

use super::church::{Church, Setup, goal, on_both};
use crate::engines::put_people;

const ZOE: &str = "+15125550177";

/// Adds Zoe, who is both staff and a greeter.
async fn add_zoe(church: &Church) {
    let zoe = json!([{ "name": "Zoe", "phone": ZOE, "roles": ["staff", "greeters"] }]);
    put_people(church.engine(), "default", zoe).await.expect("added");
}

on_both!(staff_with_an_open_invitation_can_fill_an_earlier_service, async |mut church: Church| {
    add_zoe(&church).await;
    let fill = |role: &str, time: &str| json!({ "kind": "FillRole", "role": role, "count": 1, "time": time });
    church.start("fill_roles", fill("cafe", "2025-10-05T09:00:00-05:00")).await.expect("started");
    church
        .start("fill_roles", fill("greeters", "2025-10-12T09:00:00-05:00"))
        .await
        .expect("started");
    assert_eq!(church.sent(ZOE, "invite").await, 1, "she is asked for the later Sunday");
    let received = church.text(ZOE, "Fill 2 nursery spots for the 9am service").await;
    assert_eq!(received.handled_as.as_str(), "staff_request");
    let run = received.run_id.expect("a run");
    assert_eq!(church.run(run).await.status.as_str(), "waiting");
    assert_eq!(church.sent(ZOE, "staff_ack").await, 1, "and gets the acknowledgement");
    let open = "SELECT COUNT(*) FROM offer WHERE state = 'pending' AND role = 'greeters'";
    assert!(church.number(open).await > 0, "her own invitation stays open");
    church.assert_consistent().await;
});

/// A gateway that permanently rejects every message.
struct Refusing(Loopback);

#[async_trait]
impl Gateway for Refusing {
    fn name(&self) -> &'static str {
        "loopback"
    }

    async fn send(&self, _send: &SendRequest) -> SendAnswer {
        SendAnswer::Refused { code: "21610".to_owned(), later: false }
    }

    async fn look_up(&self, lookup: &LookupRequest) -> LookupAnswer {
        self.0.look_up(lookup).await
    }

    async fn inbound_since(&self, _since: Timestamp) -> Result<Vec<NewInbound>, GatewayError> {
        Ok(Vec::new())
    }
}

fn refusing() -> Setup {
    Setup { gateway: |provider, _| Arc::new(Refusing(provider)), ..Setup::default() }
}

on_both!(refused_texts_of_one_tenant_do_not_stop_another, with refusing(), async |church: Church| {
    let seed = tx_closure(|tx| {
        Box::pin(async move {
            let now = tx.now();
            tx.ensure_tenant("hope").await?;
            abide_verbs::api::seed::seed(tx, "hope", now).await
        })
    });
    church.engine().write(seed).await.expect("seeded");
    // `hope` starts its run first, so the tenant whose name sorts last has the older request.
    for tenant in ["hope", "default"] {
        let wanted =
            StartRun { method: "fill_roles".to_owned(), goal: goal(5), ..StartRun::default() };
        church.engine().start_run(tenant, wanted).await.expect("started");
    }
    church.engine().tick().await.expect("settled");
    for sql in [
        "SELECT COUNT(*) FROM outbox WHERE state IN ('queued', 'sending')",
        "SELECT COUNT(*) FROM offer WHERE state = 'pending'",
    ] {
        assert_eq!(church.number(sql).await, 0, "{sql}");
    }
    let undelivered = "SELECT COUNT(*) FROM offer WHERE state = 'undeliverable'";
    assert!(church.number(undelivered).await >= 24, "twelve of each");
    church.assert_consistent().await;
});
