//! Reads everything that the HTTP API returns, page by page.

use std::collections::VecDeque;

use abide_engine::base::Value;

use super::history::Call;

/// The paths that are read first. The limits are small, so that a list has several pages.
const LISTS: &[&str] = &[
    "/v1/people?limit=7",
    "/v1/people?role=nursery&limit=5",
    "/v1/people?q=a&limit=50",
    "/v1/requests?limit=2",
    "/v1/insights?limit=4",
    "/v1/requests?status=cancelled&limit=50",
    "/v1/runs?limit=5",
    "/v1/runs?stuck=true&limit=3",
    "/v1/runs?waiting=true&limit=3",
    "/v1/runs?status=completed&limit=4",
    "/v1/messages?limit=11",
    "/v1/messages?direction=inbound&limit=6",
    "/v1/messages?direction=outbound&limit=13",
    "/v1/messages?from=%2B15125550101&limit=3",
    "/v1/events?limit=40",
    "/v1/schedules?limit=3",
    "/v1/tokens?limit=3",
    "/v1/archives?limit=3",
    "/v1/capacities",
    "/v1/services",
    "/v1/kb",
    "/v1/kb?retired=true",
    "/v1/methods",
    "/v1/overview",
    "/v1/audit",
    "/v1/clock",
];
/// Paths of the views of each run, relative to the path of the run.
const OF_A_RUN: &[&str] =
    &["", "/receipts", "/events?limit=9", "/messages?limit=5", "/explain", "/graph?format=json"];
const RUNS: &str = "/v1/runs?limit=5";
const METHODS: &str = "/v1/methods";
const REQUESTS: &str = "/v1/requests?limit=2";

/// How much of the state is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Only the lists.
    Lists,
    /// The lists, and every item of the lists.
    All,
}

/// The paths that are still to be read.
pub(super) struct Reads {
    depth: Depth,
    paths: VecDeque<String>,
}

impl Reads {
    pub(super) fn new(depth: Depth) -> Self {
        Self { depth, paths: LISTS.iter().map(|path| (*path).to_owned()).collect() }
    }

    pub(super) fn next_call(&mut self) -> Option<Call> {
        self.paths.pop_front().map(Call::get)
    }

    /// Queues reads of the next page and of the items on the page that was just read.
    pub(super) fn follow(&mut self, call: &Call, answer: &Value) {
        let Call::Http { path, .. } = call else { return };
        let path = path.split("&cursor=").next().unwrap_or(path);
        if let Some(cursor) = answer["next_cursor"].as_str() {
            self.paths.push_front(format!("{path}&cursor={}", encoded(cursor)));
        }
        if self.depth == Depth::Lists {
            return;
        }
        let items = answer["items"].as_array().map_or(&[][..], Vec::as_slice);
        let named = |member: &str| {
            let texts = items.iter().filter_map(|item| item[member].as_str());
            texts.map(str::to_owned).collect::<Vec<_>>()
        };
        match path {
            RUNS => {
                for id in named("id") {
                    self.paths.extend(OF_A_RUN.iter().map(|part| format!("/v1/runs/{id}{part}")));
                }
            }
            REQUESTS => {
                self.paths.extend(named("id").into_iter().map(|id| format!("/v1/requests/{id}")));
            }
            METHODS => {
                self.paths
                    .extend(named("name").into_iter().map(|name| format!("/v1/methods/{name}")));
            }
            _ => {}
        }
    }
}

/// Percent-encodes a string for the query of a URL.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    text.bytes().fold(String::new(), |mut all, byte| {
        if plain(byte) {
            all.push(char::from(byte));
        } else {
            all.push_str(&format!("%{byte:02X}"));
        }
        all
    })
}
