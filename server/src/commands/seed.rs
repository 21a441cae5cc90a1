//! `abide seed`: loads the demo church or the demo of the trade. Loading it a second time changes nothing.

use serde_json::json;

use super::context::{CommandResult, Context};
use crate::api_request::ApiRequest;
use crate::cli::SeedArgs;
use crate::exit::Exit;
use crate::output;
use crate::output::members::{member, text};

pub(super) async fn run(context: &Context, args: &SeedArgs) -> CommandResult {
    let link = context.link().await?;
    let seeded = link.send(ApiRequest::post("/v1/seed", json!({"domain": args.domain}))).await?;
    if context.json(&seeded) {
        return Ok(Exit::Success);
    }
    let people = seeded["people"].as_array().map_or(&[][..], Vec::as_slice);
    let rows = people.iter().map(|person| {
        let roles = person["roles"].as_array().map(|roles| {
            roles.iter().filter_map(|role| role.as_str()).collect::<Vec<_>>().join(", ")
        });
        [
            text(person, "name").to_owned(),
            text(person, "phone").to_owned(),
            roles.unwrap_or_default(),
        ]
    });
    output::line(output::table(["name", "phone", "roles"], rows));
    let rows = seeded["rows"].as_object().into_iter().flatten();
    let rows: Vec<_> = rows.map(|(table, count)| [table.clone(), count.to_string()]).collect();
    if !rows.is_empty() {
        output::line(output::table(["table", "rows added"], rows));
    }
    output::note(match member(&seeded, "church") {
        Some(_) => "try: abide say --from +15125550100 Fill 5 nursery spots for the 9am service",
        None => "try: abide tools call invoice.list_overdue",
    });
    Ok(Exit::Success)
}
