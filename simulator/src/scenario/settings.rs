//! Reads the settings with which a scenario starts,
//! and the new settings that a `config` step gives.

use std::collections::BTreeMap;

use abide_engine::base::Value;
use abide_engine::policy::Settings;
use abide_engine::yaml::YamlNode;

use super::reader::{ScenarioReader, code};

/// Reads settings. Reports each setting that does not exist or has an invalid value.
pub(super) fn config(reader: &mut ScenarioReader<'_>, node: &YamlNode) -> BTreeMap<String, Value> {
    for member in reader.members(node, "settings") {
        let alone = BTreeMap::from([(member.key.clone(), member.value.to_value())]);
        let read = serde_json::to_value(alone).and_then(serde_json::from_value::<Settings>);
        if let Err(fault) = read {
            reader.error(&member.key_at, code::BAD_SETTING, fault.to_string(), None);
        }
    }
    reader.values(node, "settings")
}
