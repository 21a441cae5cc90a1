//! The header `Idempotency-Key`: a repeated request with the same key and body gets the stored response.
//! A request with the same key and another body is rejected.
//!
//! Only responses with a success status are stored. A request that failed changed nothing,
//! so the client may send it again with the same key. Requests with the same key run one at a time,
//! so a repeated request waits for the response to the first request. If two processes serve requests with
//! the same key, the second commit finds the response that the first commit stored, and rolls back.

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
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;

use super::extract;
use super::guard::Tenant;
use crate::data::http_key::{self, KeyRef, StoredAnswer};
use crate::problem::ProblemDocument;

/// Name of the request header with the idempotency key.
pub(super) const HEADER: &str = "idempotency-key";
/// Name of the response header that marks a stored response.
pub(super) const REPLAYED: &str = "idempotency-replayed";
/// Number of locks. Each idempotency key is assigned to one lock.
const LOCKS: usize = 256;
/// Maximum size of a stored response in bytes. The largest response is a page of people.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// Access to the stored responses, with the locks of the idempotency keys.
pub(super) struct IdempotencyKeys {
    engine: Engine,
    locks: Box<[Mutex<()>]>,
}

/// The idempotency key of the current request, for routes that store their response in the same commit
/// as their change. If the request has no key, nothing is stored.
#[derive(Debug, Clone, Default)]
pub(super) struct IdempotencyKey(Option<PendingRequest>);

/// A request that has an idempotency key, and whose final response is not stored yet.
#[derive(Debug, Clone)]
struct PendingRequest {
    tenant: Arc<str>,
    key: Arc<str>,
    /// Digest of the request's route and body.
    request: Digest,
    /// Whether the response to this request has been stored.
    stored: Arc<AtomicBool>,
    /// Whether another process has stored a response under this key.
    taken: Arc<AtomicBool>,
    /// Description of the work that an earlier request with this key left unfinished, as JSON.
    unfinished: Option<Arc<str>>,
}

impl IdempotencyKey {
    /// Stores the final response in the transaction that makes the change.
    pub(super) async fn store_answer(
        &self,
        tx: &mut Tx,
        status: StatusCode,
        answer: &impl Serialize,
    ) -> Result<(), Problem> {
        let Some(pending) = &self.0 else { return Ok(()) };
        let now = tx.now();
        pending.store(tx, status.as_u16(), now, answer).await?;
        pending.stored.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// Stores a preliminary response in the transaction that makes the change.
    /// The final response replaces the preliminary response.
    pub(super) async fn store_preliminary(
        &self,
        tx: &mut Tx,
        answer: &impl Serialize,
    ) -> Result<(), Problem> {
        let Some(pending) = &self.0 else { return Ok(()) };
        let now = tx.now();
        pending.store(tx, StatusCode::OK.as_u16(), now, answer).await
    }

    /// Stores a description of work that takes several commits, and that ends at the time `until` or
    /// earlier. A repeated request with this key continues the work.
    pub(super) async fn store_unfinished(
        &self,
        tx: &mut Tx,
        what: &impl Serialize,
        until: Timestamp,
    ) -> Result<(), Problem> {
        let Some(pending) = &self.0 else { return Ok(()) };
        pending.store(tx, http_key::IN_PROGRESS, until, what).await
    }

    /// If an earlier request with this key left work unfinished, returns the stored description of this
    /// work.
    pub(super) fn unfinished<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.0.as_ref()?.unfinished.as_ref()?).ok()
    }

    /// Whether the request has no key.
    pub(super) fn is_absent(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the key as a string, for functions of the engine that deduplicate by key.
    pub(super) fn text(&self) -> Option<String> {
        self.0.as_ref().map(|pending| pending.key.to_string())
    }
}

impl PendingRequest {
    fn key(&self) -> KeyRef<'_> {
        KeyRef { tenant: &self.tenant, key: &self.key }
    }

    /// Stores a response in the transaction that makes the change.
    /// Fails if another request has stored a response under the same key.
    async fn store(
        &self,
        tx: &mut Tx,
        status: u16,
        until: Timestamp,
        answer: &impl Serialize,
    ) -> Result<(), Problem> {
        let body =
            serde_json::to_string(answer).map_err(|e| Problem::bug(format!("an answer: {e}")))?;
        let answer = StoredAnswer { request: self.request, status, body };
        if http_key::store_first(tx, self.key(), &answer, until).await? {
            return Ok(());
        }
        self.taken.store(true, Ordering::SeqCst);
        Err(Problem::caller(
            "key_clash",
            format!("the key `{}` is used by another request", self.key),
        ))
    }
}

/// Lets the engine store a preliminary response in the same commit as the change.
pub(super) struct StorePreliminary(pub(super) IdempotencyKey);

#[async_trait]
impl<T: Serialize + Sync> AnswerStore<T> for StorePreliminary {
    async fn store(&self, tx: &mut Tx, answer: &T) -> Result<(), Problem> {
        self.0.store_preliminary(tx, answer).await
    }
}

/// Lets the engine store the final response and its status in the same commit as the change.
pub(super) struct StoreFinal<F>(pub(super) IdempotencyKey, pub(super) F);

#[async_trait]
impl<T, A, F> AnswerStore<T> for StoreFinal<F>
where
    T: Sync,
    A: Serialize + Send + Sync,
    F: Fn(&T) -> (StatusCode, A) + Send + Sync,
{
    async fn store(&self, tx: &mut Tx, answer: &T) -> Result<(), Problem> {
        let (status, answer) = (self.1)(answer);
        self.0.store_answer(tx, status, &answer).await
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}

/// The tenant of a request, with the idempotency key of the request.
pub(super) struct KeyedTenant {
    pub(super) tenant: Arc<str>,
    pub(super) key: IdempotencyKey,
}

impl<S: Send + Sync> FromRequestParts<S> for KeyedTenant {
    type Rejection = <Tenant as FromRequestParts<S>>::Rejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let Tenant(tenant) = Tenant::from_request_parts(parts, state).await?;
        let Ok(key) = IdempotencyKey::from_request_parts(parts, state).await;
        Ok(Self { tenant, key })
    }
}

impl IdempotencyKeys {
    pub(super) fn new(engine: Engine) -> Self {
        let locks = std::iter::repeat_with(|| Mutex::new(())).take(LOCKS).collect();
        Self { engine, locks }
    }

    /// Returns the lock of a key. Several keys can have the same lock.
    fn lock_of(&self, key: &str) -> &Mutex<()> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        &self.locks[usize::try_from(hasher.finish() % LOCKS as u64).unwrap_or(0)]
    }

    async fn find(&self, pending: &PendingRequest) -> Result<Option<StoredAnswer>, Problem> {
        let find =
            transaction!([pending = pending.clone()], |tx| http_key::find(tx, pending.key()).await);
        self.engine.read(find).await
    }

    async fn store(&self, pending: PendingRequest, answer: StoredAnswer) -> Result<(), Problem> {
        let store =
            transaction!([pending, answer], |tx| http_key::store(tx, pending.key(), &answer).await);
        self.engine.write(store).await
    }
}

/// Middleware: carries out a request with a key only once.
/// A repeated request with the same key gets the stored response.
pub(super) async fn answer_once<A: Future<Output = Response>>(
    keys: &IdempotencyKeys,
    request: Request,
    next: impl FnOnce(Request) -> A,
) -> Response {
    match answer(keys, request, next).await {
        Ok(response) => response,
        Err(problem) => problem.into_response(),
    }
}

async fn answer<A: Future<Output = Response>>(
    keys: &IdempotencyKeys,
    request: Request,
    next: impl FnOnce(Request) -> A,
) -> Result<Response, ProblemDocument> {
    let Some(key) = key_of(&request)? else { return Ok(next(request).await) };
    let (mut parts, body) = request.into_parts();
    let Tenant(tenant) = Tenant::from_request_parts(&mut parts, &()).await?;
    let most = extract::body_bytes_max(&parts.method, &parts.uri);
    let body = extract::read_body(body, most).await?;
    let route = format!("{} {}\n", parts.method, parts.uri);
    let request = Digest::of(&[route.as_bytes(), &body].concat());
    let mut pending = PendingRequest {
        tenant,
        key: key.into(),
        request,
        stored: Arc::default(),
        taken: Arc::default(),
        unfinished: None,
    };

    let _working = keys.lock_of(&pending.key).lock().await;
    match keys.find(&pending).await? {
        Some(stored) if stored.status == http_key::IN_PROGRESS && stored.request == request => {
            pending.unfinished = Some(stored.body.into());
        }
        Some(stored) => return replay(&pending, stored),
        None => {}
    }
    parts.extensions.insert(IdempotencyKey(Some(pending.clone())));
    let response = next(Request::from_parts(parts, Body::from(body))).await;
    if pending.taken.load(Ordering::SeqCst)
        && let Some(stored) = keys.find(&pending).await?
    {
        return replay(&pending, stored);
    }
    if !response.status().is_success() || pending.stored.load(Ordering::SeqCst) {
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, ANSWER_BYTES_MAX)
        .await
        .map_err(|e| ProblemDocument::from(Problem::bug(format!("an answer was lost: {e}"))))?;
    let text = String::from_utf8_lossy(&body).into_owned();
    let answer = StoredAnswer { request, status: parts.status.as_u16(), body: text };
    keys.store(pending, answer).await?;
    Ok(Response::from_parts(parts, Body::from(body)))
}

/// Returns the idempotency key of a request. Returns `None` for GET and HEAD, which change nothing.
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
            Err(ProblemDocument::schema(detail))
        }
    }
}

/// Returns the stored response if it belongs to the same request.
/// Rejects another request that has the same key.
fn replay(pending: &PendingRequest, stored: StoredAnswer) -> Result<Response, ProblemDocument> {
    if stored.request != pending.request {
        let detail = format!("the key `{}` was used for another request", pending.key);
        return Err(ProblemDocument::new(409, "key_clash", detail)
            .with_hint("use a new key for a new request"));
    }
    let status = StatusCode::from_u16(stored.status).unwrap_or(StatusCode::OK);
    let mut response = (status, stored.body).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    Ok(response)
}
