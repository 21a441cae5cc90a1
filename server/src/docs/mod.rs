//! The reference pages that are generated from code. `abide docs` prints them.
//! The files below `docs/` are copies, and a test fails if a copy is out of date.

mod commands;
mod events;
mod settings;
mod tools;
mod verbs;

use crate::http;

/// A page of the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferencePage {
    /// Name of the page, and of its file in `docs/` without `.md`.
    pub name: &'static str,
    /// Summary of the page, for the list of pages.
    pub about: &'static str,
    /// Content of the page, in Markdown.
    pub text: String,
}

/// Returns every page of the reference.
#[must_use]
pub fn reference_pages() -> Vec<ReferencePage> {
    vec![
        ReferencePage {
            name: "commands",
            about: "every command of `abide` with its options",
            text: commands::page(),
        },
        ReferencePage {
            name: "events",
            about: "every kind of event in the ledger with its members",
            text: events::page(),
        },
        ReferencePage {
            name: "http-api",
            about: "every route of the HTTP API with its parameters, answers and errors",
            text: http::reference_page(),
        },
        ReferencePage {
            name: "settings",
            about: "every setting with its default and its choices",
            text: settings::page(),
        },
        ReferencePage {
            name: "tools",
            about: "every tool with its risk, and what is missing where it is not configured",
            text: tools::page(),
        },
        ReferencePage {
            name: "verbs",
            about: "every verb with its arguments, result and contract",
            text: verbs::page(),
        },
    ]
}

/// Formats a string for a cell of a Markdown table: on one line, with `|` escaped.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
