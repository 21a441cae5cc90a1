//! A tool that a server of the home carries out: where the server is, and how calls are signed.

use serde::Deserialize;

use super::fault::{Fault, fault};
use crate::base::{Span, Value};

/// Maximum length of the address of a server; longer ones are cut by proxies.
const URL_CHARS_MAX: usize = 2_000;
/// How long a server may take to complete a call that it has accepted, if the contract does not say.
const COMPLETE_WITHIN: Span = Span::from_secs(24 * 3_600);
/// The hosts that plain HTTP may reach, because the traffic does not leave the machine.
const LOCAL_HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// A tool that a server of the home carries out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteTool {
    /// The address to which calls are posted.
    pub url: String,
    /// The environment variable that holds the secret with which calls are signed.
    pub secret_env: String,
    /// How long the server may take to complete a call that it has accepted.
    pub complete_within: Span,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    url: String,
    secret_env: String,
    #[serde(default)]
    complete_within: Option<String>,
}

impl RemoteTool {
    /// Reads the member `remote` of a contract.
    pub(super) fn read(written: Value) -> Result<Self, Fault> {
        let Written { url, secret_env, complete_within } = serde_json::from_value(written)
            .map_err(|error| fault("remote", format!("`remote`: {error}")))?;
        check_url(&url)?;
        check_variable(&secret_env)?;
        let complete_within = match complete_within {
            None => COMPLETE_WITHIN,
            Some(text) => text.parse().map_err(|error| fault("remote", format!("{error}")))?,
        };
        if complete_within <= Span::ZERO {
            return Err(fault("remote", "`complete_within` must be longer than zero"));
        }
        Ok(Self { url, secret_env, complete_within })
    }

    /// Returns the host and port of the server.
    #[must_use]
    pub fn host(&self) -> &str {
        host_of(&self.url)
    }
}

/// Returns the host and port of an address such as `https://example.org:8443/path`; an empty string for a
/// text without `://`.
#[must_use]
pub fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// Checks that an address can be posted to and that nobody on the way can read the calls.
fn check_url(url: &str) -> Result<(), Fault> {
    let refused = |what: &str| Err(fault("remote", format!("`{url}` {what}")));
    let Some((scheme, _)) = url.split_once("://") else {
        return refused("is no address such as `https://tools.example.org/price`");
    };
    let host = host_of(url);
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    if name.is_empty() || url.len() > URL_CHARS_MAX || url.contains(char::is_whitespace) {
        return refused("is no address such as `https://tools.example.org/price`");
    }
    if host.contains('@') {
        return refused("holds a user name; the signature tells the server who calls");
    }
    match scheme {
        "https" => Ok(()),
        "http" if LOCAL_HOSTS.contains(&name) => Ok(()),
        "http" => refused("is not encrypted; only this machine may be called by `http`"),
        _ => refused("begins neither with `https://` nor with `http://`"),
    }
}

fn check_variable(name: &str) -> Result<(), Fault> {
    let fits = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if fits {
        return Ok(());
    }
    let what =
        format!("`secret_env: {name}` is no name of an environment variable; write it in capitals");
    Err(fault("remote", what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str, secret_env: &str) -> Result<RemoteTool, Fault> {
        RemoteTool::read(serde_json::json!({ "url": url, "secret_env": secret_env }))
    }

    #[test]
    fn a_server_is_named_by_its_address_and_its_secret() {
        for (url, host) in [
            ("https://tools.example.org/price", "tools.example.org"),
            ("https://tools.example.org", "tools.example.org"),
            ("http://127.0.0.1:8099/", "127.0.0.1:8099"),
            ("http://localhost:8099?a=b", "localhost:8099"),
            ("http://[::1]:8099/x", "[::1]:8099"),
        ] {
            let tool =
                read(url, "PRICE_SECRET").unwrap_or_else(|fault| panic!("{url}: {}", fault.what));
            assert_eq!(tool.host(), host);
            assert_eq!(tool.complete_within, COMPLETE_WITHIN);
        }
    }

    #[test]
    fn an_address_that_others_can_read_or_that_is_none_is_refused() {
        for (url, words) in [
            ("http://tools.example.org/price", "not encrypted"),
            ("http://127.0.0.1.example.org/", "not encrypted"),
            ("ftp://tools.example.org/", "neither"),
            ("https://me:pw@tools.example.org/", "user name"),
            ("http://localhost@example.org/", "user name"),
            ("https:///price", "no address"),
            ("https://a b/", "no address"),
            ("tools.example.org", "no address"),
        ] {
            let fault = read(url, "PRICE_SECRET").expect_err(url);
            assert!(fault.what.contains(words), "{url}: {}", fault.what);
        }
        for name in ["price", "", "1A", "A-B", "A B"] {
            assert!(read("https://a.example/", name).is_err(), "{name}");
        }
    }
}
