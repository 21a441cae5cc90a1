//! `run upgrade`: moves waiting runs to another version of their method.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Context, Outcome};
use crate::ask::{Ask, segment};
use crate::cli::RunUpgrade;
use crate::exit::Exit;
use crate::output;

pub(super) async fn run(context: &Context, args: RunUpgrade) -> Outcome {
    let answer = context.link().await?.send(ask(args)).await?;
    if !context.json(&answer) {
        output::line(output::upgrade::page(&answer));
    }
    Ok(exit(&answer))
}

fn ask(args: RunUpgrade) -> Ask {
    if let Some(id) = &args.undo {
        let path = match id.starts_with("run_") {
            true => format!("/v1/runs/{}/upgrade/undo", segment(id)),
            false => format!("/v1/upgrades/{}/undo", segment(id)),
        };
        return Ask::post(path, json!({"dry_run": args.dry_run}));
    }
    let map: BTreeMap<String, String> = args.map.into_iter().collect();
    let body = json!({"to": args.to, "dry_run": args.dry_run, "map": map});
    let path = match (args.run, args.method) {
        (Some(run), _) => format!("/v1/runs/{}/upgrade", segment(&run)),
        (None, method) => format!("/v1/methods/{}/upgrade", segment(&method.unwrap_or_default())),
    };
    Ask::post(path, body)
}

/// Returns exit code 1 if any run stays on its version.
fn exit(answer: &Value) -> Exit {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    let stay = count(&answer["needs_mapping"]) + count(&answer["cannot"]);
    match stay + count(&answer["progress"]["kept"]) {
        0 => Exit::Done,
        _ => Exit::Unwell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_stays_is_told_by_the_exit() {
        assert_eq!(exit(&json!({"safe": 3, "needs_mapping": 0, "cannot": 0})), Exit::Done);
        assert_eq!(exit(&json!({"safe": 3, "needs_mapping": 1, "cannot": 0})), Exit::Unwell);
        assert_eq!(exit(&json!({"safe": 3, "progress": {"kept": 1}})), Exit::Unwell);
    }
}
