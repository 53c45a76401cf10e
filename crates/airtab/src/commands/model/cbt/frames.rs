// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab model cbt frames`.

use std::process::ExitCode;

use airtab_model::cbt::frames::{STUDY, WHOLE};

use super::sheet::{Drawn, Sheet, column};
use super::values::Loss;
use super::{args, show};

/// A row for each loss.
pub fn frames(args: &args::Frames) -> anyhow::Result<ExitCode> {
    let drawn = Drawn {
        over: "loss_packets_per_s".into(),
        lines: vec!["whole_per_s".into(), "playable_per_s".into()],
        label: "frames/s".into(),
        cure: "several losses, such as --loss 0,1,2,5,10,20",
    };
    show(sheet(args), &args.form, &drawn)
}

pub(super) fn sheet(args: &args::Frames) -> Result<Sheet, String> {
    let all = STUDY.packets_per_s();
    let columns = vec![
        column("loss_packets_per_s", "lost\npackets/s", 2),
        column("loss", "lost\n%", 2).times(1e2),
        column("whole_per_s", "whole\nframes/s", 1),
        column("playable_per_s", "playable\nframes/s", 1),
    ];
    let about = "Frames of the study's video whose packets are lost independently.";
    let mut sheet = Sheet::new("frames", about, 1, columns);
    for loss in &args.loss {
        let loss = match loss {
            Loss::Part(part) => *part,
            Loss::Packets(packets) if *packets <= all => packets / all,
            Loss::Packets(packets) => {
                return Err(format!("--loss {packets}: the video has {all:.2} packets/s; give at most that"));
            }
        };
        let whole = STUDY.whole(loss).map_err(|e| e.to_string())?;
        let playable = STUDY.playable(loss).map_err(|e| e.to_string())?;
        sheet.rows.push([loss * all, loss, whole, playable].map(Into::into).into());
    }
    let spoilt = WHOLE.spoilt();
    sheet.notes.push(format!(
        "One lost packet of a group of {} spoils {spoilt:.2} of its {} frames on average (table A.7).",
        WHOLE.packets(),
        WHOLE.frames()
    ));
    sheet.more.insert("spoilt_frames_per_lost_packet".into(), spoilt.into());
    Ok(sheet)
}
