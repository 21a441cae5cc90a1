//! `abide pack list`: the packs that ship with the program, and those installed in the home.

use serde_json::json;

use super::home::PackHome;
use crate::commands::context::{CommandResult, Context};
use crate::exit::Exit;
use crate::output;
use crate::pack::{InstallRecord, PackManifest, read_manifest};

/// The manifests of the packs in the folder `packs` of the repository.
const SHIPPED: [(&str, &str); 2] = [
    ("packs/church", include_str!("../../../../packs/church/pack.yaml")),
    ("packs/trade", include_str!("../../../../packs/trade/pack.yaml")),
];

pub(super) fn run(context: &Context) -> CommandResult {
    let home = context.global.home.as_deref().map(PackHome::new);
    let installed = home.map_or_else(|| Ok(Vec::new()), |home| home.records())?;
    let shipped = shipped();
    let as_json = json!({
        "shipped": shipped.iter().map(|pack| json!({
            "name": pack.name,
            "version": pack.version.to_string(),
            "description": pack.description,
            "domains": pack.domains,
        })).collect::<Vec<_>>(),
        "installed": installed.iter().map(|pack| json!({
            "name": pack.name,
            "version": pack.version.to_string(),
            "files": pack.files.keys().map(ToString::to_string).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    });
    if context.json(&as_json) {
        return Ok(Exit::Success);
    }
    let version = |name: &str| {
        let found = installed.iter().find(|record| record.name == name);
        found.map_or_else(|| "-".to_owned(), |record| record.version.to_string())
    };
    let known = shipped.iter().map(|pack| {
        let ships = pack.version.to_string();
        [pack.name.clone(), ships, version(&pack.name), pack.description.clone()]
    });
    let is_other = |record: &&InstallRecord| shipped.iter().all(|pack| pack.name != record.name);
    let others = installed.iter().filter(is_other).map(|record| {
        [record.name.clone(), "-".to_owned(), record.version.to_string(), String::new()]
    });
    output::line(output::table(["pack", "ships", "installed", "description"], known.chain(others)));
    Ok(Exit::Success)
}

/// Returns what the packs that ship say about themselves.
pub(super) fn shipped() -> Vec<PackManifest> {
    SHIPPED.iter().filter_map(|(file, text)| read_manifest(file, text).0).collect()
}
