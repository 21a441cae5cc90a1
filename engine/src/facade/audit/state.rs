//! What an audit is about, how far it has come, and what it has found.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::base::{ArchiveId, Digest, Problem, StreamId, Timestamp, TypedId as _, Value};
use crate::domain::Breach;

/// Maximum number of breaches that an audit lists. An operator with more repairs these first.
const BREACHES_MAX: usize = 1_000;

crate::words! {
    /// What an audit checks.
    pub enum AuditScope {
        /// Everything.
        Everything = "everything",
        /// The streams that have changed since the last clean audit, and the rules about rows.
        SinceSeal = "since_seal",
        /// What the last audit has not checked yet.
        Resume = "resume",
    }
}

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AuditReport {
    /// Violated rules, each with the rows that violate it.
    pub breaches: Vec<Breach>,
    /// Number of events that were checked.
    pub events: u64,
    /// Number of streams whose hash chain was checked.
    pub streams: u64,
    /// Number of receipts among the events.
    pub receipts: u64,
    /// Number of archives whose files were checked.
    pub archives: u64,
    /// Archives whose files are not here and could not be checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_archives: Vec<String>,
    /// How far the audit has come; absent if it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<UnfinishedAudit>,
}

/// An audit that has not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct UnfinishedAudit {
    /// Estimated share of the work that is done, in percent.
    pub percent: u64,
}

impl AuditReport {
    /// Whether the audit found no breach.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.breaches.is_empty()
    }
}

/// What an audit checks next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Phase {
    /// The streams after this one.
    Streams(Option<StreamId>),
    /// The archives after this one.
    Archives(Option<ArchiveId>),
    /// The beginnings of the chains of which a part was archived.
    Bases,
    /// The rules about runs, from this id on.
    Heads(Uuid),
    /// The rules of the domain, from this id of a request on.
    Requests(Uuid),
    /// The rules about everything else.
    Rest,
    /// Nothing.
    End,
}

/// The last event of a stream that the archives so far contain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ArchivedEnd {
    pub(super) seq: i64,
    pub(super) hash: String,
}

/// An audit: what it is about, how far it has come, and what it has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AuditState {
    pub(super) scope: AuditScope,
    pub(super) phase: Phase,
    /// When the audit began, in microseconds.
    pub(super) began: i64,
    /// When the audit began whose seal this one starts from, in microseconds.
    pub(super) since: Option<i64>,
    pub(super) breaches: Vec<Breach>,
    pub(super) events: u64,
    pub(super) streams: u64,
    pub(super) receipts: u64,
    pub(super) archives: u64,
    /// The archives whose files are not here, with the names of the files.
    pub(super) missing: BTreeMap<ArchiveId, String>,
    /// The sealed archives that were checked.
    pub(super) checked: BTreeSet<ArchiveId>,
    /// The number of lines of each archive when it was checked.
    pub(super) seen: BTreeMap<ArchiveId, i64>,
    /// The first stream.
    pub(super) first: Option<StreamId>,
    /// The digest of the chain of the last hashes of all streams that were checked.
    pub(super) heads: String,
    /// The ends of the streams of which the archives contain a part.
    pub(super) ends: BTreeMap<StreamId, ArchivedEnd>,
    /// The ends of the streams of which archives contain a part that are not sealed.
    pub(super) open_ends: BTreeMap<StreamId, ArchivedEnd>,
}

impl AuditState {
    pub(super) fn new(scope: AuditScope, now: Timestamp) -> Self {
        Self {
            scope,
            phase: Phase::Streams(None),
            began: now.micros(),
            since: None,
            breaches: Vec::new(),
            events: 0,
            streams: 0,
            receipts: 0,
            archives: 0,
            missing: BTreeMap::new(),
            checked: BTreeSet::new(),
            seen: BTreeMap::new(),
            first: None,
            heads: Digest::ZERO.to_string(),
            ends: BTreeMap::new(),
            open_ends: BTreeMap::new(),
        }
    }

    /// Reads a stored state.
    pub(super) fn stored(value: Value) -> Result<Self, Problem> {
        serde_json::from_value(value)
            .map_err(|error| Problem::bug(format!("the progress of an audit: {error}")))
    }

    /// Returns the state as it is stored.
    pub(super) fn to_value(&self) -> Result<Value, Problem> {
        serde_json::to_value(self).map_err(|error| Problem::bug(error.to_string()))
    }

    /// Returns the state of an audit of what has changed since this one, which was clean.
    pub(super) fn successor(self, now: Timestamp) -> Self {
        let new = Self::new(AuditScope::SinceSeal, now);
        Self {
            since: Some(self.began),
            checked: self.checked,
            seen: self.seen,
            ends: self.ends,
            ..new
        }
    }

    /// Adds broken rules, up to a limit.
    pub(super) fn add_breaches(&mut self, found: impl IntoIterator<Item = Breach>) {
        let room = BREACHES_MAX.saturating_sub(self.breaches.len());
        self.breaches.extend(found.into_iter().take(room));
    }

    /// Adds a stream that was checked.
    pub(super) fn add_stream(&mut self, check: super::stream::StreamCheck) {
        let heads = Digest::parse(&self.heads).unwrap_or(Digest::ZERO);
        self.heads = Digest::chain(heads, check.last().as_bytes()).to_string();
        self.streams += 1;
        self.events += check.events;
        self.receipts += check.receipts;
        self.first.get_or_insert(check.stream());
        self.add_breaches(check.breaches);
    }

    /// Returns what the audit has found so far.
    pub(super) fn report(&self, now: Timestamp) -> AuditReport {
        let unfinished = match self.phase {
            Phase::End => None,
            _ => Some(UnfinishedAudit { percent: self.percent(now) }),
        };
        AuditReport {
            breaches: self.breaches.clone(),
            events: self.events,
            streams: self.streams,
            receipts: self.receipts,
            archives: self.archives,
            missing_archives: self.missing.values().cloned().collect(),
            unfinished,
        }
    }

    /// Estimates which share of the work is done: an id tells when it was created, and the streams are most of the work.
    fn percent(&self, now: Timestamp) -> u64 {
        match self.phase {
            Phase::Streams(None) => 0,
            Phase::Streams(Some(stream)) => {
                let at = |id: Uuid| (id.as_u128() >> 80) as u64;
                let now = u64::try_from(now.micros() / 1000).unwrap_or(0);
                let first = self.first.map_or(0, |first| at(first.uuid()));
                let (all, done) =
                    (now.saturating_sub(first), at(stream.uuid()).saturating_sub(first));
                (done * 80).checked_div(all).unwrap_or(0).min(80)
            }
            Phase::Archives(_) | Phase::Bases => 80,
            Phase::Heads(_) => 85,
            Phase::Requests(_) => 90,
            Phase::Rest => 95,
            Phase::End => 100,
        }
    }
}
