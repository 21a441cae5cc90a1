//! Asks the provider for inbound messages that no webhook delivered while this process was down.
//! The engine does this when it opens, so that an answer is stored before its deadline passes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::engine::Engine;
use super::receive::carrier_word;
use crate::base::{Problem, Span, Timestamp};
use crate::driver;
use crate::gateway::GatewayError;
use crate::store::NewInbound;
use crate::transaction;

/// How long to wait for the provider's list of messages.
/// After that time, the engine opens without the list.
const LIST_TIMEOUT: Span = Span::from_secs(30);
/// The provider's list begins this long before the last stored message, because a message may have been
/// lost on its way although a later message arrived. Messages that are stored already are skipped.
const OVERLAP: Span = Span::from_secs(24 * 3_600);

/// The query for missed messages, and the tenants to which the messages belong.
struct MissedQuery {
    /// Ids of the tenants, by phone number.
    tenants_by_number: BTreeMap<String, String>,
    /// The time of the earliest message to list.
    since: Timestamp,
}

impl Engine {
    /// Stores the messages that the provider lists and that no webhook delivered.
    /// A message belongs to the tenant that owns the recipient's number; if no tenant owns the number,
    /// the message belongs to the tenant whose id is `first`. If the provider does not list
    /// the messages in time, logs a warning and stores nothing.
    pub(super) async fn store_missed_messages(&self, first: &str) -> Result<(), Problem> {
        let MissedQuery { tenants_by_number, since } = self.missed_query().await?;
        let listing = self.core.gateway.inbound_since(since);
        let listed = match driver::answer_within(&self.core, LIST_TIMEOUT, listing).await {
            Some(listed) => listed,
            None => Err(GatewayError::TimedOut),
        };
        let mut missed = match listed {
            Ok(listed) => listed,
            Err(reason) => {
                tracing::warn!(
                    %reason,
                    "the provider cannot list missed messages; deadlines apply without them"
                );
                return Ok(());
            }
        };
        // Store the oldest message first. If the process crashes before all are stored,
        // the next process asks again for the messages since the last stored one.
        missed
            .sort_by(|a, b| (a.received_at, &a.provider_id).cmp(&(b.received_at, &b.provider_id)));
        for mut new in missed {
            new.carrier_word = carrier_word(&self.core, &new.body);
            let tenant = tenants_by_number.get(&new.to).map_or(first, String::as_str);
            self.store_missed(tenant, new).await?;
        }
        Ok(())
    }

    /// Reads the tenants' phone numbers, and determines since when messages may be missing.
    async fn missed_query(&self) -> Result<MissedQuery, Problem> {
        let read = transaction!([core = Arc::clone(&self.core)], |tx| {
            let (mut tenants_by_number, mut since) = (BTreeMap::new(), None);
            for tenant in tx.tenants().await? {
                let last = tx.last_received(&tenant).await?;
                since = last.into_iter().chain(since).min();
                let number = core.settings(tx, &tenant).await?.sms_from.clone();
                tenants_by_number.entry(number).or_insert(tenant);
            }
            let since = since.map_or(Timestamp::EPOCH, |at| at - OVERLAP);
            Ok(MissedQuery { tenants_by_number, since })
        });
        self.core.store.read(read).await
    }

    /// Stores a message unless it is stored already.
    async fn store_missed(&self, tenant: &str, new: NewInbound) -> Result<(), Problem> {
        if self.stored_inbound(tenant, &new).await?.is_some() {
            return Ok(());
        }
        self.store_received(tenant, new).await.map(drop)
    }
}
