//! `report.jobs_due`: lists the jobs of the next days with what blocks them.

use abide_engine::base::{Problem, Value};
use abide_engine::store::Tx;
use serde_json::json;

use super::{ROWS_DEFAULT, ROWS_MAX};
use crate::data::{self, DueJob, JobsDueQuery};
use crate::tool::input::Input;
use crate::tool::today::Today;

pub(super) async fn figures(tx: &mut Tx, input: &Input<'_>) -> Result<Value, Problem> {
    let today = Today::at(input.now, input.zone());
    let query = JobsDueQuery {
        tenant: input.tenant,
        since: today.beginning(today.date)?,
        until: today.beginning(today.plus(super::days(input)? + 1)?)?,
        assigned_to: input.text("assigned_to"),
        limit: input.whole("limit")?.unwrap_or(ROWS_DEFAULT).clamp(1, ROWS_MAX),
    };
    let jobs = data::jobs_due(tx, &query).await?;
    let count = data::count_jobs_due(tx, &query).await?;
    let jobs: Vec<Value> = jobs.iter().map(shown).collect();
    Ok(json!({ "as_of": input.now.to_string(), "jobs": jobs, "count": count }))
}

fn shown(job: &DueJob) -> Value {
    let mut shown = json!({
        "job_id": job.id,
        "title": job.title,
        "status": job.status,
        "starts_at": job.starts_at.to_string(),
        "blocked_by": blocks(job),
    });
    let optional = [
        ("ends_at", job.ends_at.map(|at| at.to_string())),
        ("address", job.address.clone()),
        ("assigned_to", job.assigned_to.clone()),
        ("customer_id", job.customer_id.clone()),
        ("quote_id", job.quote_id.clone()),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            shown[name] = value.into();
        }
    }
    shown
}

/// Returns what must be settled before the job.
fn blocks(job: &DueJob) -> Vec<Value> {
    let mut blocks = Vec::new();
    let mut block = |reason: &str, message: String| {
        blocks.push(json!({ "reason": reason, "message": message }));
    };
    if job.assigned_to.is_none() {
        block("not_assigned", "nobody is assigned to the job".to_owned());
    }
    if job.address.is_none() {
        block("no_address", "the job has no address".to_owned());
    }
    if job.customer_id.is_none() {
        block("no_customer", "the job has no customer".to_owned());
    }
    if let (Some(quote), Some(status)) = (&job.quote_id, &job.quote_status)
        && status != "accepted"
    {
        block("quote_not_accepted", format!("the quote `{quote}` is `{status}`, not accepted"));
    }
    if let (Some(other), Some(person)) = (&job.overlaps, &job.assigned_to) {
        block("overlaps_job", format!("`{person}` has the job `{other}` at the same time"));
    }
    blocks
}

#[cfg(test)]
mod tests {
    use abide_engine::base::Timestamp;

    use super::*;

    #[test]
    fn a_job_says_what_blocks_it() {
        let ready = DueJob {
            id: "job_1".to_owned(),
            title: "Roof".to_owned(),
            status: "scheduled".to_owned(),
            starts_at: Timestamp::EPOCH,
            ends_at: None,
            address: Some("1 High Street".to_owned()),
            assigned_to: Some("Ana".to_owned()),
            customer_id: Some("cust_1".to_owned()),
            quote_id: Some("quo_1".to_owned()),
            quote_status: Some("accepted".to_owned()),
            overlaps: None,
        };
        let reasons = |job: DueJob| -> Vec<Value> {
            blocks(&job).iter().map(|block| block["reason"].clone()).collect()
        };
        assert_eq!(reasons(ready.clone()), Vec::<Value>::new());
        let sent = DueJob { quote_status: Some("sent".to_owned()), ..ready.clone() };
        assert_eq!(reasons(sent), ["quote_not_accepted"]);
        let twice = DueJob { overlaps: Some("job_2".to_owned()), ..ready.clone() };
        assert_eq!(reasons(twice), ["overlaps_job"]);
        let bare = DueJob { address: None, assigned_to: None, customer_id: None, ..ready };
        assert_eq!(reasons(bare), ["not_assigned", "no_address", "no_customer"]);
    }
}
