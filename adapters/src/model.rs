//! A client of language models: of any endpoint that speaks OpenAI's chat completions
//! (<https://platform.openai.com/docs/api-reference/chat>), and of Anthropic's messages
//! (<https://docs.anthropic.com/en/api/messages>). The answer is constrained by a JSON schema: as a structured output, or as
//! the input of the only tool. Whoever asks checks it in any case.

use std::time::Duration;

use abide_engine::base::{Problem, Span, Value, text};
use abide_engine::model::{LanguageModel, ModelAnswer, ModelRequest};
use abide_engine::policy::positive_duration;
use async_trait::async_trait;
use reqwest::{RequestBuilder, Response};
use serde::Deserialize;
use serde_json::json;

use crate::http::{Client, NO_CERTIFICATES, QUOTED_CHARS_MAX, limited_body};
use crate::secrets::Secrets;

/// Number of attempts at a request, within its time limit: a busy endpoint often answers the second.
const ATTEMPTS: u32 = 2;
/// Maximum length of an answer in tokens. The longest proposal has a few dozen.
const ANSWER_TOKENS_MAX: u32 = 500;
/// The version of Anthropic's protocol.
const ANTHROPIC_VERSION: &str = "2023-06-01";
/// The time limit of a request, if the settings name none.
const TIMEOUT: Span = Span::from_secs(10);

/// The environment variables that connect abide with OpenRouter, without a table `[model]`.
const OPENROUTER_KEY: &str = "OPENROUTER_API_KEY";
const OPENROUTER_MODEL: &str = "OPENROUTER_MODEL";
const OPENROUTER_URL: &str = "https://openrouter.ai/api/v1";
const OPENROUTER_DEFAULT: &str = "anthropic/claude-3.5-sonnet";

/// The protocol of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// OpenAI's chat completions, which most servers speak.
    #[default]
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
}

/// The table `[model]` of the settings: the language model that is asked where the own reader is not sure.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSettings {
    /// The address of the endpoint; that of the provider if it is left out.
    #[serde(default)]
    pub url: Option<String>,
    /// The protocol.
    #[serde(default)]
    pub kind: ModelKind,
    /// The name of the model, as the endpoint knows it.
    pub name: String,
    /// The environment variable that holds the key; none for an endpoint that needs no key.
    #[serde(default)]
    pub key_env: Option<String>,
    /// The time limit of a request.
    #[serde(default = "default_timeout", deserialize_with = "positive_duration::deserialize")]
    pub timeout: Span,
    /// Whether the model also rewords messages whose templates allow it. What it writes is checked; on doubt the message
    /// leaves as it is.
    #[serde(default)]
    pub rewords: bool,
    /// Maximum number of tokens in a day (UTC); no limit if it is left out.
    #[serde(default)]
    pub tokens_per_day: Option<u64>,
}

const fn default_timeout() -> Span {
    TIMEOUT
}

impl ModelKind {
    const fn url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
        }
    }

    /// The path of the route that answers, below the address of the endpoint.
    const fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "chat/completions",
            Self::Anthropic => "messages",
        }
    }

    /// Adds the key to a request.
    fn authorized(self, request: RequestBuilder, key: &str) -> RequestBuilder {
        match self {
            Self::OpenAi if key.is_empty() => request,
            Self::OpenAi => request.bearer_auth(key),
            Self::Anthropic => {
                request.header("x-api-key", key).header("anthropic-version", ANTHROPIC_VERSION)
            }
        }
    }

    /// Builds the body of a request.
    fn body(self, model: &str, request: &ModelRequest) -> Value {
        let (instructions, input) = (request.instructions, request.input.to_string());
        match self {
            Self::OpenAi => json!({
                "model": model,
                "temperature": 0,
                "max_tokens": ANSWER_TOKENS_MAX,
                "messages": [
                    { "role": "system", "content": instructions },
                    { "role": "user", "content": input },
                ],
                "response_format": {
                    "type": "json_schema",
                    "json_schema": { "name": request.task, "schema": request.schema },
                },
            }),
            Self::Anthropic => json!({
                "model": model,
                "temperature": 0,
                "max_tokens": ANSWER_TOKENS_MAX,
                "system": instructions,
                "messages": [{ "role": "user", "content": input }],
                "tools": [{
                    "name": request.task,
                    "description": "Takes the answer.",
                    "input_schema": request.schema,
                }],
                "tool_choice": { "type": "tool", "name": request.task },
            }),
        }
    }

    /// Returns the proposal in an answer; `None` if there is none.
    fn proposal(self, answer: &Value) -> Option<Value> {
        let written = |text: &Value| serde_json::from_str(json_in(text.as_str()?)).ok();
        match self {
            Self::OpenAi => written(&answer["choices"][0]["message"]["content"]),
            Self::Anthropic => {
                answer["content"].as_array()?.iter().find_map(|part| match part["type"].as_str() {
                    Some("tool_use") => Some(part["input"].clone()),
                    Some("text") => written(&part["text"]),
                    _ => None,
                })
            }
        }
    }

    /// Returns the number of tokens that an answer says were billed.
    fn tokens(self, answer: &Value) -> u64 {
        let usage = &answer["usage"];
        let sum = |names: [&str; 2]| names.iter().filter_map(|name| usage[*name].as_u64()).sum();
        match self {
            Self::OpenAi => sum(["prompt_tokens", "completion_tokens"]),
            Self::Anthropic => sum(["input_tokens", "output_tokens"]),
        }
    }
}

impl ModelSettings {
    /// Returns the settings that the environment gives: those of OpenRouter, if its key is set.
    #[must_use]
    pub fn from_environment(secrets: &Secrets) -> Option<Self> {
        secrets.get(OPENROUTER_KEY)?;
        Some(Self {
            url: Some(OPENROUTER_URL.to_owned()),
            kind: ModelKind::OpenAi,
            name: secrets.get(OPENROUTER_MODEL).unwrap_or_else(|| OPENROUTER_DEFAULT.to_owned()),
            key_env: Some(OPENROUTER_KEY.to_owned()),
            timeout: TIMEOUT,
            rewords: false,
            tokens_per_day: None,
        })
    }

    /// Returns the client of the model.
    ///
    /// # Errors
    /// `not_configured` if the address is not one of the web, or if the key is not set.
    pub fn client(&self, secrets: &Secrets) -> Result<ModelClient, Problem> {
        let url = self.url.as_deref().unwrap_or(self.kind.url());
        if !url.starts_with("http://") && !url.starts_with("https://") {
            let message = format!("`{url}` is no address of a language model");
            return Err(Problem::operator("not_configured", message)
                .with_hint("set `url` in `[model]` to an address that begins with `https://`"));
        }
        let key = match &self.key_env {
            Some(name) => secrets.required(name)?,
            None => String::new(),
        };
        let micros = self.timeout.micros().try_into().unwrap_or_default();
        Ok(ModelClient {
            http: Client::default(),
            kind: self.kind,
            url: format!("{}/{}", url.trim_end_matches('/'), self.kind.path()),
            name: self.name.clone(),
            key,
            timeout: Duration::from_micros(micros),
        })
    }
}

/// A client of a language model.
pub struct ModelClient {
    http: Client,
    kind: ModelKind,
    url: String,
    name: String,
    key: String,
    timeout: Duration,
}

#[async_trait]
impl LanguageModel for ModelClient {
    async fn propose(&self, request: &ModelRequest) -> Result<ModelAnswer, Problem> {
        match tokio::time::timeout(self.timeout, self.attempts(request)).await {
            Ok(answer) => answer,
            Err(_) => Err(failed("the model took longer than its time limit")),
        }
    }
}

impl ModelClient {
    async fn attempts(&self, request: &ModelRequest) -> Result<ModelAnswer, Problem> {
        let mut last = self.attempt(request).await;
        for _ in 1..ATTEMPTS {
            if last.is_ok() {
                break;
            }
            last = self.attempt(request).await;
        }
        last
    }

    async fn attempt(&self, request: &ModelRequest) -> Result<ModelAnswer, Problem> {
        let http = self.http.built().ok_or_else(|| failed(NO_CERTIFICATES))?;
        let post = self.kind.authorized(http.post(&self.url), &self.key);
        let body = self.kind.body(&self.name, request).to_string();
        let sent = post.header("content-type", "application/json").body(body).send().await;
        let answer: Response = sent.map_err(|error| failed(&error.without_url().to_string()))?;
        let status = answer.status();
        let body = limited_body(answer).await.map_err(|why| failed(&why))?;
        if !status.is_success() {
            return Err(failed(&format!("status {status}: {body}")));
        }
        let answer: Value = serde_json::from_str(&body)
            .map_err(|_| failed(&format!("the answer is not JSON: {body}")))?;
        let proposal = self.kind.proposal(&answer);
        let value =
            proposal.ok_or_else(|| failed(&format!("no proposal in the answer: {body}")))?;
        Ok(ModelAnswer { value: without_nulls(value), tokens: self.kind.tokens(&answer) })
    }
}

/// Returns the JSON in an answer. Some models write it between fences of Markdown.
fn json_in(text: &str) -> &str {
    let text = text.trim();
    let inner = text.strip_prefix("```json").or_else(|| text.strip_prefix("```"));
    inner.and_then(|inner| inner.strip_suffix("```")).unwrap_or(text).trim()
}

/// Drops the members of an object that are null: an endpoint with strict schemas answers null for what is left out.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            members.into_iter().filter(|(_, member)| !member.is_null()).collect()
        }
        other => other,
    }
}

fn failed(what: &str) -> Problem {
    Problem::transient("model_failed", "the language model gave no answer")
        .with_detail(text::shortened(what, QUOTED_CHARS_MAX))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_between_fences_and_nulls_are_left_out() {
        for text in ["{\"a\": 1}", "```json\n{\"a\": 1}\n```", " ```\n{\"a\": 1}``` "] {
            assert_eq!(json_in(text), "{\"a\": 1}", "{text}");
        }
        assert_eq!(without_nulls(json!({"a": 1, "b": null})), json!({"a": 1}));
    }

    #[test]
    fn openrouter_is_used_if_its_key_is_set() {
        assert_eq!(ModelSettings::from_environment(&Secrets::from_fn(|_| None)), None);
        let set = Secrets::from_fn(|name| (name == OPENROUTER_KEY).then(|| "k".to_owned()));
        let settings = ModelSettings::from_environment(&set).expect("settings");
        assert_eq!(
            (settings.name.as_str(), settings.kind),
            (OPENROUTER_DEFAULT, ModelKind::OpenAi)
        );
        assert!(settings.client(&set).is_ok());
        let missing = settings.client(&Secrets::from_fn(|_| None)).err().expect("refused");
        assert_eq!(missing.code, "not_configured");
    }
}
