//! The judgement: what the operator plans and runs, what a text binds the agent to, and what conversations are about.

mod agenda;
mod answers;
mod ask;
mod durable;
mod home;
mod model;
mod operator;
mod texts;

use abide_engine::base::Value;
use serde_json::json;

use crate::campaign::api::{ApiRequest, ChurchApi};
use crate::campaign::church::Church;
use crate::process::ApiAnswer;

/// Posts a body, with an idempotency key if one is given.
async fn post(church: &Church, path: &str, key: Option<&str>, body: &Value) -> ApiAnswer {
    let body = body.to_string();
    let request = ApiRequest { method: "POST", path, key, body: &body };
    ChurchApi::over(church).send(&request).await
}

async fn get(church: &Church, path: &str) -> Value {
    let request = ApiRequest { method: "GET", path, key: None, body: "" };
    ChurchApi::over(church).send(&request).await.body
}

/// Sends a message to the operator.
async fn operator(church: &Church, mode: &str, message: &str) -> Value {
    let body = json!({ "message": message, "mode": mode });
    post(church, "/v1/operator", None, &body).await.body
}
