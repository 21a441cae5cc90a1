//! `abide graph METHOD`: draws the step graph, and marks the position of a run in it.

use std::path::Path;

use abide_engine::drawing::{self, DrawingFormat, Marks};
use abide_engine::library::Library;
use abide_engine::method::{Definitions, Graph, compile};
use abide_engine::proof::Given;

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{self, GraphArgs};
use crate::exit::Exit;
use crate::library::{self, proof_figures};
use crate::problem::{ProblemDocument, first_error};
use crate::{files, output};

pub(super) async fn run(context: &Context, args: &GraphArgs) -> CommandResult {
    let format = drawing_format(context, args);
    if let Some(run) = &args.run {
        let link = context.link().await?;
        let path = format!("/v1/runs/{}/graph", path_segment(run));
        output::line(
            link.send_for_text(ApiRequest::get(path).query("format", Some(format)))
                .await?
                .trim_end(),
        );
        return Ok(Exit::Success);
    }
    let library = library::load(context.global.home.as_deref())?;
    if !library.methods.contains_key(&args.method)
        && !Path::new(&args.method).is_file()
        && let Some(drawn) = published_graph(context, &args.method, format).await?
    {
        output::line(drawn.trim_end());
        return Ok(Exit::Success);
    }
    let graph = find_graph(&library, &args.method)?;
    let figures = proof_figures(&library, &graph, &Given::of(&context.settings));
    let marks = Marks { figures, ..Marks::default() };
    output::line(drawing::draw(&graph, format, &marks).trim_end());
    Ok(Exit::Success)
}

/// Draws the graph of a published method that is not in the library.
/// Returns `None` if no method of that name is published.
async fn published_graph(
    context: &Context,
    name: &str,
    format: DrawingFormat,
) -> Result<Option<String>, ProblemDocument> {
    let path = format!("/v1/methods/{}/graph", path_segment(name));
    match context
        .link()
        .await?
        .send_for_text(ApiRequest::get(path).query("format", Some(format)))
        .await
    {
        Ok(drawn) => Ok(Some(drawn)),
        Err(problem) if problem.status == 404 => Ok(None),
        Err(problem) => Err(problem),
    }
}

fn drawing_format(context: &Context, args: &GraphArgs) -> DrawingFormat {
    match args.format {
        Some(cli::GraphFormat::Svg) => DrawingFormat::Svg,
        Some(cli::GraphFormat::Dot) => DrawingFormat::Dot,
        Some(cli::GraphFormat::Mermaid) => DrawingFormat::Mermaid,
        Some(cli::GraphFormat::Json) => DrawingFormat::Json,
        None if context.global.json => DrawingFormat::Json,
        None => DrawingFormat::Svg,
    }
}

/// Finds the graph of a method. `name` is the name of a method in the library, or else a file's path.
///
/// # Errors
/// `unreadable` or `method_invalid` if the file is at fault.
/// `unknown_method` if there is neither a method nor a file of that name.
fn find_graph(library: &Library, name: &str) -> Result<Graph, ProblemDocument> {
    if let Some(bundle) = library.methods.get(name) {
        return Ok(bundle.graph.clone());
    }
    let path = Path::new(name);
    if path.is_file() {
        let text = files::read(path, || format!("run `abide lint {name}` to find the place"))?;
        let definitions = Definitions {
            contracts: &library.contracts,
            templates: &library.templates,
            methods: library.signatures(),
        };
        let (method, findings) = compile(name, &text, &definitions);
        return method.map(|method| method.graph().clone()).ok_or_else(|| {
            let detail = first_error(&findings).unwrap_or_default();
            ProblemDocument::new(422, "method_invalid", detail)
                .with_hint(format!("run `abide lint {name}` to list every error"))
        });
    }
    let known: Vec<&str> = library.methods.keys().map(String::as_str).collect();
    Err(ProblemDocument::new(404, "unknown_method", format!("no method `{name}`"))
        .with_hint(format!("name a file or one of these methods: {}", known.join(", "))))
}
