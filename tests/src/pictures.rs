//! The pictures of the documentation show the methods that ship.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use abide_engine::contract::Contracts;
use abide_engine::drawing::{Format, Marks, draw};
use abide_engine::method::{World, compile};
use abide_engine::template::Templates;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// A shipped method, compiled with the shipped verbs and messages, as SVG.
fn picture(method: &str) -> String {
    let (contracts, _) = Contracts::load(&read("contracts/verbs.yaml"), "contracts/verbs.yaml");
    let folder = std::fs::read_dir(root().join("templates")).expect("a folder");
    let names = folder.map(|entry| entry.expect("an entry").file_name());
    let messages = names.filter_map(|name| {
        let name = name.to_str()?.to_owned();
        let text = name.ends_with(".hbs").then(|| read(&format!("templates/{name}")))?;
        Some((name, text))
    });
    let (templates, _) = Templates::load(messages);
    let world = World { contracts: &contracts, templates: &templates, methods: BTreeMap::new() };
    let file = format!("methods/{method}.yaml");
    let (checked, findings) = compile(&file, &read(&file), &world);
    let checked = checked.unwrap_or_else(|| panic!("{file}: {findings:?}"));
    draw(checked.graph(), Format::Svg, &Marks::default())
}

#[test]
fn the_picture_of_fill_roles_is_current() {
    let current = read("docs/pictures/fill_roles.svg") == picture("fill_roles");
    assert!(
        current,
        "docs/pictures/fill_roles.svg is out of date; renew it with \
         `cargo run -- graph fill_roles > docs/pictures/fill_roles.svg` and look at it"
    );
}
