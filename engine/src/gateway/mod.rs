//! Defines the interface to providers of text messages, and a loopback provider that needs no carrier.

mod interface;
mod loopback;
mod script;

pub use interface::{Gateway, GatewayError, LookupAnswer, LookupRequest, SendAnswer, SendRequest};
pub use loopback::{Loopback, SentMessage};
pub use script::{LookupBehaviour, Reaction, Script, ScriptRule};
