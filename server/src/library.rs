//! The methods, templates and contracts that a command uses: the built-in content and the home folder.

use std::path::Path;

use abide_engine::base::Problem;
use abide_engine::diagnostic::Diagnostic;
use abide_engine::library::{Library, Sources};
use abide_engine::method::Graph;
use abide_engine::proof::{self, Figure, Given, ProofDefinitions};

use crate::problem::first_error;

/// Loads the built-in methods, templates and contracts.
/// If there is a home folder, its files extend or override them.
///
/// # Errors
/// `home_missing` and `home_unreadable`.
pub(crate) fn sources(home: Option<&Path>) -> Result<Sources, Problem> {
    match home {
        Some(home) => Sources::builtin().with_home(home),
        None => Ok(Sources::builtin()),
    }
}

/// Loads and compiles the methods, templates and contracts.
///
/// # Errors
/// The errors of [`sources`], and `library_invalid` with file and line of the first error in any file.
pub(crate) fn load(home: Option<&Path>) -> Result<Library, Problem> {
    let library = Library::compile(sources(home)?);
    invalid(library.findings(), home)?;
    Ok(library)
}

/// Refuses files in which there is an error.
///
/// # Errors
/// `library_invalid` with file and line of the first error.
pub(crate) fn invalid(findings: &[Diagnostic], home: Option<&Path>) -> Result<(), Problem> {
    let Some(error) = first_error(findings) else { return Ok(()) };
    let more = match findings.iter().filter(|finding| finding.is_error()).count() {
        1 => String::new(),
        n => format!(", and {} more", n - 1),
    };
    let folder = home.map_or_else(|| "methods".to_owned(), |home| home.display().to_string());
    Err(Problem::author("library_invalid", format!("{error}{more}"))
        .with_hint(format!("run `abide lint {folder}` to list every error with its remedy")))
}

/// Proves a method, which may call the methods of the library, and returns the limits that the proof found.
pub(crate) fn proof_figures(library: &Library, graph: &Graph, given: &Given) -> Vec<Figure> {
    let methods = library.methods.iter().map(|(name, bundle)| (name.as_str(), &bundle.graph));
    let definitions = ProofDefinitions {
        contracts: &library.contracts,
        templates: &library.templates,
        methods: methods.collect(),
    };
    proof::figures(&proof::prove(graph, &definitions, given))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_library_has_no_findings() {
        let library = load(None).expect("loads");
        assert_eq!(library.findings(), []);
        assert_eq!(library.methods.len(), Sources::builtin().methods.len());
    }

    #[test]
    fn a_home_with_an_error_is_refused_with_its_place() {
        let home = tempfile::tempdir().expect("a folder");
        let methods = home.path().join("methods");
        std::fs::create_dir(&methods).expect("a folder");
        std::fs::write(methods.join("greet.yaml"), "method: greet\nsteps:\n  - call: wave\n")
            .expect("a file");
        let problem = load(Some(home.path())).expect_err("is refused");
        assert_eq!(problem.code, "library_invalid");
        assert!(problem.message.contains("greet.yaml:3:"), "{problem}");
    }
}
