//! Shows methods and their versions.

use std::collections::BTreeSet;

use serde::Serialize;
use utoipa::ToSchema;

use super::super::engine::Engine;
use crate::base::{Digest, Problem, Value, did_you_mean, limits, text};
use crate::boxed;
use crate::driver::Core;
use crate::library::{Bundle, Library, Sources};
use crate::method::Graph;
use crate::store::{MethodRef, Tx, VersionOrigin, VersionRow};
use crate::transaction;

crate::words! {
    /// Where a version of a method comes from.
    pub enum MethodOrigin {
        /// Shipped with the program.
        BuiltIn = "built_in",
        /// A file of the home folder.
        Home = "home",
        /// Published over the API or the command line.
        Published = "published",
    }
}

/// A method of which runs can be started.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MethodView {
    /// Name of the method.
    pub name: String,
    /// Number of the version that new runs start with; absent if all versions are for shadow runs only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// Digest of the method, templates and contracts that new runs are pinned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Origin of the version that new runs start with: `built_in` (shipped with abide),
    /// `home` (a file of the home folder) or `published`.
    pub origin: MethodOrigin,
    /// Description of the method, by its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Number of live runs of all versions of the method.
    pub live_runs: i64,
}

/// A version of a method.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct VersionView {
    /// Number of the version, from 1.
    pub version: i64,
    /// Digest of the method, templates and contracts that a run of this version is pinned to.
    pub digest: String,
    /// Where the version comes from: `built_in`, `home` or `published`.
    /// A version whose file has changed or is gone counts as `home`.
    pub origin: MethodOrigin,
    /// Whether new runs start with this version.
    pub active: bool,
    /// Whether this version is for shadow runs only, which report what they would do and do nothing.
    pub shadow: bool,
    /// Time at which the version was first stored (RFC 3339).
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Number of live runs that are pinned to this version.
    pub live_runs: i64,
}

/// A method, with its YAML source and its versions.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MethodDetail {
    /// The method, as in the list of methods.
    #[serde(flatten)]
    pub method: MethodView,
    /// JSON Schema of the method's goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub inputs: Option<Value>,
    /// YAML source of the version that new runs start with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Versions of the method, newest first.
    pub versions: Vec<VersionView>,
}

impl Engine {
    /// Lists the methods of a tenant, sorted by name.
    #[boxed]
    pub async fn methods(&self, tenant: &str) -> Result<Vec<MethodView>, Problem> {
        let task = transaction!([core = self.core.clone(), tenant = tenant.to_owned()], |tx| {
            let all = tx.versions(&tenant, None).await?;
            let library = core.library();
            let shown = |row: &&VersionRow| is_current(row, &all, &library) || row.shadow;
            let names: BTreeSet<&String> = all.iter().filter(shown).map(|r| &r.name).collect();
            let mut views = Vec::with_capacity(names.len());
            for name in names {
                let own = all.iter().filter(|r| r.name == *name).cloned().collect::<Vec<_>>();
                views.push(method_view(&core, tx, name, &own).await?.0);
            }
            Ok(views)
        });
        self.core.store.read(task).await
    }

    /// Returns one method, with its source and its versions.
    ///
    /// # Errors
    /// `unknown_method`.
    #[boxed]
    pub async fn method(&self, tenant: &str, name: &str) -> Result<MethodDetail, Problem> {
        let task = transaction!(
            [core = self.core.clone(), tenant = tenant.to_owned(), name = name.to_owned()],
            |tx| method_detail(&core, tx, MethodRef { tenant: &tenant, method: &name }).await
        );
        self.core.store.read(task).await
    }

    /// Returns the graph that new runs of a method execute.
    /// If all versions are for shadow runs, returns the graph of the newest version.
    ///
    /// # Errors
    /// `unknown_method`.
    #[boxed]
    pub async fn method_graph(&self, tenant: &str, name: &str) -> Result<Graph, Problem> {
        let task = transaction!(
            [core = self.core.clone(), tenant = tenant.to_owned(), name = name.to_owned()],
            |tx| {
                let rows = versions_of(tx, MethodRef { tenant: &tenant, method: &name }).await?;
                let library = core.library();
                let row = current_version(&rows, &library).or_else(|| rows.first());
                let row = row.ok_or_else(|| Problem::bug("a method without versions"))?;
                Ok(core.bundle(tx, row.bundle).await?.graph.clone())
            }
        );
        self.core.store.read(task).await
    }

    /// Returns the YAML source of one version of a method.
    ///
    /// # Errors
    /// `unknown_method` and `unknown_version`.
    #[boxed]
    pub async fn method_text(
        &self,
        tenant: &str,
        name: &str,
        version: i64,
    ) -> Result<String, Problem> {
        let task = transaction!([tenant = tenant.to_owned(), name = name.to_owned()], |tx| {
            let rows = versions_of(tx, MethodRef { tenant: &tenant, method: &name }).await?;
            let row = find_version(&rows, version)?;
            let pins = tx.pins(row.bundle).await?;
            let texts = tx.texts(pins.map(|pins| pins.text).into_iter()).await?;
            texts.into_values().next().ok_or_else(|| Problem::bug("a version without a text"))
        });
        self.core.store.read(task).await
    }
}

/// Reads a method, its source and its versions inside the caller's transaction.
pub(super) async fn method_detail(
    core: &Core,
    tx: &mut Tx,
    method: MethodRef<'_>,
) -> Result<MethodDetail, Problem> {
    let rows = versions_of(tx, method).await?;
    let (method, bundle) = method_view(core, tx, method.method, &rows).await?;
    let text = match &bundle {
        Some(bundle) => tx.texts([bundle.pins.text].into_iter()).await?,
        None => Default::default(),
    };
    let library = core.library();
    let versions = rows.iter().map(|row| version_view(row, &rows, &library)).collect();
    Ok(MethodDetail {
        method,
        inputs: bundle.as_ref().and_then(|bundle| bundle.graph.inputs.clone()),
        text: text.into_values().next(),
        versions,
    })
}

/// Returns the versions of a method, newest first.
///
/// # Errors
/// `unknown_method` if the method has no versions.
pub(in crate::facade) async fn versions_of(
    tx: &mut Tx,
    MethodRef { tenant, method: name }: MethodRef<'_>,
) -> Result<Vec<VersionRow>, Problem> {
    let rows = tx.versions(tenant, Some(name)).await?;
    if !rows.is_empty() {
        return Ok(rows);
    }
    let all = tx.versions(tenant, None).await?;
    let name = &text::shortened(name, limits::KEY_BYTES_MAX);
    let hint = did_you_mean(name, all.iter().map(|row| row.name.as_str()));
    Err(Problem::caller("unknown_method", format!("there is no method `{name}`"))
        .with_hint(hint.unwrap_or_else(|| "see `abide method list`".to_owned())))
}

/// Returns the version with this number.
///
/// # Errors
/// `unknown_version` if the method has no version with this number.
pub(in crate::facade) fn find_version(
    rows: &[VersionRow],
    version: i64,
) -> Result<&VersionRow, Problem> {
    rows.iter().find(|row| row.version == version).ok_or_else(|| {
        let name = rows.first().map_or("", |row| &row.name);
        let known: Vec<String> = rows.iter().map(|row| row.version.to_string()).collect();
        Problem::caller("unknown_version", format!("`{name}` has no version {version}"))
            .with_hint(format!("it has {}", known.join(", ")))
    })
}

/// Returns the version that new runs start with. This is the version that is marked as active;
/// if none is marked, the version that equals the method file of this process.
pub(in crate::facade) fn current_version<'r>(
    rows: &'r [VersionRow],
    library: &Library,
) -> Option<&'r VersionRow> {
    rows.iter().find(|row| is_current(row, rows, library))
}

fn is_current(row: &VersionRow, all: &[VersionRow], library: &Library) -> bool {
    let published = all.iter().any(|other| other.active && other.name == row.name);
    row.active || (!published && is_from_files(row, library))
}

/// Whether a version is identical to the method file that this process has loaded.
pub(super) fn is_from_files(row: &VersionRow, library: &Library) -> bool {
    library.methods.get(&row.name).is_some_and(|bundle| bundle.digest == row.bundle)
}

/// Builds the view of a method from its versions.
/// Also returns the bundle of the version that new runs start with.
async fn method_view(
    core: &Core,
    tx: &mut Tx,
    name: &str,
    rows: &[VersionRow],
) -> Result<(MethodView, Option<std::sync::Arc<Bundle>>), Problem> {
    let library = core.library();
    let now = current_version(rows, &library);
    let bundle = match now {
        Some(row) => Some(core.bundle(tx, row.bundle).await?),
        None => None,
    };
    let view = MethodView {
        name: name.to_owned(),
        version: now.map(|row| row.version),
        digest: now.map(|row| row.bundle.to_string()),
        origin: now.map_or(MethodOrigin::Published, |row| origin(row, &library)),
        description: bundle.as_ref().and_then(|bundle| bundle.graph.description.clone()),
        live_runs: rows.iter().map(|row| row.live).sum(),
    };
    Ok((view, bundle))
}

fn version_view(row: &VersionRow, all: &[VersionRow], library: &Library) -> VersionView {
    VersionView {
        version: row.version,
        digest: row.bundle.to_string(),
        origin: origin(row, library),
        active: is_current(row, all, library),
        shadow: row.shadow,
        created_at: row.created_at.to_string(),
        live_runs: row.live,
    }
}

/// Determines where a version comes from.
fn origin(row: &VersionRow, library: &Library) -> MethodOrigin {
    let built_in = || {
        let text = library.methods.get(&row.name).filter(|_| is_from_files(row, library));
        let text = text.map(|bundle| bundle.pins.text);
        Sources::builtin().methods.values().any(|own| Some(Digest::of(own.as_bytes())) == text)
    };
    match row.origin {
        VersionOrigin::Published => MethodOrigin::Published,
        VersionOrigin::File if built_in() => MethodOrigin::BuiltIn,
        VersionOrigin::File => MethodOrigin::Home,
    }
}
