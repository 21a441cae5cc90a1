//! Publishes the source of a method as a new version.

use futures_util::future::BoxFuture;
use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use super::super::answer_store::{AnswerStore, NoAnswerStore};
use super::super::engine::Engine;
use crate::base::{Digest, Problem, StreamId, TypedId as _, limits};
use crate::diagnostic::Diagnostic;
use crate::driver::tenant_stream;
use crate::ledger::EventKind;
use crate::library::{Definition, PublishableMethod, PublishedMethod};
use crate::store::{About, MethodRef, Tx};
use crate::transaction;

/// The result of an attempt to publish a method.
#[derive(Debug)]
pub enum PublishOutcome {
    /// The method is published.
    Published(Published),
    /// The source has errors and is not published. Contains all findings, including warnings.
    Invalid(Vec<Diagnostic>),
}

/// A source to publish as a version of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewVersion<'a> {
    /// Name of the source's file, which findings mention.
    pub file: &'a str,
    /// YAML source of the method.
    pub text: &'a str,
    /// Whether the version is for shadow runs only, which report what they would do and do nothing.
    pub shadow: bool,
}

/// A published version of a method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Published {
    /// Name of the method.
    pub name: String,
    /// Number of the version, from 1.
    pub version: i64,
    /// Digest of the method, templates and contracts that a run of this version is pinned to.
    pub digest: String,
    /// Whether this publication created the version; false if an identical version existed.
    pub new: bool,
    /// Whether the version is for shadow runs only, which report what they would do and do nothing.
    pub shadow: bool,
    /// Warnings about the YAML source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Diagnostic>,
    /// Names of the methods that call this method.
    /// A caller continues to call the version that it was published with until it is published again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<String>,
}

impl Engine {
    /// Publishes a method's source: from now on, new runs of the tenant start with it, on every node.
    /// If the new version is only for shadow runs, it is stored but does not become active:
    /// no other run starts with it.
    /// If an identical version exists, that version is published instead of a new one.
    /// If the source has errors, nothing is published, and the errors are returned.
    ///
    /// # Errors
    /// `too_large` if the source is too long.
    pub fn publish<'a>(
        &'a self,
        tenant: &'a str,
        new: NewVersion<'a>,
    ) -> BoxFuture<'a, Result<PublishOutcome, Problem>> {
        Box::pin(async move { self.publish_once(tenant, new, Arc::new(NoAnswerStore)).await })
    }

    /// Like [`Self::publish`], but also stores the answer in the same commit, with the store `answers`.
    ///
    /// # Errors
    /// The errors of [`Self::publish`] and of `answers`.
    pub fn publish_once<'a>(
        &'a self,
        tenant: &'a str,
        NewVersion { file, text, shadow }: NewVersion<'a>,
        answers: Arc<dyn AnswerStore<Published>>,
    ) -> BoxFuture<'a, Result<PublishOutcome, Problem>> {
        Box::pin(async move {
            if text.len() > limits::METHOD_BYTES_MAX {
                let message = format!("a method has at most {} bytes", limits::METHOD_BYTES_MAX);
                return Err(Problem::caller("too_large", message)
                    .with_hint("split it into several methods"));
            }
            let draft = match self.compile_draft(tenant, file, text).await? {
                Ok(draft) => draft,
                Err(findings) => return Ok(PublishOutcome::Invalid(findings)),
            };
            let PublishableMethod { bundle, definitions, warnings, callers } = draft;
            let (name, bundle) = (bundle.pins.method, bundle.digest);
            let digest = bundle.to_string();
            let (version, new) = (0, false); // filled in by the commit
            let planned = Published { name, version, digest, new, shadow, warnings, callers };
            let task =
                transaction!([tenant = tenant.to_owned(), planned, definitions, answers], |tx| {
                    let mut published = planned;
                    let method = MethodRef { tenant: &tenant, method: &published.name };
                    (published.version, published.new) =
                        store_version(tx, method, bundle, &definitions, shadow).await?;
                    answers.store(tx, &published).await?;
                    Ok(published)
                });
            let published = self.core.store.try_write(task).await?;
            self.core.forget_method(tenant, &published.name);
            self.core.forget_settings(tenant);
            Ok(PublishOutcome::Published(published))
        })
    }

    /// Compiles and checks a source. The source may call the tenant's active methods.
    /// The inner error contains the findings if the source has errors.
    pub(in crate::facade) async fn compile_draft(
        &self,
        tenant: &str,
        file: &str,
        text: &str,
    ) -> Result<Result<PublishableMethod, Vec<Diagnostic>>, Problem> {
        let read =
            transaction!([tenant = tenant.to_owned()], |tx| Ok(tx.active_methods(&tenant).await?));
        let active = self.core.store.read(read).await?;
        let neighbours: Vec<PublishedMethod<'_>> = active
            .iter()
            .map(|m| PublishedMethod { name: &m.name, bundle: m.bundle, text: &m.text })
            .collect();
        Ok(self.library().draft(file, text, &neighbours))
    }
}

/// Stores a version, makes it active unless it is for shadow runs, and logs the publication.
/// Returns the version's number, and whether the version is new.
async fn store_version(
    tx: &mut Tx,
    method: MethodRef<'_>,
    bundle: Digest,
    definitions: &[Definition],
    shadow: bool,
) -> Result<(i64, bool), Problem> {
    let MethodRef { tenant, method: name } = method;
    let stream = tenant_stream(tx, tenant).await?;
    tx.lock_partitions(tenant, &[stream]).await?;
    let active = tx.active_version(tenant, name).await?;
    let known = tx.known_bundles(tenant).await?.contains(&(name.to_owned(), bundle));
    let version = tx.store_bundle(method, bundle, || definitions.to_vec()).await?;
    let is_active = active.is_some_and(|(active, _)| active == version);
    if is_active || (known && shadow) {
        return Ok((version, !known));
    }
    tx.mark_published(method, version, shadow).await?;
    match shadow {
        false => tx.activate(method, Some(version)).await?,
        // From now on, every process looks for this version when it starts a run.
        true => tx.bump_tenant_version(tenant).await?,
    }
    let body = serde_json::json!({
        "method": name, "version": version, "bundle": bundle.to_string(), "shadow": shadow,
    });
    tx.log(StreamId::from_uuid(stream), EventKind::MethodPublished, About::default(), body)?;
    Ok((version, !known))
}
