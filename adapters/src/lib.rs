//! The adapters of abide: the only code that calls outside systems on behalf of tools. Each adapter holds a
//! client and answers honestly what became of a call; the engine decides what follows.
//!
//! * `remote` posts calls to the servers of a home, in any language;
//! * `smtp` hands emails to a mail server;
//! * `webhook` posts events to other people's addresses.
//!
//! `model` is the client of a language model, which no tool calls: it proposes what texts mean.
//!
//! A tool whose adapter lacks a setting answers `not_configured`, with what is missing.

mod http;
mod model;
mod remote;
mod secrets;
mod signature;
mod smtp;
mod webhook;

use std::sync::Arc;

use abide_engine::adapter::{Adapters, SMTP, WEBHOOK};
use abide_engine::verb::REMOTE;

pub use http::client_builder;
pub use model::{ModelClient, ModelKind, ModelSettings};
pub use secrets::Secrets;
pub use signature::signature;
pub use smtp::{EMAIL_FROM, SMTP_URL};
pub use webhook::WEBHOOK_SECRET;

/// Returns all adapters. They read their settings from `secrets` at each call, so a setting that is added
/// needs no new connection.
#[must_use]
pub fn all(secrets: &Secrets) -> Adapters {
    let client = http::Client::default();
    Adapters::new()
        .with(REMOTE, Arc::new(remote::Remote::new(client.clone(), secrets.clone())))
        .with(SMTP, Arc::new(smtp::Smtp::new(secrets.clone())))
        .with(WEBHOOK, Arc::new(webhook::Webhook::new(client, secrets.clone())))
}
