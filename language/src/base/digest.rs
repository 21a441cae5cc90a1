//! BLAKE3 digests. Runs pin definitions by digest, large values are stored once under their digest,
//! and the ledger chains its events with digests.

use std::fmt;

use super::Value;

/// A BLAKE3 digest: 32 bytes that identify a string or a value.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// All zeros. The first event of a chain has no previous event and uses this digest instead.
    pub const ZERO: Self = Self([0; 32]);

    /// Returns the digest of raw bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the digest of a JSON value in canonical form (sorted members, no white space).
    #[must_use]
    pub fn of_value(value: &Value) -> Self {
        Self::of(value.to_string().as_bytes())
    }

    /// Returns the next digest of a hash chain:
    /// the digest of the previous digest and the new entry's bytes.
    #[must_use]
    pub fn chain(previous: Self, bytes: &[u8]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&previous.0);
        hasher.update(bytes);
        Self(*hasher.finalize().as_bytes())
    }

    /// Returns the 32 bytes of the digest.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads a digest from stored bytes; `None` if there are not exactly 32 bytes.
    #[must_use]
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Parses a digest from 64 hexadecimal digits; `None` for any other string.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }

    /// Returns the digest's first 12 hexadecimal digits, for display.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string().chars().take(12).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(blake3::Hash::from_bytes(self.0).to_hex().as_str())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}…", self.short())
    }
}

impl serde::Serialize for Digest {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Digest {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a digest of 64 hex digits"))
    }
}
