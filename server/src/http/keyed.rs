//! `Idempotency-Key`: the same key and body give the same answer again; the same key with another
//! body is refused.
//!
//! Only successful answers are kept: a refused request changed nothing and may be sent again under its
//! key. Requests with the same key run one at a time, so that a repeat which arrives early waits for the
//! first answer. If two processes serve the same key, the second commit finds the first answer and rolls
//! back.

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use abide_engine::base::{Digest, Problem, Timestamp, limits};
use abide_engine::facade::{AnswerStore, Engine};
use abide_engine::store::Tx;
use abide_engine::transaction;
use async_trait::async_trait;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;

use super::extract;
use super::guard::Tenant;
use crate::data::http_key::{self, Kept};
use crate::problem::ProblemDocument;

/// The request header.
pub(super) const HEADER: &str = "idempotency-key";
/// The response header that marks an answer given before.
pub(super) const REPLAYED: &str = "idempotency-replayed";
/// Number of locks that the keys share.
const STRIPES: usize = 256;
/// Size of the largest answer that is kept: a page of people.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// The store of kept answers. Cheap to clone.
#[derive(Clone)]
pub(super) struct Keys {
    engine: Engine,
    busy: Arc<[Mutex<()>]>,
}

/// The idempotency key of the current request, for routes that keep their answer in the commit of their
/// change. Without a key nothing is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Once(Option<Pending>);

#[derive(Debug, Clone)]
struct Pending {
    tenant: Arc<str>,
    key: Arc<str>,
    asked: Digest,
    /// Whether the answer has been kept.
    kept: Arc<AtomicBool>,
    /// Whether another process has answered a request with this key.
    taken: Arc<AtomicBool>,
    /// What an earlier request with this key has begun and not finished.
    begun: Option<Arc<str>>,
}

impl Once {
    /// Keeps the answer in the transaction of the change.
    pub(super) async fn keep(
        &self,
        tx: &mut Tx,
        status: StatusCode,
        answer: &impl Serialize,
    ) -> Result<(), Problem> {
        let Some(pending) = &self.0 else { return Ok(()) };
        let now = tx.now();
        pending.keep(tx, status.as_u16(), now, answer).await?;
        pending.kept.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Keeps a preliminary answer in the transaction of the change. The final answer replaces it.
    pub(super) async fn keep_for_now(
        &self,
        tx: &mut Tx,
        answer: &impl Serialize,
    ) -> Result<(), Problem> {
        let Some(pending) = &self.0 else { return Ok(()) };
        let now = tx.now();
        pending.keep(tx, StatusCode::OK.as_u16(), now, answer).await
    }

    /// Keeps what is begun, for work that takes several commits and ends by `until`: a repeat with this
    /// key continues it.
    pub(super) async fn begin(
        &self,
        tx: &mut Tx,
        what: &impl Serialize,
        until: Timestamp,
    ) -> Result<(), Problem> {
        let Some(pending) = &self.0 else { return Ok(()) };
        pending.keep(tx, http_key::BEGUN, until, what).await
    }

    /// Returns what an earlier request with this key has begun and not finished.
    pub(super) fn begun<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.0.as_ref()?.begun.as_ref()?).ok()
    }

    /// Whether the request has no key.
    pub(super) fn is_unkeyed(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the key, for engine calls that deduplicate by it.
    pub(super) fn key(&self) -> Option<String> {
        self.0.as_ref().map(|pending| pending.key.to_string())
    }
}

impl Pending {
    async fn keep(
        &self,
        tx: &mut Tx,
        status: u16,
        until: Timestamp,
        answer: &impl Serialize,
    ) -> Result<(), Problem> {
        let answer =
            serde_json::to_string(answer).map_err(|e| Problem::bug(format!("an answer: {e}")))?;
        let kept = Kept { asked: self.asked, status, answer };
        if http_key::keep_first(tx, (&self.tenant, &self.key), &kept, until).await? {
            return Ok(());
        }
        self.taken.store(true, Ordering::SeqCst);
        Err(Problem::caller(
            "key_clash",
            format!("the key `{}` is used by another request", self.key),
        ))
    }
}

/// Keeps a preliminary answer in the commit of the change.
pub(super) struct Preliminary(pub(super) Once);

#[async_trait]
impl<T: Serialize + Sync> AnswerStore<T> for Preliminary {
    async fn store(&self, tx: &mut Tx, answer: &T) -> Result<(), Problem> {
        self.0.keep_for_now(tx, answer).await
    }
}

/// Keeps the final answer and its status in the commit of the change.
pub(super) struct Final<F>(pub(super) Once, pub(super) F);

#[async_trait]
impl<T, A, F> AnswerStore<T> for Final<F>
where
    T: Sync,
    A: Serialize + Send + Sync,
    F: Fn(&T) -> (StatusCode, A) + Send + Sync,
{
    async fn store(&self, tx: &mut Tx, answer: &T) -> Result<(), Problem> {
        let (status, answer) = (self.1)(answer);
        self.0.keep(tx, status, &answer).await
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Once {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}

impl Keys {
    pub(super) fn new(engine: Engine) -> Self {
        let busy = std::iter::repeat_with(|| Mutex::new(())).take(STRIPES).collect();
        Self { engine, busy }
    }

    fn stripe(&self, key: &str) -> &Mutex<()> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        &self.busy[usize::try_from(hasher.finish() % STRIPES as u64).unwrap_or(0)]
    }

    async fn find(&self, pending: &Pending) -> Result<Option<Kept>, Problem> {
        let find = transaction!([pending = pending.clone()], |tx| {
            http_key::find(tx, &pending.tenant, &pending.key).await
        });
        self.engine.read(find).await
    }

    async fn keep(&self, pending: Pending, kept: Kept) -> Result<(), Problem> {
        let keep = transaction!([pending, kept], |tx| {
            http_key::keep(tx, &pending.tenant, &pending.key, &kept).await
        });
        self.engine.write(keep).await
    }
}

pub(super) async fn once(
    State(keys): State<Keys>,
    Tenant(tenant): Tenant,
    request: Request,
    next: Next,
) -> Response {
    match answer(&keys, tenant, request, next).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    }
}

async fn answer(
    keys: &Keys,
    tenant: Arc<str>,
    request: Request,
    next: Next,
) -> Result<Response, ProblemDocument> {
    let Some(key) = key_of(&request)? else { return Ok(next.run(request).await) };
    let (mut parts, body) = request.into_parts();
    let body = extract::read(body).await?;
    let asked = format!("{} {}\n", parts.method, parts.uri);
    let asked = Digest::of(&[asked.as_bytes(), &body].concat());
    let (kept, taken) = (Arc::default(), Arc::default());
    let mut pending = Pending { tenant, key: key.into(), asked, kept, taken, begun: None };

    let _working = keys.stripe(&pending.key).lock().await;
    match keys.find(&pending).await? {
        Some(kept) if kept.status == http_key::BEGUN && kept.asked == asked => {
            pending.begun = Some(kept.answer.into());
        }
        Some(kept) => return replay(&pending, kept),
        None => {}
    }
    parts.extensions.insert(Once(Some(pending.clone())));
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    if pending.taken.load(Ordering::SeqCst)
        && let Some(kept) = keys.find(&pending).await?
    {
        return replay(&pending, kept);
    }
    if !response.status().is_success() || pending.kept.load(Ordering::SeqCst) {
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, ANSWER_BYTES_MAX)
        .await
        .map_err(|e| ProblemDocument::from(Problem::bug(format!("an answer was lost: {e}"))))?;
    let answer = String::from_utf8_lossy(&body).into_owned();
    keys.keep(pending, Kept { asked, status: parts.status.as_u16(), answer }).await?;
    Ok(Response::from_parts(parts, Body::from(body)))
}

/// Returns the key of a request that may change something.
fn key_of(request: &Request) -> Result<Option<String>, ProblemDocument> {
    if request.method() == Method::GET || request.method() == Method::HEAD {
        return Ok(None);
    }
    let Some(value) = request.headers().get(HEADER) else { return Ok(None) };
    match value.to_str() {
        Ok(key) if !key.is_empty() && key.len() <= limits::KEY_BYTES_MAX => {
            Ok(Some(key.to_owned()))
        }
        _ => {
            let detail =
                format!("`Idempotency-Key` takes 1 to {} plain characters", limits::KEY_BYTES_MAX);
            Err(ProblemDocument::new(422, "schema", detail))
        }
    }
}

fn replay(pending: &Pending, kept: Kept) -> Result<Response, ProblemDocument> {
    if kept.asked != pending.asked {
        let detail = format!("the key `{}` was used for another request", pending.key);
        return Err(ProblemDocument::new(409, "key_clash", detail)
            .with_hint("use a new key for a new request"));
    }
    let status = StatusCode::from_u16(kept.status).unwrap_or(StatusCode::OK);
    let mut response = (status, kept.answer).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    Ok(response)
}
