//! `os.health_check`: checks whether the system works.

use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::policy::{Skew, skew};
use abide_engine::store::{Overview, Tx};
use abide_engine::verb::{CallContext, Effects, VerbOutcome, WriteVerb};
use async_trait::async_trait;
use serde_json::json;

/// Checks what a call can see from its transaction: the database, the clocks and the queues.
/// `abide doctor` also checks what a call cannot see.
pub(crate) struct HealthCheck;

/// The status of a check, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Health {
    Ok,
    Degraded,
    Failed,
}

impl Health {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Degraded => "degraded",
            Self::Failed => "failed",
        }
    }
}

struct Check {
    name: &'static str,
    health: Health,
    message: String,
    /// What a person can do, unless all is well.
    remedy: &'static str,
}

impl Check {
    fn shown(&self) -> Value {
        let mut shown = json!({
            "name": self.name,
            "status": self.health.as_str(),
            "message": self.message,
        });
        if self.health != Health::Ok {
            shown["remedy"] = self.remedy.into();
        }
        shown
    }
}

#[async_trait]
impl WriteVerb for HealthCheck {
    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        _input: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let clock = tx.database_now().await?;
        let overview = tx.overview(cx.tenant, None).await?;
        let checks =
            [database(clock), clocks(clock, tx.now()), queue(&overview), outbox(&overview)];
        let worst = checks.iter().map(|check| check.health).max().unwrap_or(Health::Ok);
        let result = json!({
            "status": worst.as_str(),
            "checked_at": cx.now.to_string(),
            "checks": checks.iter().map(Check::shown).collect::<Vec<_>>(),
        });
        Ok(VerbOutcome::done(result, Effects::default()))
    }
}

/// The database has answered: without an answer, the call fails and is tried again.
fn database(clock: Timestamp) -> Check {
    let message = format!("the database answers, and its clock shows {clock}");
    Check { name: "database", health: Health::Ok, message, remedy: "" }
}

fn clocks(database: Timestamp, ours: Timestamp) -> Check {
    let distance = database - ours;
    let health = match Skew::classify(distance) {
        Skew::Negligible => Health::Ok,
        Skew::Warning => Health::Degraded,
        Skew::Excessive => Health::Failed,
    };
    let remedy = "synchronize the clocks of this machine and of the database by NTP";
    Check { name: "clock", health, message: skew::describe(distance), remedy }
}

fn queue(overview: &Overview) -> Check {
    let live: i64 = overview.runs.values().sum();
    let (late, stuck, held) = (overview.late, overview.stuck, overview.held);
    let health = if late > 0 || stuck > 0 { Health::Degraded } else { Health::Ok };
    let message = format!("{live} live runs: {late} late, {stuck} stuck, {held} held");
    let remedy = "check that a worker runs, and see `abide run list --stuck`";
    Check { name: "queue", health, message, remedy }
}

fn outbox(overview: &Overview) -> Check {
    let open: i64 = overview.outbox.values().sum();
    let message = format!("{open} messages are not sent yet");
    Check { name: "outbox", health: Health::Ok, message, remedy: "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_and_stuck_runs_degrade_the_queue() {
        let of = |late, stuck, held| Overview { late, stuck, held, ..Overview::default() };
        let cases = [
            ((0, 0, 0), Health::Ok),
            ((0, 0, 3), Health::Ok),
            ((1, 0, 0), Health::Degraded),
            ((0, 1, 0), Health::Degraded),
        ];
        for ((late, stuck, held), health) in cases {
            assert_eq!(queue(&of(late, stuck, held)).health, health, "{late} {stuck} {held}");
        }
    }

    #[test]
    fn clocks_may_not_differ_much() {
        let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000);
        let cases = [(0, Health::Ok), (5, Health::Degraded), (60, Health::Failed)];
        for (distance, health) in cases {
            let check = clocks(at(distance), at(0));
            assert_eq!(check.health, health, "{distance}");
            assert_eq!(check.shown().get("remedy").is_some(), health != Health::Ok);
        }
    }
}
