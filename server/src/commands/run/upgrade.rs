//! `abide run upgrade`: moves waiting runs to another version of their method.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::cli::RunUpgradeArgs;
use crate::exit::Exit;
use crate::output;

pub(super) async fn run(context: &Context, args: RunUpgradeArgs) -> CommandResult {
    let answer = context.link().await?.send(to_request(args)).await?;
    if !context.json(&answer) {
        output::line(output::upgrade::page(&answer));
    }
    Ok(exit_of(&answer))
}

fn to_request(args: RunUpgradeArgs) -> ApiRequest {
    if let Some(id) = &args.undo {
        let path = match id.starts_with("run_") {
            true => format!("/v1/runs/{}/upgrade/undo", path_segment(id)),
            false => format!("/v1/upgrades/{}/undo", path_segment(id)),
        };
        return ApiRequest::post(path, json!({"dry_run": args.dry_run}));
    }
    let map: BTreeMap<String, String> = args.map.into_iter().collect();
    let body = json!({"to": args.to, "dry_run": args.dry_run, "map": map});
    let path = match (args.run, args.method) {
        (Some(run), _) => format!("/v1/runs/{}/upgrade", path_segment(&run)),
        (None, method) => {
            format!("/v1/methods/{}/upgrade", path_segment(&method.unwrap_or_default()))
        }
    };
    ApiRequest::post(path, body)
}

/// Returns the exit code: 1 if any run could not be moved to the other version, and otherwise 0.
fn exit_of(answer: &Value) -> Exit {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let stay = count(&answer["needs_mapping"]) + count(&answer["cannot"]);
    match stay + count(&answer["progress"]["kept"]) {
        0 => Exit::Success,
        _ => Exit::Failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_not_moved_gives_exit_code_1() {
        assert_eq!(exit_of(&json!({"safe": 3, "needs_mapping": 0, "cannot": 0})), Exit::Success);
        assert_eq!(exit_of(&json!({"safe": 3, "needs_mapping": 1, "cannot": 0})), Exit::Failure);
        assert_eq!(exit_of(&json!({"safe": 3, "progress": {"kept": 1}})), Exit::Failure);
    }
}
