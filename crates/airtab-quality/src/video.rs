//! Playable frame rate (CHAP dissertation 2.5): how many frames a second a
//! decoder can show.
//!
//! A frame that arrived whole can be shown if what it was coded from can: an I
//! frame always, a P frame if the reference (I or P) before it can, a B frame if
//! the references before and after it can. The receiver never discards late
//! frames, and does not conceal.

/// What a frame was coded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Nothing else.
    I,
    /// The reference before.
    P,
    /// The references before and after.
    B,
}

/// Which frames can be shown, given each one's coding and whether it arrived
/// whole, in the order of display. A B frame after the last reference cannot.
pub fn playable(frames: &[(Coding, bool)]) -> Vec<bool> {
    let mut shown = vec![false; frames.len()];
    let mut before = false; // whether the reference before can be shown
    let mut waiting = 0..0; // B frames since then
    for (i, &(coding, whole)) in frames.iter().enumerate() {
        if coding == Coding::B {
            waiting.end = i + 1;
            continue;
        }
        let this = whole && (coding == Coding::I || before);
        for b in waiting {
            shown[b] = frames[b].1 && before && this;
        }
        shown[i] = this;
        before = this;
        waiting = i + 1..i + 1;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::Coding::{B, I, P};
    use super::*;

    fn shown(frames: &[(Coding, bool)]) -> String {
        playable(frames).iter().map(|&shown| if shown { '1' } else { '.' }).collect()
    }

    #[test]
    fn a_frame_needs_what_it_was_coded_from() {
        let video = |lost: &[usize]| -> Vec<(Coding, bool)> {
            let group = [I, B, B, B, P, B, B, B, P, B, B, B, P, B, B, B];
            (0..33).map(|i| (group[i % 16], !lost.contains(&i))).collect()
        };
        let runs = |parts: &[(char, usize)]| -> String {
            parts.iter().map(|&(c, n)| c.to_string().repeat(n)).collect()
        };
        assert_eq!(shown(&video(&[])), runs(&[('1', 33)]));
        assert_eq!(shown(&video(&[2])), runs(&[('1', 2), ('.', 1), ('1', 30)]), "a B frame: only itself");
        assert_eq!(
            shown(&video(&[8])),
            runs(&[('1', 5), ('.', 11), ('1', 17)]),
            "a P frame: what refers to it"
        );
        assert_eq!(
            shown(&video(&[16])),
            runs(&[('1', 13), ('.', 19), ('1', 1)]),
            "an I frame: B before it too"
        );
        assert_eq!(shown(&[(P, true), (B, true), (I, true), (B, true)]), "..1.", "nothing to refer to");
        assert_eq!(shown(&[]), "");
    }
}
