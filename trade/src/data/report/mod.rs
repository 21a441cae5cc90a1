//! Aggregates the rows of the trade to the figures of the reports, so that no report loads all rows.

mod follow_ups;
mod jobs_due;
mod pipeline;
mod revenue;

pub use follow_ups::{
    FollowUpQuery, UnansweredInvoice, UnansweredQuote, count_follow_ups, unanswered_invoices,
    unanswered_quotes,
};
pub use jobs_due::{DueJob, JobsDueQuery, count_jobs_due, jobs_due};
pub use pipeline::{StageFigures, leads_by_stage, open_quotes_by_stage, quote_sums_by_lead_stage};
pub use revenue::{Invoiced, MonthSpan, invoiced_by_month, paid_by_month};
