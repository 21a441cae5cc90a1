//! Before a method is published, checks the method's source against the contracts, templates and methods
//! that the source uses.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bundle::{Bundle, Definition, DefinitionKind};
use super::compile::{Library, pins};
use crate::base::{Digest, Problem};
use crate::diagnostic::Diagnostic;
use crate::method::{self, CheckedMethod, Definitions, Signature};

/// A published method. It takes precedence over a method of the same name in a file.
#[derive(Debug, Clone, Copy)]
pub struct PublishedMethod<'a> {
    /// Name of the method.
    pub name: &'a str,
    /// Digest of the bundle of the method's active version.
    pub bundle: Digest,
    /// Source of the method's active version.
    pub text: &'a str,
}

/// A checked method that can be published.
#[derive(Debug)]
pub struct PublishableMethod {
    /// Bundle of the method: everything that its runs need.
    pub bundle: Bundle,
    /// Definitions of the bundle, to be stored.
    pub definitions: Vec<Definition>,
    /// Warnings about the source.
    pub warnings: Vec<Diagnostic>,
    /// Names of the methods that call this method.
    /// These callers stay pinned to the version of this method that they use now.
    pub callers: Vec<String>,
}

impl Library {
    /// Checks a method's source and builds its bundle. The bundle contains the method, the templates and
    /// contracts of this library, and the currently active versions of the methods that the method calls.
    ///
    /// # Errors
    /// All findings, if any finding is an error.
    pub fn draft(
        &self,
        file: &str,
        text: &str,
        published: &[PublishedMethod<'_>],
    ) -> Result<PublishableMethod, Vec<Diagnostic>> {
        let own = method::read_signature(file, text);
        let mut signatures = self.signatures();
        signatures.extend(
            published.iter().filter_map(|method| method::read_signature(method.name, method.text)),
        );
        signatures.extend(own.clone());
        let callers = own.map_or_else(Vec::new, |(name, _)| callers(&signatures, &name));
        let known = Definitions {
            contracts: &self.contracts,
            templates: &self.templates,
            methods: signatures,
        };
        let (method, findings) = method::compile(file, text, &known);
        let Some(method) = method else { return Err(findings) };
        let callees = method.graph().methods();
        let callees = callees
            .filter_map(|name| Some((name.to_owned(), self.current_bundle(name, published)?)));
        let callees: BTreeMap<String, Digest> = callees.collect();
        let bundle = self.bundle(&method, callees);
        let definitions = self.definitions_with(&method, &bundle);
        Ok(PublishableMethod { bundle, definitions, warnings: findings, callers })
    }

    /// Builds the bundle of a plan of calls from outside, from the text of the method that carries it out.
    ///
    /// # Errors
    /// `plan_invalid` if the text has an error, or a call waits for people.
    pub fn plan(&self, text: &str) -> Result<PublishableMethod, Problem> {
        let invalid = |why: String| {
            Problem::author("plan_invalid", "the plan calls something that it cannot")
                .with_detail(why)
                .with_hint("plan again: a contract may have changed since the plan was made")
        };
        let plan = self.draft("plan.yaml", text, &[]).map_err(|findings| {
            let error = findings.iter().find(|finding| finding.is_error());
            invalid(error.map(|finding| finding.message.clone()).unwrap_or_default())
        })?;
        let waits = plan.bundle.called().find(|contract| contract.waits());
        match waits.map(|contract| contract.name.clone()) {
            Some(tool) => Err(invalid(format!("`{tool}` waits for people"))),
            None => Ok(plan),
        }
    }

    /// Returns the digest of the bundle of a method's current version: the published version, or else the
    /// version in a file. Returns `None` if there is neither.
    fn current_bundle(&self, name: &str, published: &[PublishedMethod<'_>]) -> Option<Digest> {
        let published = published.iter().find(|method| method.name == name);
        published.map(|method| method.bundle).or_else(|| Some(self.methods.get(name)?.digest))
    }

    fn bundle(&self, method: &CheckedMethod, callees: BTreeMap<String, Digest>) -> Bundle {
        let pins = pins(&self.sources, &self.contracts, method, callees);
        Bundle {
            digest: pins.digest(),
            pins,
            graph: method.graph().clone(),
            templates: Arc::clone(&self.templates),
            contracts: Arc::clone(&self.contracts),
        }
    }

    /// Returns the definitions of a bundle, including the source of its method.
    /// Leaves out methods that were published before, because their sources are already stored.
    fn definitions_with(&self, method: &CheckedMethod, bundle: &Bundle) -> Vec<Definition> {
        let mut all = self.definitions(bundle);
        all.push(Definition {
            digest: method.digest(),
            kind: DefinitionKind::Method,
            name: method.name().to_owned(),
            body: method.text().to_owned(),
            graph: None,
        });
        all
    }
}

/// Returns the names of the other methods that call the method `name`.
fn callers(signatures: &BTreeMap<String, Signature>, name: &str) -> Vec<String> {
    let calls = |signature: &Signature| signature.calls.iter().any(|callee| callee == name);
    let calling =
        signatures.iter().filter(|(caller, signature)| *caller != name && calls(signature));
    calling.map(|(caller, _)| caller.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Sources;
    use super::*;

    const CHILD: &str = "method: child\nsteps:\n  - await: { timeout: 1h }\n";
    const PARENT: &str = "method: parent\nsteps:\n  - call: child\n";

    fn home() -> Library {
        let mut sources = Sources::builtin();
        sources.methods.insert("child.yaml".to_owned(), CHILD.to_owned());
        sources.methods.insert("parent.yaml".to_owned(), PARENT.to_owned());
        let library = Library::compile(sources);
        assert!(library.findings().iter().all(|f| !f.is_error()), "{:?}", library.findings());
        library
    }

    #[test]
    fn publishing_the_text_of_a_file_gives_the_bundle_of_the_file() {
        let home = home();
        let draft = home.draft("any.yaml", PARENT, &[]).expect("sound");
        assert_eq!(draft.bundle.digest, home.methods["parent"].digest);
    }

    #[test]
    fn a_method_is_pinned_to_the_active_version_of_the_method_that_it_calls() {
        let home = home();
        let edited = CHILD.replace("1h", "2h");
        let child = home.draft("child.yaml", &edited, &[]).expect("sound");
        assert_eq!(child.callers, ["parent"]);
        let published =
            PublishedMethod { name: "child", bundle: child.bundle.digest, text: &edited };
        let parent = home.draft("parent.yaml", PARENT, &[published]).expect("sound");
        assert_ne!(parent.bundle.digest, home.methods["parent"].digest);
        assert_eq!(parent.bundle.pins.methods["child"], child.bundle.digest);
    }

    #[test]
    fn every_fault_of_a_text_is_reported() {
        let faulty = "method: m\nsteps:\n  - call: wave\n  - call: bow\n";
        let findings = home().draft("m.yaml", faulty, &[]).expect_err("refused");
        assert_eq!(findings.iter().filter(|f| f.code == "unknown-verb").count(), 2, "{findings:?}");
    }
}
