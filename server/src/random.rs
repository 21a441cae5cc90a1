//! Creates random seeds and keys.

/// Creates a unique idempotency key, for a request that the user gave no key.
pub(crate) fn fresh_key(prefix: &str) -> String {
    format!("{prefix}-{:016x}", fresh_seed())
}

/// Returns a random seed from the operating system.
/// Simulations do not use this function, because the user or the scenario gives their seeds.
pub(crate) fn fresh_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
