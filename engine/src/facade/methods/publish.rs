//! Publishing a method's text.

use std::sync::Arc;

use serde::Serialize;

use super::super::{Engine, Keep, KeepNothing};
use crate::base::{Digest, Problem, StreamId, TypedId as _, limits};
use crate::diagnostic::Diagnostic;
use crate::driver::tenant_stream;
use crate::library::{Definition, Draft, Neighbour};
use crate::store::{Tx, work};

/// What came of a text that was to be published.
#[derive(Debug)]
pub enum Publication {
    /// It is published.
    Done(Published),
    /// It has errors; these are all the findings.
    Faulty(Vec<Diagnostic>),
}

/// A text that is published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Published {
    /// The method's name.
    pub name: String,
    /// Its number, from 1.
    pub version: i64,
    /// Of all the texts that a run of it is pinned to.
    pub digest: String,
    /// False if the very same version was there before.
    pub new: bool,
    /// It is for runs that only say what they would do.
    pub shadow: bool,
    /// What is doubtful about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Diagnostic>,
    /// The methods that call it. They go on with the version that they have until they are published
    /// again themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<String>,
}

impl Engine {
    /// Publishes a method's text: new runs of the tenant begin with it from now on, on every node; a
    /// `shadow` one is only kept. The same text again answers the version that exists.
    ///
    /// # Errors
    /// `too_large` for a text longer than any method.
    pub async fn publish(
        &self,
        tenant: &str,
        (file, text): (&str, &str),
        shadow: bool,
    ) -> Result<Publication, Problem> {
        self.publish_once(tenant, (file, text), shadow, Arc::new(KeepNothing)).await
    }

    /// The same, with the answer kept in its commit.
    ///
    /// # Errors
    /// As [`Self::publish`], and what `keep` says.
    pub async fn publish_once(
        &self,
        tenant: &str,
        (file, text): (&str, &str),
        shadow: bool,
        keep_answer: Arc<dyn Keep<Published>>,
    ) -> Result<Publication, Problem> {
        if text.len() > limits::METHOD_BYTES_MAX {
            let message = format!("a method has at most {} bytes", limits::METHOD_BYTES_MAX);
            return Err(Problem::caller("too_large", message).with_hint("split it into several"));
        }
        let draft = match self.drafted(tenant, (file, text)).await? {
            Ok(draft) => draft,
            Err(findings) => return Ok(Publication::Faulty(findings)),
        };
        let Draft { bundle, definitions, warnings, callers } = draft;
        let (name, bundle) = (bundle.pins.method, bundle.digest);
        let digest = bundle.to_string();
        let (version, new) = (0, false); // the commit tells
        let planned = Published { name, version, digest, new, shadow, warnings, callers };
        let owned = tenant.to_owned();
        let task = work(move |tx| {
            let (tenant, definitions, keep_answer) =
                (owned.clone(), definitions.clone(), Arc::clone(&keep_answer));
            let mut published = planned.clone();
            Box::pin(async move {
                let (of, kept) = ((&*tenant, &*published.name), (bundle, &definitions[..]));
                (published.version, published.new) = keep(tx, of, kept, shadow).await?;
                keep_answer.keep(tx, &published).await?;
                Ok(published)
            })
        });
        let published = self.core.store.try_write(false, task).await?;
        self.core.forget_method(tenant, &published.name);
        Ok(Publication::Done(published))
    }

    /// Checks a text in the world of the tenant.
    pub(in crate::facade) async fn drafted(
        &self,
        tenant: &str,
        source: (&str, &str),
    ) -> Result<Result<Draft, Vec<Diagnostic>>, Problem> {
        let owned = tenant.to_owned();
        let read = work(move |tx| {
            let tenant = owned.clone();
            Box::pin(async move { Ok(tx.active_methods(&tenant).await?) })
        });
        let active = self.core.store.read(read).await?;
        let neighbours: Vec<Neighbour<'_>> = active
            .iter()
            .map(|m| Neighbour { name: &m.name, bundle: m.bundle, text: &m.text })
            .collect();
        Ok(self.library().draft(source, &neighbours))
    }
}

/// Keeps a version, makes it the active one, and logs that; its number, and whether it is new.
async fn keep(
    tx: &mut Tx,
    (tenant, method): (&str, &str),
    (bundle, definitions): (Digest, &[Definition]),
    shadow: bool,
) -> Result<(i64, bool), Problem> {
    let stream = tenant_stream(tx, tenant).await?;
    tx.lock_partitions(tenant, &[stream]).await?;
    let active = tx.active_version(tenant, method).await?;
    let known = tx.known_bundles(tenant).await?.contains(&(method.to_owned(), bundle));
    let version = tx.keep_bundle(tenant, (method, bundle), definitions).await?;
    let is_active = active.is_some_and(|(active, _)| active == version);
    if is_active || (known && shadow) {
        return Ok((version, !known));
    }
    tx.mark_published((tenant, method), (version, shadow)).await?;
    if !shadow {
        tx.activate((tenant, method), Some(version)).await?;
    }
    let body = serde_json::json!({
        "method": method, "version": version, "bundle": bundle.to_string(), "shadow": shadow,
    });
    tx.log(StreamId::from_uuid(stream), "method.published", (None, None), body)?;
    Ok((version, !known))
}
