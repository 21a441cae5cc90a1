//! `abide graph METHOD`: draws the step graph, and marks the position of a run in it.

use std::path::Path;

use abide_engine::base::limits;
use abide_engine::drawing::{self, DrawingFormat, Marks};
use abide_engine::library::{Library, read_text};
use abide_engine::method::{Definitions, Graph, compile};
use abide_engine::proof::Given;

use super::{Context, Outcome};
use crate::ask::{Ask, segment};
use crate::cli::{self, GraphArgs};
use crate::exit::Exit;
use crate::library::{self, proved};
use crate::output;
use crate::problem::ProblemDocument;

pub(super) async fn run(context: &Context, args: &GraphArgs) -> Outcome {
    let format = format(context, args);
    if let Some(run) = &args.run {
        let link = context.link().await?;
        let path = format!("/v1/runs/{}/graph", segment(run));
        output::line(link.text(Ask::get(path).with("format", Some(format))).await?.trim_end());
        return Ok(Exit::Done);
    }
    let library = library::load(context.global.home.as_deref())?;
    if !library.methods.contains_key(&args.method)
        && !Path::new(&args.method).is_file()
        && let Some(drawn) = published(context, (&args.method, format)).await?
    {
        output::line(drawn.trim_end());
        return Ok(Exit::Done);
    }
    let graph = find(&library, &args.method)?;
    let figures = proved(&library, &graph, &Given::of(&context.settings));
    let marks = Marks { figures, ..Marks::default() };
    output::line(drawing::draw(&graph, format, &marks).trim_end());
    Ok(Exit::Done)
}

/// Returns the drawn graph of a method that exists only as a published version, or `None` for an unknown
/// method.
async fn published(
    context: &Context,
    (name, format): (&str, DrawingFormat),
) -> Result<Option<String>, ProblemDocument> {
    let path = format!("/v1/methods/{}/graph", segment(name));
    match context.link().await?.text(Ask::get(path).with("format", Some(format))).await {
        Ok(drawn) => Ok(Some(drawn)),
        Err(problem) if problem.status == 404 => Ok(None),
        Err(problem) => Err(problem),
    }
}

fn format(context: &Context, args: &GraphArgs) -> DrawingFormat {
    match args.format {
        Some(cli::Format::Svg) => DrawingFormat::Svg,
        Some(cli::Format::Dot) => DrawingFormat::Dot,
        Some(cli::Format::Mermaid) => DrawingFormat::Mermaid,
        Some(cli::Format::Json) => DrawingFormat::Json,
        None if context.global.json => DrawingFormat::Json,
        None => DrawingFormat::Svg,
    }
}

/// Finds the graph of a method: by name in the library, else in the file of that name.
///
/// # Errors
/// `unreadable` and `method_invalid` for the file; `unknown_method` if `name` is neither.
fn find(library: &Library, name: &str) -> Result<Graph, ProblemDocument> {
    if let Some(bundle) = library.methods.get(name) {
        return Ok(bundle.graph.clone());
    }
    let path = Path::new(name);
    if path.is_file() {
        let text = read_text(path, limits::METHOD_BYTES_MAX).map_err(|e| {
            ProblemDocument::new(422, "unreadable", format!("cannot read `{name}`: {e}"))
                .with_hint(format!("run `abide lint {name}` to find the place"))
        })?;
        let world = Definitions {
            contracts: &library.contracts,
            templates: &library.templates,
            methods: library.signatures(),
        };
        let (method, findings) = compile(name, &text, &world);
        return method.map(|method| method.graph().clone()).ok_or_else(|| {
            let first = findings.iter().find(|finding| finding.is_error());
            let detail = first.map_or_else(String::new, |finding| {
                format!("{name}:{}:{}: {}", finding.line, finding.col, finding.message)
            });
            ProblemDocument::new(422, "method_invalid", detail)
                .with_hint(format!("run `abide lint {name}` to list every error"))
        });
    }
    let known: Vec<&str> = library.methods.keys().map(String::as_str).collect();
    Err(ProblemDocument::new(404, "unknown_method", format!("no method `{name}`"))
        .with_hint(format!("name a file or one of these methods: {}", known.join(", "))))
}
