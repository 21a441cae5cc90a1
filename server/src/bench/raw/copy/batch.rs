//! The ids and hashes of copies, and how they are bound to a statement.

use abide_engine::base::{CallId, Digest, EventId, IdSource, RunId, TypedId as _};
use abide_engine::clock::{Clock as _, SystemClock};
use abide_engine::store::LedgerRow;
use uuid::Uuid;

use super::sample::SampleRuns;

/// Copies of sample runs, all in one batch.
pub(in crate::bench) struct RunCopies {
    pub(super) runs: Vec<NewRun>,
    /// The events that the copies have while they wait, run by run.
    pub(super) parked: Vec<NewEvent>,
    /// The events that the copies have in addition when they have ended, run by run.
    pub(super) ended: Vec<NewEvent>,
    /// Deadline of the first copy, in microseconds since 1970 UTC. Each following copy has a deadline that
    /// is one microsecond later.
    pub(super) due: i64,
}

/// The ids of a copy, and the hashes of its last events.
pub(super) struct NewRun {
    pub(super) run: Uuid,
    pub(super) call: Uuid,
    pub(super) parked_hash: Digest,
    pub(super) end_hash: Digest,
}

/// The ids of an event of a copy, its position in the chain, and its hash.
pub(super) struct NewEvent {
    pub(super) id: Uuid,
    pub(super) run: Uuid,
    pub(super) call: Uuid,
    pub(super) seq: i64,
    pub(super) hash: Digest,
}

impl RunCopies {
    /// Creates the ids and hash chains of `n` copies, which belong to `tenant`.
    pub(super) fn create(sample: &SampleRuns, tenant: &str, n: u64, ids: &IdSource) -> Self {
        let mut copies =
            Self { runs: Vec::new(), parked: Vec::new(), ended: Vec::new(), due: sample.deadline };
        for _ in 0..n {
            copies.push(sample, tenant, ids);
        }
        copies
    }

    /// Returns the ids of the copies, in ascending order.
    pub(in crate::bench) fn ids(&self) -> Vec<RunId> {
        self.runs.iter().map(|one| RunId::from_uuid(one.run)).collect()
    }

    fn push(&mut self, sample: &SampleRuns, tenant: &str, ids: &IdSource) {
        let now = SystemClock.now();
        let (run, call): (RunId, CallId) = (ids.mint(now), ids.mint(now));
        let copy = |of: &LedgerRow, old: [String; 2], previous: Digest| {
            let mut event = of.clone();
            event.id = ids.mint::<EventId>(now);
            event.stream = run.into();
            event.tenant = tenant.to_owned();
            event.run = event.run.map(|_| run);
            event.call = event.call.map(|_| call);
            let text = event.body.to_string();
            if let Some(text) = replaced(&text, &old, &[run.to_string(), call.to_string()]) {
                event.body = serde_json::from_str(&text).unwrap_or_default();
            }
            let hash = event.link(previous);
            let (id, seq) = (event.id.uuid(), event.seq);
            NewEvent { id, run: run.uuid(), call: call.uuid(), seq, hash }
        };
        let mut hash = Digest::ZERO;
        for event in &sample.parked_events {
            let old = [sample.parked.to_string(), sample.parked_call.to_string()];
            self.parked.push(copy(event, old, hash));
            hash = self.parked.last().map_or(hash, |event| event.hash);
        }
        let parked_hash = hash;
        for event in &sample.end_events {
            let old_call = sample.ended_call.unwrap_or(sample.parked_call);
            let old = [sample.ended.to_string(), old_call.to_string()];
            self.ended.push(copy(event, old, hash));
            hash = self.ended.last().map_or(hash, |event| event.hash);
        }
        let (run, call) = (run.uuid(), call.uuid());
        self.runs.push(NewRun { run, call, parked_hash, end_hash: hash });
    }
}

/// Replaces each of the strings `old` by the string `new` at the same position. Returns `None` if `text`
/// contains none of them.
fn replaced(text: &str, old: &[String; 2], new: &[String; 2]) -> Option<String> {
    if !old.iter().any(|old| text.contains(old)) {
        return None;
    }
    Some(old.iter().zip(new).fold(text.to_owned(), |text, (old, new)| text.replace(old, new)))
}
