//! `abide seed`: loads the demo church. Loading it a second time changes nothing.

use serde_json::json;

use super::context::{CommandResult, Context};
use crate::api_request::ApiRequest;
use crate::exit::Exit;
use crate::output;
use crate::output::members::text;

pub(super) async fn run(context: &Context) -> CommandResult {
    let link = context.link().await?;
    let seeded = link.send(ApiRequest::post("/v1/seed", json!({}))).await?;
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
    output::note("try: abide say --from +15125550100 Fill 5 nursery spots for the 9am service");
    Ok(Exit::Success)
}
