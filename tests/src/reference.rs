//! The reference of the method language names what there is.

use std::path::Path;

use abide_engine::expr::functions::all;

fn reference() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/method-language.md");
    std::fs::read_to_string(file).expect("the reference")
}

#[test]
fn every_function_stands_in_the_reference_as_it_is() {
    let rows: Vec<String> =
        all().map(|f| format!("| `{}` | {} |", f.signature().replace('|', "\\|"), f.doc)).collect();
    let reference = reference();
    let missing: Vec<&String> = rows.iter().filter(|row| !reference.contains(*row)).collect();
    assert!(missing.is_empty(), "write these rows:\n{}", rows.join("\n"));
}

#[test]
fn every_key_stands_in_the_reference() {
    let reference = reference();
    let schema = abide_engine::method::schema();
    for keys in [&schema["properties"], &schema["$defs"]["step"]["properties"]] {
        for key in keys.as_object().expect("keys").keys() {
            assert!(reference.contains(&format!("`{key}`")), "`{key}` is missing");
        }
    }
}
