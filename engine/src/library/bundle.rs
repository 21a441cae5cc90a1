//! A bundle: all texts that a run is pinned to, by one digest.

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
    /// The method's name.
    pub method: String,
    /// The method's text.
    pub text: Digest,
    /// The contracts' texts, by file.
    pub contracts: BTreeMap<String, Digest>,
    /// The templates' texts, by file.
    pub templates: BTreeMap<String, Digest>,
    /// The bundles of the methods that it calls, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub methods: BTreeMap<String, Digest>,
}

/// A text as it is kept in the database.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Of the text.
    pub digest: Digest,
    /// `method`, `template`, `contracts` or `bundle`.
    pub kind: &'static str,
    /// Its file or name.
    pub name: String,
    /// The text.
    pub body: String,
    /// A bundle's compiled graph, run as stored.
    pub graph: Option<String>,
}

/// Everything that a run needs besides its own state.
#[derive(Debug)]
pub struct Bundle {
    /// Of the pins.
    pub digest: Digest,
    /// What the bundle consists of.
    pub pins: Pins,
    /// The compiled method.
    pub graph: Graph,
    /// The templates.
    pub templates: Arc<Templates>,
    /// The contracts.
    pub contracts: Arc<Contracts>,
}

impl Pins {
    /// The digest that stands for the whole bundle.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.body().as_bytes())
    }

    /// The pins as they are kept.
    #[must_use]
    pub fn body(&self) -> String {
        serde_json::to_value(self).unwrap_or(Value::Null).to_string()
    }

    /// The digests of all texts, for loading them.
    pub fn texts(&self) -> impl Iterator<Item = Digest> {
        self.contracts.values().chain(self.templates.values()).copied()
    }
}

impl Bundle {
    /// Puts a stored bundle together again.
    ///
    /// # Errors
    /// `bundle_unreadable` where a text is missing or this build does not know the graph's form.
    pub fn restore(
        digest: Digest,
        (pins, graph): (&str, &str),
        texts: &BTreeMap<Digest, String>,
    ) -> Result<Self, Problem> {
        let unreadable = |why: String| {
            Problem::operator(
                "bundle_unreadable",
                "this build cannot run what the run is pinned to",
            )
            .with_detail(why)
            .with_hint("use the version of abide that started the run, or cancel it")
        };
        let pins: Pins = serde_json::from_str(pins).map_err(|e| unreadable(e.to_string()))?;
        let graph: Graph = serde_json::from_str(graph)
            .map_err(|e| unreadable(format!("graph of form {GRAPH_V}: {e}")))?;
        let text = |digest: &Digest| {
            texts.get(digest).cloned().ok_or_else(|| unreadable(format!("no text {digest:?}")))
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
