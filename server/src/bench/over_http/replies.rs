//! People who are invited, and who all answer at once.

use std::time::Duration;

use abide_engine::base::{Problem, Timestamp};
use abide_engine::clock::{Clock as _, SystemClock};
use abide_engine::store::Address;
use serde_json::{Value, json};

use super::callers::{call, call_all};
use super::server::ChurchServer;
use crate::api_request::ApiRequest;
use crate::bench::figures::Rate;
use crate::bench::quiet::until_at_rest;
use crate::bench::raw::MessageWatch;

/// Number of people that one call adds.
const PEOPLE_PER_CALL: usize = 500;
/// Every eighth person says yes. So no request is filled before all people have answered.
const YES_EVERY: usize = 8;
/// Number of people wanted of each request.
const WANTED: usize = 500;
/// Number of exchanges from those of one round to those of the next: more than the requests of a crowd, by which the
/// exchanges of a round are told apart.
const EXCHANGES_PER_ROUND: usize = 40;

/// People, and the requests that they are invited to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crowd {
    pub(super) people: usize,
    pub(super) requests: usize,
    /// Number of earlier crowds with as many requests. Their people and requests are others.
    pub(super) round: usize,
}

/// How fast answers were stored and applied.
#[derive(Default)]
pub(super) struct Answered {
    pub(super) stored: Rate,
    pub(super) applied: Rate,
    /// How long each webhook took.
    pub(super) latencies: Vec<Duration>,
}

impl Answered {
    /// Adds another measurement.
    pub(super) fn add(&mut self, other: Self) {
        self.stored = self.stored.and(other.stored);
        self.applied = self.applied.and(other.applied);
        self.latencies.extend(other.latencies);
    }
}

impl Crowd {
    /// Adds the people, invites them, and lets them all answer.
    ///
    /// # Errors
    /// Any problem that the server or the database reports.
    pub(super) async fn answer(
        self,
        server: &ChurchServer,
        address: &Address,
    ) -> Result<Answered, Problem> {
        let mut watch = MessageWatch::connect(address).await?;
        let before = watch.count_invited().await?;
        self.add_people(server).await?;
        self.invite(server).await?;
        watch.until_invited(before + self.people).await?;
        until_at_rest().await;
        let began = SystemClock.now();
        let prefix = format!("r{}-{}", self.requests, self.round);
        let request = move |nth| {
            let body = inbound(&prefix, nth, self.phone(nth));
            ApiRequest::post("/v1/messages/inbound", body)
        };
        let calls = call_all(server.address(), self.people, request).await?;
        let last = watch.until_applied(began, self.people).await?;
        let rate = |end: Timestamp| Rate { n: self.people as u64, took: (end - began).to_std() };
        Ok(Answered {
            stored: rate(last.stored),
            applied: rate(last.applied),
            latencies: calls.latencies,
        })
    }

    async fn add_people(self, server: &ChurchServer) -> Result<(), Problem> {
        let all: Vec<usize> = (0..self.people).collect();
        for some in all.chunks(PEOPLE_PER_CALL) {
            let people: Vec<Value> = some.iter().map(|nth| self.person(*nth)).collect();
            call(server.address(), ApiRequest::post("/v1/people", people.into())).await?;
        }
        Ok(())
    }

    fn person(self, nth: usize) -> Value {
        json!({
            "name": format!("Person {nth} of {} in {}", self.requests, self.round),
            "phone": self.phone(nth),
            "roles": [self.role(nth % self.requests)],
        })
    }

    fn role(self, request: usize) -> String {
        format!("bench {} of {} in {}", request + 1, self.requests, self.round)
    }

    /// Returns the phone number of a person. A crowd has an exchange of its own.
    fn phone(self, nth: usize) -> String {
        format!("+1512{:03}{nth:04}", 200 + EXCHANGES_PER_ROUND * self.round + self.requests)
    }

    async fn invite(self, server: &ChurchServer) -> Result<(), Problem> {
        for request in 0..self.requests {
            let day = 1 + request % 28;
            let month = 1 + (self.requests + self.round) % 12;
            let goal = json!({
                "kind": "FillRole", "role": self.role(request), "count": WANTED,
                "time": format!("2099-{month:02}-{day:02}T09:00:00Z"),
            });
            let start = json!({ "method": "fill_roles", "goal": goal });
            call(server.address(), ApiRequest::post("/v1/runs", start)).await?;
        }
        Ok(())
    }
}

/// Returns the body of the webhook with which a person answers.
pub(super) fn inbound(prefix: &str, nth: usize, from: String) -> Value {
    json!({
        "id": format!("{prefix}-{nth}"),
        "from": from,
        "to": "+15125550000",
        "body": if nth.is_multiple_of(YES_EVERY) { "Yes" } else { "No" },
    })
}
