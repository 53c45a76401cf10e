// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Who may ask, and what every answer says to browsers.
//!
//! A page of somebody else's in the same browser can send requests here, and by DNS (rebinding) even under a name of its
//! own. So the name that a request is for must be one of ours (421 else), a request that a browser says comes from
//! elsewhere is refused (403), and everything below `/api/` needs a token that only whoever started the server has (401).
//! There is no cookie, which the browser would send by itself, to every port. What changes something must say that it is
//! JSON (415), which other pages cannot without a permission that is never given (no CORS).
//!
//! Sources: RFC 9110 (7.4, 15.5.20), Fetch Metadata (W3C), the HTML standard, CSP 3.
//!
//! What it does not do: no TLS. A proxy has that.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::uri::Authority;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::answer::Refusal;
use crate::server::Shared;

/// Everything is the page's own; nothing is framed, sent elsewhere or run from within a text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// For every answer.
const ALWAYS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// The names that this server answers to.
#[derive(Clone, Debug)]
pub struct Names(Vec<String>);

impl Names {
    /// Those of the loopback, and others: each without a port.
    pub fn new(others: &[String]) -> Names {
        let own = ["127.0.0.1", "localhost", "[::1]"].into_iter().map(String::from);
        Names(own.chain(others.iter().map(|name| name.to_ascii_lowercase())).collect())
    }

    /// Whether a host is one of them, on whichever port: a tunnel or proxy has its own.
    fn has(&self, host: &str) -> bool {
        let host: Option<Authority> = host.parse().ok();
        host.is_some_and(|host| {
            !host.as_str().contains('@') && self.0.contains(&host.host().to_ascii_lowercase())
        })
    }
}

/// Whether a text is a name that a browser could ask for.
pub fn is_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let literal = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    match literal {
        Some(address) => address.parse::<IpAddr>().is_ok_and(|address| address.is_ipv6()),
        None => !name.is_empty() && name.len() <= 253 && name.chars().all(plain),
    }
}

/// Lets a request through, or says why not.
pub async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let api = request.uri().path().starts_with("/api/");
    let mut answer = match admitted(&shared, request.method(), request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let headers = answer.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if api {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if answer.status() == StatusCode::UNAUTHORIZED {
        answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    answer
}

fn admitted(shared: &Shared, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
    let refuse = |status, why: &str| Err(Refusal::new(status, why));
    let Some(host) = one(headers, &header::HOST) else {
        return refuse(StatusCode::MISDIRECTED_REQUEST, "the request names no host, or several");
    };
    if !shared.names.has(host) || uri.authority().is_some_and(|of| !shared.names.has(of.as_str())) {
        let why = format!("this server is not '{}': see --allow-host", host.escape_default());
        return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, why));
    }
    if headers.contains_key(header::ORIGIN) && !one(headers, &header::ORIGIN).is_some_and(|o| is_own(o, host))
    {
        return refuse(StatusCode::FORBIDDEN, "this request comes from another page");
    }
    let api = uri.path().starts_with("/api/");
    if let Some(site) = headers.get("sec-fetch-site")
        && !matches!(site.as_bytes(), b"same-origin" | b"none")
        && (api || !opens_page(method, headers))
    {
        return refuse(StatusCode::FORBIDDEN, "this request comes from another site");
    }
    if api && !one(headers, &header::AUTHORIZATION).is_some_and(|given| shared.token.is(given)) {
        let why = "the token of this server is missing or wrong: open the address that `airtab serve` printed when it started";
        return refuse(StatusCode::UNAUTHORIZED, why);
    }
    if *method == Method::POST && !one(headers, &header::CONTENT_TYPE).is_some_and(is_json) {
        return refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json");
    }
    Ok(())
}

/// A header's value, if it is there once.
fn one<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut all = headers.get_all(name).iter();
    let first = all.next()?;
    all.next().is_none().then(|| first.to_str().ok()).flatten()
}

/// Whether an origin is that of the host asked for; a proxy may have made `https` of it.
fn is_own(origin: &str, host: &str) -> bool {
    let of = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    of.is_some_and(|of| of.eq_ignore_ascii_case(host))
}

/// A link on another site may lead to the page, as it may to any: that reads nothing and runs nothing.
fn opens_page(method: &Method, headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|given| given == value);
    *method == Method::GET && is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document")
}

fn is_json(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}
