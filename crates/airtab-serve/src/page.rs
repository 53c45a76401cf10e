// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The page's own files, which were put into the program when it was built (`build.rs`).
//!
//! A file whose name has the hash of its content in it (`index-B3xVqz1k.js`) never changes, and is kept by browsers for a
//! year; others are asked for again by their tag.
//!
//! Most are kept by gzip alone, and are unpacked for who does not take it: no browser of today.
//!
//! What it does not do: no file of a disk is read.

use std::io::Read;

use axum::body::Bytes;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderMap, IF_NONE_MATCH, VARY,
};
use axum::response::{IntoResponse, Response};
use flate2::read::GzDecoder;

/// A file of the page.
struct Asset {
    /// Path below `assets/`.
    name: &'static str,
    /// A number of its content, in quotes.
    tag: &'static str,
    /// Its content.
    content: &'static [u8],
    /// Whether that is by gzip: where it is smaller then.
    is_gzip: bool,
}

impl Asset {
    fn plain(&self) -> Bytes {
        if !self.is_gzip {
            return Bytes::from_static(self.content);
        }
        let mut plain = Vec::new();
        GzDecoder::new(self.content).read_to_end(&mut plain).expect("packed by the build script");
        plain.into()
    }
}

static ASSETS: &[Asset] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// `GET /`.
pub async fn index(headers: HeaderMap) -> Response {
    answer("index.html", &headers)
}

/// `GET /NAME`.
pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    answer(&name, &headers)
}

fn answer(name: &str, asked: &HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        let why = if ASSETS.is_empty() { "this build has no page\n" } else { "there is no such file\n" };
        return (StatusCode::NOT_FOUND, [(CONTENT_TYPE, "text/plain; charset=utf-8")], why).into_response();
    };
    let cached = if is_hashed(name) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let always = [(ETAG, asset.tag), (CACHE_CONTROL, cached), (VARY, "accept-encoding")];
    let known = asked.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok());
    if known.is_some_and(|tags| tags.split(',').any(|tag| tag.trim().trim_start_matches("W/") == asset.tag)) {
        return (StatusCode::NOT_MODIFIED, always).into_response();
    }
    let kind = [(CONTENT_TYPE, kind(name))];
    match asset.is_gzip && takes_gzip(asked) {
        true => {
            (always, kind, [(CONTENT_ENCODING, "gzip")], Bytes::from_static(asset.content)).into_response()
        }
        false => (always, kind, asset.plain()).into_response(),
    }
}

/// Whether a name ends in a hash of eight characters or more, in front of its last dot.
fn is_hashed(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let hash = stem.rsplit_once('-').map_or("", |(_, hash)| hash);
    hash.len() >= 8 && hash.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn takes_gzip(asked: &HeaderMap) -> bool {
    let all = asked.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let mut codings = all.flat_map(|value| value.split(',')).map(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        (name.trim().to_ascii_lowercase(), weight.replace(' ', ""))
    });
    codings
        .any(|(name, weight)| name == "gzip" && !matches!(&*weight, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "json" | "webmanifest" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_hash_are_known() {
        for name in ["assets/index-B3xVqz1k.js", "a-b-0123456789.css", "chunk-Ab_12345.js"] {
            assert!(is_hashed(name), "{name}");
        }
        for name in ["index.html", "favicon.svg", "a-b.js", "x-1234567.js", "B3xVqz1k.js"] {
            assert!(!is_hashed(name), "{name}");
        }
    }

    /// What is unpacked is the file that was packed.
    #[test]
    fn content_is_that_of_the_files() {
        assert!(ASSETS.iter().any(|asset| asset.is_gzip), "no page: nothing to hold");
        for asset in ASSETS {
            let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(asset.name);
            let on_disk = std::fs::read(file).unwrap();
            assert!(asset.plain() == on_disk, "{}", asset.name);
            assert!(asset.content.len() <= on_disk.len(), "{}", asset.name);
        }
    }

    #[test]
    fn kinds_follow_the_ends_of_names() {
        for (name, expected) in [
            ("index.html", "text/html; charset=utf-8"),
            ("assets/a.b.js", "text/javascript; charset=utf-8"),
            ("a.css", "text/css; charset=utf-8"),
            ("a.svg", "image/svg+xml"),
            ("a.woff2", "font/woff2"),
            ("a.json", "application/json"),
            ("app.webmanifest", "application/json"),
            ("robots.txt", "text/plain; charset=utf-8"),
            ("html", "text/html; charset=utf-8"),
            ("a.html.bin", "application/octet-stream"),
        ] {
            assert_eq!(kind(name), expected, "{name}");
        }
    }

    /// A file that is known is not sent again; one of another tag is. By gzip it goes to clients that take it alone.
    #[test]
    fn a_file_is_sent_once_and_as_it_is_taken() {
        let with = |headers: &[(axum::http::HeaderName, &str)]| {
            HeaderMap::from_iter(headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())))
        };
        for asset in ASSETS {
            let cached =
                if is_hashed(asset.name) { "public, max-age=31536000, immutable" } else { "no-cache" };
            for (tags, status) in [
                (asset.tag.to_string(), 304),
                (format!("\"other\", W/{}", asset.tag), 304),
                ("\"other\"".into(), 200),
                (asset.tag.trim_matches('"').into(), 200),
            ] {
                let answer = answer(asset.name, &with(&[(IF_NONE_MATCH, &tags)]));
                assert_eq!(answer.status().as_u16(), status, "{} {tags}", asset.name);
                assert!(
                    answer.headers()[ETAG] == asset.tag && answer.headers()[CACHE_CONTROL] == cached,
                    "{answer:?}"
                );
                assert_eq!(answer.headers()[VARY], "accept-encoding");
            }
            for takes in [true, false] {
                let coding = if takes { "br, gzip" } else { "identity" };
                let answer = answer(asset.name, &with(&[(ACCEPT_ENCODING, coding)]));
                let coded = answer.headers().get(CONTENT_ENCODING).map(|coding| coding.to_str().unwrap());
                assert_eq!(coded, (takes && asset.is_gzip).then_some("gzip"), "{}", asset.name);
                assert_eq!(answer.headers()[CONTENT_TYPE], kind(asset.name));
                let size = axum::body::HttpBody::size_hint(answer.body()).exact();
                let expected = if takes && asset.is_gzip { asset.content.len() } else { asset.plain().len() };
                assert_eq!(size, Some(expected as u64), "{}", asset.name);
            }
        }
        assert!(
            ASSETS.iter().any(|asset| is_hashed(asset.name))
                && ASSETS.iter().any(|asset| !is_hashed(asset.name))
        );
        assert_eq!(answer("nothing.js", &HeaderMap::new()).status(), StatusCode::NOT_FOUND);
    }

    #[test]
    fn gzip_is_for_those_who_take_it() {
        let takes =
            |value: &str| takes_gzip(&HeaderMap::from_iter([(ACCEPT_ENCODING, value.parse().unwrap())]));
        assert!(takes("gzip") && takes("br, GZIP;q=0.5"));
        assert!(!takes("br") && !takes("gzip;q=0") && !takes("gzip; q=0.0") && !takes("identity"));
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
