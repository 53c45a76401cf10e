// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Captures of other programs and radios: without a profile, with clocks that are set, and cut.

use super::*;

/// Cards that misbehave are not accused without the name of their profile; those that conform are reported as such.
#[test]
fn no_card_is_accused_on_a_guess() {
    let file = cell(&[Card::Good, Card::FourMissing, Card::Early], 1500, false, 2).0;
    let heard = by(&file, None).unwrap();
    assert_eq!((heard.phy.name(), heard.phy_source), ("std-11b", PhySource::Guessed));
    let verdicts: Vec<_> = heard.senders.iter().map(|found| found.judgement.verdict.clone()).collect();
    assert_eq!(verdicts, [Verdict::Conformant, Verdict::Guessed, Verdict::Guessed]);
    let said = verdicts[1].to_string();
    assert!(
        said.starts_with("does not fit the profile, which is a guess") && said.contains("--phy"),
        "{said}"
    );
    assert_eq!(faults(&of(&file).unwrap()), [vec![], vec!["missing_slots"], vec!["short_wait"]]);
}

/// The radio's clock is set three times in a capture, back and ahead: what is drawn across that is left out, and all
/// else is found. The same by the file's time stamps, if the radio's are 0.
#[test]
fn a_clock_that_is_set_costs_few_draws() {
    let (file, _) = cell(&[Card::Good, Card::HalfWindow], 1500, false, 7);
    let whole = of(&file).unwrap();
    assert_eq!((whole.radio_stamps, whole.notes.len()), (true, 0));
    // Each record: 16 bytes, the header's 8, then the radio's time.
    let with = |time: &dyn Fn(usize, u64) -> u64| {
        let (mut file, mut at, mut number) = (file.clone(), 24, 0);
        while at < file.len() {
            let kept = u32::from_le_bytes(file[at + 8..at + 12].try_into().unwrap()) as usize;
            let stamp: &mut [u8] = &mut file[at + 24..at + 32];
            let us = time(number, u64::from_le_bytes(stamp.try_into().unwrap()));
            stamp.copy_from_slice(&us.to_le_bytes());
            (at, number) = (at + 16 + kept, number + 1);
        }
        file
    };
    let set = with(&|frame, us| match frame {
        0..2500 => us,
        2500..2900 => us % 1000,
        2900..4000 => us + 500_000_000,
        // Wrapped after 32 bits.
        _ => us & 0xff_ffff,
    });
    let set = of(&set).unwrap();
    assert!(
        set.radio_stamps && set.notes.len() == 1 && set.notes[0].contains("clock was set"),
        "{:?}",
        set.notes
    );
    let zero = of(&with(&|_, _| 0)).unwrap();
    assert!(!zero.radio_stamps && zero.notes[0].contains("are all 0"), "{:?}", zero.notes);
    for heard in [&set, &zero] {
        assert_eq!(faults(heard), [vec![], vec!["window"]]);
    }
    let draws =
        |heard: &Heard| heard.senders.iter().map(|f| f.judgement.figures.as_ref().unwrap().n).sum::<u64>();
    assert_eq!(draws(&zero), draws(&whole));
    assert!(draws(&set) + 500 > draws(&whole) && draws(&set) < draws(&whole), "{}", draws(&set));
}

/// A capture that is cut says what its whole frames say.
#[test]
fn a_cut_capture_is_read_to_its_end() {
    let (file, _) = cell(&[Card::Good], 1200, false, 1);
    let heard = of(&file[..file.len() - 5]).unwrap();
    let whole = of(&file).unwrap();
    assert_eq!((whole.end, heard.frames), (End::Whole, whole.frames - 1));
    assert!(matches!(heard.end, End::Cut { frames, .. } if frames == heard.frames), "{:?}", heard.end);
    assert_eq!(heard.senders[0].judgement.verdict, Verdict::Conformant);
    let zeros = of(&[&file[..], &[0; 4096]].concat()).unwrap();
    assert_eq!((zeros.end.offset(), zeros.frames), (Some(file.len() as u64), whole.frames));
}

/// A counter is named by a profile that is given; by one that is a guess it is not accused.
#[test]
fn arrival_times_accuse_nobody_on_a_guess() {
    let text = times(3000, |i| i as u64 % 32);
    let of = |phy| of_arrivals(&mut || Ok(Box::new(Cursor::new(text.clone()))), phy, None).unwrap();
    let (guessed, given) = (of(None), of(Phy::named("std-11b")));
    assert_eq!((guessed.guessed, guessed.judgement.verdict), (true, Verdict::Guessed));
    assert!(!given.guessed && matches!(given.judgement.verdict, Verdict::Faults(_)));
}
