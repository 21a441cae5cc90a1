//! One of the two sides that are compared: a church on one database, with its HTTP routes.

use serde_json::json;

use super::history::Call;
use crate::campaign::api::{ApiRequest, ChurchApi};
use crate::campaign::church::{Church, Setup};
use crate::postgres::TestDb;
use crate::process::ApiAnswer;

/// A church on one database.
pub(super) struct Side {
    church: Church,
    /// The HTTP routes. They keep the engine open, so this is `None` while the process is replaced.
    api: Option<ChurchApi>,
}

/// Returns the status and the problem code of a response, such as `422 schema`.
pub(super) fn status_and_code(answer: &ApiAnswer) -> String {
    let code = answer.body["code"].as_str().unwrap_or_default();
    format!("{} {code}", answer.status).trim_end().to_owned()
}

/// Returns a response as lines of text: the status, and the JSON body with one field per line.
pub(super) fn lines(answer: &ApiAnswer) -> Vec<String> {
    let body = serde_json::to_string_pretty(&answer.body).expect("JSON");
    std::iter::once(answer.status.to_string()).chain(body.lines().map(str::to_owned)).collect()
}

impl Side {
    pub(super) async fn open(db: TestDb) -> Self {
        let church = Church::with(db, Setup::default()).await;
        let api = Some(ChurchApi::over(&church));
        Self { church, api }
    }

    /// Carries out an action on this side, and returns the response.
    pub(super) async fn make(&mut self, call: &Call) -> ApiAnswer {
        match call {
            Call::Http { path, .. } if path.starts_with("/v1/events") => {
                self.church.wait_until_log_is_readable().await;
                self.make_now(call).await
            }
            _ => self.make_now(call).await,
        }
    }

    async fn make_now(&mut self, call: &Call) -> ApiAnswer {
        match call {
            Call::Http { method, path, key, body } => {
                let api = self.api.as_ref().expect("alive");
                api.send(&ApiRequest { method, path, key: key.as_deref(), body }).await
            }
            Call::Pause(paused) => self.pause(*paused).await,
            Call::Crash => {
                self.api = None;
                self.church.crash().await;
                self.api = Some(ChurchApi::over(&self.church));
                ApiAnswer { status: 200, body: json!("a new process") }
            }
        }
    }

    /// Returns all messages that the provider received, sorted by recipient. The messages to one recipient
    /// keep their sequence. Messages to different recipients are sent concurrently, in no fixed sequence.
    pub(super) fn texts_at_provider(&self) -> Vec<String> {
        let mut sent = self.church.provider.sent();
        sent.sort_by(|one, other| one.to.cmp(&other.to));
        sent.into_iter().map(|sent| format!("{sent:?}")).collect()
    }

    async fn pause(&self, paused: bool) -> ApiAnswer {
        match self.church.engine().set_tenant_paused("default", paused).await {
            Ok(in_flight) => ApiAnswer { status: 200, body: json!({ "in_flight": in_flight }) },
            Err(problem) => ApiAnswer { status: 422, body: json!({ "code": problem.code }) },
        }
    }
}
