//! A random history: a sequence of actions. Each action is drawn from the seed and the responses so far.

use std::collections::BTreeMap;
use std::fmt;

use abide_engine::base::Value;
use serde_json::json;

use super::words;
use crate::store::hostile;

/// One action that is applied to both databases.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Call {
    /// A request to the HTTP API.
    Http { method: &'static str, path: String, key: Option<String>, body: String },
    /// Turning the tenant's kill switch on (true) or off (false).
    Pause(bool),
    /// A crash of the process, after which a new process starts.
    Crash,
}

impl Call {
    pub(super) fn get(path: impl Into<String>) -> Self {
        Self::Http { method: "GET", path: path.into(), key: None, body: String::new() }
    }
}

/// Maximum number of characters of a request's body that a failure message contains.
const TOLD_CHARS: usize = 300;

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http { method, path, key, body } => {
                write!(f, "{method} {path}")?;
                if let Some(key) = key {
                    write!(f, " [{key}]")?;
                }
                write!(f, " {}", body.chars().take(TOLD_CHARS).collect::<String>())
            }
            Self::Pause(true) => f.write_str("pause"),
            Self::Pause(false) => f.write_str("resume"),
            Self::Crash => f.write_str("crash"),
        }
    }
}

/// A function that draws a random action of one kind.
type Draw = fn(&mut History) -> Call;

/// The kinds of actions, each with its relative frequency.
const KINDS: &[(u32, Draw)] = &[
    (24, History::message),
    (16, History::start),
    (12, History::advance),
    (6, History::people),
    (9, History::signal),
    (8, History::order),
    (6, History::publish),
    (4, History::upgrade),
    (2, History::versions),
    (4, History::request),
    (3, History::change_request),
    (3, History::capacity),
    (3, History::fact),
    (3, History::schedule),
    (3, History::switch),
    (2, History::nonsense),
    (1, |_| Call::Crash),
];

/// Maximum number of remembered ids with the same prefix.
const KNOWN_MAX: usize = 40;
/// Number of hexadecimal digits in an id, after its prefix.
const ID_DIGITS: usize = 32;
/// Maximum length of a hostile string in bytes. The tests of the store cover longer strings.
const TEXT_BYTES_MAX: usize = 2_000;

pub(super) struct History {
    random: fastrand::Rng,
    hostile: Vec<String>,
    /// Ids that occurred in responses, by prefix, oldest first.
    known: BTreeMap<String, Vec<String>>,
    /// Names of methods that were published.
    methods: Vec<String>,
    calls: u64,
    paused: bool,
}

impl History {
    pub(super) fn of(seed: u64) -> Self {
        let texts = hostile().into_iter().map(|(text, _)| text);
        Self {
            random: fastrand::Rng::with_seed(seed),
            hostile: texts.filter(|text| text.len() <= TEXT_BYTES_MAX).collect(),
            known: BTreeMap::new(),
            methods: vec!["fill_roles".to_owned(), "rebalance_roles".to_owned()],
            calls: 0,
            paused: false,
        }
    }

    pub(super) fn next_call(&mut self) -> Call {
        self.calls += 1;
        let all: u32 = KINDS.iter().map(|(weight, _)| weight).sum();
        let mut drawn = self.random.u32(..all);
        for (weight, kind) in KINDS {
            match drawn.checked_sub(*weight) {
                Some(rest) => drawn = rest,
                None => return kind(self),
            }
        }
        Call::Crash
    }

    /// Remembers the ids in a response, so that later requests can use them.
    pub(super) fn learn(&mut self, answer: &Value) {
        let text = answer.to_string();
        for word in text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            let Some((prefix, digits)) = word.rsplit_once('_') else { continue };
            if digits.len() != ID_DIGITS || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                continue;
            }
            let known = self.known.entry(prefix.to_owned()).or_default();
            if !known.iter().any(|id| id == word) {
                known.push(word.to_owned());
            }
            if known.len() > KNOWN_MAX {
                known.remove(0);
            }
        }
    }

    // ---- drawing values

    fn one_in(&mut self, n: u32) -> bool {
        self.random.u32(..n) == 0
    }

    fn any<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.random.usize(..of.len())]
    }

    /// Returns a known id, or sometimes an unknown id.
    fn id(&mut self, prefix: &str) -> String {
        let known = self.known.get(prefix).map_or(&[][..], Vec::as_slice);
        if known.is_empty() || self.random.u32(..20) == 0 {
            return format!("{prefix}_{:032x}", self.random.u128(..));
        }
        // Many older runs have ended, and a request to an ended run tests little.
        // So half of the draws choose among the five newest ids.
        let from = if self.random.bool() { known.len().saturating_sub(5) } else { 0 };
        known[self.random.usize(from..known.len())].clone()
    }

    fn hostile(&mut self) -> String {
        let ix = self.random.usize(..self.hostile.len());
        self.hostile[ix].clone()
    }

    /// Returns a random string: usually one of the strings in `plain`, sometimes a hostile string.
    fn text(&mut self, plain: &[&str]) -> String {
        if self.one_in(6) { self.hostile() } else { self.any(plain).to_owned() }
    }

    /// Returns a phone number, usually of a person of the demo church.
    /// Rarely, it is the number of a person whom the history added, or of a stranger.
    fn phone(&mut self) -> String {
        match self.random.u32(..10) {
            0..8 => format!("+151255501{:02}", self.random.u32(1..13)),
            8 => format!("+1713555{:04}", self.random.u32(..9)),
            _ => format!("+1999555{:04}", self.random.u32(..9)),
        }
    }

    /// Returns `None` or an idempotency key, which is sometimes one that was used before.
    fn key(&mut self) -> Option<String> {
        match self.random.u32(..16) {
            0 => Some(format!("again-{}", self.random.u32(..5))),
            1 | 2 => Some(format!("own-{}", self.calls)),
            _ => None,
        }
    }

    fn call(&mut self, method: &'static str, path: impl Into<String>, body: &Value) -> Call {
        let key = if method == "GET" { None } else { self.key() };
        Call::Http { method, path: path.into(), key, body: body.to_string() }
    }

    // ---- drawing actions

    fn message(&mut self) -> Call {
        let staff = self.one_in(5);
        let from = if staff { "+15125550100".to_owned() } else { self.phone() };
        let body = self.text(if staff { words::ORDERS } else { words::REPLIES });
        // A gateway sometimes delivers a message again, with the same body or with another body.
        let fresh = if self.one_in(8) { self.random.u64(..self.calls) } else { self.calls };
        let mut message =
            json!({"id": format!("SM{fresh}"), "from": from, "to": "+15125550000", "body": body});
        if self.one_in(10) {
            message["received_at"] = self.any(words::TIMES).into();
        }
        self.call("POST", "/v1/messages/inbound", &message)
    }

    /// Builds a goal with every field that any of the methods requires.
    fn goal(&mut self) -> Value {
        let role = if self.one_in(20) { self.hostile() } else { self.any(words::ROLES).to_owned() };
        let time = self.any(words::TIMES);
        json!({
            "kind": "FillRole", "role": role, "time": time, "count": self.random.u32(..5),
            "people": self.random.u32(..4), "ask": self.random.u32(1..5), "have": 2, "end": "accepted",
            "sound": self.one_in(2), "slides": false, "cafe": true, "order": ["b", "a", "ß"],
            "open_until": time, "note": self.hostile(), "big": i64::MAX, "float": 0.1, "none": null,
        })
    }

    fn start(&mut self) -> Call {
        let method = self.method();
        let mut start = json!({"method": method, "goal": self.goal()});
        if self.one_in(3) {
            start["on_conflict"] = self.any(&["reject", "join", "replace"]).into();
        }
        if self.one_in(6) {
            start["dry_run"] = true.into();
        }
        if self.one_in(6) {
            start["vars"] = json!({"own": self.hostile(), "n": i64::MIN});
        }
        if self.one_in(8) {
            start["request_id"] = self.id("req").into();
        }
        self.call("POST", "/v1/runs", &start)
    }

    fn method(&mut self) -> String {
        let ix = self.random.usize(..self.methods.len());
        self.methods[ix].clone()
    }

    fn advance(&mut self) -> Call {
        let by = self.any(words::SPANS);
        Call::Http {
            method: "POST",
            path: "/v1/clock/advance".to_owned(),
            key: None,
            body: json!({ "by": by }).to_string(),
        }
    }

    fn people(&mut self) -> Call {
        let many = self.random.usize(1..4);
        let people: Vec<Value> = (0..many).map(|_| self.person()).collect();
        self.call("POST", "/v1/people", &people.into())
    }

    fn person(&mut self) -> Value {
        let name = self.text(&["Zoe", "ana", "Ärne", "_x", "Bo"]);
        let phone = if self.one_in(12) { self.hostile() } else { self.phone() };
        let mut person = json!({"name": name, "phone": phone});
        if self.one_in(2) {
            person["roles"] = json!([self.text(words::ROLES), self.any(words::ROLES)]);
        }
        if self.one_in(3) {
            person["campus"] = self.text(words::CAMPUSES).into();
        }
        if self.one_in(4) {
            person["active"] = self.one_in(2).into();
        }
        if self.one_in(6) {
            person["time_zone"] = self.any(&["Europe/Berlin", "Mars/Base", "UTC", ""]).into();
        }
        if self.one_in(6) {
            person["external_id"] = self.text(&["e1", "E1", "e2"]).into();
        }
        if self.one_in(8) {
            person["id"] = self.id("per").into();
        }
        person
    }

    fn signal(&mut self) -> Call {
        let run = self.id("run");
        let data = match self.random.u32(..4) {
            0 => Value::Null,
            1 => self.random.i64(..).into(),
            2 => self.hostile().into(),
            _ => json!({"text": self.hostile(), "n": [1, 0.5, null, ""]}),
        };
        let name = self.text(words::SIGNALS);
        let mut signal = json!({"name": name, "data": data});
        if self.one_in(2) {
            signal["key"] = format!("k{}", self.random.u32(..6)).into();
        }
        self.call("POST", format!("/v1/runs/{run}/signal"), &signal)
    }

    fn order(&mut self) -> Call {
        let run = self.id("run");
        let order = self.any(&["cancel", "pause", "resume", "retry", "skip", "fork"]);
        let body = match order {
            "skip" if self.one_in(2) => json!({"out": self.hostile()}),
            "fork" => json!({"from": self.any(&["find", "wait", "await", "notify", "nowhere"])}),
            _ => json!({}),
        };
        self.call("POST", format!("/v1/runs/{run}/{order}"), &body)
    }

    fn publish(&mut self) -> Call {
        let text = if self.one_in(6) {
            self.any(words::FAULTY).to_owned()
        } else {
            let text = self.any(words::METHODS);
            let name = text.lines().find_map(|line| line.strip_prefix("method: "));
            let name = name.expect("a method has a name").to_owned();
            if !self.methods.contains(&name) {
                self.methods.push(name);
            }
            // Sources with different comments are different versions of the method.
            format!("{text}# edition {}\n", self.random.u32(..4))
        };
        let shadow = self.one_in(8);
        self.call("POST", "/v1/methods", &json!({"text": text, "shadow": shadow}))
    }

    fn upgrade(&mut self) -> Call {
        let wish = match self.random.u32(..3) {
            0 => json!({}),
            1 => json!({"to": self.random.u32(..4)}),
            _ => json!({"dry_run": true}),
        };
        let path = match self.random.u32(..4) {
            0 => format!("/v1/methods/{}/upgrade", self.method()),
            1 => {
                let path = format!("/v1/runs/{}/upgrade/undo", self.id("run"));
                return self.call("POST", path, &json!({}));
            }
            2 => {
                let path = format!("/v1/upgrades/{}/undo", self.id("upg"));
                let wish = json!({"dry_run": self.one_in(2)});
                return self.call("POST", path, &wish);
            }
            _ => format!("/v1/runs/{}/upgrade", self.id("run")),
        };
        self.call("POST", path, &wish)
    }

    fn versions(&mut self) -> Call {
        let (method, version) = (self.method(), self.random.u32(..5));
        match self.random.u32(..4) {
            0 => self.call("POST", format!("/v1/methods/{method}/rollback"), &json!({})),
            1 => {
                self.call("DELETE", format!("/v1/methods/{method}/versions/{version}"), &json!({}))
            }
            2 => Call::get(format!("/v1/methods/{method}/versions/{version}")),
            _ => Call::get(format!("/v1/methods/{method}/diff?from=1&to={version}")),
        }
    }

    fn request(&mut self) -> Call {
        let (one, other) = (self.text(words::ROLES), self.any(words::ROLES));
        let mut new = json!({
            "service_time": self.any(words::TIMES),
            "targets": {one: self.random.u32(..4), other: self.random.i32(-1..3)},
        });
        if self.one_in(2) {
            new["campus"] = self.text(words::CAMPUSES).into();
        }
        self.call("POST", "/v1/requests", &new)
    }

    fn change_request(&mut self) -> Call {
        let request = self.id("req");
        if self.one_in(4) {
            return self.call("POST", format!("/v1/requests/{request}/cancel"), &json!({}));
        }
        let mut patch = json!({"version": self.random.u32(1..6)});
        match self.random.u32(..3) {
            0 => patch["targets"] = json!({self.any(words::ROLES): self.random.u32(..4)}),
            1 => patch["service_time"] = self.any(words::TIMES).into(),
            _ => patch["status"] = self.any(&["open", "closed", "cancelled", "lost"]).into(),
        }
        self.call("PATCH", format!("/v1/requests/{request}"), &patch)
    }

    fn capacity(&mut self) -> Call {
        let total = self.any(&[-1, 0, 3, 9, i64::MAX]);
        let key = self.any(&["van", "Van", "v%20an", "%C3%9F", "_", "a%25b"]);
        self.call("PUT", format!("/v1/capacities/{key}"), &json!({ "total": total }))
    }

    fn fact(&mut self) -> Call {
        let id = self.any(&["parking", "Parking", "_p", "%C3%A9", "coffee"]);
        if self.one_in(4) {
            return self.call("DELETE", format!("/v1/kb/{id}"), &json!({}));
        }
        let fact = json!({
            "topic": self.text(&["parking", "coffee", "keys"]),
            "text": self.hostile(),
            "source": self.text(&["handbook"]),
            "reviewer": self.text(&["Ruth"]),
            "reviewed_at": self.any(&["2025-09-01", "2025-09-30T10:00:00.123456Z", "2030-01-01"]),
        });
        self.call("PUT", format!("/v1/kb/{id}"), &fact)
    }

    fn schedule(&mut self) -> Call {
        if self.one_in(4) {
            let path = format!("/v1/schedules/{}", self.id("tmr"));
            return self.call("DELETE", path, &json!({}));
        }
        let mut schedule = json!({"method": self.method(), "goal": self.goal()});
        if self.one_in(3) {
            schedule["at"] = self.any(words::TIMES).into();
        } else {
            schedule["cron"] = self.any(words::CRONS).into();
            schedule["catch_up"] = self.any(&["none", "one", "all"]).into();
            schedule["overlap"] = self.any(&["skip", "queue", "allow"]).into();
        }
        if self.one_in(3) {
            schedule["tz"] = self.any(&["Europe/Berlin", "America/Chicago", "Nowhere"]).into();
        }
        self.call("POST", "/v1/schedules", &schedule)
    }

    fn switch(&mut self) -> Call {
        self.paused = !self.paused;
        Call::Pause(self.paused)
    }

    /// Draws a request that no correct client would send.
    fn nonsense(&mut self) -> Call {
        let text = self.hostile();
        let (method, path, body) = match self.random.u32(..6) {
            0 => ("POST", "/v1/runs".to_owned(), text),
            1 => ("GET", "/v1/runs?cursor=per_1".to_owned(), String::new()),
            2 => ("GET", "/v1/people?limit=0".to_owned(), String::new()),
            3 => ("GET", format!("/v1/runs/{}", self.id("req")), String::new()),
            4 => ("POST", "/v1/people".to_owned(), json!([{ "name": text }]).to_string()),
            _ => ("GET", format!("/v1/events?after={}", self.id("evt")), String::new()),
        };
        Call::Http { method, path, key: None, body }
    }
}
