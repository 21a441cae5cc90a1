//! The examples in the documents are correct: complete methods, scenarios, templates and contracts have no
//! findings.

use std::sync::LazyLock;

use abide_engine::contract::Contracts;
use abide_engine::diagnostic::Diagnostic;
use abide_engine::library::{Library, Sources};
use abide_engine::method::{self, Definitions};
use abide_engine::template::Template;
use abide_simulator::scenario;

use super::tree::{Fault, File, Tree};

/// A fenced code block in a document.
struct Example {
    /// Language that is named after the opening fence.
    language: String,
    /// Line number of the first line inside the fence, counted from 1.
    line: usize,
    text: String,
}

/// Checks that every complete example in a document has no findings.
pub(crate) fn sound(tree: &Tree) -> Vec<Fault> {
    let mut faults = Vec::new();
    let documents =
        tree.files().filter(|file| file.path == "README.md" || file.path.starts_with("docs/"));
    for file in documents.filter(|file| file.path.ends_with(".md")) {
        let examples = examples(file);
        let own = library_of(&examples);
        for example in examples {
            for found in findings(&example, own.as_ref().unwrap_or(builtin())) {
                let line = example.line + usize::try_from(found.line).unwrap_or(1) - 1;
                let hint = found.hint.map_or(String::new(), |hint| format!("; {hint}"));
                faults.push(file.fault(line, format!("{}: {}{hint}", found.code, found.message)));
            }
        }
    }
    faults
}

fn examples(file: &File) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut open: Option<Example> = None;
    for (ix, line) in file.text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => {
                let language = language.to_owned();
                open = Some(Example { language, line: ix + 2, text: String::new() });
            }
            (Some(_), Some(_)) => examples.extend(open.take()),
            (None, Some(example)) => {
                example.text.push_str(line);
                example.text.push('\n');
            }
            (None, None) => {}
        }
    }
    examples
}

/// Returns the library to which a document adds contracts; `None` if it adds none.
fn library_of(examples: &[Example]) -> Option<Library> {
    let mut sources = Sources::builtin();
    let before = sources.contracts.len();
    for example in examples.iter().filter(|example| is_contracts(example)) {
        sources.contracts.insert(format!("home/{}.yaml", example.line), example.text.clone());
    }
    (sources.contracts.len() > before).then(|| Library::compile(sources))
}

fn is_contracts(example: &Example) -> bool {
    example.language == "yaml" && example.text.lines().any(|line| line == "tools:")
}

/// Returns the checker's findings about a complete example. An incomplete example is not checked.
fn findings(example: &Example, library: &Library) -> Vec<Diagnostic> {
    if is_contracts(example) {
        let (known, _) = Sources::builtin().contracts();
        return Contracts::load_over(&known, &example.text, "example.yaml").1;
    }
    let first = example.text.lines().next().unwrap_or_default();
    match (example.language.as_str(), first.split_once(':').map_or(first, |(key, _)| key)) {
        ("yaml", "method") => {
            let world = Definitions {
                contracts: &library.contracts,
                templates: &library.templates,
                methods: library.signatures(),
            };
            method::compile("example.yaml", &example.text, &world).1
        }
        ("yaml", "scenario") => scenario::read("example.yaml", &example.text).1,
        ("handlebars", "---") => Template::check("example.hbs", &example.text).1,
        _ => Vec::new(),
    }
}

fn builtin() -> &'static Library {
    static LIBRARY: LazyLock<Library> = LazyLock::new(|| Library::compile(Sources::builtin()));
    &LIBRARY
}

mod tests {
    use super::super::tree::Tree;
    use super::super::{accepts, holds, rejects};
    use super::{examples, sound};

    #[test]
    fn examples_in_documents_work() {
        holds(sound);
        let shown = |path: &str, start: &str| {
            let file = Tree::repository().get(path).expect(path);
            examples(file).iter().any(|example| example.text.starts_with(start))
        };
        assert!(
            shown("README.md", "method:"),
            "the rule looks for an example that no longer exists"
        );
        assert!(shown("docs/how-to/write-a-method.md", "method:"), "it no longer exists");
        assert!(shown("docs/method-language.md", "method:"), "it no longer exists");
        assert!(shown("docs/how-to/write-a-template.md", "---"), "it no longer exists");
        assert!(shown("docs/scenarios.md", "scenario:"), "it no longer exists");
        let document = |body: &str| format!("# How\n\n{body}\n```\n");
        let method = "```yaml\nmethod: a\nsteps:\n  - call: search_people\n    args: { filter: { is_active: true } }";
        accepts(sound, &[("docs/a.md", &document(method))]);
        accepts(sound, &[("docs/a.md", &document("```yaml\n- call: nothing"))]);
        accepts(sound, &[("engine/a.md", &document("```yaml\nmethod: 5"))]);
        let reject = |body, faults| rejects(sound, &[("docs/a.md", &document(body))], faults);
        let unknown = method.replace("search_people", "serch_people");
        reject(&unknown, &["docs/a.md:6: unknown-verb"]);
        reject("```yaml\nscenario: a", &["docs/a.md:4: missing-key", "needs `steps`"]);
        let unnamed = "```handlebars\n---\ndescription: Greets.\nfor: staff\n---\nHi {{nam}}";
        reject(unnamed, &["docs/a.md:8: template-undeclared"]);
    }
}
