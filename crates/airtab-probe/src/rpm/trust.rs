// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! TLS 1.3: which certificates a client believes, and the self-made one of a server.
//!
//! A client believes what the system's authorities signed, those of a file, or the one certificate with the fingerprint
//! that it was given. A server of one's own makes a certificate when it starts and says its fingerprint: who read it there
//! knows whom he talks to, and no file has to go from one machine to the other.
//!
//! What it does not do: no session goes on where another ended: each probe is a whole handshake.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, ring as provider, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::version::TLS13;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, ServerConfig, SignatureScheme};

use super::Error;

/// Where systems keep the certificates of authorities: Debian, Fedora, Alpine and BSDs.
const SYSTEM: [&str; 3] =
    ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];
/// HTTP/2.
const H2: &[u8] = b"h2";

/// SHA-256 of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    fn of(certificate: &[u8]) -> Fingerprint {
        let digest = ring::digest::digest(&ring::digest::SHA256, certificate);
        Fingerprint(digest.as_ref().try_into().expect("SHA-256 has 32 bytes"))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Fingerprint {
    type Err = String;

    /// 64 hexadecimal digits; colons between them, as other programs print them, count for nothing.
    fn from_str(text: &str) -> Result<Fingerprint, String> {
        let digits: String = text.chars().filter(|c| *c != ':').collect();
        let wrong = || format!("'{text}' is no SHA-256: 64 hexadecimal digits, as the server prints them");
        if digits.len() != 64 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let byte = |i: usize| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16);
        let mut all = [0; 32];
        for (i, at) in all.iter_mut().enumerate() {
            *at = byte(i).map_err(|_| wrong())?;
        }
        Ok(Fingerprint(all))
    }
}

/// Whom a client believes.
#[derive(Clone, Debug, Default)]
pub enum Trust {
    /// The authorities of the system.
    #[default]
    System,
    /// The authorities of a PEM file.
    Authorities {
        /// Name of the file in messages.
        file: String,
        /// Content of the file.
        pem: Vec<u8>,
    },
    /// One certificate.
    Fingerprint(Fingerprint),
}

impl Trust {
    /// A client that believes so.
    ///
    /// # Errors
    /// A file that cannot be read, or has no certificate.
    pub fn client(&self) -> Result<Arc<ClientConfig>, Error> {
        let crypto = Arc::new(provider::default_provider());
        let verifier = match self {
            Trust::Fingerprint(one) => {
                Verifier { authorities: None, one: Some(*one), crypto: crypto.clone() }
            }
            Trust::Authorities { file, pem } => {
                let found = authorities(file, pem, &crypto)?;
                Verifier { authorities: Some(found), one: None, crypto: crypto.clone() }
            }
            Trust::System => {
                let file = SYSTEM.iter().find(|file| Path::new(file).exists());
                let read = |file: &&str| match std::fs::read(file) {
                    Ok(pem) => authorities(file, &pem, &crypto),
                    Err(e) => Err(unusable(file, e)),
                };
                // Without any, a certificate that is shown is told with its fingerprint.
                let found = file.map(read).transpose()?;
                Verifier { authorities: found, one: None, crypto: crypto.clone() }
            }
        };
        let config = ClientConfig::builder_with_provider(crypto).with_protocol_versions(&[&TLS13]);
        let config = config.expect("the provider has TLS 1.3").dangerous();
        let mut config = config.with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth();
        config.alpn_protocols = vec![H2.into()];
        config.resumption = Resumption::disabled();
        Ok(Arc::new(config))
    }
}

/// Error of a file of certificates.
fn unusable(file: &str, said: std::io::Error) -> Error {
    Error::System { what: format!("certificates of {file}"), said }
}

/// A verifier by the certificates of a file.
fn authorities(
    file: &str,
    pem: &[u8],
    crypto: &Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(CertificateDer::pem_slice_iter(pem).filter_map(Result::ok));
    let none = |_| std::io::Error::other("it has none (PEM, -----BEGIN CERTIFICATE-----)");
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(crypto))
        .build()
        .map_err(|e| unusable(file, none(e)))
}

/// Believes authorities or one certificate, and says which one was shown where it does not.
#[derive(Debug)]
struct Verifier {
    authorities: Option<Arc<WebPkiServerVerifier>>,
    one: Option<Fingerprint>,
    crypto: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let fingerprint = Fingerprint::of(shown);
        let why = match (&self.authorities, self.one) {
            (_, Some(one)) if one == fingerprint => return Ok(ServerCertVerified::assertion()),
            (_, Some(_)) => "it is not the one that --trust names".into(),
            (Some(all), _) => match all.verify_server_cert(shown, between, name, ocsp, now) {
                Ok(yes) => return Ok(yes),
                Err(e) => e.to_string(),
            },
            (None, None) => "this system has no certificates of authorities".into(),
        };
        Err(rustls::Error::General(format!("its certificate {fingerprint} is not believed: {why}")))
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Err(rustls::Error::General("TLS 1.3 alone is spoken".into()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.crypto.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.crypto.signature_verification_algorithms.supported_schemes()
    }
}

/// A server with a certificate that it makes for itself, and its fingerprint. It is valid from 1975 to 4096: what it is
/// believed by is the fingerprint.
///
/// # Errors
/// There is no randomness to be had.
pub(super) fn self_made() -> Result<(Arc<ServerConfig>, Fingerprint), Error> {
    let fails = |said: String| Error::System {
        what: "making a certificate".into(),
        said: std::io::Error::other(said),
    };
    let made =
        rcgen::generate_simple_self_signed(["airtab".to_string()]).map_err(|e| fails(e.to_string()))?;
    let fingerprint = Fingerprint::of(made.cert.der());
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(provider::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .expect("the provider has TLS 1.3")
        .with_no_client_auth();
    let mut config = config
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .map_err(|e| fails(e.to_string()))?;
    config.alpn_protocols = vec![H2.into()];
    // Nobody comes back with one.
    config.send_tls13_tickets = 0;
    Ok((Arc::new(config), fingerprint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_are_read_as_they_are_printed() {
        let one = Fingerprint::of(b"abc");
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(one.to_string(), text, "FIPS 180-2's example");
        assert_eq!(text.to_uppercase().parse(), Ok(one));
        let colons: Vec<&str> = (0..32).map(|i| &text[2 * i..2 * i + 2]).collect();
        assert_eq!(colons.join(":").parse(), Ok(one));
        for bad in ["", "ba78", &text[1..], &format!("{text}0"), &text.replace('b', "g"), &"ä".repeat(32)] {
            assert!(bad.parse::<Fingerprint>().unwrap_err().contains("64 hexadecimal"), "{bad}");
        }
    }

    #[test]
    fn files_without_certificates_are_named() {
        let trust = Trust::Authorities { file: "none.pem".into(), pem: b"hello".into() };
        let said = trust.client().unwrap_err().to_string();
        assert!(said.contains("certificates of none.pem") && said.contains("it has none"), "{said}");
    }
}
