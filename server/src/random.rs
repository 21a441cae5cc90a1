//! Random seeds and keys.

/// Creates a unique idempotency key, for a request that the user gave no key.
pub(crate) fn fresh_key(prefix: &str) -> String {
    format!("{prefix}-{:016x}", fresh_seed())
}

/// Returns a random seed from the operating system, for everything that is not a simulation.
pub(crate) fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
