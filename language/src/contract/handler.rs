//! What carries out the calls of a tool.

use super::data::DataTool;
use super::remote::RemoteTool;
use super::terms::NotConfigured;

/// What carries out the calls of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Handler {
    /// Code of this program, found by the name of the tool.
    Code,
    /// The contract alone: it says what a call does to the rows of one table.
    Data(DataTool),
    /// A server of the home, to which each call is posted.
    Remote(RemoteTool),
    /// Nothing yet: each call ends with a receipt that says what is missing.
    NotConfigured(NotConfigured),
}

impl Handler {
    /// Returns the name of the handler in a contract.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Data(_) => "data",
            Self::Remote(_) => "remote",
            Self::NotConfigured(_) => "not_configured",
        }
    }
}
