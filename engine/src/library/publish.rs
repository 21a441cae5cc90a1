//! Checks a method's text for publishing, against a home and the methods that were published before.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bundle::{Bundle, Definition};
use super::compile::{Library, pins};
use crate::base::Digest;
use crate::diagnostic::Diagnostic;
use crate::method::{self, CheckedMethod, Definitions, Signature};

/// A method that was published before. It replaces the file's method of the same name.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour<'a> {
    /// Name of the method.
    pub name: &'a str,
    /// Digest of the bundle of its active version.
    pub bundle: Digest,
    /// Text of its active version.
    pub text: &'a str,
}

/// A checked text that can be published.
#[derive(Debug)]
pub struct Draft {
    /// Bundle of the method: everything that its runs need.
    pub bundle: Bundle,
    /// Texts of the bundle, to be stored.
    pub definitions: Vec<Definition>,
    /// Warnings about the text.
    pub warnings: Vec<Diagnostic>,
    /// Names of the methods that call it. They keep the version that they are pinned to.
    pub callers: Vec<String>,
}

impl Library {
    /// Checks a method's text and builds its bundle from the templates and contracts of the home and the
    /// currently active versions of the methods that it calls.
    ///
    /// # Errors
    /// All findings, if one of them is an error.
    pub fn draft(
        &self,
        (file, text): (&str, &str),
        published: &[Neighbour<'_>],
    ) -> Result<Draft, Vec<Diagnostic>> {
        let mut heads = self.heads();
        heads.extend(
            published.iter().filter_map(|method| method::read_signature(method.name, method.text)),
        );
        heads.extend(method::read_signature(file, text));
        let callers = callers(&heads, method::read_signature(file, text).map(|(name, _)| name));
        let world =
            Definitions { contracts: &self.contracts, templates: &self.templates, methods: heads };
        let (method, findings) = method::compile(file, text, &world);
        let Some(method) = method else { return Err(findings) };
        let children = method.graph().methods();
        let children =
            children.filter_map(|name| Some((name.to_owned(), self.one(name, published)?)));
        let children: BTreeMap<String, Digest> = children.collect();
        let bundle = self.bundle(&method, children);
        let definitions = self.kept(&method, &bundle);
        Ok(Draft { bundle, definitions, warnings: findings, callers })
    }

    /// Returns the bundle of a method's current version: the published one, else that of the files.
    fn one(&self, name: &str, published: &[Neighbour<'_>]) -> Option<Digest> {
        let published = published.iter().find(|method| method.name == name);
        published.map(|method| method.bundle).or_else(|| Some(self.methods.get(name)?.digest))
    }

    fn bundle(&self, method: &CheckedMethod, children: BTreeMap<String, Digest>) -> Bundle {
        let pins = pins(&self.sources, method, children);
        Bundle {
            digest: pins.digest(),
            pins,
            graph: method.graph().clone(),
            templates: Arc::clone(&self.templates),
            contracts: Arc::clone(&self.contracts),
        }
    }

    /// Returns the texts of the bundle. Those of methods that were published before are stored already.
    fn kept(&self, method: &CheckedMethod, bundle: &Bundle) -> Vec<Definition> {
        let mut all = self.definitions(bundle);
        all.push(Definition {
            digest: method.digest(),
            kind: "method",
            name: method.name().to_owned(),
            body: method.text().to_owned(),
            graph: None,
        });
        all
    }
}

/// Returns the methods that call `name`.
fn callers(heads: &BTreeMap<String, Signature>, name: Option<String>) -> Vec<String> {
    let Some(name) = name else { return Vec::new() };
    let calling =
        heads.iter().filter(|(caller, head)| **caller != name && head.calls.contains(&name));
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
    fn the_text_of_a_file_published_is_the_bundle_of_the_file() {
        let home = home();
        let draft = home.draft(("any.yaml", PARENT), &[]).expect("sound");
        assert_eq!(draft.bundle.digest, home.methods["parent"].digest);
    }

    #[test]
    fn a_method_goes_with_the_version_of_its_child_that_is_active() {
        let home = home();
        let edited = CHILD.replace("1h", "2h");
        let child = home.draft(("child.yaml", &edited), &[]).expect("sound");
        assert_eq!(child.callers, ["parent"]);
        let neighbour = Neighbour { name: "child", bundle: child.bundle.digest, text: &edited };
        let parent = home.draft(("parent.yaml", PARENT), &[neighbour]).expect("sound");
        assert_ne!(parent.bundle.digest, home.methods["parent"].digest);
        assert_eq!(parent.bundle.pins.methods["child"], child.bundle.digest);
    }

    #[test]
    fn every_fault_of_a_text_is_named() {
        let faulty = "method: m\nsteps:\n  - call: wave\n  - call: bow\n";
        let findings = home().draft(("m.yaml", faulty), &[]).expect_err("refused");
        assert_eq!(findings.iter().filter(|f| f.code == "unknown-verb").count(), 2, "{findings:?}");
    }
}
