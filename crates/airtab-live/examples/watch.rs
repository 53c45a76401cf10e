// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Shows recorded snapshots as if they came from a running house, one a second:
//!
//!     cargo run -p airtab-live --example watch -- crates/airtab-live/fixtures/evening.jsonl [view|plain|json]
//!
//! A recording is what `airtab live up --json` writes. It starts again when it ends.

use std::fs::File;
use std::io;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use airtab_live::feed::{self, End};
use airtab_live::{LiveError, plain, view};

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let (Some(file), form) = (args.next(), args.next().unwrap_or("view".into())) else {
        eprintln!("usage: watch FILE.jsonl [view|plain|json]");
        return ExitCode::from(2);
    };
    match watch(&file, &form) {
        Ok(End::Interrupted) => ExitCode::from(130),
        Ok(_) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(1)
        }
    }
}

fn watch(file: &str, form: &str) -> Result<End, LiveError> {
    let (publisher, shown) = feed::channel();
    let open = || File::open(file).map_err(LiveError::system(file));
    let mut recording = open()?;
    let again = file.to_string();
    thread::spawn(move || {
        loop {
            let (snapshots, reader) = feed::from_lines(recording);
            for snapshot in snapshots {
                if !publisher.publish(snapshot) {
                    return;
                }
                thread::sleep(Duration::from_secs(1));
            }
            let read = reader.join().expect("the reader does not panic");
            match (read, File::open(&again)) {
                (Ok(()), Ok(file)) => recording = file,
                _ => return,
            }
        }
    });
    let stop = AtomicBool::new(false);
    match form {
        "plain" => feed::print(&shown, &stop, &mut io::stdout(), plain::text),
        "json" => feed::print(&shown, &stop, &mut io::stdout(), feed::json_line),
        _ => view::run(&shown, &stop),
    }
}
