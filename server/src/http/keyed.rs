//! `Idempotency-Key`: the same key and body give the same answer again; the same key with another
//! body is refused.
//!
//! Only answers that say "done" are kept: what was refused changed nothing and is refused again. One
//! key is worked on once at a time, so that a repeat which overtakes the first waits for its answer.

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use abide_engine::base::{Digest, Problem, limits};
use abide_engine::engine::Engine;
use abide_engine::store::{Tx, work};
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tokio::sync::Mutex;

use super::extract;
use super::guard::Tenant;
use crate::data::http_key::{self, Kept};
use crate::problem::ProblemDocument;

/// The request header.
pub(super) const HEADER: &str = "idempotency-key";
/// Marks an answer that was given before.
const REPLAYED: &str = "idempotency-replayed";
/// Keys that are worked on at one time without waiting for one another.
const STRIPES: usize = 256;
/// The largest answer that is kept: that of a page of people.
const ANSWER_BYTES_MAX: usize = 4 << 20;

/// The answers that are kept.
#[derive(Clone)]
pub(super) struct Keys {
    engine: Engine,
    busy: Arc<[Mutex<()>]>,
}

/// The key of the request in hand, for routes that keep their answer in the very commit of what they
/// do. Without a key nothing is kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Once(Option<Pending>);

#[derive(Debug, Clone)]
struct Pending {
    tenant: Arc<str>,
    key: Arc<str>,
    asked: Digest,
    kept: Arc<AtomicBool>,
}

impl Once {
    /// Keeps the answer in the transaction that does what was asked.
    pub(super) async fn keep(
        &self,
        tx: &mut Tx,
        status: StatusCode,
        answer: &impl Serialize,
    ) -> Result<(), Problem> {
        let Some(pending) = &self.0 else { return Ok(()) };
        let answer =
            serde_json::to_string(answer).map_err(|e| Problem::bug(format!("an answer: {e}")))?;
        let kept = Kept { asked: pending.asked, status: status.as_u16(), answer };
        http_key::keep(tx, &pending.tenant, &pending.key, &kept).await?;
        pending.kept.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// The key, for whoever deduplicates by it.
    pub(super) fn key(&self) -> Option<String> {
        self.0.as_ref().map(|pending| pending.key.to_string())
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
        let owned = pending.clone();
        let find = work(move |tx| {
            let pending = owned.clone();
            Box::pin(async move { http_key::find(tx, &pending.tenant, &pending.key).await })
        });
        self.engine.read(find).await
    }

    async fn keep(&self, pending: Pending, kept: Kept) -> Result<(), Problem> {
        let keep = work(move |tx| {
            let (pending, kept) = (pending.clone(), kept.clone());
            Box::pin(async move { http_key::keep(tx, &pending.tenant, &pending.key, &kept).await })
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
    let pending = Pending { tenant, key: key.into(), asked, kept: Arc::default() };

    let _working = keys.stripe(&pending.key).lock().await;
    if let Some(kept) = keys.find(&pending).await? {
        return replay(&pending, kept);
    }
    parts.extensions.insert(Once(Some(pending.clone())));
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
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

/// The key of a request that changes something.
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
