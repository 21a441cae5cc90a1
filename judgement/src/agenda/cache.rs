//! Remembers the goals of the sessions that were read last.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use abide_agent::agenda::AgendaGoal;
use abide_engine::base::{Span, Timestamp};

use crate::data::agenda::SessionKey;

/// How long the goals of a session are remembered.
const TTL: Span = Span::from_secs(20);
/// Maximum number of sessions that are remembered: a few MB.
const SESSIONS_MAX: usize = 5_000;

/// The goals of one session.
struct Remembered {
    expires_at: Timestamp,
    goals: Arc<Vec<AgendaGoal>>,
}

/// The goals of sessions, each for some seconds. An evaluation in this process forgets those of its session.
#[derive(Default)]
pub struct GoalCache {
    sessions: Mutex<BTreeMap<String, BTreeMap<SessionKey, Remembered>>>,
}

impl GoalCache {
    /// Returns the goals of a session, if they are remembered still.
    #[must_use]
    pub fn get(
        &self,
        tenant: &str,
        key: &SessionKey,
        now: Timestamp,
    ) -> Option<Arc<Vec<AgendaGoal>>> {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let found = sessions.get(tenant)?.get(key)?;
        (now < found.expires_at).then(|| Arc::clone(&found.goals))
    }

    /// Remembers the goals of a session.
    pub fn put(&self, tenant: &str, key: SessionKey, goals: Arc<Vec<AgendaGoal>>, now: Timestamp) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let of_tenant = sessions.entry(tenant.to_owned()).or_default();
        if of_tenant.len() >= SESSIONS_MAX {
            of_tenant.retain(|_, it| now < it.expires_at);
        }
        if of_tenant.len() < SESSIONS_MAX {
            of_tenant.insert(key, Remembered { expires_at: now + TTL, goals });
        }
    }

    /// Forgets the goals of a session.
    pub fn forget(&self, tenant: &str, key: &SessionKey) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_tenant) = sessions.get_mut(tenant) {
            of_tenant.remove(key);
        }
    }
}
