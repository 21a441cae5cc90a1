//! Packs: folders of methods, templates, contracts and scenarios that are installed together.
//!
//! This module only reads and decides, and touches no file. The commands `abide pack …` read and write files.

pub(crate) mod codes;
mod fields;
mod folder;
mod manifest;
mod plan;
mod record;
mod version;

pub(crate) use folder::{PackFolder, PackPath};
#[cfg(test)]
pub(crate) use manifest::PackDomain;
pub(crate) use manifest::{MANIFEST, PackManifest, read as read_manifest, schema};
pub(crate) use plan::{InstallConflict, InstallPlan, InstallState, plan};
pub(crate) use record::{InstallRecord, RECORDS, read as read_record};
