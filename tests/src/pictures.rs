//! The pictures in the documentation show the shipped methods as they are now.

use crate::process::run_abide;
use crate::support::read;

/// Draws a shipped method as SVG by running `abide graph`.
fn picture(method: &str) -> String {
    let drawn = run_abide(&["graph", method]);
    assert!(drawn.status.success(), "{drawn:?}");
    String::from_utf8(drawn.stdout).expect("a text")
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
