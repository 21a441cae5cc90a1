//! Reads what a tool of risk T0 would return, without a run and without a receipt: planning has no effects.

use abide_engine::base::{CallId, Digest, Problem, RunId, Value};
use abide_engine::contract::{Contract, Effect, Risk};
use abide_engine::domain::DomainContext;
use abide_engine::store::{MethodRef, Tx};
use abide_engine::verb::{AnswerTarget, CallContext, StartChecker, Verb, Verbs};
use async_trait::async_trait;

/// Looks at what the read-only tools of a tenant return.
pub struct Looker<'a> {
    /// The code of the tools.
    pub verbs: &'a Verbs,
    /// The tenant.
    pub cx: &'a DomainContext<'a>,
}

impl Looker<'_> {
    /// Returns the result of a call of a tool that only reads; `None` if the tool does not only read the database, if
    /// its tenant does not have it, or if the call fails.
    pub async fn look(&self, tx: &mut Tx, contract: &Contract, input: &Value) -> Option<Value> {
        let is_theirs = contract.belongs_to().is_none_or(|it| self.cx.settings.has_domain(it));
        let only_reads = contract.effect == Effect::Read && contract.risk == Risk::T0;
        if !only_reads || !is_theirs || contract.check_args(input).is_err() {
            return None;
        }
        let Some(Verb::Write(verb)) = self.verbs.of(contract) else { return None };
        let goal = Value::Null;
        let cx = CallContext {
            tenant: self.cx.tenant,
            now: self.cx.now,
            run: tx.mint::<RunId>(),
            call: tx.mint::<CallId>(),
            step_id: &contract.name,
            contract,
            answer_to: AnswerTarget { run: tx.mint::<RunId>(), signal: "answer".into() },
            request: None,
            campaign: 1,
            occasion: None,
            goal: &goal,
            settings: self.cx.settings,
            templates: self.cx.templates,
            approved: false,
            consented: false,
            start_checker: &NoStart,
        };
        let outcome = verb.run(tx, &cx, input, None).await.ok()?;
        contract.check_result(&outcome.result).ok()?;
        Some(outcome.result)
    }
}

/// Lets nothing start: a tool that only reads starts nothing.
struct NoStart;

#[async_trait]
impl StartChecker for NoStart {
    async fn check(&self, _: &mut Tx, _: MethodRef<'_>, _: &Value) -> Result<Digest, Problem> {
        Err(Problem::bug("a tool that only reads starts a run"))
    }
}
