//! Sources → checked library: what new runs may start.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Sources;
use super::bundle::{Bundle, Definition, Pins};
use crate::base::{Digest, Problem, did_you_mean, limits, text};
use crate::contract::Contracts;
use crate::diagnostic::Diagnostic;
use crate::method::{self, GRAPH_V, World};
use crate::template::Templates;

/// The checked contents of a home.
#[derive(Debug)]
pub struct Library {
    /// The methods that compiled, by name.
    pub methods: BTreeMap<String, Arc<Bundle>>,
    /// The templates of today.
    pub templates: Arc<Templates>,
    /// The contracts of today.
    pub contracts: Arc<Contracts>,
    sources: Sources,
    findings: Vec<Diagnostic>,
}

impl Library {
    /// Checks and compiles everything; what does not compile is left out, with the reasons in
    /// [`Library::findings`].
    #[must_use]
    pub fn compile(sources: Sources) -> Self {
        let (templates, mut findings) = Templates::load(sources.templates.clone());
        let mut contracts = Contracts::default();
        for (file, text) in &sources.contracts {
            let (own, more) = Contracts::load(text, file);
            contracts.extend(own);
            findings.extend(more);
        }
        let names: BTreeSet<String> =
            sources.methods.keys().map(|file| file.trim_end_matches(".yaml").to_owned()).collect();
        let (templates, contracts) = (Arc::new(templates), Arc::new(contracts));
        let mut methods = BTreeMap::new();
        for (file, text) in &sources.methods {
            let world =
                World { contracts: &contracts, templates: &templates, methods: names.clone() };
            let (checked, found) = method::compile(file, text, &world);
            findings.extend(found);
            if let Some(checked) = checked {
                let pins = pins(&sources, checked.text(), &checked.graph().method);
                let bundle = Bundle {
                    digest: pins.digest(),
                    pins,
                    graph: checked.graph().clone(),
                    templates: Arc::clone(&templates),
                    contracts: Arc::clone(&contracts),
                };
                methods.insert(bundle.pins.method.clone(), Arc::new(bundle));
            }
        }
        Self { methods, templates, contracts, sources, findings }
    }

    /// What the checks found.
    #[must_use]
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// A method by name.
    ///
    /// # Errors
    /// `unknown_method`, with the nearest name.
    pub fn method(&self, name: &str) -> Result<&Arc<Bundle>, Problem> {
        self.methods.get(name).ok_or_else(|| {
            // Likeness takes time by the length; no method has a name as long as this.
            let name = &text::shortened(name, limits::KEY_BYTES_MAX);
            let hint = did_you_mean(name, self.methods.keys().map(String::as_str));
            let lint = || "see `abide lint` for methods that did not compile".to_owned();
            Problem::caller("unknown_method", format!("there is no method `{name}`"))
                .with_hint(hint.unwrap_or_else(lint))
        })
    }

    /// The texts of a method's bundle, to be kept for its runs.
    #[must_use]
    pub fn definitions(&self, bundle: &Bundle) -> Vec<Definition> {
        let text = |kind, (name, body): (&String, &String)| Definition {
            digest: Digest::of(body.as_bytes()),
            kind,
            name: name.clone(),
            body: body.clone(),
            graph: None,
        };
        let mut all: Vec<Definition> =
            self.sources.contracts.iter().map(|f| text("contracts", f)).collect();
        all.extend(self.sources.templates.iter().map(|f| text("template", f)));
        let method = self.sources.methods.iter();
        all.extend(
            method.map(|f| text("method", f)).filter(|found| found.digest == bundle.pins.text),
        );
        all.push(Definition {
            digest: bundle.digest,
            kind: "bundle",
            name: bundle.pins.method.clone(),
            body: bundle.pins.body(),
            graph: serde_json::to_string(&bundle.graph).ok(),
        });
        all
    }

    /// The version of the compiled form that [`Library::definitions`] carry.
    #[must_use]
    pub const fn graph_version() -> u32 {
        GRAPH_V
    }
}

fn pins(sources: &Sources, text: &str, method: &str) -> Pins {
    let digests = |files: &BTreeMap<String, String>| {
        files.iter().map(|(name, body)| (name.clone(), Digest::of(body.as_bytes()))).collect()
    };
    Pins {
        method: method.to_owned(),
        text: Digest::of(text.as_bytes()),
        contracts: digests(&sources.contracts),
        templates: digests(&sources.templates),
    }
}
