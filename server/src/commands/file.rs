//! `abide file`: stored files.

use std::io::IsTerminal as _;
use std::path::Path;

use abide_trade::files::FILE_BYTES_MAX;
use serde_json::{Value, json};

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::{FileCommand, FileGetArgs, FilePutArgs};
use crate::exit::Exit;
use crate::files::{self, Existing};
use crate::output;
use crate::output::members::text;
use crate::problem::ProblemDocument;

pub(super) async fn run(context: &Context, command: FileCommand) -> CommandResult {
    match command {
        FileCommand::Put(FilePutArgs { path }) => put(context, &path).await,
        FileCommand::Get(args) => get(context, args).await,
    }
}

async fn put(context: &Context, path: &Path) -> CommandResult {
    let bytes = files::read_bytes(path, FILE_BYTES_MAX)?;
    let answer = context.link().await?.send(ApiRequest::post_file("/v1/files", bytes)).await?;
    if context.json(&answer) {
        return Ok(Exit::Success);
    }
    let (digest, kind) = (text(&answer, "digest"), text(&answer, "content_type"));
    output::line(format_args!("{digest}\n  size  {} bytes\n  type  {kind}", answer["size"]));
    output::note(format_args!("next: {}", next_step(path, &answer)));
    Ok(Exit::Success)
}

/// Returns the command that adds an asset for a stored file.
fn next_step(path: &Path, file: &Value) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let input = json!({ "name": name, "digest": file["digest"] }).to_string();
    format!("abide tools call media.create_asset --input '{}'", input.replace('\'', r"'\''"))
}

async fn get(context: &Context, args: FileGetArgs) -> CommandResult {
    let FileGetArgs { digest, out, force } = args;
    let existing = if force { Existing::Replace } else { Existing::Keep };
    match &out {
        None if std::io::stdout().is_terminal() => {
            let detail = "a file is not written to a terminal";
            return Err(ProblemDocument::new(422, "stdout_is_terminal", detail)
                .with_hint("name a file with `--out`, or redirect stdout"));
        }
        Some(path) => files::check_writable(path, existing)?,
        None => {}
    }
    let request = ApiRequest::get(format!("/v1/files/{}", path_segment(&digest)));
    let bytes = context.link().await?.send_for_bytes(request).await?;
    let Some(path) = &out else {
        output::bytes(&bytes);
        return Ok(Exit::Success);
    };
    files::write_bytes(path, &bytes, existing)?;
    let written = json!({ "digest": digest, "size": bytes.len(), "path": path });
    if !context.json(&written) {
        output::line(format_args!("{} bytes written to `{}`", bytes.len(), path.display()));
    }
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_step_can_be_pasted_into_a_shell() {
        let step = next_step(Path::new("a/Bo's roof.jpg"), &json!({ "digest": "5f" }));
        let expected = r#"abide tools call media.create_asset --input '{"digest":"5f","name":"Bo'\''s roof.jpg"}'"#;
        assert_eq!(step, expected);
    }
}
