//! Posts events to the addresses of others, as the specification Standard Webhooks defines. Receivers tell a
//! repeated post by its `webhook-id`, so an event whose delivery is unknown is posted again.

use abide_engine::adapter::{
    Adapter, AdapterCall, CallAnswer, CallLookup, NotConfigured, WebhookRequest,
};
use abide_engine::base::{Problem, Value};
use async_trait::async_trait;
use reqwest::StatusCode;

use crate::http::{Client, Post, Posted, called, looked_up};
use crate::secrets::Secrets;

/// The environment variable with the secret that signs events.
pub const WEBHOOK_SECRET: &str = "ABIDE_WEBHOOK_SECRET";
/// Maximum number of characters of an answer that the result keeps.
const ANSWER_CHARS_MAX: usize = 2_000;

/// Posts events.
pub(crate) struct Webhook {
    client: Client,
    secrets: Secrets,
}

impl Webhook {
    pub(crate) fn new(client: Client, secrets: Secrets) -> Self {
        Self { client, secrets }
    }

    async fn post(&self, call: &AdapterCall) -> Result<Posted, Problem> {
        let request: WebhookRequest = serde_json::from_value(call.request.clone())
            .map_err(|error| Problem::bug(error.to_string()))?;
        let secret = self.secrets.required(WEBHOOK_SECRET)?;
        let body = serde_json::json!({
            "type": request.event, "timestamp": call.at.to_string(), "data": request.data,
        });
        let body = body.to_string();
        let post = Post { url: &request.url, secret: &secret, body, headers: Vec::new() };
        Ok(self.client.post(call, post).await)
    }
}

#[async_trait]
impl Adapter for Webhook {
    fn missing(&self, _request: &Value) -> Option<NotConfigured> {
        if self.secrets.get(WEBHOOK_SECRET).is_some() {
            return None;
        }
        Some(NotConfigured {
            reason: "The secret that signs events is not set.".to_owned(),
            required_env: vec![WEBHOOK_SECRET.to_owned()],
            next_steps: vec!["Agree on a secret with the receivers, and set it.".to_owned()],
        })
    }

    async fn call(&self, call: &AdapterCall) -> CallAnswer {
        called(self.post(call).await, answer)
    }

    async fn look_up(&self, call: &AdapterCall) -> CallLookup {
        looked_up(self.post(call).await, answer)
    }
}

fn answer(status: StatusCode, body: &str) -> Option<Value> {
    let response: String = body.chars().take(ANSWER_CHARS_MAX).collect();
    Some(serde_json::json!({ "status_code": status.as_u16(), "response": response }))
}
