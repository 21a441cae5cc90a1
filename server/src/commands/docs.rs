//! `abide docs [NAME]`: prints the pages of the reference that code can tell.

use std::path::Path;

use serde_json::json;

use super::{Context, Outcome};
use crate::cli::DocsArgs;
use crate::docs::{ReferencePage, reference_pages};
use crate::exit::Exit;
use crate::output;
use crate::problem::ProblemDocument;

pub(super) fn run(context: &Context, args: &DocsArgs) -> Outcome {
    let pages = reference_pages();
    if let Some(folder) = &args.out {
        for page in &pages {
            write(folder, page)?;
        }
        output::note(format_args!(
            "wrote {} to {}",
            output::counted(pages.len(), "page"),
            folder.display()
        ));
        return Ok(Exit::Done);
    }
    if let Some(name) = &args.name {
        let page =
            pages.iter().find(|page| page.name == name).ok_or_else(|| unknown(name, &pages))?;
        if !context.json(&json!({ "name": page.name, "describes": page.about, "text": page.text }))
        {
            output::line(page.text.trim_end());
        }
        return Ok(Exit::Done);
    }
    let all = pages.iter().map(|page| json!({ "name": page.name, "describes": page.about }));
    if !context.json(&all.collect()) {
        pages.iter().for_each(|page| output::line(format_args!("{}  {}", page.name, page.about)));
    }
    Ok(Exit::Done)
}

fn write(folder: &Path, page: &ReferencePage) -> Result<(), ProblemDocument> {
    let path = folder.join(format!("{}.md", page.name));
    std::fs::write(&path, &page.text).map_err(|e| {
        let detail = format!("cannot write `{}`: {e}", path.display());
        ProblemDocument::new(422, "unwritable_file", detail)
            .with_hint("check that the folder exists and is writable")
    })
}

fn unknown(name: &str, pages: &[ReferencePage]) -> ProblemDocument {
    let names: Vec<&str> = pages.iter().map(|page| page.name).collect();
    ProblemDocument::new(404, "not_found", format!("there is no page `{name}`"))
        .with_hint(format!("the pages are: {}", names.join(", ")))
}
