//! Erases a person: takes them out of all work, and their name, their number and their words out of everything that is stored.
//!
//! ```text
//!  order ─▶ texts of tables, runs and events ─▶ messages of others ─▶ gateway ─▶ archives ─▶ own messages ─▶ number ─▶ file
//! ```
//! The order is stored first, with what to look for, and removed last. An erasure that a crash has interrupted
//! is carried out from its beginning, which changes nothing that is done already. What the person wrote is read from their
//! messages, so those are erased after all texts that may quote them.
//! Counts stay, and so do the hash chains: each redacted event is recorded in the tenant's stream of records.

mod archives;

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::engine::Engine;
use crate::base::{PersonId, Problem, StreamId, TypedId as _};
use crate::boxed;
use crate::domain::GivenUpPlace;
use crate::driver::{Core, records_stream};
use crate::erasure::{PersonalData, Redactor};
use crate::ledger::EventKind;
use crate::store::{
    About, ErasureOrder, Leftovers, MessageTable, Param, RedactedEvent, TextCursor, TextPage,
    TextTable, Tx,
};
use crate::transaction;

/// Maximum number of events in one record of redactions, so that its body stays small.
const RECORDED_MAX: usize = 100;

/// Tables of domains with texts that may quote somebody. Those of the engine are known to it.
pub type DomainTexts = &'static [TextTable];

/// What was erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ErasureReport {
    /// The person.
    pub person: PersonId,
    /// The places at coming services that the person had, and that are free now.
    pub places: Vec<GivenUpPlace>,
    /// Number of messages from and to the person whose texts are erased.
    pub messages: u64,
    /// Number of other rows that named or quoted the person.
    pub rows: u64,
    /// Number of events that named or quoted the person.
    pub events: u64,
    /// Number of archives that named or quoted the person.
    pub archives: u64,
    /// The files of archives that are not where they were written, so that nothing was erased in them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_archives: Vec<String>,
    /// Whether other people have the same phone number. It then stays, and so do the texts with it.
    pub is_number_shared: bool,
    /// Whether erased data is left in the files of the database.
    pub leftovers: Leftovers,
}

impl Engine {
    /// Erases a person of a tenant. Returns when nothing is left.
    ///
    /// # Errors
    /// `person_unknown`.
    #[boxed]
    pub async fn erase_person(
        &self,
        tenant: &str,
        person: PersonId,
        texts: DomainTexts,
    ) -> Result<ErasureReport, Problem> {
        let task =
            transaction!([core = Arc::clone(&self.core), tenant = tenant.to_owned()], |tx| {
                order(&core, tx, &tenant, person).await
            });
        let (order, places) = self.core.store.write(task).await?;
        self.take_up_due_work().await?;
        let report = self.carry_out(order, texts).await?;
        Ok(ErasureReport { places, ..report })
    }

    /// Carries out the erasures that a crash has interrupted. Returns how many there were.
    ///
    /// # Errors
    /// Errors of the store.
    #[boxed]
    pub async fn finish_erasures(&self, texts: DomainTexts) -> Result<usize, Problem> {
        let open = transaction!(|tx| Ok(tx.open_erasures().await?));
        let open = self.core.store.read(open).await?;
        let number = open.len();
        for order in open {
            self.carry_out(order, texts).await?;
        }
        Ok(number)
    }

    async fn carry_out(
        &self,
        order: ErasureOrder,
        texts: DomainTexts,
    ) -> Result<ErasureReport, Problem> {
        let order = Arc::new(order);
        let read = transaction!([order = Arc::clone(&order)], |tx| Ok(tx.words_of(&order).await?));
        let words = self.core.store.read(read).await?;
        let redactor = Arc::new(Redactor::new(&PersonalData { words, ..order.data.clone() })?);
        let erasure = Erasure { core: Arc::clone(&self.core), order, redactor };
        let mut report = ErasureReport {
            person: erasure.order.person,
            places: Vec::new(),
            messages: 0,
            rows: 0,
            events: 0,
            archives: 0,
            missing_archives: Vec::new(),
            is_number_shared: erasure.order.is_number_shared,
            leftovers: Leftovers::None,
        };
        for table in TextTable::of_engine().chain(texts) {
            report.rows += erasure.carry_out(Part::Table(table)).await?;
        }
        report.rows += erasure.carry_out(Part::Runs).await?;
        report.events = erasure.carry_out(Part::Events).await?;
        for table in MessageTable::ALL {
            report.rows += erasure.carry_out(Part::Messages(table)).await?;
        }
        erasure.erase_records()?;
        let archives = erasure.erase_archives().await?;
        (report.archives, report.missing_archives) = (archives.changed, archives.missing);
        for table in MessageTable::ALL {
            report.messages += erasure.carry_out(Part::OwnMessages(table)).await?;
        }
        report.leftovers = erasure.finish().await?;
        Ok(report)
    }
}

/// Takes a person out of all work, and stores the order to erase the rest.
async fn order(
    core: &Core,
    tx: &mut Tx,
    tenant: &str,
    person: PersonId,
) -> Result<(ErasureOrder, Vec<GivenUpPlace>), Problem> {
    let records = records_stream(tx, tenant).await?;
    tx.lock_partitions(tenant, &[records]).await?;
    let settings = core.settings(tx, tenant).await?;
    let library = core.library();
    let cx = core.domain_context(tenant, &settings, &library);
    let removed = core.domain.remove_person(tx, &cx, person).await?.ok_or_else(|| {
        Problem::caller("person_unknown", format!("there is no person `{person}`"))
            .with_hint("list the directory with `abide people list`")
    })?;
    let order = ErasureOrder {
        id: tx.mint(),
        tenant: tenant.to_owned(),
        person,
        contact: removed.contact,
        is_number_shared: removed.is_number_shared,
        data: removed.data,
    };
    tx.put_erasure(&order).await?;
    tx.cancel_to_person(&order).await?;
    let body = json!({ "person": person });
    tx.log(StreamId::from_uuid(records), EventKind::PersonErased, About::default(), body)?;
    Ok((order, removed.places))
}

/// A part of what is stored, whose texts are redacted page by page.
#[derive(Clone, Copy)]
enum Part {
    Table(&'static TextTable),
    Runs,
    Events,
    Messages(MessageTable),
    OwnMessages(MessageTable),
}

impl Part {
    fn beginning(self) -> TextCursor {
        match self {
            Self::Table(table) => table.beginning(),
            _ => vec![Param::Id(Some(uuid::Uuid::nil()))],
        }
    }
}

/// An erasure that is being carried out.
#[derive(Clone)]
struct Erasure {
    core: Arc<Core>,
    order: Arc<ErasureOrder>,
    redactor: Arc<Redactor>,
}

impl Erasure {
    /// Redacts a part page by page. A page without personal data costs one read. Returns the number of changed rows.
    async fn carry_out(&self, part: Part) -> Result<u64, Problem> {
        let (mut after, mut changed) = (part.beginning(), 0);
        loop {
            let look = transaction!([it = self.clone(), after = after.clone()], |tx| {
                it.look(tx, part, &after).await
            });
            let page = self.core.store.read(look).await?;
            if page.redacted {
                let write = transaction!([it = self.clone(), after = after.clone()], |tx| {
                    it.redact(tx, part, &after).await
                });
                changed += self.core.store.write(write).await?;
            }
            let Some(next) = page.next else { return Ok(changed) };
            after = next;
        }
    }

    /// Whether a page contains personal data, and where the next one begins.
    async fn look(
        &self,
        tx: &mut Tx,
        part: Part,
        after: &TextCursor,
    ) -> Result<TextPage<bool>, Problem> {
        let (order, redactor) = (&*self.order, &*self.redactor);
        let tenant = order.tenant.as_str();
        Ok(match part {
            Part::Table(table) => tx.rows_with_data(tenant, table, after, redactor).await?,
            Part::Runs => tx.runs_with_data(tenant, after, redactor).await?,
            Part::Events => {
                let page = tx.redacted_events(tenant, after, redactor).await?;
                TextPage { redacted: !page.redacted.is_empty(), next: page.next }
            }
            Part::Messages(table) => {
                let page = tx.redacted_messages(order, table, after, redactor).await?;
                TextPage { redacted: !page.redacted.is_empty(), next: page.next }
            }
            Part::OwnMessages(table) => {
                let page = tx.own_messages(order, table, after).await?;
                TextPage { redacted: !page.redacted.is_empty(), next: page.next }
            }
        })
    }

    /// Redacts a page. Reads it again, because it may have changed. Returns the number of changed rows.
    async fn redact(&self, tx: &mut Tx, part: Part, after: &TextCursor) -> Result<u64, Problem> {
        let (order, redactor) = (&*self.order, &*self.redactor);
        let tenant = order.tenant.as_str();
        let texts = match part {
            Part::Table(table) => {
                return Ok(tx.redact_rows(tenant, table, after, redactor).await?);
            }
            Part::Runs => return Ok(tx.redact_runs(tenant, after, redactor).await?),
            Part::Events => return self.redact_events(tx, after).await,
            Part::Messages(table) => tx.redacted_messages(order, table, after, redactor).await?,
            Part::OwnMessages(table) => tx.own_messages(order, table, after).await?,
        };
        tx.write_texts(&texts.redacted).await?;
        Ok(texts.redacted.len() as u64)
    }

    /// Redacts the events of a page, and records which ones, in the same commit.
    async fn redact_events(&self, tx: &mut Tx, after: &TextCursor) -> Result<u64, Problem> {
        let ErasureOrder { tenant, person, .. } = &*self.order;
        let records = records_stream(tx, tenant).await?;
        tx.lock_partitions(tenant, &[records]).await?;
        let events = tx.redacted_events(tenant, after, &self.redactor).await?.redacted;
        tx.write_redacted_events(&events).await?;
        for events in events.chunks(RECORDED_MAX) {
            let events: Vec<_> =
                events.iter().map(|event| RedactedEvent::of(event).to_value()).collect();
            let body = json!({ "person": person, "events": events });
            let stream = StreamId::from_uuid(records);
            tx.log(stream, EventKind::EventsRedacted, About::default(), body)?;
        }
        Ok(events.len() as u64)
    }

    /// Takes the person out of the records of the gateway.
    fn erase_records(&self) -> Result<(), Problem> {
        self.core.gateway.erase(&self.redactor).map_err(|e| {
            Problem::operator("erasure_unfinished", "the records of the gateway cannot be erased")
                .with_detail(e.to_string())
                .with_hint("make them writable, and restart: the erasure is then finished")
        })
    }

    /// Erases the number, removes the order, and looks for what is left in the files.
    async fn finish(&self) -> Result<Leftovers, Problem> {
        let write = transaction!([order = Arc::clone(&self.order)], |tx| {
            tx.erase_number(&order).await?;
            Ok(tx.end_erasure(order.id).await?)
        });
        self.core.store.write(write).await?;
        self.core.store.clear_leftovers(Arc::clone(&self.redactor)).await
    }
}
