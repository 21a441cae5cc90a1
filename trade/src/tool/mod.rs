//! The tools with code of their own: what a contract of a data-driven tool cannot express.
//! The engine checks every call and every result against the tool's contract.

mod calendar;
pub mod demo;
mod document;
mod input;
mod inspection;
mod integrations;
mod invoice;
mod leads;
mod media;
mod message;
mod os;
mod payment;
mod quote;
mod report;
mod state;
mod today;

use std::sync::Arc;

use abide_engine::verb::{ExternalVerb, Verb, Verbs, WriteVerb};

use crate::data_tool::DataTools;
use crate::files::FileStore;
use document::{AddLine, Calculate, Finalize, Get, INVOICE, QUOTE, RemoveLine, UpdateLine};

/// Returns the code of all tools of the trade, by name, and the handler of its data-driven tools. The tools
/// of media store their files in `files`.
#[must_use]
pub fn verbs(files: FileStore) -> Verbs {
    Verbs::new()
        .with("quote.get", code(Get(&QUOTE)))
        .with("quote.update", code(quote::Update))
        .with("quote.add_line_item", code(AddLine(&QUOTE)))
        .with("quote.update_line_item", code(UpdateLine(&QUOTE)))
        .with("quote.remove_line_item", code(RemoveLine(&QUOTE)))
        .with("quote.calculate", code(Calculate(&QUOTE)))
        .with("quote.finalize", code(Finalize(&QUOTE)))
        .with("invoice.get", code(Get(&INVOICE)))
        .with("invoice.list_overdue", code(invoice::ListOverdue))
        .with("invoice.add_line_item", code(AddLine(&INVOICE)))
        .with("invoice.finalize", code(Finalize(&INVOICE)))
        .with("payment.record", code(payment::Record))
        .with("payment.refund", code(payment::Refund))
        .with("leads.add_note", code(leads::AddNote))
        .with("media.create_asset", code(media::CreateAsset(files)))
        .with("os.search_notes", code(os::SearchNotes))
        .with("os.create_snapshot", code(os::CreateSnapshot))
        .with("os.health_check", code(os::HealthCheck))
        .with("inspection.get", code(inspection::GetInspection))
        .with("inspection.add_items", code(inspection::AddItems))
        .with("inspection.generate_scope_summary", code(inspection::GenerateSummary))
        .with("calendar.find_slots", code(calendar::FindSlots))
        .with("integrations.ical.export", code(integrations::ExportIcal))
        .with("integrations.webhook.post", outside(integrations::PostWebhook))
        .with("quote.send", outside(message::SendDocument(&QUOTE)))
        .with("invoice.send", outside(message::SendDocument(&INVOICE)))
        .with("email.send", outside(message::SendEmail))
        .with("email.send_quote", outside(message::EmailDocument(&QUOTE)))
        .with("email.send_invoice", outside(message::EmailDocument(&INVOICE)))
        .with("email.status", code(message::EmailStatus))
        .with("sms.send", code(message::SendText::Now))
        .with("sms.schedule", code(message::SendText::Later))
        .with("sms.status", code(message::TextStatus))
        .with("report.pipeline", code(report::Report::Pipeline))
        .with("report.revenue", code(report::Report::Revenue))
        .with("report.jobs_due", code(report::Report::JobsDue))
        .with("report.follow_ups", code(report::Report::FollowUps))
        .with_data(Arc::new(DataTools))
}

fn outside(tool: impl ExternalVerb + 'static) -> Verb {
    Verb::External(Arc::new(tool))
}

fn code(tool: impl WriteVerb + 'static) -> Verb {
    Verb::Write(Arc::new(tool))
}

#[cfg(test)]
mod tests {
    use abide_engine::contract::Contracts;

    use super::*;

    #[test]
    fn the_contracts_of_quotes_invoices_payments_and_media_have_code() {
        let verbs = verbs(FileStore::in_memory());
        for text in [
            include_str!("../../../contracts/media.yaml"),
            include_str!("../../../contracts/quote.yaml"),
            include_str!("../../../contracts/invoice.yaml"),
            include_str!("../../../contracts/payment.yaml"),
        ] {
            let (contracts, findings) = Contracts::load(text, "a.yaml");
            assert_eq!(findings, []);
            for contract in contracts.iter().filter(|contract| contract.is_implemented()) {
                assert!(verbs.of(contract).is_some(), "{}", contract.name);
            }
        }
    }
}
