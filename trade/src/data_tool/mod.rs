//! Carries out the calls of data-driven tools: creates, returns, lists and changes rows as the contracts say.

mod assignment;
mod check;
mod create;
mod get;
mod list;
mod promise;
mod shown;
mod target;
mod update;

use abide_engine::base::{Problem, Timestamp, Value};
use abide_engine::contract::{Contract, DataAction, DataTool, Handler};
use abide_engine::policy::Region;
use abide_engine::store::Tx;
use abide_engine::verb::{BrokenRow, CallContext, DataHandler, Proposal, VerbOutcome, WriteVerb};
use async_trait::async_trait;

use crate::data;
use crate::refusal::{self, NamedRow};
use target::Target;

/// The handler of all data-driven tools.
#[derive(Debug, Clone, Copy, Default)]
pub struct DataTools;

/// A call of a data-driven tool.
struct DataCall<'a> {
    tenant: &'a str,
    now: Timestamp,
    region: Region,
    contract: &'a Contract,
    tool: &'a DataTool,
    target: Target<'a>,
    args: &'a Value,
}

impl<'a> DataCall<'a> {
    fn of(cx: &CallContext<'a>, args: &'a Value) -> Result<Self, Problem> {
        let Handler::Data(tool) = &cx.contract.handler else {
            return Err(refusal::unknown("the tool is not data-driven"));
        };
        let target = Target::of(tool).map_err(refusal::unknown)?;
        let (tenant, now, region) = (cx.tenant, cx.now, cx.settings.region);
        Ok(Self { tenant, now, region, contract: cx.contract, tool, target, args })
    }

    /// Returns the id of the row that the input names, with the name of the member that names it.
    fn named_row(&self) -> Result<NamedRow<'a>, Problem> {
        let member = self.tool.id.as_deref().unwrap_or_default();
        match self.args.get(member).and_then(Value::as_str) {
            Some(id) => Ok(NamedRow { member, id }),
            None => Err(refusal::invalid(member, "is not a text")),
        }
    }
}

#[async_trait]
impl WriteVerb for DataTools {
    async fn proposal(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<Option<Proposal>, Problem> {
        promise::proposal(tx, &DataCall::of(cx, args)?, cx).await
    }

    async fn run(
        &self,
        tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
        _cursor: Option<&Value>,
    ) -> Result<VerbOutcome, Problem> {
        let call = DataCall::of(cx, args)?;
        match call.tool.action {
            DataAction::Create => create::run(tx, &call).await,
            DataAction::Get => get::run(tx, &call).await,
            DataAction::List => list::run(tx, &call).await,
            DataAction::Update => update::run(tx, &call).await,
        }
    }
}

#[async_trait]
impl DataHandler for DataTools {
    fn check(&self, contract: &Contract) -> Result<(), String> {
        check::check(contract)
    }

    async fn audit(&self, tx: &mut Tx) -> Result<Vec<BrokenRow>, Problem> {
        Ok(data::broken_rules(tx).await?)
    }
}
