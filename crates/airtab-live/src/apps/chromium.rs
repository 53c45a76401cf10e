// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! A headless Chromium that visits a page: `client = "chromium"`.
//!
//! The page is an index of exactly its first object's size (or as much as its
//! references take) that refers to the other objects: style sheets for text,
//! images for the rest. When all is loaded a script of the page writes the times
//! that the browser measured (W3C Navigation and Resource Timing) into the
//! document, which `--dump-dom` prints. A browser is started for each visit: its
//! start counts for nothing, and its cache is empty, in a `/tmp` of its own.
//!
//! What it does not do: no TLS, no HTTP/2; what rendering takes of the machine's
//! processors delays requests, as it does at home.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use airtab_sim::traffic::web::Objects;
use rustix::process::Signal;
use serde::Deserialize;

use super::Ends;
use super::loader::Loaded;
use super::nginx::Nginx;
use super::program::{Home, Program, Start, find, how, read_all};
use super::work::{LOOK_NS, Work};
use crate::error::LiveError;

/// How long one visit may take, ns.
const VISIT_NS: u64 = 180_000_000_000;
/// What makes a file an image of one transparent pixel (GIF89a); more bytes may follow.
const GIF: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\0\0\0!\xf9\x04\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";

/// The browser of one application.
pub(crate) struct Browser {
    file: PathBuf,
    ends: Arc<Ends>,
    nginx: Arc<Nginx>,
}

/// What the page's script tells, ms since the epoch.
#[derive(Deserialize)]
struct Told {
    opened: f64,
    requested: f64,
    done: f64,
    /// From each request to its first byte, ms.
    first: Vec<f64>,
    /// Bytes of all bodies.
    bytes: u64,
}

impl Browser {
    /// Looks for the program.
    pub(crate) fn find(ends: Arc<Ends>, nginx: Arc<Nginx>) -> Result<Browser, LiveError> {
        Ok(Browser { file: find("chromium", "chromium")?, ends, nginx })
    }

    /// Visits one page.
    pub(crate) fn load(&self, work: &Work, objects: &Objects, number: u32) -> Result<Loaded, String> {
        let path = self.write_page(objects, number).map_err(|e| format!("writing the page: {e}"))?;
        let url = format!("http://{}/{path}", self.ends.server);
        let mut args: Vec<String> = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-default-apps",
            "--disable-extensions",
            "--disable-sync",
            "--disable-quic",
            "--user-data-dir=/tmp/profile",
            "--dump-dom",
        ]
        .map(String::from)
        .into();
        args.push(url);
        let (ns, user, stdout) = (&self.ends.station, work.user, Stdio::piped());
        let start = Start { ns, user, file: &self.file, args: &args, stdout, home: Home::Tmp };
        let mut program = Program::start(start).map_err(|e| format!("chromium: {e}"))?;
        let output = program.stdout().expect("piped");
        let reader = thread::spawn(move || read_all(output));
        let end = (work.clock.now() + VISIT_NS).min(self.ends.app.active_ns.end);
        let status = loop {
            if let Some(status) = program.ended() {
                break Some(status);
            }
            if !work.wait_until(work.clock.now() + LOOK_NS / 5) || work.over(end) {
                program.end(Signal::TERM);
                break None;
            }
        };
        let (text, complaint) = (reader.join().unwrap_or_default(), program.complaint());
        let last = complaint.lines().last().unwrap_or("");
        let Some(status) = status else { return Err("chromium: the visit took too long".into()) };
        let told = between(&text, "<pre id=\"told\">", "</pre>")
            .ok_or_else(|| format!("chromium ended ({}) and did not load the page: {last}", how(status)))?;
        let told: Told = serde_json::from_str(told).map_err(|e| format!("chromium's times: {e}: {told}"))?;
        let all: u64 = objects.text.iter().chain(&objects.embedded).sum();
        if told.bytes < all {
            return Err(format!("chromium loaded {} of {all} bytes", told.bytes));
        }
        // The browser's times are those of the wall clock.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let start_ms = since.as_secs_f64() * 1e3 - work.clock.now() as f64 * 1e-6;
        let at = |ms: f64| ((ms - start_ms).max(0.0) * 1e6) as u64;
        Ok(Loaded {
            opened_ns: at(told.opened),
            requested_ns: at(told.requested),
            done_ns: at(told.done),
            first_bytes_ns: told.first.iter().map(|ms| (ms.max(0.0) * 1e6) as u64).collect(),
        })
    }

    /// Makes the files of a page; gives its path.
    fn write_page(&self, objects: &Objects, number: u32) -> io::Result<String> {
        let name = format!("page/{}", self.ends.index);
        let folder = self.nginx.root().join(&name);
        fs::create_dir_all(&folder)?;
        self.nginx.share(&folder)?;
        let mut refer = String::new();
        for (i, bytes) in objects.text.iter().enumerate().skip(1) {
            self.write_padded(&folder.join(format!("{i}.css")), b"", *bytes)?;
            refer += &format!("<link rel=stylesheet href={i}.css>");
        }
        for (i, bytes) in objects.embedded.iter().enumerate() {
            self.write_padded(&folder.join(format!("{i}.gif")), GIF, *bytes)?;
            refer += &format!("<img src={i}.gif>");
        }
        let index = format!("<!doctype html><title>{number}</title>{SCRIPT}{refer}");
        self.write_padded(&folder.join("index.html"), index.as_bytes(), objects.text[0])?;
        Ok(format!("{name}/index.html"))
    }

    /// A file that begins with `start` and is filled with spaces.
    fn write_padded(&self, path: &Path, start: &[u8], bytes: u64) -> io::Result<()> {
        let mut file = io::BufWriter::new(fs::File::create(path)?);
        file.write_all(start)?;
        let left = bytes.saturating_sub(start.len() as u64);
        io::copy(&mut io::Read::take(io::repeat(b' '), left), &mut file)?;
        file.flush()?;
        self.nginx.share(path)
    }
}

/// Writes what the browser measured into the document when all is loaded.
const SCRIPT: &str = "<script>onload=()=>{let p=performance,n=p.getEntriesByType('navigation')[0],\
r=p.getEntriesByType('resource').filter(x=>!x.name.endsWith('favicon.ico')),a=[n,...r],o=p.timeOrigin,e=document.createElement('pre');\
e.id='told';e.textContent=JSON.stringify({opened:o+n.connectStart,requested:o+n.requestStart,\
done:o+Math.max(...a.map(x=>x.responseEnd)),first:a.map(x=>x.responseStart-x.requestStart),\
bytes:a.reduce((s,x)=>s+x.encodedBodySize,0)});document.body.append(e)};\
performance.setResourceTimingBufferSize(1000)</script>";

fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    text.split_once(from)?.1.split_once(to).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_page_tells_is_between_its_marks() {
        let page = "<p>x</pre><pre id=\"told\">{\"a\":1}</pre><pre>y</pre>";
        assert_eq!(between(page, "<pre id=\"told\">", "</pre>"), Some("{\"a\":1}"));
        for cut in ["<pre id=\"told\">{", "</pre>", ""] {
            assert_eq!(between(cut, "<pre id=\"told\">", "</pre>"), None, "{cut}");
        }
    }
}
