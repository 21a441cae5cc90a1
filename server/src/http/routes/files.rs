//! Routes of files. Assets of media refer to files by their digests.

use abide_engine::base::{Digest, Problem};
use abide_engine::transaction;
use abide_trade::data::{StoredFile, find_file, insert_file};
use abide_trade::files::{NewFile, unknown_file};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api_request::TENANT_HEADER;
use crate::http::App;
use crate::http::app::ApiResult;
use crate::http::extract::FileBody;
use crate::http::guard::Tenant;
use crate::http::idempotency::KeyedTenant;
use crate::problem::ProblemDocument;

/// The domain that files belong to.
const DOMAIN: &str = "trade";

/// Types that a browser shows without running code, each as its response names it. A file of another type
/// is answered as bytes without a type, which browsers only save.
const SHOWN_TYPES: [(&str, &str); 6] = [
    ("application/pdf", "application/pdf"),
    ("image/gif", "image/gif"),
    ("image/jpeg", "image/jpeg"),
    ("image/png", "image/png"),
    ("image/webp", "image/webp"),
    ("text/plain", "text/plain; charset=utf-8"),
];

/// The bytes of a file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "describes the bodies of these routes, which are not JSON")]
pub(super) struct FileBytes(Vec<u8>);

/// A file that the tenant has stored.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FileView {
    /// Digest of the bytes: their BLAKE3 hash as hex.
    digest: String,
    /// Number of bytes.
    size: i64,
    /// Type that the bytes show, such as `image/jpeg`.
    content_type: String,
}

impl FileView {
    fn of(file: &StoredFile) -> Self {
        let StoredFile { digest, size, content_type } = file;
        Self { digest: digest.to_string(), size: *size, content_type: content_type.clone() }
    }
}

/// Stores a file.
///
/// The body is the file as it is. Its type is read from its bytes; the header `Content-Type` is ignored.
/// `media.create_asset` takes the digest of the answer.
#[utoipa::path(
    post, path = "/v1/files", tag = "files", operation_id = "put_file",
    request_body(content = FileBytes, content_type = "application/octet-stream",
        description = "The bytes of the file, at most 20 MiB."),
    responses(
        (status = 201, body = FileView, description = "The file, which the tenant had not stored before."),
        (status = 200, body = FileView, description = "The file, which the tenant had stored before.")
    ),
    extensions(("x-problem-codes" = json!([
        "file_empty", "files_unavailable", "domain_disabled", "unknown_tenant"
    ])))
)]
pub(super) async fn put(
    State(app): State<App>,
    KeyedTenant { tenant, key }: KeyedTenant,
    FileBody(bytes): FileBody,
) -> ApiResult<FileView> {
    app.engine.tenant(&tenant).await?;
    check_domain(&app, &tenant).await?;
    // The bytes are on disk before the row, so that no row names a file that is missing.
    let file = app.files.write(NewFile::of(bytes)?).await?;
    let store = transaction!([tenant, key, file], |tx| {
        let now = tx.now();
        let new = insert_file(tx, &tenant, &file, now).await?;
        let status = if new { StatusCode::CREATED } else { StatusCode::OK };
        let view = FileView::of(&file);
        key.store_answer(tx, status, &view).await?;
        Ok((status, Json(view)))
    });
    Ok(app.engine.try_write(store).await?)
}

/// Returns a file.
///
/// Nobody checks what a file contains, so browsers open only pictures, PDF and plain text; they save all other
/// files. The bytes are checked against the digest.
#[utoipa::path(
    get, path = "/v1/files/{digest}", tag = "files", operation_id = "get_file",
    params(("digest" = String, Path, description = "Digest of the file.",
        example = "3b9c8b6a7d3f1f0e5b1c2a4d6e8f90123b9c8b6a7d3f1f0e5b1c2a4d6e8f9012")),
    responses((status = 200, body = FileBytes, content_type = "application/octet-stream",
        description = "The bytes of the file.")),
    extensions(("x-problem-codes" = json!([
        "unknown_file", "file_missing", "file_damaged", "files_unavailable", "domain_disabled"
    ])))
)]
pub(super) async fn show(
    State(app): State<App>,
    Tenant(tenant): Tenant,
    Path(digest): Path<String>,
) -> Result<Response, ProblemDocument> {
    check_domain(&app, &tenant).await?;
    let known = Digest::parse(&digest).ok_or_else(|| unknown_file(&digest))?;
    let find = transaction!([tenant, known], |tx| Ok(find_file(tx, &tenant, known).await?));
    let file = app.engine.read(find).await?.ok_or_else(|| unknown_file(&digest))?;
    let bytes = app.files.read(known).await?;
    Ok(answer(&file, bytes))
}

/// Builds an answer that is safe to open, although nobody has checked what the file contains.
fn answer(file: &StoredFile, bytes: Vec<u8>) -> Response {
    let shown = SHOWN_TYPES.iter().find(|(kind, _)| *kind == file.content_type);
    let (kind, disposition) = match shown {
        Some((_, kind)) => (*kind, "inline"),
        None => ("application/octet-stream", "attachment"),
    };
    let headers = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CONTENT_DISPOSITION, disposition.to_owned()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'".to_owned()),
        (header::ETAG, format!("\"{}\"", file.digest)),
        (header::CACHE_CONTROL, "private, max-age=31536000, immutable".to_owned()),
        (header::VARY, format!("Authorization, {TENANT_HEADER}")),
    ];
    (headers, bytes).into_response()
}

/// Refuses a tenant that does not have the domain of files.
async fn check_domain(app: &App, tenant: &str) -> Result<(), Problem> {
    app.engine.settings(tenant).await?.check_domain(DOMAIN, "files belong to")
}
