//! Compiles sources into a checked library: the methods that new runs can start.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Sources;
use super::bundle::{Bundle, Definition, Pins};
use crate::base::{Digest, Problem, did_you_mean, limits, text};
use crate::contract::Contracts;
use crate::diagnostic::Diagnostic;
use crate::method::{self, CheckedMethod, Definitions, GRAPH_V, Signature};
use crate::template::Templates;

/// The checked contents of a home.
#[derive(Debug, Clone)]
pub struct Library {
    /// Methods that compiled, by name.
    pub methods: BTreeMap<String, Arc<Bundle>>,
    /// Current templates.
    pub templates: Arc<Templates>,
    /// Current contracts.
    pub contracts: Arc<Contracts>,
    pub(super) sources: Sources,
    findings: Vec<Diagnostic>,
}

impl Library {
    /// Checks and compiles all sources. Those that do not compile are left out; [`Library::findings`] has
    /// the reasons.
    #[must_use]
    pub fn compile(sources: Sources) -> Self {
        let (templates, mut findings) = Templates::load(sources.templates.clone());
        let mut contracts = Contracts::default();
        for (file, text) in &sources.contracts {
            let (own, more) = Contracts::load(text, file);
            contracts.extend(own);
            findings.extend(more);
        }
        let heads =
            sources.methods.iter().filter_map(|(file, text)| method::read_signature(file, text));
        let heads: BTreeMap<String, Signature> = heads.collect();
        let (templates, contracts) = (Arc::new(templates), Arc::new(contracts));
        let world = Definitions { contracts: &contracts, templates: &templates, methods: heads };
        let mut checked = BTreeMap::new();
        for (file, text) in &sources.methods {
            let (method, found) = method::compile(file, text, &world);
            findings.extend(found);
            checked.extend(method.map(|method| (method.name().to_owned(), method)));
        }
        let mut methods = BTreeMap::new();
        let home = Home { sources: &sources, templates: &templates, contracts: &contracts };
        for name in checked.keys() {
            bundled(name, (&home, &checked), &mut methods);
        }
        Self { methods, templates, contracts, sources, findings }
    }

    /// Returns the findings of the checks.
    #[must_use]
    pub fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Returns a method by name.
    ///
    /// # Errors
    /// `unknown_method`, with the most similar name as a hint.
    pub fn method(&self, name: &str) -> Result<&Arc<Bundle>, Problem> {
        self.methods.get(name).ok_or_else(|| {
            // Comparing names takes time proportional to their lengths; no method has a name this long.
            let name = &text::shortened(name, limits::KEY_BYTES_MAX);
            let hint = did_you_mean(name, self.methods.keys().map(String::as_str));
            let lint = || "see `abide lint` for methods that did not compile".to_owned();
            Problem::caller("unknown_method", format!("there is no method `{name}`"))
                .with_hint(hint.unwrap_or_else(lint))
        })
    }

    /// Returns the heads of all methods: what their callers see of them.
    #[must_use]
    pub fn heads(&self) -> BTreeMap<String, Signature> {
        let texts = self.sources.methods.iter();
        texts.filter_map(|(file, text)| method::read_signature(file, text)).collect()
    }

    /// Returns the texts of a method's bundle, to be stored for its runs.
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
        for child in bundle.pins.methods.keys().filter_map(|name| self.methods.get(name)) {
            all.extend(self.definitions(child));
        }
        all.push(Definition {
            digest: bundle.digest,
            kind: "bundle",
            name: bundle.pins.method.clone(),
            body: bundle.pins.body(),
            graph: serde_json::to_string(&bundle.graph).ok(),
        });
        all
    }

    /// Returns the version of the compiled form in [`Library::definitions`].
    #[must_use]
    pub const fn graph_version() -> u32 {
        GRAPH_V
    }
}

/// What all bundles of a home share.
struct Home<'a> {
    sources: &'a Sources,
    templates: &'a Arc<Templates>,
    contracts: &'a Arc<Contracts>,
}

/// Bundles a method, after the methods that it calls. Returns `None` if the method, or one that it calls,
/// did not compile.
fn bundled(
    name: &str,
    (home, checked): (&Home<'_>, &BTreeMap<String, CheckedMethod>),
    done: &mut BTreeMap<String, Arc<Bundle>>,
) -> Option<Digest> {
    if let Some(bundle) = done.get(name) {
        return Some(bundle.digest);
    }
    let method = checked.get(name)?;
    let mut children = BTreeMap::new();
    for child in method.graph().methods() {
        let digest = bundled(child, (home, checked), done)?;
        children.insert(child.to_owned(), digest);
    }
    let pins = pins(home.sources, method, children);
    let digest = pins.digest();
    let bundle = Bundle {
        digest,
        pins,
        graph: method.graph().clone(),
        templates: Arc::clone(home.templates),
        contracts: Arc::clone(home.contracts),
    };
    done.insert(name.to_owned(), Arc::new(bundle));
    Some(digest)
}

pub(super) fn pins(
    sources: &Sources,
    method: &CheckedMethod,
    methods: BTreeMap<String, Digest>,
) -> Pins {
    let digests = |files: &BTreeMap<String, String>| {
        files.iter().map(|(name, body)| (name.clone(), Digest::of(body.as_bytes()))).collect()
    };
    Pins {
        method: method.name().to_owned(),
        text: method.digest(),
        contracts: digests(&sources.contracts),
        templates: digests(&sources.templates),
        methods,
    }
}
