//! Typed ids: a UUID inside the program and the database, a string with a prefix (`run_…`) outside.
//!
//! The engine creates every id itself; the database creates none.
//! An id is a UUIDv7, made from the engine's clock and a seeded random generator.
//! Ids sort by time, so new rows go to the end of an index. Inserts
//! then touch one page of the index instead of all its pages.
//! Two simulations with the same seed create the same ids.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::sync::Mutex;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use uuid::Uuid;

use super::time::Timestamp;

/// The error for a string that is not an id of the expected type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id of the form `{prefix}_…`")]
pub struct BadId {
    /// The string, cut to 60 characters.
    pub text: String,
    /// The expected prefix, without the underscore.
    pub prefix: &'static str,
}

/// An id type with its own prefix, so that the id of a run is never accepted as the id of a person.
pub trait TypedId: Copy + fmt::Display + FromStr<Err = BadId> {
    /// The prefix of the ids as strings, without the underscore.
    const PREFIX: &'static str;
    /// Creates an id from a UUID.
    fn from_uuid(uuid: Uuid) -> Self;
    /// Returns the UUID of the id.
    fn uuid(self) -> Uuid;
}

macro_rules! typed_ids {
    ($($(#[doc = $doc:literal])* $name:ident = $prefix:literal;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl TypedId for $name {
            const PREFIX: &'static str = $prefix;
            fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }
            fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "_{}"), self.0.simple())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = BadId;
            fn from_str(text: &str) -> Result<Self, BadId> {
                parse_prefixed(text, $prefix).map(Self)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.collect_str(self)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                id_schema($prefix, concat!($($doc),*).trim())
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($name))
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = String::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )*};
}

typed_ids! {
    /// An id of a run: one execution of a method.
    RunId = "run";
    /// An id of a request. The changes to a request are serialised: a request is a partition.
    RequestId = "req";
    /// An id of a person.
    PersonId = "per";
    /// An id of an offer to a person.
    OfferId = "ofr";
    /// An id of an ask: a question to a person.
    AskId = "ask";
    /// An id of a signal: a message from outside to a run.
    SignalId = "sig";
    /// An id of an upgrade: an order to move runs to another version of their method.
    UpgradeId = "upg";
    /// An id of a timer or a schedule.
    TimerId = "tmr";
    /// An id of a receipt: the proof of a finished call.
    ReceiptId = "rcp";
    /// An id of an approval.
    ApprovalId = "apr";
    /// An id of a message, inbound or outbound.
    MessageId = "msg";
    /// An id of a correlation: everything that one message or one API request set going. It is the id of that
    /// message, or of the first row that the request wrote, with another prefix.
    CorrelationId = "cor";
    /// An id of a call. All attempts of the call have the same id.
    CallId = "call";
    /// An id of an event in the ledger.
    EventId = "evt";
    /// An id of a token, with which a client calls the API.
    TokenId = "tok";
    /// An id of a node: a process that drives runs.
    NodeId = "node";
    /// An id of erasable personal data, such as the body of a message or a phone number.
    PiiId = "pii";
    /// An id of a row of a domain. The domain shows it with the prefix of its table.
    RowId = "row";
    /// An id of the classification of a message to the operator.
    ClassificationId = "cls";
    /// An id of a plan of the operator.
    PlanId = "plan";
    /// An id of a stream of the ledger: one hash chain with one writer.
    StreamId = "str";
    /// An id of an archive: a file with rows that have left the database.
    ArchiveId = "arc";
}

impl From<MessageId> for CorrelationId {
    fn from(message: MessageId) -> Self {
        Self(message.0)
    }
}

impl From<RunId> for StreamId {
    fn from(run: RunId) -> Self {
        Self(run.0)
    }
}

impl From<RequestId> for StreamId {
    fn from(request: RequestId) -> Self {
        Self(request.0)
    }
}

fn parse_prefixed(text: &str, prefix: &'static str) -> Result<Uuid, BadId> {
    text.strip_prefix(prefix)
        .and_then(|rest| rest.strip_prefix('_'))
        .and_then(|hex| Uuid::try_parse(hex).ok())
        .ok_or_else(|| BadId { text: text.chars().take(60).collect(), prefix })
}

/// Returns the OpenAPI schema of an id type that has the prefix `prefix`.
fn id_schema(prefix: &str, description: &str) -> RefOr<Schema> {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(format!("^{prefix}_[0-9a-f]{{32}}$")))
        .description(Some(description))
        .examples([format!("{prefix}_0199a5a1c2807b3e8f4d2c6b5a493827")])
        .into()
}

/// A source of UUIDv7 ids, made from the caller's instants and a seeded random generator.
///
/// The ids of one source are strictly increasing, even if the instants stay the same or go back: the
/// source keeps the latest millisecond so far, and a counter fills the bits below the millisecond.
pub struct IdSource {
    state: Mutex<IdState>,
}

struct IdState {
    random: fastrand::Rng,
    last_millis: u64,
    counter: u32,
}

/// Width in bits of the counter that sorts the ids of one millisecond.
/// The counter fills the 12 bits of the UUIDv7 field `rand_a` and 14 bits of the field `rand_b`.
/// After 67 million ids in one millisecond, the ids continue in the next millisecond.
const COUNTER_BITS: u32 = 26;

impl IdSource {
    /// Creates a source whose ids depend only on `seed` and on the instants passed to [`mint`](Self::mint).
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        let random = fastrand::Rng::with_seed(seed);
        Self { state: Mutex::new(IdState { random, last_millis: 0, counter: 0 }) }
    }

    /// Creates a new id at the instant `now`.
    pub fn mint<T: TypedId>(&self, now: Timestamp) -> T {
        T::from_uuid(self.next(now))
    }

    fn next(&self, now: Timestamp) -> Uuid {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let millis = u64::try_from(now.micros() / 1000).unwrap_or(0);
        if millis > state.last_millis {
            state.last_millis = millis;
            state.counter = 0;
        } else {
            state.counter += 1;
            if state.counter >> COUNTER_BITS != 0 {
                state.last_millis += 1;
                state.counter = 0;
            }
        }
        let random: u64 = state.random.u64(..);
        uuid_v7(state.last_millis, state.counter, random)
    }
}

fn uuid_v7(millis: u64, counter: u32, random: u64) -> Uuid {
    let mut counter_and_random = [0u8; 10];
    let high = (counter >> 14) & 0x0fff;
    let low = counter & 0x3fff;
    counter_and_random[0] = (high >> 8) as u8;
    counter_and_random[1] = (high & 0xff) as u8;
    counter_and_random[2] = (low >> 8) as u8;
    counter_and_random[3] = (low & 0xff) as u8;
    counter_and_random[4..10].copy_from_slice(&random.to_be_bytes()[..6]);
    uuid::Builder::from_unix_timestamp_millis(millis, &counter_and_random).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_keep_their_prefix_and_round_trip() {
        let source = IdSource::seeded(7);
        let id: RunId = source.mint(Timestamp::from_micros(1_700_000_000_000_000));
        let text = id.to_string();
        assert!(text.starts_with("run_"));
        assert_eq!(text.parse::<RunId>(), Ok(id));
        assert!(text.parse::<PersonId>().is_err());
    }

    #[test]
    fn ids_increase_even_when_the_clock_steps_back() {
        let source = IdSource::seeded(7);
        let mut last: Option<RunId> = None;
        for micros in [5_000_000, 5_000_000, 4_000_000, 5_000_001, 9_000_000] {
            let id: RunId = source.mint(Timestamp::from_micros(micros));
            assert!(last.is_none_or(|before| before < id));
            last = Some(id);
        }
    }

    #[test]
    fn the_same_seed_mints_the_same_ids() {
        let mint = |seed| {
            let source = IdSource::seeded(seed);
            source.mint::<RunId>(Timestamp::from_micros(1_000_000)).to_string()
        };
        assert_eq!(mint(1), mint(1));
        assert_ne!(mint(1), mint(2));
    }
}
