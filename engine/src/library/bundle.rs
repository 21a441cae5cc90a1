//! A bundle: all texts that a run is pinned to, identified by one digest.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::{Digest, Problem, Value};
use crate::contract::Contracts;
use crate::method::{GRAPH_V, Graph};
use crate::template::Templates;

/// The digests of the texts of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    /// Name of the method.
    pub method: String,
    /// Digest of the method's text.
    pub text: Digest,
    /// Digests of the contracts' texts, by file name.
    pub contracts: BTreeMap<String, Digest>,
    /// Digests of the templates' texts, by file name.
    pub templates: BTreeMap<String, Digest>,
    /// Digests of the bundles of the methods that it calls, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub methods: BTreeMap<String, Digest>,
}

/// A text as it is stored in the database.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Digest of the text.
    pub digest: Digest,
    /// What the text is.
    pub kind: DefinitionKind,
    /// Name of its file, or of its method.
    pub name: String,
    /// The text; of a bundle, its pins.
    pub body: String,
    /// Compiled graph of a bundle, as JSON. Runs execute it as it is stored.
    pub graph: Option<String>,
}

crate::words! {
    /// What a stored text is.
    pub enum DefinitionKind {
        /// The text of a method.
        Method = "method",
        /// The text of a template.
        Template = "template",
        /// A file of contracts.
        Contracts = "contracts",
        /// The pins of a bundle.
        Bundle = "bundle",
    }
}

/// A bundle as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBundle {
    /// Digests of its texts ([`Pins`]), as JSON.
    pub pins: String,
    /// Graph of its method, as JSON.
    pub graph: String,
    /// Texts that the pins name.
    pub texts: BTreeMap<Digest, String>,
}

/// Everything that a run needs in addition to its own state.
#[derive(Debug)]
pub struct Bundle {
    /// Digest of the pins; identifies the bundle.
    pub digest: Digest,
    /// Digests of the texts of the bundle.
    pub pins: Pins,
    /// Graph of the compiled method.
    pub graph: Graph,
    /// Templates of the bundle.
    pub templates: Arc<Templates>,
    /// Contracts of the bundle.
    pub contracts: Arc<Contracts>,
}

impl Pins {
    /// Returns the digest that identifies the whole bundle.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.body().as_bytes())
    }

    /// Returns the pins as JSON, as they are stored.
    #[must_use]
    pub fn body(&self) -> String {
        serde_json::to_value(self).unwrap_or(Value::Null).to_string()
    }

    /// Returns the digests of the texts that [`Bundle::restore`] needs.
    pub fn texts(&self) -> impl Iterator<Item = Digest> {
        self.contracts.values().chain(self.templates.values()).copied()
    }
}

impl Bundle {
    /// Restores a stored bundle.
    ///
    /// # Errors
    /// `bundle_unreadable` if a text is missing or this build does not know the format of the graph.
    pub fn restore(digest: Digest, stored: &StoredBundle) -> Result<Self, Problem> {
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
        let mut files = Vec::new();
        for (name, digest) in &pins.templates {
            files.push((name.clone(), text(digest)?));
        }
        let (templates, _) = Templates::load(files);
        let mut contracts = Contracts::default();
        for (name, digest) in &pins.contracts {
            contracts.extend(Contracts::load(&text(digest)?, name).0);
        }
        Ok(Self {
            digest,
            pins,
            graph,
            templates: Arc::new(templates),
            contracts: Arc::new(contracts),
        })
    }
}
