//! A client of language models: of any endpoint that speaks OpenAI's chat completions, and of Anthropic's messages.
//! The answer is constrained by a JSON schema where the endpoint can do that; whoever asks checks it in any case.

use std::time::Duration;

use abide_engine::base::{Problem, Span, Value, text};
use abide_engine::model::{LanguageModel, ModelAnswer, ModelRequest};
use async_trait::async_trait;
use genai::adapter::AdapterKind;
use genai::chat::{ChatMessage, ChatOptions, ChatRequest, JsonSpec};
use genai::resolver::{AuthData, Endpoint, ServiceTargetResolver};
use genai::{ModelIden, ServiceTarget};
use serde::Deserialize;

use crate::http::client_builder;
use crate::secrets::Secrets;

/// Number of attempts at a request, within its time limit: a busy endpoint often answers the second.
const ATTEMPTS: u32 = 2;
/// Maximum length of an answer in tokens. The longest proposal has a few dozen.
const ANSWER_TOKENS_MAX: u32 = 500;
/// Maximum number of characters of an error that a log quotes.
const QUOTED_CHARS_MAX: usize = 300;
/// How long it may take to connect.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// The time limit of a request, if the settings name none.
const TIMEOUT: Span = Span::from_secs(10);

/// The environment variables that connect abide with OpenRouter, without a table `[model]`.
const OPENROUTER_KEY: &str = "OPENROUTER_API_KEY";
const OPENROUTER_MODEL: &str = "OPENROUTER_MODEL";
const OPENROUTER_URL: &str = "https://openrouter.ai/api/v1/";
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
    #[serde(default = "default_timeout")]
    pub timeout: Span,
    /// Maximum number of tokens in a day (UTC); no limit if it is left out.
    #[serde(default)]
    pub tokens_per_day: Option<u64>,
}

const fn default_timeout() -> Span {
    TIMEOUT
}

impl ModelKind {
    const fn adapter(self) -> AdapterKind {
        match self {
            Self::OpenAi => AdapterKind::OpenAI,
            Self::Anthropic => AdapterKind::Anthropic,
        }
    }

    const fn url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
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
        let endpoint = Endpoint::from_owned(format!("{}/", url.trim_end_matches('/')));
        let target = ServiceTarget {
            endpoint,
            auth: AuthData::from_single(key),
            model: ModelIden::new(self.kind.adapter(), self.name.clone()),
        };
        let http = client_builder().connect_timeout(CONNECT_WITHIN).build();
        let http = http.map_err(|error| {
            Problem::operator("not_configured", "this machine has no usable certificates")
                .with_detail(error.to_string())
        })?;
        let resolver = ServiceTargetResolver::from_resolver_fn(
            move |_: ServiceTarget| -> Result<ServiceTarget, genai::resolver::Error> {
                Ok(target.clone())
            },
        );
        let client = genai::Client::builder()
            .with_reqwest(http)
            .with_service_target_resolver(resolver)
            .build()
            .map_err(|error| Problem::operator("not_configured", error.to_string()))?;
        let micros = self.timeout.micros().try_into().unwrap_or_default();
        let timeout = Duration::from_micros(micros);
        Ok(ModelClient { client, name: self.name.clone(), timeout })
    }
}

/// A client of a language model.
pub struct ModelClient {
    client: genai::Client,
    name: String,
    timeout: Duration,
}

#[async_trait]
impl LanguageModel for ModelClient {
    async fn propose(&self, request: &ModelRequest) -> Result<ModelAnswer, Problem> {
        match tokio::time::timeout(self.timeout, self.attempts(request)).await {
            Ok(answer) => answer,
            Err(_) => Err(failed("the model took longer than its time limit".to_owned())),
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
        let chat = ChatRequest::default()
            .with_system(request.instructions)
            .append_message(ChatMessage::user(request.input.to_string()));
        let options = ChatOptions::default()
            .with_temperature(0.0)
            .with_max_tokens(ANSWER_TOKENS_MAX)
            .with_response_format(JsonSpec::new(request.task, request.schema.clone()));
        let answer = self.client.exec_chat(&self.name, chat, Some(&options)).await;
        let answer = answer.map_err(|error| failed(error.to_string()))?;
        let usage = &answer.usage;
        let parts = [usage.prompt_tokens, usage.completion_tokens];
        let billed = usage.total_tokens.or_else(|| Some(parts.into_iter().flatten().sum()));
        let tokens = billed.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(0);
        let text = answer.first_text().unwrap_or_default();
        let value: Value = serde_json::from_str(json_in(text))
            .map_err(|_| failed(format!("the answer is not JSON: {}", quoted(text))))?;
        Ok(ModelAnswer { value: without_nulls(value), tokens })
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

fn quoted(what: &str) -> String {
    text::shortened(what, QUOTED_CHARS_MAX)
}

fn failed(what: String) -> Problem {
    Problem::transient("model_failed", "the language model gave no answer")
        .with_detail(quoted(&what))
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
