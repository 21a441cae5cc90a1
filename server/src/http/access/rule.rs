//! A rule of access: who may call a route, and who reads its answer in full.

use axum::extract::Query;
use axum::http::Uri;
use serde::Deserialize;
use utoipa::IntoParams;

use super::redaction::selects_by_phone;
use crate::problem::ProblemDocument;
use crate::role::Role;

/// Who may call a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Access {
    /// Everybody. The route checks a signature or a token of its own, or shows nothing of any tenant.
    Open,
    /// Clients with at least this role, for their own tenant.
    Least(Role),
    /// Only who operates the server, because the answer concerns all tenants: a client with the key of the
    /// server, a command in this process, or any client on this machine if the server runs with `--dev`.
    Operator,
}

/// Who reads the answer of a route in full, with the personal data in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum FullAnswer {
    /// Staff and the roles above them, because they write to these people.
    ForStaff,
    /// Supervisors and admins, if they ask for it with `show_pii`.
    OnRequest,
}

/// The rule of one route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) struct RouteRule {
    /// HTTP method. GET also stands for HEAD.
    pub(in crate::http) method: &'static str,
    /// Template of the path, such as `/v1/runs/{id}`.
    pub(in crate::http) path: &'static str,
    pub(in crate::http) access: Access,
    pub(in crate::http) full_answer: FullAnswer,
}

/// Least role that reads phone numbers and texts of people, because staff write to these people.
const READS_PHONES: Role = Role::Staff;
/// Least role that may read redacted events in full.
const SHOWS_PII: Role = Role::Supervisor;

/// The query parameter that asks for events in full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(in crate::http) struct ShowPii {
    /// Show phone numbers and texts of people, which are redacted otherwise. Needs the role `supervisor`.
    #[serde(default)]
    #[param(default = false)]
    show_pii: bool,
}

impl ShowPii {
    /// Reads the parameter from a URI.
    fn of(uri: &Uri) -> Result<Self, ProblemDocument> {
        let query = Query::<Self>::try_from_uri(uri);
        query.map(|Query(query)| query).map_err(|e| {
            ProblemDocument::schema(format!(
                "the query does not fit: `show_pii`: {}",
                e.body_text()
            ))
        })
    }
}

/// Whether the personal data in an answer is removed before the answer leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Redaction {
    Redacted,
    InFull,
}

impl RouteRule {
    /// Creates the rule of a route whose answer staff read in full.
    pub(in crate::http) const fn new(
        method: &'static str,
        path: &'static str,
        access: Access,
    ) -> Self {
        Self { method, path, access, full_answer: FullAnswer::ForStaff }
    }

    /// Checks that a client with this role may call the route. `operates` says whether the client operates
    /// the server.
    ///
    /// # Errors
    /// `forbidden`, with the role that is needed.
    pub(in crate::http) fn check(&self, role: Role, operates: bool) -> Result<(), ProblemDocument> {
        let Self { method, path, .. } = self;
        match self.access {
            Access::Open => Ok(()),
            Access::Operator if operates => Ok(()),
            Access::Operator => {
                let detail = format!("`{method} {path}` concerns all tenants of this server");
                Err(ProblemDocument::new(403, "forbidden", detail)
                    .with_hint("run the command on the machine of the server, without `--token`"))
            }
            Access::Least(least) if role >= least => Ok(()),
            Access::Least(least) => Err(lacks_role(role, least, &format!("`{method} {path}`"))),
        }
    }

    /// Decides whether the answer to a client with this role is redacted.
    ///
    /// # Errors
    /// `forbidden` if the client asks for events in full and may not read them, or if the client may not
    /// read phone numbers and selects by one: the answer would tell whose number it is.
    pub(in crate::http) fn redaction(
        &self,
        role: Role,
        uri: &Uri,
    ) -> Result<Redaction, ProblemDocument> {
        let ShowPii { show_pii } = ShowPii::of(uri)?;
        if role < READS_PHONES && selects_by_phone(uri) {
            return Err(lacks_role(role, READS_PHONES, "a filter by phone number"));
        }
        match self.full_answer {
            FullAnswer::ForStaff if role >= READS_PHONES => Ok(Redaction::InFull),
            FullAnswer::OnRequest if show_pii && role >= SHOWS_PII => Ok(Redaction::InFull),
            FullAnswer::OnRequest if show_pii => Err(lacks_role(role, SHOWS_PII, "`show_pii`")),
            _ => Ok(Redaction::Redacted),
        }
    }
}

fn lacks_role(role: Role, least: Role, what: &str) -> ProblemDocument {
    let detail = format!("{what} needs the role `{least}`, and this token has the role `{role}`");
    ProblemDocument::new(403, "forbidden", detail)
        .with_hint(format!("use a token with the role `{least}`: see `abide token create --help`"))
}
