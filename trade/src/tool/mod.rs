//! The tools of the trade that have code of their own, by domain. Their contracts are in `contracts/`.
//! The engine checks every call and every result against the contract of the tool.

mod args;
mod calendar;
mod inspection;
mod integrations;
mod leads;
mod os;
mod report;
mod row;

use std::sync::Arc;

use abide_engine::verb::{Verb, Verbs};

/// Returns the code of the tools by name.
pub(crate) fn all() -> Verbs {
    Verbs::new()
        .with("leads.add_note", Verb::Write(Arc::new(leads::AddNote)))
        .with("os.search_notes", Verb::Write(Arc::new(os::SearchNotes)))
        .with("os.create_snapshot", Verb::Write(Arc::new(os::CreateSnapshot)))
        .with("os.health_check", Verb::Write(Arc::new(os::HealthCheck)))
        .with("inspection.get", Verb::Write(Arc::new(inspection::GetInspection)))
        .with("inspection.add_items", Verb::Write(Arc::new(inspection::AddItems)))
        .with(
            "inspection.generate_scope_summary",
            Verb::Write(Arc::new(inspection::GenerateSummary)),
        )
        .with("calendar.find_slots", Verb::Write(Arc::new(calendar::FindSlots)))
        .with("integrations.ical.export", Verb::Write(Arc::new(integrations::ExportIcal)))
        .with("report.pipeline", Verb::Write(Arc::new(report::Report::Pipeline)))
        .with("report.revenue", Verb::Write(Arc::new(report::Report::Revenue)))
        .with("report.jobs_due", Verb::Write(Arc::new(report::Report::JobsDue)))
        .with("report.follow_ups", Verb::Write(Arc::new(report::Report::FollowUps)))
}
