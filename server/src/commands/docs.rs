//! `abide docs [NAME]`: prints the pages of the reference that are generated from code.

use std::path::Path;

use serde_json::json;

use super::context::{CommandResult, Context};
use crate::cli::DocsArgs;
use crate::docs::{ReferencePage, reference_pages};
use crate::exit::Exit;
use crate::problem::ProblemDocument;
use crate::{files, output};

pub(super) fn run(context: &Context, args: &DocsArgs) -> CommandResult {
    let pages = reference_pages();
    if let Some(folder) = &args.out {
        for page in &pages {
            write_page(folder, page)?;
        }
        output::note(format_args!(
            "wrote {} to {}",
            output::counted(pages.len(), "page"),
            folder.display()
        ));
        return Ok(Exit::Success);
    }
    if let Some(name) = &args.name {
        let page = pages
            .iter()
            .find(|page| page.name == name)
            .ok_or_else(|| unknown_page(name, &pages))?;
        if !context.json(&json!({ "name": page.name, "describes": page.about, "text": page.text }))
        {
            output::line(page.text.trim_end());
        }
        return Ok(Exit::Success);
    }
    let all = pages.iter().map(|page| json!({ "name": page.name, "describes": page.about }));
    if !context.json(&all.collect()) {
        pages.iter().for_each(|page| output::line(format_args!("{}  {}", page.name, page.about)));
    }
    Ok(Exit::Success)
}

fn write_page(folder: &Path, page: &ReferencePage) -> Result<(), ProblemDocument> {
    let path = folder.join(format!("{}.md", page.name));
    files::write(&path, &page.text, "check that the folder exists and is writable")
}

fn unknown_page(name: &str, pages: &[ReferencePage]) -> ProblemDocument {
    let names: Vec<&str> = pages.iter().map(|page| page.name).collect();
    ProblemDocument::new(404, "not_found", format!("there is no page `{name}`"))
        .with_hint(format!("the pages are: {}", names.join(", ")))
}
