// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What to ask whom for: the address that a user gives, and the configuration document that is found there
//! ("Responsiveness Test Server Discovery").
//!
//! The fields may have their names of earlier versions of the draft (`large_https_download_url`, ...), as servers in
//! use have.
//!
//! What it does not do: nothing is fetched here.

use hyper::Uri;
use serde::Deserialize;

use super::Error;

/// Where the document is, unless an address says otherwise.
pub const WELL_KNOWN: &str = "/.well-known/nq";
/// Longest document that is read, bytes.
pub const MOST: usize = 64 << 10;
/// Port of HTTPS.
const HTTPS: u16 = 443;

/// Host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// Name or address; IPv6 without brackets.
    pub name: String,
    /// Port.
    pub port: u16,
}

impl Host {
    fn of(uri: &Uri) -> Result<Host, String> {
        if uri.scheme_str() != Some("https") {
            return Err("not https".into());
        }
        let name = uri.host().filter(|name| !name.is_empty()).ok_or("no host")?;
        let name = name.trim_start_matches('[').trim_end_matches(']').to_string();
        Ok(Host { name, port: uri.port_u16().unwrap_or(HTTPS) })
    }
}

impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.name.contains(':') {
            true => write!(f, "[{}]:{}", self.name, self.port),
            false => write!(f, "{}:{}", self.name, self.port),
        }
    }
}

/// Where the document is: `example.org`, `192.0.2.1:4043`, `[2001:db8::1]:4043`, `https://example.org/my-nq`.
///
/// # Errors
/// What is no such address.
pub fn target(given: &str) -> Result<(Host, Uri), Error> {
    let fails = |why: &str| Error::Target { given: given.into(), why: why.into() };
    let text = match given {
        _ if given.contains("://") => given.to_string(),
        _ if given.parse::<std::net::Ipv6Addr>().is_ok() => format!("https://[{given}]"),
        _ => format!("https://{given}"),
    };
    let uri: Uri = text.parse().map_err(|e: hyper::http::uri::InvalidUri| fails(&e.to_string()))?;
    let host = Host::of(&uri).map_err(|why| fails(&why))?;
    if uri.path().trim_matches('/').is_empty() {
        let at = uri.authority().map_or("", |authority| authority.as_str());
        let well_known = format!("https://{at}{WELL_KNOWN}").parse();
        return Ok((host, well_known.map_err(|_| fails("no address"))?));
    }
    Ok((host, uri))
}

/// What a configuration document says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Whom to connect to.
    pub host: Host,
    /// One byte.
    pub small: Uri,
    /// No end.
    pub large: Uri,
    /// Takes whatever is sent.
    pub upload: Uri,
}

#[derive(Deserialize)]
struct Document {
    version: u64,
    urls: Urls,
    test_endpoint: Option<String>,
}

#[derive(Deserialize)]
struct Urls {
    #[serde(alias = "small_https_download_url")]
    small_download_url: String,
    #[serde(alias = "large_https_download_url")]
    large_download_url: String,
    #[serde(alias = "https_upload_url")]
    upload_url: String,
}

impl Config {
    /// Reads a document.
    ///
    /// # Errors
    /// What is wrong in it: the draft has such a document ignored.
    pub fn parse(json: &[u8]) -> Result<Config, String> {
        let document: Document = serde_json::from_slice(json).map_err(|e| e.to_string())?;
        if document.version != 1 {
            return Err(format!("its version is {}, not 1", document.version));
        }
        let read = |name: &str, text: &str| -> Result<(Host, Uri), String> {
            let uri: Uri = text.parse().map_err(|e| format!("{name} '{text}': {e}"))?;
            let host = Host::of(&uri).map_err(|why| format!("{name} '{text}': {why}"))?;
            Ok((host, uri))
        };
        let (host, small) = read("small_download_url", &document.urls.small_download_url)?;
        let (large_host, large) = read("large_download_url", &document.urls.large_download_url)?;
        let (upload_host, upload) = read("upload_url", &document.urls.upload_url)?;
        if let Some(other) = [&large_host, &upload_host].into_iter().find(|other| **other != host) {
            return Err(format!("its addresses are of two hosts, {host} and {other}"));
        }
        let port = host.port;
        let host = document.test_endpoint.map_or(host, |name| Host { name, port });
        Ok(Config { host, small, large, upload })
    }

    /// The document of a server that clients call `authority`, host and port.
    pub fn document(authority: &str) -> String {
        let url = |path: &str| format!("https://{authority}{path}");
        let urls = serde_json::json!({
            "small_download_url": url(SMALL),
            "large_download_url": url(LARGE),
            "upload_url": url(UPLOAD),
        });
        serde_json::json!({ "version": 1, "urls": urls }).to_string()
    }
}

/// Paths of our own server.
pub(super) const SMALL: &str = "/small";
pub(super) const LARGE: &str = "/large";
pub(super) const UPLOAD: &str = "/upload";

#[cfg(test)]
mod tests {
    use super::*;

    fn found(given: &str) -> (String, String) {
        let (host, uri) = target(given).unwrap();
        (host.to_string(), uri.to_string())
    }

    #[test]
    fn addresses_as_people_write_them() {
        let nq = |at: &str| format!("https://{at}/.well-known/nq");
        for (given, host, at) in [
            ("example.org", "example.org:443", "example.org"),
            ("example.org:4043", "example.org:4043", "example.org:4043"),
            ("https://example.org/", "example.org:443", "example.org"),
            ("192.0.2.1:4043", "192.0.2.1:4043", "192.0.2.1:4043"),
            ("[2001:db8::1]:4043", "[2001:db8::1]:4043", "[2001:db8::1]:4043"),
            ("2001:db8::1", "[2001:db8::1]:443", "[2001:db8::1]"),
        ] {
            assert_eq!(found(given), (host.into(), nq(at)), "{given}");
        }
        let own = "https://example.org:1/config.json";
        assert_eq!(found(own), ("example.org:1".into(), own.into()));
        for (bad, why) in
            [("http://example.org", "not https"), ("", "empty"), ("a b", "invalid"), ("ftp://x", "https")]
        {
            let said = target(bad).unwrap_err().to_string();
            assert!(said.contains(why) && said.contains("give a host"), "{bad}: {said}");
        }
    }

    #[test]
    fn documents_of_the_draft_and_of_its_earlier_versions() {
        let own = Config::parse(Config::document("192.0.2.1:4043").as_bytes()).unwrap();
        assert_eq!(own.host, Host { name: "192.0.2.1".into(), port: 4043 });
        assert_eq!(own.small.to_string(), "https://192.0.2.1:4043/small");
        let earlier = br#"{ "version": 1, "more": [], "urls": {
            "small_https_download_url": "https://nq.example.com/s", "https_upload_url": "https://nq.example.com/u",
            "large_https_download_url": "https://nq.example.com/l" }, "test_endpoint": "near.example.com" }"#;
        let earlier = Config::parse(earlier).unwrap();
        assert_eq!(earlier.host, Host { name: "near.example.com".into(), port: 443 });
        assert_eq!(earlier.upload.to_string(), "https://nq.example.com/u", "the host of the request stays");
    }

    #[test]
    fn what_is_no_document_is_refused() {
        let good = Config::document("a.example");
        for (from, to, why) in [
            ("\"version\":1", "\"version\":2", "version is 2"),
            ("\"version\":1", "\"version\":1,\"version\":1", "duplicate field `version`"),
            (
                "https://a.example/large",
                "https://b.example/large",
                "two hosts, a.example:443 and b.example:443",
            ),
            ("https://a.example/small", "http://a.example/small", "not https"),
            ("https://a.example/small", "/small", "not https"),
            ("\"upload_url\"", "\"uplaod_url\"", "missing field `upload_url`"),
            ("{", "<html>", "expected value"),
        ] {
            let said = Config::parse(good.replacen(from, to, 1).as_bytes()).unwrap_err();
            assert!(said.contains(why), "{to}: {said}");
        }
        assert!(Config::parse(b"\xff\0").is_err());
    }
}
