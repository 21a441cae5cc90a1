//! Which requests from this machine a server with `--dev` accepts without a token.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};

use crate::problem::ProblemDocument;

/// Whether the request comes from this machine.
pub(super) fn is_local(request: &Parts) -> bool {
    let peer = request.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    peer.is_some_and(|ip| ip.to_canonical().is_loopback())
}

/// Checks that no page of another site sends this request from a browser on this machine.
///
/// # Errors
/// `forbidden` if the request names another host, or comes from a page of another site.
pub(super) fn check_site(request: &Parts) -> Result<(), ProblemDocument> {
    match local_host(request) {
        None => Err(ProblemDocument::new(403, "forbidden", "the name of this server is not local")
            .with_hint("with `--dev`, call it as `localhost`, `127.0.0.1` or `[::1]`")),
        Some(host) if is_cross_site(&request.headers, host) => {
            let detail = "a page of another site may not call this server";
            Err(ProblemDocument::new(403, "forbidden", detail))
        }
        Some(_) => Ok(()),
    }
}

/// Returns the host and port that the request names, if the host is `localhost` or a loopback address.
///
/// A page of another site can make its own host name resolve to this machine (DNS rebinding).
/// The browser then takes this server for that site, and sends that site's host name in the request.
/// Such a request must be rejected, although it comes from this machine.
fn local_host(request: &Parts) -> Option<&str> {
    let mut named = request.headers.get_all(header::HOST).iter();
    let name = match (named.next(), named.next()) {
        (Some(host), None) => host.to_str().ok()?,
        // HTTP/2 sends the host in the request target.
        (None, _) => request.uri.authority()?.as_str(),
        (Some(_), Some(_)) => return None,
    };
    let host = match name.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => name,
    };
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let address = match bare {
        Some(address) => address.parse::<Ipv6Addr>().ok().map(IpAddr::from),
        None => host.parse::<Ipv4Addr>().ok().map(IpAddr::from),
    };
    let local = address.is_some_and(|address| address.to_canonical().is_loopback());
    (local || host.eq_ignore_ascii_case("localhost")).then_some(name)
}

/// Whether a page of another site sends this request, according to the header `Origin` that browsers set.
fn is_cross_site(headers: &HeaderMap, host: &str) -> bool {
    headers.get_all(header::ORIGIN).iter().any(|origin| {
        let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
        origin.is_none_or(|(_, from)| !from.eq_ignore_ascii_case(host))
    })
}
