//! Tests of the routes of files: sizes, types, tenants and what makes an answer safe to open.

use abide_engine::base::Digest;
use abide_engine::transaction;
use abide_trade::files::FILE_BYTES_MAX;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::api_request::TENANT_HEADER;
use crate::http::SameProcess;
use crate::http::testing::{TestApi, TestClock};

const FILES: &str = "/v1/files";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

/// A response of a route.
struct Answer {
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    fn code(&self) -> (u16, String) {
        (self.status, self.json()["code"].as_str().unwrap_or_default().to_owned())
    }

    fn header(&self, name: &str) -> &str {
        self.headers[name].to_str().expect("a text")
    }
}

/// Sends a request with these headers.
async fn send(
    api: &TestApi,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Vec<u8>,
) -> Answer {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut request = request.body(Body::from(body)).expect("a request");
    request.extensions_mut().insert(SameProcess);
    let response = api.routes.clone().oneshot(request).await.expect("an answer");
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, FILE_BYTES_MAX).await.expect("a body").to_vec();
    crate::http::openapi::contract::check(method, path, parts.status.as_u16(), &body);
    Answer { status: parts.status.as_u16(), headers: parts.headers, body }
}

async fn put(api: &TestApi, bytes: &[u8]) -> Answer {
    send(api, "POST", FILES, &[], bytes.to_vec()).await
}

async fn get(api: &TestApi, digest: &str) -> Answer {
    send(api, "GET", &format!("{FILES}/{digest}"), &[], Vec::new()).await
}

#[tokio::test]
async fn a_file_is_stored_once_and_returned_as_it_is() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let digest = Digest::of(PNG).to_string();
    let described = json!({ "digest": digest, "size": PNG.len(), "content_type": "image/png" });
    let first = put(&api, PNG).await;
    assert_eq!((first.status, first.json()), (201, described.clone()));
    let second = put(&api, PNG).await;
    assert_eq!((second.status, second.json()), (200, described));
    assert_eq!(get(&api, &digest).await.body, PNG);
    for unknown in ["0".repeat(64), "nothing".to_owned()] {
        assert_eq!(get(&api, &unknown).await.code(), (404, "unknown_file".to_owned()));
    }
    assert_eq!(put(&api, b"").await.code(), (422, "file_empty".to_owned()));
}

#[tokio::test]
async fn an_answer_is_safe_to_open() {
    let api = TestApi::empty(TestClock::Virtual).await;
    for (bytes, kind, disposition) in [
        (PNG, "image/png", "inline"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg", "inline"),
        (b"%PDF-1.7\n", "application/pdf", "inline"),
        (b"Ridge capping", "text/plain; charset=utf-8", "inline"),
        (b"<html><script>alert(1)</script>", "application/octet-stream", "attachment"),
        (b"<?xml version='1.0'?><svg onload='a()'/>", "application/octet-stream", "attachment"),
        (b"#!/bin/sh\nrm -r x", "application/octet-stream", "attachment"),
        (b"\0\x01\x02", "application/octet-stream", "attachment"),
    ] {
        let stored = put(&api, bytes).await.json();
        let digest = stored["digest"].as_str().expect("a digest");
        let answer = get(&api, digest).await;
        assert_eq!(answer.header("content-type"), kind, "{stored}");
        assert_eq!(answer.header("content-disposition"), disposition, "{stored}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("content-security-policy"), "sandbox; default-src 'none'");
        assert_eq!(answer.header("etag"), format!("\"{digest}\""));
        assert_eq!(answer.header("cache-control"), "private, max-age=31536000, immutable");
        assert_eq!(answer.header("vary"), "Authorization, abide-tenant");
    }
}

#[tokio::test]
async fn a_file_of_20_mib_is_stored_and_a_larger_one_is_refused() {
    let api = TestApi::empty(TestClock::Virtual).await;
    for key in [None, Some(("idempotency-key", "k1"))] {
        let sent = async |size| send(&api, "POST", FILES, key.as_slice(), vec![0; size]).await;
        assert_eq!(sent(FILE_BYTES_MAX + 1).await.code(), (413, "too_large".to_owned()));
        let whole = sent(FILE_BYTES_MAX).await;
        assert_eq!(whole.json()["size"], FILE_BYTES_MAX, "{}", whole.status);
        assert_eq!(whole.status, if key.is_none() { 201 } else { 200 });
    }
    let people = send(&api, "POST", "/v1/people", &[], vec![b' '; 2 << 20]).await;
    assert_eq!(people.code(), (413, "too_large".to_owned()), "other routes have their own limit");
}

#[tokio::test]
async fn a_repeated_key_gets_the_stored_answer() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let key = [("idempotency-key", "k1")];
    let first = send(&api, "POST", FILES, &key, PNG.to_vec()).await;
    let again = send(&api, "POST", FILES, &key, PNG.to_vec()).await;
    assert_eq!((first.status, again.status), (201, 201));
    assert_eq!((first.json(), again.header("idempotency-replayed")), (again.json(), "true"));
    let other = send(&api, "POST", FILES, &key, b"other".to_vec()).await;
    assert_eq!(other.code(), (409, "key_clash".to_owned()));
}

#[tokio::test]
async fn a_tenant_gets_only_its_own_files_and_needs_the_domain() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let make = transaction!(|tx| Ok(tx.ensure_tenant("north").await?));
    api.engine.write(make).await.expect("made");
    let north = [(TENANT_HEADER, "north")];
    let digest = put(&api, PNG).await.json()["digest"].as_str().expect("a digest").to_owned();
    let path = format!("/v1/files/{digest}");
    let theirs = send(&api, "GET", &path, &north, Vec::new()).await;
    assert_eq!(theirs.code(), (404, "unknown_file".to_owned()));
    assert_eq!(send(&api, "POST", FILES, &north, PNG.to_vec()).await.status, 201);
    assert_eq!(send(&api, "GET", &path, &north, Vec::new()).await.body, PNG);

    let nobody = [(TENANT_HEADER, "nobody")];
    let unknown = send(&api, "POST", FILES, &nobody, PNG.to_vec()).await;
    assert_eq!(unknown.code(), (404, "unknown_tenant".to_owned()));
    api.engine.set_settings("default", &json!({ "domains": ["church"] })).await.expect("set");
    for refused in [put(&api, PNG).await, get(&api, &digest).await] {
        assert_eq!(refused.code(), (422, "domain_disabled".to_owned()));
    }
}

#[tokio::test]
async fn a_damaged_or_missing_file_is_not_returned() {
    let api = TestApi::empty(TestClock::Virtual).await;
    let digest = put(&api, PNG).await.json()["digest"].as_str().expect("a digest").to_owned();
    let file = api.folder().join("files").join(&digest[..2]).join(&digest);
    std::fs::write(&file, "damaged").expect("written");
    assert_eq!(get(&api, &digest).await.code(), (503, "file_damaged".to_owned()));
    std::fs::remove_file(&file).expect("removed");
    assert_eq!(get(&api, &digest).await.code(), (503, "file_missing".to_owned()));
    assert_eq!(put(&api, PNG).await.status, 200, "storing it again brings it back");
    assert_eq!(get(&api, &digest).await.body, PNG);
}
