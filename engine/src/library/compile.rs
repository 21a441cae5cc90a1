//! Checks and compiles the sources of contracts, templates and methods.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bundle::{Bundle, Definition, DefinitionKind, Pins};
use super::sources::Sources;
use super::{calls, contracts};
use crate::base::{Digest, Problem, did_you_mean, limits, text};
use crate::contract::{Contract, Contracts};
use crate::diagnostic::Diagnostic;
use crate::method::{self, CheckedMethod, Definitions, GRAPH_V, Signature};
use crate::template::Templates;

/// The contracts, templates and methods that a process uses, checked and compiled.
#[derive(Debug, Clone)]
pub struct Library {
    /// Methods that compiled, by name.
    pub methods: BTreeMap<String, Arc<Bundle>>,
    /// Current templates.
    pub templates: Arc<Templates>,
    /// Current contracts.
    pub contracts: Arc<Contracts>,
    /// Methods of one call, which carry out calls from outside, by name.
    calls: BTreeMap<String, Arc<Bundle>>,
    pub(super) sources: Sources,
    findings: Vec<Diagnostic>,
}

impl Library {
    /// Checks and compiles all sources.
    /// A source that does not compile is left out; [`Library::findings`] gives the reasons.
    #[must_use]
    pub fn compile(sources: Sources) -> Self {
        let (templates, mut findings) = Templates::load(sources.templates.clone());
        for translation in templates.translations() {
            let file = format!("{}.{}.hbs", translation.name(), translation.language());
            findings.extend(templates.faults_of_translation(&file, translation));
        }
        let (contracts, found) = sources.contracts();
        findings.extend(found);
        let (templates, contracts) = (Arc::new(templates), Arc::new(contracts));
        let known = Definitions {
            contracts: &contracts,
            templates: &templates,
            methods: signatures(&sources),
        };
        let mut checked = BTreeMap::new();
        for (file, text) in &sources.methods {
            let (method, found) = method::compile(file, text, &known);
            findings.extend(found);
            checked.extend(method.map(|method| (method.name().to_owned(), method)));
        }
        let checked = CheckedHome {
            sources: &sources,
            templates: &templates,
            contracts: &contracts,
            methods: &checked,
        };
        let methods = checked.bundles();
        let calls = calls::bundles(&sources, &templates, &contracts);
        Self { methods, templates, contracts, calls, sources, findings }
    }

    /// Returns the findings about all sources.
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
            // The time to compare two names grows with their lengths, so the name is first shortened to the
            // length of the longest name that a method can have.
            let name = &text::shortened(name, limits::KEY_BYTES_MAX);
            let hint = did_you_mean(name, self.methods.keys().map(String::as_str));
            let lint = || "see `abide lint` for methods that did not compile".to_owned();
            Problem::caller("unknown_method", format!("there is no method `{name}`"))
                .with_hint(hint.unwrap_or_else(lint))
        })
    }

    /// Returns the contract of a tool by the tool's name.
    ///
    /// # Errors
    /// `unknown_tool`, with the most similar name as a hint.
    pub fn tool(&self, name: &str) -> Result<&Contract, Problem> {
        self.contracts.get(name).ok_or_else(|| {
            let name = &text::shortened(name, limits::KEY_BYTES_MAX);
            let hint = did_you_mean(name, self.contracts.names());
            Problem::caller("unknown_tool", format!("there is no tool `{name}`"))
                .with_hint(hint.unwrap_or_else(|| "see `abide tools list`".to_owned()))
        })
    }

    /// Returns the method that carries out calls from outside, by its name;
    /// see [`call_method`](super::call_method).
    #[must_use]
    pub fn call(&self, method: &str) -> Option<&Arc<Bundle>> {
        self.calls.get(method)
    }

    /// Returns the bundles of all methods, and of the methods that carry out calls from outside.
    pub fn bundles(&self) -> impl Iterator<Item = &Arc<Bundle>> {
        self.methods.values().chain(self.calls.values())
    }

    /// Returns the sources of the intents that the home adds, by file name.
    #[must_use]
    pub const fn intents(&self) -> &BTreeMap<String, String> {
        &self.sources.intents
    }

    /// Returns the sources of the adapters of tools, by file name.
    #[must_use]
    pub const fn adapters(&self) -> &BTreeMap<String, String> {
        &self.sources.adapters
    }

    /// Returns the signatures of all methods, by method name.
    /// A signature is the part of a method that its callers see.
    #[must_use]
    pub fn signatures(&self) -> BTreeMap<String, Signature> {
        signatures(&self.sources)
    }

    /// Returns the sources and the pins of a bundle, to be stored for the runs that are pinned to it.
    #[must_use]
    pub fn definitions(&self, bundle: &Bundle) -> Vec<Definition> {
        let pinned = self.sources.contracts.iter();
        let pinned = pinned.filter(|(file, _)| bundle.pins.contracts.contains_key(*file));
        let mut all = definitions_of(DefinitionKind::Contracts, pinned);
        all.extend(definitions_of(DefinitionKind::Template, self.sources.templates.iter()));
        let methods = definitions_of(DefinitionKind::Method, self.sources.methods.iter());
        all.extend(methods.into_iter().filter(|method| method.digest == bundle.pins.text));
        for child in bundle.pins.methods.keys().filter_map(|name| self.methods.get(name)) {
            all.extend(self.definitions(child));
        }
        all.push(Definition {
            digest: bundle.digest,
            kind: DefinitionKind::Bundle,
            name: bundle.pins.method.clone(),
            body: bundle.pins.body(),
            graph: serde_json::to_string(&bundle.graph).ok(),
        });
        all
    }

    /// Returns the version of the format of the graphs in [`Library::definitions`].
    #[must_use]
    pub const fn graph_version() -> u32 {
        GRAPH_V
    }
}

/// Reads the signatures of all methods, by method name.
fn signatures(sources: &Sources) -> BTreeMap<String, Signature> {
    let texts = sources.methods.iter();
    texts.filter_map(|(file, text)| method::read_signature(file, text)).collect()
}

fn definitions_of<'a>(
    kind: DefinitionKind,
    files: impl Iterator<Item = (&'a String, &'a String)>,
) -> Vec<Definition> {
    let definition = |(name, body): (&String, &String)| Definition {
        digest: Digest::of(body.as_bytes()),
        kind,
        name: name.clone(),
        body: body.clone(),
        graph: None,
    };
    files.map(definition).collect()
}

/// The checked contracts, templates and methods from which bundles are built.
struct CheckedHome<'a> {
    sources: &'a Sources,
    templates: &'a Arc<Templates>,
    contracts: &'a Arc<Contracts>,
    /// Methods that compiled, by name.
    methods: &'a BTreeMap<String, CheckedMethod>,
}

impl CheckedHome<'_> {
    /// Builds the bundles of all methods that compiled, by name.
    fn bundles(&self) -> BTreeMap<String, Arc<Bundle>> {
        let mut bundles = BTreeMap::new();
        for name in self.methods.keys() {
            self.add_bundle(name, &mut bundles);
        }
        bundles
    }

    /// Adds the bundle of a method after the bundles of the methods that the method calls.
    /// Returns the digest of the bundle, or `None` if the method or a method that it calls did not compile.
    fn add_bundle(
        &self,
        name: &str,
        bundles: &mut BTreeMap<String, Arc<Bundle>>,
    ) -> Option<Digest> {
        if let Some(bundle) = bundles.get(name) {
            return Some(bundle.digest);
        }
        let method = self.methods.get(name)?;
        let mut called = BTreeMap::new();
        for callee in method.graph().methods() {
            let digest = self.add_bundle(callee, bundles)?;
            called.insert(callee.to_owned(), digest);
        }
        let pins = pins(self.sources, self.contracts, method, called);
        let bundle = Bundle {
            digest: pins.digest(),
            pins,
            graph: method.graph().clone(),
            templates: Arc::clone(self.templates),
            contracts: Arc::clone(self.contracts),
        };
        let digest = bundle.digest;
        bundles.insert(name.to_owned(), Arc::new(bundle));
        Some(digest)
    }
}

/// Returns the digests of a method's source, of the contracts of the tools that the method calls, of all
/// templates, and of the bundles of the methods that the method calls.
pub(super) fn pins(
    sources: &Sources,
    contracts: &Contracts,
    method: &CheckedMethod,
    called: BTreeMap<String, Digest>,
) -> Pins {
    let digest = |(name, body): (&String, &String)| (name.clone(), Digest::of(body.as_bytes()));
    let files = contracts::files_of(method.graph(), contracts);
    let needed = sources.contracts.iter().filter(|(file, _)| files.contains(file.as_str()));
    Pins {
        method: method.name().to_owned(),
        text: method.digest(),
        contracts: needed.map(digest).collect(),
        templates: sources.templates.iter().map(digest).collect(),
        methods: called,
    }
}
