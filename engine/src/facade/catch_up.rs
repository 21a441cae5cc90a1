//! What the provider has for us that no webhook brought, while this process was away: asked for before the
//! first deadline may pass.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Engine;
use super::receive::store;
use crate::base::{Problem, Span, Timestamp};
use crate::driver;
use crate::policy::CarrierWord;
use crate::store::{NewInbound, work};

/// How long the provider is waited for. Then deadlines go on.
const LISTED_WITHIN: Span = Span::from_secs(30);
/// How far before the last message that was stored the list begins: an earlier one may have been lost on
/// its way while a later one came. What is known is left out.
const OVERLAP: Span = Span::from_secs(24 * 3_600);

/// Whose messages they are, and since when they are asked for.
struct Since {
    /// The tenants by their numbers.
    by_number: BTreeMap<String, String>,
    at: Timestamp,
}

impl Engine {
    /// Stores what the provider lists and no webhook brought, for each tenant by its number. What was sent to
    /// a number that no tenant has is `first`'s. A provider that cannot tell, or not in time, is only logged.
    pub(super) async fn catch_up(&self, first: &str) -> Result<(), Problem> {
        let Since { by_number, at } = self.since().await?;
        let listing = self.core.gateway.inbound_since(at);
        let listed = match driver::answer_within(&self.core, LISTED_WITHIN, listing).await {
            Some(listed) => listed,
            None => Err("no answer came in time".to_owned()),
        };
        let mut missed = match listed {
            Ok(listed) => listed,
            Err(reason) => {
                tracing::warn!(
                    reason,
                    "the provider cannot list what came meanwhile; deadlines go on"
                );
                return Ok(());
            }
        };
        // A process that dies in between asks again.
        missed
            .sort_by(|a, b| (a.received_at, &a.provider_id).cmp(&(b.received_at, &b.provider_id)));
        for mut new in missed {
            new.carrier_word = CarrierWord::of(&new.body).map(CarrierWord::as_str);
            let tenant = by_number.get(&new.to).map_or(first, String::as_str);
            self.keep(tenant, new).await?;
        }
        Ok(())
    }

    async fn since(&self) -> Result<Since, Problem> {
        let shared = Arc::clone(&self.core);
        let read = work(move |tx| {
            let core = Arc::clone(&shared);
            Box::pin(async move {
                let (mut by_number, mut at) = (BTreeMap::new(), None);
                for tenant in tx.tenants().await? {
                    let last = tx.last_received(&tenant).await?;
                    at = last.into_iter().chain(at).min();
                    let number = core.settings(tx, &tenant).await?.sms_from.clone();
                    by_number.entry(number).or_insert(tenant);
                }
                let at = at.map_or(Timestamp::EPOCH, |at| at - OVERLAP);
                Ok(Since { by_number, at })
            })
        });
        self.core.store.read(read).await
    }

    /// Stores a message that is not known yet.
    async fn keep(&self, tenant: &str, new: NewInbound) -> Result<(), Problem> {
        if self.stored(tenant, &new).await?.is_some() {
            return Ok(());
        }
        let tenant = tenant.to_owned();
        let task = work(move |tx| {
            let (tenant, new) = (tenant.clone(), new.clone());
            Box::pin(async move { store(tx, &tenant, &new).await })
        });
        self.core.store.write(true, task).await.map(drop)
    }
}
