//! The secret of a token: how it is made, recognised and stored.

use std::fmt;

use abide_engine::base::{Digest, Problem};

/// Beginning of every secret, by which people and scanners for leaked secrets recognise it.
const PREFIX: &str = "abide_";
/// Number of random bytes in a secret. No one can guess 256 bits, nor try them all.
const RANDOM_BYTES: usize = 32;

/// The secret of a token. It is never printed by accident: its debug output hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Creates a new random secret.
    pub(crate) fn fresh() -> Result<Self, Problem> {
        Ok(Self(format!("{PREFIX}{}", crate::random::fresh_secret::<RANDOM_BYTES>()?)))
    }

    /// Returns the digest under which a token is stored; `None` if `given` does not have the form of a
    /// secret.
    ///
    /// The digest is a plain BLAKE3 hash. A slow, salted hash protects passwords, which can be guessed;
    /// 256 random bits cannot. The duration of a search by digest reveals nothing about a secret, so it need
    /// not be constant.
    pub(crate) fn digest_of(given: &str) -> Option<Digest> {
        let digits = given.strip_prefix(PREFIX)?;
        let is_whole = digits.len() == 2 * RANDOM_BYTES;
        is_whole.then(|| Digest::of(given.as_bytes()))
    }

    /// Returns the digest under which this token is stored.
    pub(crate) fn digest(&self) -> Digest {
        Digest::of(self.0.as_bytes())
    }

    /// Returns the secret itself, to send it or to show it to its owner.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether this is an empty string, as after `ABIDE_TOKEN=` in the environment.
    pub(crate) fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_secret_is_found_by_its_digest_and_is_not_shown_by_accident() {
        let secret = Secret::fresh().expect("random bytes");
        assert_eq!(Secret::digest_of(secret.reveal()), Some(secret.digest()));
        assert_ne!(secret, Secret::fresh().expect("random bytes"));
        assert!(!format!("{secret:?}").contains(&secret.reveal()[PREFIX.len()..]));
    }

    #[test]
    fn a_text_without_the_form_of_a_secret_has_no_digest() {
        for given in ["", "abide_", "abide_12", "k1", &"a".repeat(70)] {
            assert_eq!(Secret::digest_of(given), None, "{given}");
        }
    }
}
