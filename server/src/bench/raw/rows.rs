//! The rows that the raw writer stores, modelled on the rows of the engine.

use abide_engine::base::{CallId, Digest, EventId, IdSource, RunId, TypedId};
use abide_engine::clock::{Clock, SystemClock};
use uuid::Uuid;

/// The columns `state` and `body` of a step that the engine stored.
/// Raw rows copy both values, so that they are as large as the engine's rows.
#[derive(Debug, Clone)]
pub(in crate::bench) struct SampleRow {
    pub(super) state: String,
    pub(super) body: String,
}

/// The head of a run that the raw writer advances.
#[derive(Debug, Clone, Copy)]
pub(super) struct Head {
    pub(super) run: Uuid,
    pub(super) seq: i64,
}

/// The receipt of a raw step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Receipt {
    pub(super) id: Uuid,
    pub(super) call: Uuid,
    pub(super) hash: [u8; 32],
    pub(super) at: i64,
}

/// Source of the ids of raw rows: UUIDv7, as in the engine, so that the indexes grow as the engine's do.
pub(super) struct RowIds(IdSource);

impl RowIds {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(IdSource::seeded(seed))
    }

    pub(super) fn head(&self) -> Head {
        Head { run: self.0.mint::<RunId>(SystemClock.now()).uuid(), seq: 0 }
    }

    pub(super) fn receipt(&self) -> Receipt {
        let now = SystemClock.now();
        let id = self.0.mint::<EventId>(now).uuid();
        let hash = *Digest::of(id.as_bytes()).as_bytes();
        Receipt { id, call: self.0.mint::<CallId>(now).uuid(), hash, at: now.micros() }
    }
}
