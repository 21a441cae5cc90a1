//! Limits how often a client address may present a token that is not valid.
//!
//! Nobody can guess a token. The limit keeps a client that tries from filling the log and from burdening the
//! database with searches. A token that was valid a moment ago is still accepted from a limited address:
//! otherwise one misconfigured client would lock out everybody behind the same proxy.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};

use abide_engine::base::{Digest, Span, Timestamp};

/// Number of invalid tokens that a client address may present within [`WINDOW`]: more than a misconfigured
/// client sends while a person watches it.
pub(super) const ATTEMPTS_MAX: u32 = 50;
/// How long invalid tokens of an address are counted, from the first of them.
pub(super) const WINDOW: Span = Span::from_secs(60);
/// Maximum number of addresses that are counted. An attacker who has more addresses makes the oldest counts
/// disappear; each count takes about 50 bytes.
pub(super) const ADDRESSES_MAX: usize = 10_000;
/// Maximum number of valid tokens that are remembered: as many as one tenant may have.
const TOKENS_MAX: usize = 1_000;

/// Counts the invalid tokens that came from each client address.
#[derive(Debug, Default)]
pub(in crate::http) struct FailedAttempts(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    by_address: BTreeMap<IpAddr, Count>,
    /// The tokens that were valid when they were last presented, with the time.
    valid: BTreeMap<Digest, Timestamp>,
}

/// The invalid tokens from one address since a time.
#[derive(Debug, Clone, Copy)]
struct Count {
    since: Timestamp,
    attempts: u32,
}

impl Count {
    /// Whether the count is over. A clock that was set back ends it too.
    fn is_over(self, now: Timestamp) -> bool {
        now < self.since || now - self.since >= WINDOW
    }
}

impl FailedAttempts {
    /// Returns the time that an address has to wait before it may present a token again; `None` if it may
    /// present this token now. `token` is the digest of the token if it has the form of one.
    pub(super) fn wait(
        &self,
        address: IpAddr,
        token: Option<Digest>,
        now: Timestamp,
    ) -> Option<Span> {
        let counts = self.lock();
        let count = counts.by_address.get(&network(address)).filter(|it| !it.is_over(now))?;
        let was_valid = token.is_some_and(|token| counts.valid.contains_key(&token));
        (count.attempts >= ATTEMPTS_MAX && !was_valid).then(|| count.since + WINDOW - now)
    }

    /// Counts an invalid token from an address.
    pub(super) fn record_invalid(&self, address: IpAddr, token: Option<Digest>, now: Timestamp) {
        let mut counts = self.lock();
        token.map(|token| counts.valid.remove(&token));
        let address = network(address);
        if !counts.by_address.contains_key(&address) && counts.by_address.len() >= ADDRESSES_MAX {
            counts.by_address.retain(|_, count| !count.is_over(now));
            if counts.by_address.len() >= ADDRESSES_MAX {
                remove_oldest(&mut counts.by_address, |count| count.since);
            }
        }
        let fresh = Count { since: now, attempts: 0 };
        let count = counts.by_address.entry(address).or_insert(fresh);
        if count.is_over(now) {
            *count = fresh;
        }
        count.attempts = count.attempts.saturating_add(1);
    }

    /// Remembers that a token was valid.
    pub(super) fn record_valid(&self, token: Digest, now: Timestamp) {
        let mut counts = self.lock();
        if !counts.valid.contains_key(&token) && counts.valid.len() >= TOKENS_MAX {
            remove_oldest(&mut counts.valid, |at| *at);
        }
        counts.valid.insert(token, now);
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn remove_oldest<K: Ord + Copy, V>(map: &mut BTreeMap<K, V>, at: impl Fn(&V) -> Timestamp) {
    let oldest = map.iter().min_by_key(|(_, value)| at(value)).map(|(key, _)| *key);
    oldest.map(|key| map.remove(&key));
}

/// Returns the address under which a client is counted. A client with IPv6 usually has a network of 2^64
/// addresses to itself, so the first half of its address counts.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            Ipv6Addr::from(network).into()
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::EPOCH + Span::from_secs(seconds)
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    fn limited(from: &str, seconds: i64) -> FailedAttempts {
        let attempts = FailedAttempts::default();
        for _ in 0..ATTEMPTS_MAX {
            assert_eq!(attempts.wait(address(from), None, at(seconds)), None);
            attempts.record_invalid(address(from), None, at(seconds));
        }
        attempts
    }

    #[test]
    fn an_address_waits_for_the_end_of_its_window() {
        let attempts = limited("192.0.2.7", 100);
        let wait = |from, seconds| attempts.wait(address(from), None, at(seconds));
        assert_eq!(wait("192.0.2.7", 100), Some(WINDOW));
        assert_eq!(wait("::ffff:192.0.2.7", 159), Some(Span::from_secs(1)));
        assert_eq!(wait("192.0.2.7", 160), None);
        assert_eq!(wait("192.0.2.8", 100), None, "another client");
        assert_eq!(wait("192.0.2.7", 99), None, "the clock was set back");
        attempts.record_invalid(address("192.0.2.7"), None, at(160));
        assert_eq!(wait("192.0.2.7", 161), None, "a new window begins with one attempt");
    }

    #[test]
    fn the_addresses_of_one_network_count_as_one() {
        let attempts = limited("2001:db8:1:2::1", 0);
        let wait = |from| attempts.wait(address(from), None, at(0));
        assert_eq!(wait("2001:db8:1:2:ffff::9"), Some(WINDOW));
        assert_eq!(wait("2001:db8:1:3::1"), None);
    }

    #[test]
    fn a_token_that_was_valid_is_accepted_from_a_limited_address_until_it_is_not() {
        let attempts = limited("192.0.2.7", 0);
        let [known, unknown] = [b"known".as_slice(), b"unknown"].map(Digest::of);
        attempts.record_valid(known, at(0));
        let wait = |token| attempts.wait(address("192.0.2.7"), Some(token), at(1));
        assert_eq!((wait(known), wait(unknown).is_some()), (None, true));
        attempts.record_invalid(address("192.0.2.7"), Some(known), at(1));
        assert!(wait(known).is_some(), "it was revoked");
    }

    #[test]
    fn memory_is_bounded_and_the_oldest_are_forgotten_first() {
        let attempts = FailedAttempts::default();
        let record = |n: usize, seconds| {
            let n = u32::try_from(n).expect("an address");
            attempts.record_invalid(IpAddr::from(n.to_be_bytes()), None, at(seconds));
        };
        (0..ADDRESSES_MAX).for_each(|n| record(n, 4));
        for _ in 0..ATTEMPTS_MAX {
            attempts.record_invalid(address("192.0.2.7"), None, at(5));
        }
        (ADDRESSES_MAX..ADDRESSES_MAX + 10).for_each(|n| record(n, 5));
        assert_eq!(attempts.lock().by_address.len(), ADDRESSES_MAX);
        assert!(attempts.wait(address("192.0.2.7"), None, at(5)).is_some(), "it is not the oldest");
        for n in 0..2 * TOKENS_MAX {
            attempts.record_valid(Digest::of(&n.to_be_bytes()), at(0));
        }
        assert_eq!(attempts.lock().valid.len(), TOKENS_MAX);
    }
}
