// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Format of `/metrics` that a client asks for by `Accept`.
//!
//! Source: RFC 9110, section 12.5.1: the most specific range that fits a format has its weight, and the format with the
//! greatest weight is sent. Formats are OpenMetrics 1.0.0 and 0.0.1, and Prometheus' text format 0.0.4, which is also for
//! clients that take none of them, or say nothing.
//!
//! Limits: of a range's parameters only `version` and `q` count, as Prometheus sends others (`escaping`).

use airtab_live::metrics::Format;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;

/// A format with its media type, in the order of preference among equal weights.
struct Offer {
    format: Format,
    kind: &'static str,
    version: &'static str,
    content_type: &'static str,
}

const OFFERS: [Offer; 3] = [
    Offer {
        format: Format::OpenMetrics,
        kind: OPENMETRICS,
        version: "1.0.0",
        content_type: "application/openmetrics-text; version=1.0.0; charset=utf-8",
    },
    // The rules of 0.0.1 are those of 1.0.0.
    Offer {
        format: Format::OpenMetrics,
        kind: OPENMETRICS,
        version: "0.0.1",
        content_type: "application/openmetrics-text; version=0.0.1; charset=utf-8",
    },
    Offer {
        format: Format::Text,
        kind: "text/plain",
        version: "0.0.4",
        content_type: "text/plain; version=0.0.4; charset=utf-8",
    },
];
const OPENMETRICS: &str = "application/openmetrics-text";

/// The format for a client with these headers, and its content type.
pub fn format(headers: &HeaderMap) -> (Format, &'static str) {
    let lines: Vec<String> =
        headers.get_all(ACCEPT).iter().map(|line| String::from_utf8_lossy(line.as_bytes()).into()).collect();
    let ranges: Vec<Range> =
        lines.iter().flat_map(|line| apart(line, ',')).filter_map(|range| Range::parse(&range)).collect();
    let fits = |(place, offer): (usize, &'static Offer)| {
        let fitting = ranges.iter().filter_map(|range| Some((range.fit(offer)?, range.weight)));
        let (fit, weight) = fitting.max()?;
        // `*/*` alone asks for nothing in particular.
        let usual = fit == Fit::Any && offer.format == Format::Text;
        let preference = if usual { OFFERS.len() + 1 } else { OFFERS.len() - place };
        (weight > 0).then_some(((weight, fit, preference), offer))
    };
    let best = OFFERS.iter().enumerate().filter_map(fits).max_by_key(|(rank, _)| *rank);
    let offer = best.map_or(&OFFERS[2], |(_, offer)| offer);
    (offer.format, offer.content_type)
}

/// Precision of a range that fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Any,
    Type,
    Subtype,
    Version,
}

/// A range of `Accept`.
#[derive(Debug, PartialEq, Eq)]
struct Range {
    /// `type/subtype`, in lower case.
    kind: String,
    version: Option<String>,
    /// In thousandths.
    weight: u16,
}

impl Range {
    /// Reads a range; None if it is not valid.
    fn parse(text: &str) -> Option<Range> {
        let mut parts = apart(text, ';').into_iter();
        let kind = parts.next()?.to_ascii_lowercase();
        kind.split_once('/').filter(|(of, sub)| !of.is_empty() && !sub.is_empty())?;
        let mut range = Range { kind, version: None, weight: 1000 };
        for part in parts {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().trim_matches('"');
            match name.trim().to_ascii_lowercase().as_str() {
                "q" => range.weight = weight(value)?,
                "version" => range.version = Some(value.into()),
                _ => {}
            }
        }
        Some(range)
    }

    fn fit(&self, offer: &Offer) -> Option<Fit> {
        let (of, _) = offer.kind.split_once('/')?;
        let version = self.version.as_deref();
        match (self.kind.as_str(), version) {
            ("*/*", None) => Some(Fit::Any),
            (kind, None) if kind.strip_suffix("/*") == Some(of) => Some(Fit::Type),
            (kind, None) if kind == offer.kind => Some(Fit::Subtype),
            (kind, Some(version)) if kind == offer.kind && version == offer.version => Some(Fit::Version),
            _ => None,
        }
    }
}

/// A weight of RFC 9110, 12.4.2: 0 to 1 with three digits at most, in thousandths.
fn weight(text: &str) -> Option<u16> {
    let (whole, digits) = text.split_once('.').unwrap_or((text, ""));
    let right = digits.len() <= 3 && digits.bytes().all(|digit| digit.is_ascii_digit());
    let thousandths = format!("{digits:0<3}").parse::<u16>().ok().filter(|_| right)?;
    match (whole, thousandths) {
        ("0", _) => Some(thousandths),
        ("1", 0) => Some(1000),
        _ => None,
    }
}

/// The parts between separators that stand outside of quotes, without blanks at their ends; empty ones are left out.
fn apart(text: &str, separator: char) -> Vec<String> {
    let mut quoted = false;
    let parts = text.split(|c: char| {
        quoted ^= c == '"';
        c == separator && !quoted
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const OPEN: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    const FIRST: &str = "application/openmetrics-text; version=0.0.1; charset=utf-8";
    const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

    fn sent(accept: &[&str]) -> &'static str {
        let mut headers = HeaderMap::new();
        for line in accept {
            headers.append(ACCEPT, HeaderValue::from_str(line).expect("a header"));
        }
        let (format, content_type) = format(&headers);
        assert_eq!(format == Format::Text, content_type == TEXT);
        content_type
    }

    /// Headers as programs send them.
    #[test]
    fn scrapers_get_what_they_read() {
        for (accept, expected) in [
            // Prometheus 2.55, without and with protobuf.
            (
                "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,\
                 text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                OPEN,
            ),
            (
                "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,\
                 application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,\
                 text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                OPEN,
            ),
            // Prometheus 3.
            (
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,\
                 application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,\
                 text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                OPEN,
            ),
            // Prometheus 3 with `scrape_protocols: [PrometheusText1.0.0, PrometheusText0.0.4]`.
            (
                "text/plain;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.2",
                TEXT,
            ),
            // Prometheus 2.5, curl, a browser, Telegraf.
            ("application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", FIRST),
            ("*/*", TEXT),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", TEXT),
            ("text/plain", TEXT),
        ] {
            assert_eq!(sent(&[accept]), expected, "{accept}");
        }
        assert_eq!(sent(&[]), TEXT, "no header");
    }

    /// RFC 9110, 12.5.1: the most specific range counts; 12.4.2: 0 is "not acceptable".
    #[test]
    fn weights_decide() {
        for (accept, expected) in [
            ("application/openmetrics-text;q=0.4, text/plain;q=0.5", TEXT),
            ("application/openmetrics-text;q=0.5, text/plain;q=0.4", OPEN),
            ("application/openmetrics-text;q=0.001, text/plain;q=0", OPEN),
            ("application/openmetrics-text;q=0, */*", TEXT),
            (
                "application/openmetrics-text;version=1.0.0;q=0, application/openmetrics-text;q=0.9, text/plain;q=0.1",
                FIRST,
            ),
            ("application/*;q=0.3, application/openmetrics-text;q=0.1, text/plain;q=0.2", TEXT),
            ("application/*", OPEN),
            ("text/*, application/*;q=0.9", TEXT),
            ("*/*;q=0.9, text/plain;q=0.1", OPEN),
            ("application/openmetrics-text", OPEN),
            ("APPLICATION/OpenMetrics-Text; Version=\"0.0.1\"; Q=1.000", FIRST),
            ("text/plain;version=0.0.4;q=0.9;x=\"a,b;q=0\", application/openmetrics-text;q=0.8", TEXT),
            // Nothing that is there.
            ("application/json", TEXT),
            ("text/plain;version=1.0.0", TEXT),
            ("application/openmetrics-text;version=2.0.0", TEXT),
            ("*/*;q=0", TEXT),
            // A range that is not valid, or has a wrong weight, is left out.
            ("application/openmetrics-text;q=2, text/plain;q=0.1", TEXT),
            ("application/openmetrics-text;q=0.1234, text/plain;q=0.1", TEXT),
            ("application/openmetrics-text;q=-1, text/plain;q=0.1", TEXT),
            ("application/openmetrics-text;q, text/plain;q=0.1", TEXT),
            (", ;q=1, /, openmetrics, application/openmetrics-text,,", OPEN),
        ] {
            assert_eq!(sent(&[accept]), expected, "{accept}");
        }
        let lines = ["text/plain;q=0.2", "application/openmetrics-text;version=0.0.1;q=0.3"];
        assert_eq!(sent(&lines), FIRST, "two lines are one list");
    }
}
