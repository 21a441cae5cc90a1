//! Creates random seeds, keys and secrets.

use abide_engine::base::Problem;

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

/// Returns `BYTES` bytes from the operating system's generator for secrets, as hexadecimal digits.
///
/// # Errors
/// A bug, if the operating system has no such generator.
pub(crate) fn fresh_secret<const BYTES: usize>() -> Result<String, Problem> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|e| Problem::bug(format!("no random bytes: {e}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
