//! `abide tenant shadow report`: what shadow runs would have done, against what real runs did.

use abide_engine::base::Span;
use serde_json::Value;

use super::context::{CommandResult, Context};
use crate::api_request::{ApiRequest, path_segment};
use crate::exit::Exit;
use crate::output;
use crate::output::members::text;

pub(super) async fn print(context: &Context, tenant: &str, since: Span) -> CommandResult {
    let link = context.link().await?;
    let begin = link.now().await - since;
    let path = format!("/v1/tenants/{}/shadow-report", path_segment(tenant));
    let report = link.send(ApiRequest::get(path).query("since", Some(begin))).await?;
    if context.json(&report) {
        return Ok(Exit::Success);
    }
    let methods = list(&report, "methods");
    if methods.is_empty() {
        output::note("no shadow runs in this period");
        return Ok(Exit::Success);
    }
    let head = [
        "method",
        "side",
        "runs",
        "succeeded",
        "fell short",
        "failed",
        "texts",
        "segments",
        "approvals",
    ];
    let rows = methods.iter().flat_map(|method| {
        ["shadow", "real"].map(|side| row(text(method, "method"), side, &method[side]))
    });
    output::line(output::table(head, rows));
    for pair in methods.iter().flat_map(|method| list(method, "pairs")) {
        output::line(pair_lines(pair));
    }
    if report["truncated"] == true {
        output::note("the period has more runs: these are the newest; choose a shorter `--since`");
    }
    Ok(Exit::Success)
}

fn row(method: &str, side: &str, totals: &Value) -> [String; 9] {
    let count = |name: &str| totals[name].to_string();
    [
        method.to_owned(),
        side.to_owned(),
        count("runs"),
        count("succeeded"),
        count("fell_short"),
        count("failed"),
        count("messages"),
        count("segments"),
        count("approvals"),
    ]
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

/// Describes how a shadow run differs from the real run beside it.
fn pair_lines(pair: &Value) -> String {
    let mut lines = format!(
        "\n{} (version {}) beside {}: {} the same",
        text(pair, "shadow_run"),
        pair["shadow_version"],
        text(pair, "real_run"),
        output::counted(pair["same"].as_i64().unwrap_or(0), "text"),
    );
    for (name, who) in [("only_shadow", "only the shadow"), ("only_real", "only the real run")] {
        for message in list(pair, name) {
            let to = match text(message, "person_id") {
                "" => "somebody who is not in the directory",
                person => person,
            };
            lines.push_str(&format!("\n  {who}: `{}` to {to}", text(message, "kind")));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_differences_of_a_pair_are_listed() {
        let pair = json!({
            "shadow_run": "run_2", "shadow_version": 2, "real_run": "run_1", "same": 1,
            "only_shadow": [{"kind": "last_call", "person_id": "per_1"}], "only_real": [{"kind": "invite"}],
        });
        let expected = "\nrun_2 (version 2) beside run_1: 1 text the same\n  only the shadow: `last_call` to per_1\n  \
                        only the real run: `invite` to somebody who is not in the directory";
        assert_eq!(pair_lines(&pair), expected);
    }
}
