//! Faults of contracts, each at the key that causes it.

/// The reason why a contract is invalid.
pub(super) struct Fault {
    /// The key of the contract that causes the fault, if one does.
    pub(super) key: Option<String>,
    pub(super) what: String,
    /// The remedy, if it is another one than to complete the contract.
    pub(super) hint: Option<&'static str>,
}

/// Returns a fault at a key, whose remedy is to complete the contract.
pub(super) fn fault(key: &str, what: impl Into<String>) -> Fault {
    Fault { key: Some(key.to_owned()), what: what.into(), hint: None }
}
