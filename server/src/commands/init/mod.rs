//! `abide init [DIR]`: creates a home folder with examples that pass `abide lint`, and sets the tenant up.

mod tenant;

use std::path::Path;

use serde_json::json;

use super::context::{CommandResult, Context};
use crate::cli::InitArgs;
use crate::exit::Exit;
use crate::output;
use crate::problem::ProblemDocument;

/// The files of a new home folder, each with its path and its content.
const FILES: [(&str, &str); 4] = [
    ("README.md", include_str!("example/readme.txt")),
    ("methods/ask_around.yaml", include_str!("example/ask_around.yaml")),
    ("templates/reminder_to_answer.hbs", include_str!("example/reminder_to_answer.hbs")),
    ("scenarios/two-of-three.yaml", include_str!("example/two-of-three.yaml")),
];

pub(super) async fn run(context: &Context, args: &InitArgs) -> CommandResult {
    let folder = &args.folder;
    refuse_if_used(folder)?;
    for (name, text) in FILES {
        let path = folder.join(name);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        written.and_then(|()| std::fs::write(&path, text)).map_err(|e| {
            ProblemDocument::new(
                422,
                "unwritable_folder",
                format!("cannot write `{}`: {e}", path.display()),
            )
            .with_hint("choose a folder that you can write to")
        })?;
    }
    tenant::set_up(context, args).await?;
    let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    if !context.json(&json!({"folder": folder.display().to_string(), "files": names})) {
        for name in names {
            output::line(folder.join(name).display());
        }
        let home = folder.display();
        output::note(format_args!(
            "try: abide simulate --home {home} {home}/scenarios/two-of-three.yaml"
        ));
    }
    Ok(Exit::Success)
}

/// Fails if the folder is not empty, so that no file is overwritten.
fn refuse_if_used(folder: &Path) -> Result<(), ProblemDocument> {
    let is_used = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => folder.exists(),
    };
    if !is_used {
        return Ok(());
    }
    let detail = format!("`{}` is not an empty folder", folder.display());
    Err(ProblemDocument::new(409, "folder_not_empty", detail)
        .with_hint("choose a folder that does not exist yet; nothing was written"))
}
