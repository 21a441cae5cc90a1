//! Records the results of calls of the gateway. Results that come together are recorded in one
//! transaction. If that fails, each is recorded in a transaction of its own, so that one result that
//! cannot be recorded costs no other; the provider is asked about that message again.

use std::sync::Arc;

use super::super::core::Core;
use super::fate::{Came, Fate, fate};
use crate::base::Problem;
use crate::domain::Delivery;
use crate::store::{Outgoing, Tx, work};

/// Records the results of calls.
pub(super) async fn note(core: &Arc<Core>, came: Vec<(Outgoing, Came)>) {
    let now = core.now();
    // A message that ends changes its request, whose lock comes first, so it needs a transaction of its
    // own.
    let ends = |(outgoing, came): &(Outgoing, Came)| {
        matches!(fate(outgoing, came, now), Fate::Failed(_) | Fate::Unknown(_))
    };
    let in_doubt =
        |(outgoing, came): &(Outgoing, Came)| matches!(fate(outgoing, came, now), Fate::InDoubt(_));
    let mut to_ask = came.iter().any(in_doubt);
    let (ended, mut others): (Vec<_>, Vec<_>) = came.into_iter().partition(ends);
    // Sorted, because rows are locked in this order: another node may record results of the same
    // messages.
    others.sort_by_key(|(outgoing, _)| outgoing.id);
    let others = Arc::new(others);
    let mut alone = ended;
    if !others.is_empty() && together(core, &others).await.is_err() {
        alone.extend(others.iter().cloned());
    }
    for one in alone {
        let id = one.0.id;
        if let Err(problem) = together(core, &Arc::new(vec![one])).await {
            let detail = problem.detail.as_deref().unwrap_or("");
            tracing::warn!(message = %id, code = %problem.code, detail, "the provider's answer is not recorded: {problem}");
            to_ask = true;
        }
    }
    if to_ask {
        core.bells.answers.ring();
    }
}

async fn together(core: &Arc<Core>, came: &Arc<Vec<(Outgoing, Came)>>) -> Result<(), Problem> {
    let (shared, came) = (Arc::clone(core), Arc::clone(came));
    let task = work(move |tx| {
        let (core, came) = (shared.clone(), came.clone());
        Box::pin(async move {
            for (outgoing, came) in came.iter() {
                inside(&core, tx, (outgoing, came)).await?;
            }
            Ok(())
        })
    });
    core.store.write(false, task).await
}

async fn inside(
    core: &Core,
    tx: &mut Tx,
    (outgoing, came): (&Outgoing, &Came),
) -> Result<(), Problem> {
    let this = (outgoing.id, outgoing.attempt);
    match fate(outgoing, came, tx.now()) {
        Fate::Sent(reference) => {
            tx.sent(this, "sent", Some(&reference), None).await?;
        }
        Fate::InDoubt(reason) => {
            tx.sent(this, "sending", None, Some(&reason)).await?;
        }
        Fate::AskAgain(at) => tx.ask_later(this, at).await?,
        Fate::Again(at, why) => tx.send_again(this, at, &why).await?,
        Fate::Failed(why) => end(core, tx, outgoing, (End::Failed, &why)).await?,
        Fate::Unknown(why) => end(core, tx, outgoing, (End::Unknown, &why)).await?,
    }
    Ok(())
}

/// How a message ends that was not certainly sent.
#[derive(Clone, Copy)]
enum End {
    Failed,
    Unknown,
}

/// Ends a message that was not sent, or of which it will never be known whether it was. That changes its
/// request, whose lock comes first.
async fn end(
    core: &Core,
    tx: &mut Tx,
    outgoing: &Outgoing,
    (end, why): (End, &str),
) -> Result<(), Problem> {
    if let Some(request) = outgoing.request {
        tx.lock_request(&outgoing.tenant, request).await?;
    }
    let state = match end {
        End::Failed => "failed",
        End::Unknown => "unknown",
    };
    if !tx.sent((outgoing.id, outgoing.attempt), state, None, Some(why)).await? {
        return Ok(());
    }
    let settings = core.settings(tx, &outgoing.tenant).await?;
    let library = core.library();
    let cx = core.domain_context(&outgoing.tenant, &settings, &library);
    let delivery = Delivery {
        message: outgoing.id,
        kind: outgoing.kind.clone(),
        person: outgoing.person,
        request: outgoing.request,
        error: why.to_owned(),
    };
    match end {
        End::Failed => core.domain.undelivered(tx, &cx, &delivery).await,
        End::Unknown => core.domain.fate_unknown(tx, &cx, &delivery).await,
    }
}
