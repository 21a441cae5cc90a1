//! Carries out the tools of a home whose contracts name a server (`handler: remote`).

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{CallContext, ExternalRequest, ExternalVerb, Prepared};
use crate::base::{CallId, Problem, RunId, Value};
use crate::contract::Handler;
use crate::store::Tx;

/// Name of the adapter that posts calls to the servers of homes.
pub const REMOTE: &str = "remote";

/// What the adapter for the servers of homes must post.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemoteRequest {
    /// The address.
    pub url: String,
    /// The environment variable that holds the secret with which the call is signed.
    pub secret_env: String,
    /// The body of the post.
    pub body: RemoteBody,
}

/// What a server of a home is told about a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RemoteBody {
    /// Name of the tool.
    pub tool: String,
    /// Id of the call. A second post with the same id is the same call.
    pub call_id: CallId,
    /// Run that makes the call.
    pub run_id: RunId,
    /// Step that makes the call.
    pub step_id: String,
    /// Tenant that makes the call.
    pub tenant: String,
    /// Arguments of the call, which fit the input schema of the contract.
    pub input: Value,
}

/// Carries out all tools of a home whose contracts name a server.
pub(super) struct Remote;

#[async_trait]
impl ExternalVerb for Remote {
    async fn prepare(
        &self,
        _tx: &mut Tx,
        cx: &CallContext<'_>,
        args: &Value,
    ) -> Result<Prepared, Problem> {
        let Handler::Remote(tool) = &cx.contract.handler else {
            return Err(Problem::bug(format!("`{}` names no server", cx.contract.name)));
        };
        let request = RemoteRequest {
            url: tool.url.clone(),
            secret_env: tool.secret_env.clone(),
            body: RemoteBody {
                tool: cx.contract.name.clone(),
                call_id: cx.call,
                run_id: cx.run,
                step_id: cx.step_id.to_owned(),
                tenant: cx.tenant.to_owned(),
                input: args.clone(),
            },
        };
        let request = ExternalRequest::new(REMOTE, tool.host(), &request)?;
        let complete_within = Some(tool.complete_within);
        Ok(Prepared::Call(ExternalRequest { complete_within, ..request }))
    }
}
