//! Defines the bundle, which holds all sources that a run is pinned to and is identified by one digest.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::contracts;
use crate::base::{Digest, Problem, Value};
use crate::contract::{Contract, Contracts};
use crate::method::{GRAPH_V, Graph};
use crate::template::Templates;

/// The digests of the sources of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    /// Name of the method.
    pub method: String,
    /// Digest of the method's source.
    pub text: Digest,
    /// Digests of the contract files, by file name.
    pub contracts: BTreeMap<String, Digest>,
    /// Digests of the template files, by file name.
    pub templates: BTreeMap<String, Digest>,
    /// Digests of the bundles of the methods that the method calls, by method name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub methods: BTreeMap<String, Digest>,
}

/// A stored definition: a source, or the digests of a bundle's sources ([`Pins`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Digest of the body.
    pub digest: Digest,
    /// What the body contains.
    pub kind: DefinitionKind,
    /// Name of the source's file; for a bundle or the source of a published method, the name of the method.
    pub name: String,
    /// The source itself; for a bundle, the digests of its sources as JSON.
    pub body: String,
    /// Compiled graph of a bundle, as JSON. Runs execute the graph as it is stored.
    pub graph: Option<String>,
}

crate::words! {
    /// The kind of a stored definition.
    pub enum DefinitionKind {
        /// The source of a method.
        Method = "method",
        /// The source of a template.
        Template = "template",
        /// A file of contracts.
        Contracts = "contracts",
        /// The digests of a bundle's sources ([`Pins`]).
        Bundle = "bundle",
    }
}

/// A bundle as stored in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBundle {
    /// Digests of the bundle's sources ([`Pins`]), as JSON.
    pub pins: String,
    /// Graph of the bundle's method, as JSON.
    pub graph: String,
    /// Sources of the contracts and templates that `pins` names, by digest.
    pub texts: BTreeMap<Digest, String>,
}

/// Everything that a run needs in addition to its own state: its method, templates and contracts.
#[derive(Debug)]
pub struct Bundle {
    /// Digest of `pins`, which identifies the bundle.
    pub digest: Digest,
    /// Digests of the sources of the bundle.
    pub pins: Pins,
    /// Graph of the compiled method.
    pub graph: Graph,
    /// Templates of the bundle.
    pub templates: Arc<Templates>,
    /// Contracts of the bundle.
    pub contracts: Arc<Contracts>,
}

impl Bundle {
    /// Returns the contracts of the tools that the method calls itself, once for each call.
    pub fn called(&self) -> impl Iterator<Item = &Contract> {
        self.graph.calls().filter_map(|call| self.contracts.get(&call.verb))
    }
}

impl Pins {
    /// Returns the digest that identifies the whole bundle.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.body().as_bytes())
    }

    /// Returns the pins as JSON, the form in which they are stored.
    #[must_use]
    pub fn body(&self) -> String {
        serde_json::to_value(self).unwrap_or(Value::Null).to_string()
    }

    /// Returns the digests of the sources that [`Bundle::restore`] needs: contracts and templates.
    pub fn texts(&self) -> impl Iterator<Item = Digest> {
        self.contracts.values().chain(self.templates.values()).copied()
    }
}

impl Bundle {
    /// Builds a bundle from its stored form. `known` returns the templates of another bundle with the same pins, if there
    /// is one: bundles share their templates, because to parse them takes most of the time and memory of a bundle.
    ///
    /// # Errors
    /// `bundle_unreadable` if a source is missing or this build does not know the format of the graph.
    pub fn restore(
        digest: Digest,
        stored: &StoredBundle,
        known: impl FnOnce(&Pins) -> Option<Arc<Templates>>,
    ) -> Result<Self, Problem> {
        let unreadable = |why: String| {
            Problem::operator(
                "bundle_unreadable",
                "this build cannot load the bundle that the run is pinned to",
            )
            .with_detail(why)
            .with_hint("use the version of abide that started the run, or cancel it")
        };
        let pins: Pins =
            serde_json::from_str(&stored.pins).map_err(|e| unreadable(e.to_string()))?;
        let graph: Graph = serde_json::from_str(&stored.graph)
            .map_err(|e| unreadable(format!("graph in format {GRAPH_V}: {e}")))?;
        let text = |digest: &Digest| {
            let found = stored.texts.get(digest).cloned();
            found.ok_or_else(|| unreadable(format!("missing text {digest:?}")))
        };
        let templates = match known(&pins) {
            Some(templates) => templates,
            None => {
                let mut files = Vec::new();
                for (name, digest) in &pins.templates {
                    files.push((name.clone(), text(digest)?));
                }
                Arc::new(Templates::load(files).0)
            }
        };
        let mut files = BTreeMap::new();
        for (name, digest) in &pins.contracts {
            files.insert(name.clone(), text(digest)?);
        }
        let (contracts, _) = contracts::load(&files);
        Ok(Self { digest, pins, graph, templates, contracts: Arc::new(contracts) })
    }
}
