//! Posts calls to the servers of a home. A server gets each call at least once, always with the same id, and
//! must do it once. So a call whose outcome is unknown is posted again.

use abide_engine::adapter::{
    Adapter, AdapterCall, CallAnswer, CallLookup, CompletionRequest, NotConfigured,
};
use abide_engine::base::{CallId, Problem, RunId, Value};
use abide_engine::verb::RemoteRequest;
use async_trait::async_trait;
use hmac::Mac as _;
use reqwest::StatusCode;

use crate::http::{Client, Post, Posted, called, looked_up};
use crate::secrets::Secrets;
use crate::signature::keyed;

/// Posts calls to the servers of a home.
pub(crate) struct Remote {
    client: Client,
    secrets: Secrets,
}

impl Remote {
    pub(crate) fn new(client: Client, secrets: Secrets) -> Self {
        Self { client, secrets }
    }

    async fn post(&self, call: &AdapterCall) -> Result<Posted, Problem> {
        let request: RemoteRequest = serde_json::from_value(call.request.clone())
            .map_err(|error| Problem::bug(error.to_string()))?;
        let secret = self.secrets.required(&request.secret_env)?;
        let body = serde_json::to_string(&request.body);
        let post = Post {
            url: &request.url,
            secret: &secret,
            body: body.map_err(|error| Problem::bug(error.to_string()))?,
            headers: vec![("abide-completion-token", token(&secret, call.call, call.run))],
        };
        Ok(self.client.post(call, post).await)
    }
}

#[async_trait]
impl Adapter for Remote {
    fn missing(&self, request: &Value) -> Option<NotConfigured> {
        let variable = request["secret_env"].as_str().unwrap_or_default();
        if self.secrets.get(variable).is_some() {
            return None;
        }
        Some(NotConfigured {
            reason: "The secret that signs the calls is not set.".to_owned(),
            required_env: vec![variable.to_owned()],
            next_steps: vec!["Set the same secret here and at the server of the tool.".to_owned()],
        })
    }

    async fn call(&self, call: &AdapterCall) -> CallAnswer {
        called(self.post(call).await, result)
    }

    async fn look_up(&self, call: &AdapterCall) -> CallLookup {
        looked_up(self.post(call).await, result)
    }

    fn may_complete(&self, request: &Value, completion: CompletionRequest<'_>) -> bool {
        let secret = request["secret_env"].as_str().and_then(|name| self.secrets.get(name));
        let Some((secret, tag)) = secret.zip(unhex(completion.token)) else { return false };
        completed_by(&secret, completion.call, completion.run).verify_slice(&tag).is_ok()
    }
}

/// Reads the result of a call; `None` if the server will report it later. Text that is no JSON is the result
/// as it stands, which the contract then judges.
fn result(status: StatusCode, body: &str) -> Option<Value> {
    let result = || serde_json::from_str(body).unwrap_or_else(|_| Value::from(body));
    (status != StatusCode::ACCEPTED).then(result)
}

/// Returns the token that completes a call: the id of its run, a dot, and a tag that only the holder of the
/// secret can compute.
fn token(secret: &str, call: CallId, run: RunId) -> String {
    let tag = completed_by(secret, call, run).finalize().into_bytes();
    let hex: String = tag.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{run}.{hex}")
}

fn completed_by(secret: &str, call: CallId, run: RunId) -> hmac::Hmac<sha2::Sha256> {
    keyed(secret).chain_update(format!("complete {call} {run}"))
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair[0] * 16 + pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use abide_engine::base::TypedId as _;

    use super::*;

    #[test]
    fn a_token_completes_its_own_call_only() {
        let id = uuid::Uuid::from_u128;
        let (call, run) = (CallId::from_uuid(id(1)), RunId::from_uuid(id(2)));
        let secrets = Secrets::from_fn(|name| (name == "A_SECRET").then(|| "s".to_owned()));
        let remote = Remote::new(Client::default(), secrets);
        let request = serde_json::json!({ "secret_env": "A_SECRET" });
        let token = token("s", call, run);
        let (_, tag) = token.split_once('.').expect("a dot");
        let may = |call, run, token: &str| {
            remote.may_complete(&request, CompletionRequest { call, run, token })
        };
        assert!(may(call, run, tag));
        for (call, run, tag) in [
            (CallId::from_uuid(id(3)), run, tag),
            (call, RunId::from_uuid(id(3)), tag),
            (call, run, &tag[2..]),
            (call, run, ""),
            (call, run, "zz"),
            (call, run, "é"),
        ] {
            assert!(!may(call, run, tag), "{call} {run} {tag}");
        }
        let other = serde_json::json!({ "secret_env": "ANOTHER" });
        let completion = CompletionRequest { call, run, token: tag };
        assert!(!remote.may_complete(&other, completion), "its secret is not set");
    }
}
