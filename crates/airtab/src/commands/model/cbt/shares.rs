// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt shares`.

use std::process::ExitCode;

use airtab_lab::draw::{Content, Figure, Look, Panel, Part, Shares};
use airtab_model::cbt::share::{Busy, Held};
use airtab_model::cbt::study::{BULK_MPEG, LINK};
use airtab_model::cbt::threshold::Allocation;
use airtab_model::cbt::{KB, KIB, wire};

use super::super::{Answer, wrong_usage};
use super::args;
use super::classes::{Members, PACKET, once, placed};
use super::sheet::{Sheet, column};
use crate::output;

/// Classes with their thresholds, before a link.
struct Queue {
    names: Vec<String>,
    /// As thresholds were made.
    meant: Busy,
    /// As the wire has them.
    found: Busy,
    /// Bytes of frames of each class, bytes/s.
    frames: Vec<f64>,
}

/// Classes by their thresholds.
struct Given {
    names: Vec<String>,
    held: Vec<Held>,
    /// What their rates sum to, if they have some.
    sum: Option<f64>,
}

/// A row for each class.
pub fn shares(args: &args::Shares) -> anyhow::Result<ExitCode> {
    let queue = match queue(args) {
        Ok(queue) => queue,
        Err(message) => return wrong_usage(message),
    };
    if let Some(path) = &args.form.out {
        output::Drawing::open(path)?.write(&figure(&queue))?;
    }
    let sheet = sheet(&queue);
    Answer { text: sheet.text(output::stdout_style()), json: sheet.json("cbt") }
        .print(args.form.printed.is_json())
}

fn queue(args: &args::Shares) -> Result<Queue, String> {
    let Given { names, mut held, sum } = given(args)?;
    let overhead = args.wire.overhead();
    let link = args.link.or(sum.filter(|_| args.wire == args::Wire::None)).unwrap_or(LINK);
    let busy = |held: &[Held], overhead| wire::busy(held, link, overhead).map_err(|e| e.to_string());
    let meant = busy(&held, 0.0)?;
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    for (i, packet) in placed("--sends", &known, &args.sends)? {
        held[i].packet = *packet as f64;
    }
    let found = busy(&held, overhead)?;
    let frames = |(i, held): (usize, &Held)| wire::in_frames(found.rate(i), held.packet, overhead);
    Ok(Queue { frames: held.iter().enumerate().map(frames).collect(), names, meant, found })
}

fn given(args: &args::Shares) -> Result<Given, String> {
    if args.threshold.is_empty() {
        let members = Members::of(&args.classes, args.link, BULK_MPEG, KIB)?;
        let allocation = Allocation::new(&members.classes(), args.latency as f64 / 1e9);
        let allocation = allocation.map_err(|e| e.to_string())?;
        let held = |(i, member): (usize, &super::classes::Member)| Held {
            threshold: allocation.threshold(i),
            packet: member.class.packet,
        };
        return Ok(Given {
            names: members.all.iter().map(|member| member.name.clone()).collect(),
            held: members.all.iter().enumerate().map(held).collect(),
            sum: Some(allocation.capacity()),
        });
    }
    once("--threshold", &args.threshold)?;
    let names: Vec<&str> = args.threshold.iter().map(|one| one.name.as_str()).collect();
    let held = args.threshold.iter().map(|one| Held { threshold: one.value, packet: PACKET });
    let mut held: Vec<Held> = held.collect();
    for (i, packet) in placed("--packet", &names, &args.classes.packet)? {
        held[i].packet = *packet as f64;
    }
    Ok(Given { names: names.into_iter().map(String::from).collect(), held, sum: None })
}

fn sheet(queue: &Queue) -> Sheet {
    let columns = vec![
        column("class", "class", 0),
        column("threshold_packets", "threshold\npackets", 3),
        column("packet_bytes", "packet\nbytes", 0),
        column("meant_share", "meant\n%", 2).times(1e2),
        column("share", "share\n%", 2).times(1e2),
        column("rate_bytes_per_s", "of frames\nKB/s", 1).times(1.0 / KB),
    ];
    let mut sheet =
        Sheet::new("shares", "What thresholds make when all classes are busy (eq. 4.2, 4.3).", 1, columns);
    for (i, name) in queue.names.iter().enumerate() {
        let held = queue.found.held()[i];
        // The wire's packets are longer.
        let packet = held.packet * queue.frames[i] / queue.found.rate(i);
        sheet.rows.push(vec![
            name.as_str().into(),
            held.threshold.into(),
            packet.into(),
            queue.meant.share(i).into(),
            queue.found.share(i).into(),
            queue.frames[i].into(),
        ]);
    }
    let (latency_s, frames) = (queue.found.latency_s(), queue.frames.iter().sum::<f64>());
    sheet.notes = vec![
        "meant: with the packets for which thresholds were made. share: of the link.".into(),
        format!(
            "The link carries {:.1} KB/s of these frames; packets wait {:.2} ms on average.",
            frames / KB,
            latency_s * 1e3
        ),
    ];
    sheet.more.insert("latency_s".into(), latency_s.into());
    sheet.more.insert("frames_bytes_per_s".into(), frames.into());
    sheet
}

fn figure(queue: &Queue) -> Figure {
    let parts = |busy: &Busy| {
        let part = |(i, name): (usize, &String)| Part {
            name: name.clone(),
            look: Look::of_app(i),
            pale: false,
            share: busy.share(i),
        };
        queue.names.iter().enumerate().map(part).collect()
    };
    let bars = vec![
        ("as thresholds were made".into(), parts(&queue.meant)),
        ("as packets are".into(), parts(&queue.found)),
    ];
    let title = "Shares of the link by thresholds";
    let content = Content::Shares(Shares { bars });
    Figure::new(
        "shares",
        title,
        "",
        vec![Panel { name: String::new(), caption: String::new(), alt: title.into(), content }],
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::args::ModelCommand;
    use super::super::super::given;
    use super::super::args::{Cbt, CbtCommand};
    use super::*;

    fn of(words: &[&str]) -> Queue {
        match given::command(&[&["cbt", "shares"], words].concat()) {
            ModelCommand::Cbt(Cbt { command: CbtCommand::Shares(args) }) => {
                queue(&args).unwrap_or_else(|e| panic!("{e}"))
            }
            _ => panic!("another model"),
        }
    }

    /// Classes of 10 and 30 packets of 1000 and 500 bytes hold 10 and 15 KB. If the second one sends packets of 1000 bytes, it holds
    /// 30 KB.
    #[test]
    fn shares_are_those_of_the_bytes_that_are_held() {
        let words =
            ["--threshold", "a=10", "--threshold", "b=30", "--packet", "a=1000B", "--packet", "b=500B"];
        let own = of(&[&words[..], &["--sends", "b=1000B", "--link", "8Mb/s"]].concat());
        let rows = sheet(&own).json_rows();
        for (row, name, threshold, packet, meant, share) in
            [(0, "a", 10.0, 1000.0, 0.4, 0.25), (1, "b", 30.0, 1000.0, 0.6, 0.75)]
        {
            let of = |key: &str| rows[row][key].as_f64().expect("a number");
            assert_eq!((rows[row]["class"].as_str(), of("threshold_packets")), (Some(name), threshold));
            for (key, expected) in [
                ("packet_bytes", packet),
                ("meant_share", meant),
                ("share", share),
                ("rate_bytes_per_s", share * 1e6),
            ] {
                assert!((of(key) / expected - 1.0).abs() < 1e-12, "{key}: {}", rows[row]);
            }
        }
        let sheet = sheet(&own);
        assert!((sheet.more["latency_s"].as_f64().expect("s") - 0.04).abs() < 1e-12);
        assert!((sheet.more["frames_bytes_per_s"].as_f64().expect("a rate") / 1e6 - 1.0).abs() < 1e-12);
        assert!(
            sheet.notes[1].contains("carries 1000.0 KB/s of these frames; packets wait 40.00 ms"),
            "{:?}",
            sheet.notes
        );
        let drawn = figure(&own);
        let Content::Shares(shares) = &drawn.panels()[0].content else { panic!("shares") };
        let bars: Vec<(String, Vec<(String, f64)>)> = shares
            .bars
            .iter()
            .map(|(label, parts)| {
                (label.clone(), parts.iter().map(|p| (p.name.clone(), (p.share * 100.0).round())).collect())
            })
            .collect();
        let parts = |a, b| vec![("a".to_string(), a), ("b".to_string(), b)];
        assert_eq!(
            bars,
            [
                ("as thresholds were made".to_string(), parts(40.0, 60.0)),
                ("as packets are".to_string(), parts(25.0, 75.0))
            ]
        );
        // On the wire a frame has 24 bytes more: 10240 and 30720 bytes share the link.
        let wire = of(&[&words[..], &["--sends", "b=1000B", "--wire", "ethernet"]].concat());
        let frames: f64 = wire.frames.iter().sum();
        assert!((frames / (1.25e6 * 1000.0 / 1024.0) - 1.0).abs() < 1e-12, "{frames}");
        assert!((wire.found.latency_s() - 40_960.0 / 1.25e6).abs() < 1e-12);
        let packet = super::sheet(&wire).json_rows()[1]["packet_bytes"].as_f64().expect("bytes");
        assert!((packet - 1000.0).abs() < 1e-9, "a frame without what is around it: {packet}");
    }

    /// Without a link it is the sum of the rates; of thresholds, and on the wire, it is that of the study.
    #[test]
    fn the_link_is_the_sum_of_rates_or_that_of_the_study() {
        let class = ["--class", "a=300KB/s", "--class", "b=100KB/s"];
        for (words, link) in [
            (&class[..], 400e3),
            (&[&class[..], &["--link", "1MB/s"]].concat(), 1e6),
            (&[&class[..], &["--wire", "ethernet"]].concat(), 1.25e6),
            (&["--threshold", "a=10"], 1.25e6),
            (&["--threshold", "a=10", "--link", "1MB/s"], 1e6),
        ] {
            assert_eq!(of(words).found.capacity(), link, "{words:?}");
        }
        let rates = |words: &[&str]| {
            let queue = of(words);
            [0, 1].map(|i| queue.found.rate(i).round())
        };
        assert_eq!(rates(&class), [300e3, 100e3]);
        assert_eq!(rates(&[&class[..], &["--link", "1MB/s"]].concat()), [750e3, 250e3]);
    }
}
