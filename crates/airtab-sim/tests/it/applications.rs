// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Every kind of application, stepped alone in virtual time: no simulator, no packets, no TCP.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use airtab_core::time::{MS, SECOND as S};
use airtab_sim::AppKind;
use airtab_sim::tcp::Algorithm;
use airtab_sim::traffic::trace::{self, Packets};
use airtab_sim::traffic::udp::{Gaps, Rate};
use airtab_sim::traffic::video::{Fec, Frame, FrameKind, Frames, PERIOD_NS};
use airtab_sim::traffic::web::PageTrace;
use airtab_sim::traffic::web::{Client, Page, Pages, REQUEST, Site};
use airtab_sim::traffic::{
    Action, Application, Constant, Cut, Download, Game, Http, Io, Kind, Mpeg, P2p, Ping, Points, Progress,
    Proshare, Replay, Seen, Setting, Streaming, Sweep, Udp, Upload, User, Video, Voip, Volume, Web,
};

const CUBIC: Algorithm = Algorithm::Cubic;
/// When they start.
const START: u64 = 10 * S;

/// One user's application, its timers, and what else it wanted and when.
struct Alone {
    user: User,
    io: Io,
    timers: BinaryHeap<Reverse<(u64, usize, u16)>>,
    made: usize,
    wanted: Vec<(u64, Action)>,
}

impl Alone {
    fn start(kind: impl Into<AppKind>) -> Alone {
        Alone::user(kind, 0, 1)
    }

    fn user(kind: impl Into<AppKind>, user: u32, users: u32) -> Alone {
        let setting =
            Setting { seed: 1, app: "app", user, users, active_ns: 100 * S, phase_ns: None, outstanding: 2 };
        let user = kind.into().user(&setting);
        let mut alone =
            Alone { user, io: Io::default(), timers: BinaryHeap::new(), made: 0, wanted: Vec::new() };
        alone.tell(START, |user, io| user.start(io));
        alone
    }

    fn tell(&mut self, now: u64, what: impl FnOnce(&mut User, &mut Io)) {
        what(&mut self.user, self.io.at(now));
        while let Some(action) = self.io.poll() {
            match action {
                Action::Timer { at, key } => {
                    assert!(at >= now, "in the past");
                    self.timers.push(Reverse((at, self.made, key)));
                    self.made += 1;
                }
                other => self.wanted.push((now, other)),
            }
        }
    }

    /// Lets its timers come until `until`, each `late` ns late.
    fn run(&mut self, until: u64, late: u64) {
        while let Some(Reverse((due, _, key))) = self.timers.peek().copied().filter(|next| next.0.0 <= until)
        {
            self.timers.pop();
            self.tell(due + late, |user, io| user.timer(due, key, io));
        }
    }

    /// What its connection has received by `now`, server and client.
    fn progress(&mut self, now: u64, at_server: u64, at_client: u64) {
        let at = Progress { established: true, at_server, at_client, ..Progress::default() };
        self.tell(now, |user, io| user.progress(0, &at, io));
    }

    /// Times of packets of one direction, and their lengths.
    fn sent(&self, way_up: bool) -> Vec<(u64, u32)> {
        let of = |(at, action): &(u64, Action)| match action {
            Action::Send { up, bytes, .. } if *up == way_up => Some((*at, *bytes)),
            _ => None,
        };
        self.wanted.iter().filter_map(of).collect()
    }

    /// What it wanted since it was last asked.
    fn actions(&mut self) -> Vec<Action> {
        self.wanted.drain(..).map(|(_, action)| action).collect()
    }
}

/// From each to the next.
fn gaps(sent: &[(u64, u32)]) -> Vec<u64> {
    sent.windows(2).map(|pair| pair[1].0 - pair[0].0).collect()
}

#[test]
fn a_game_and_a_call_send_both_ways_at_their_own_phases() {
    for (kind, period, [down, up]) in
        [(AppKind::from(Game), 40 * MS, [100, 72]), (Voip.into(), 20 * MS, [200, 200])]
    {
        let mut alone = Alone::start(kind);
        alone.run(START + 4 * S, 0);
        for (way, bytes) in [(false, down), (true, up)] {
            let sent = alone.sent(way);
            assert_eq!(sent.len() as u64, 4 * S / period);
            assert!((START..START + period).contains(&sent[0].0));
            assert!(sent.iter().all(|(_, n)| *n == bytes) && gaps(&sent).iter().all(|gap| *gap == period));
        }
        assert_ne!(alone.sent(false)[0].0, alone.sent(true)[0].0, "not in step");
        alone.tell(START + 5 * S, |user, io| user.datagram(true, up, 0, io));
        alone.wanted.clear();
        alone.tell(START + 5 * S, |user, io| user.datagram(false, down, 0, io));
        assert_eq!(alone.actions(), [], "neither answers the other");
    }
}

/// A host that calls late does not make the schedule drift.
#[test]
fn timers_that_come_late_do_not_add_up() {
    let udp = Udp { rate: Rate::Mean(12_000_000), bytes: 1500, gaps: Gaps::Constant, upload: false };
    let video = Video { frames: frames(&[(FrameKind::I, 1000)]), fec: Fec::None };
    for (kind, period) in
        [(AppKind::from(Game), 40 * MS), (udp.into(), MS), (video.into(), PERIOD_NS), (Voip.into(), 20 * MS)]
    {
        let [in_time, late] = [0, MS / 2].map(|late| {
            let mut alone = Alone::start(kind.clone());
            alone.run(START + S, late);
            alone.sent(false)
        });
        assert!(in_time.len() as u64 >= S / period);
        assert!(in_time.iter().zip(&late).all(|(a, b)| a.0 + MS / 2 == b.0), "{}", kind.name());
    }
}

fn frames(list: &[(FrameKind, u32)]) -> Frames {
    Frames(list.iter().map(|&(kind, bytes)| Frame { kind, bytes }).collect())
}

/// Frames as bursts, over and over; a packet that arrives counts for the frame that it says.
#[test]
fn a_video_sends_frames_and_counts_what_arrives() {
    let film = frames(&[(FrameKind::I, 3000), (FrameKind::B, 100)]);
    let mut alone = Alone::start(Video { frames: film, fec: Fec::Small });
    alone.run(START + 3 * PERIOD_NS - 1, 0);
    let bytes: Vec<u32> = alone.sent(false).iter().map(|(_, n)| *n).collect();
    assert_eq!(bytes, [1500, 1500, 84, 1500, 128, 1500, 1500, 84, 1500], "three frames; I have one more");
    let tags = alone.actions().into_iter().map(|action| match action {
        Action::Send { up: false, tag, .. } => tag,
        other => panic!("{other:?}"),
    });
    let tags: Vec<u32> = tags.collect();
    assert_eq!(tags, [0, 0, 0, 0, 1, 2, 2, 2, 2]);
    for tag in [0, 0, 2, 2, 2] {
        alone.tell(START + S, |user, io| user.datagram(false, 1500, tag, io));
    }
    let seen: Vec<_> = alone.user.seen().frames.iter().map(|f| (f.kind, f.needed, f.received)).collect();
    assert_eq!(seen, [(FrameKind::I, 3, 2), (FrameKind::B, 1, 0), (FrameKind::I, 3, 3)]);
}

#[test]
fn a_ping_is_asked_by_the_station_and_answered_by_the_server() {
    let mut alone = Alone::start(Ping { interval_ns: S, bytes: 84 });
    alone.run(START + 5 * S, 0);
    assert_eq!((alone.sent(true).len(), alone.sent(false).len()), (5, 0));
    alone.wanted.clear();
    alone.tell(START + 6 * S, |user, io| user.datagram(true, 84, 7, io));
    assert_eq!(alone.actions(), [Action::Send { up: false, bytes: 84, tag: 7 }]);
    alone.tell(START + 6 * S, |user, io| user.datagram(false, 84, 7, io));
    assert_eq!(alone.actions(), []);
}

/// A page: a request, the page, a request for what it embeds, that, a pause, the next page.
#[test]
fn a_browser_asks_and_reads_and_asks_again() {
    let (html, embedded) = (Site::ALL[0].text_bytes, Site::ALL[0].other_bytes);
    let pages = Pages::Site { site: Site::ALL[0], reading_ns: 3 * S };
    let mut alone = Alone::start(Web { pages, client: Client::Loader });
    let open = Action::Open { flow: 0, down: 0, up: REQUEST };
    assert_eq!(alone.actions(), [open]);
    let at = |ms| START + ms * MS;
    alone.progress(at(10), 0, 0);
    alone.progress(at(20), REQUEST - 1, 0);
    assert_eq!(alone.actions(), [], "half a request is none");
    alone.progress(at(21), REQUEST, 0);
    assert_eq!(alone.actions(), [Action::Write { flow: 0, up: false, bytes: html }]);
    alone.progress(at(30), REQUEST, html - 1);
    assert_eq!(alone.actions(), []);
    alone.progress(at(40), REQUEST, html);
    assert_eq!(alone.actions(), [Action::Write { flow: 0, up: true, bytes: REQUEST }]);
    alone.progress(at(50), 2 * REQUEST, html);
    assert_eq!(alone.actions(), [Action::Write { flow: 0, up: false, bytes: embedded }]);
    alone.progress(at(90), 2 * REQUEST, html + embedded);
    alone.progress(at(95), 2 * REQUEST, html + embedded);
    assert_eq!((alone.actions(), alone.timers.len()), (vec![], 1), "complete once");
    alone.run(at(90) + 3 * S - 1, 0);
    assert_eq!(alone.actions(), [], "it is read");
    alone.run(at(90) + 3 * S, 0);
    assert_eq!(alone.wanted, [(at(90) + 3 * S, open)]);
    let (opened_ns, requested_ns, done_ns) = (START, at(10), at(90));
    let page = PageTrace { number: 0, bytes: html + embedded, opened_ns, requested_ns, done_ns };
    assert_eq!(alone.user.seen(), Seen { pages: vec![page], ..Seen::default() });
}

/// Pages are drawn by user and number alone: those of one user are the same however many others there are.
#[test]
fn pages_are_a_users_own() {
    let first_page = |user, users| {
        let mut alone = Alone::user(Web { pages: Pages::Drawn, client: Client::Loader }, user, users);
        // All at once: enough for every page.
        alone.progress(START + MS, REQUEST, 0);
        let [_, Action::Write { bytes: html, .. }] = alone.actions()[..] else { panic!("no page") };
        html
    };
    assert_eq!(first_page(0, 1), Page::draw(1, "app", 0).html, "the first user's are the application's");
    assert_eq!(first_page(0, 1), first_page(0, 3));
    assert_eq!(first_page(1, 2), first_page(1, 3));
    assert_ne!(first_page(1, 3), first_page(2, 3));
}

/// Two rates, segments of 4 s, a buffer of 12 s: the reservoir is 4.5 s, and a buffer with room for one more segment, 8 s, is full.
#[test]
fn a_film_is_requested_as_its_buffer_allows() {
    let ladder: [u64; 2] = [1_000_000, 2_000_000];
    let film = Streaming { ladder: ladder.into(), segment_ns: 4 * S, buffer_ns: 12 * S, congestion: CUBIC };
    let mut alone = Alone::start(film);
    assert_eq!(alone.actions(), [Action::Open { flow: 0, down: 0, up: REQUEST }]);
    let (mut asked, mut wanted, mut now) = (0, 0, START);
    let mut rates = Vec::new();
    for _ in 0..5 {
        asked += REQUEST;
        alone.progress(now, asked, wanted);
        let [Action::Write { up: false, bytes, .. }] = alone.actions()[..] else { panic!("no segment") };
        (wanted, rates) = (wanted + bytes, [rates, vec![bytes * 8 / 4]].concat());
        alone.progress(now, asked, wanted - 1);
        assert_eq!((alone.actions(), alone.timers.len()), (vec![], 0), "a byte is missing");
        alone.progress(now, asked, wanted);
        now = alone.timers.peek().expect("the next request").0.0;
        alone.run(now, 0);
        assert_eq!(alone.actions(), [Action::Write { flow: 0, up: true, bytes: REQUEST }]);
    }
    // It has 0, 4, 8 s when it asks for the first three, and 8 s for each when there is room again.
    assert_eq!(rates, [1, 1, 2, 2, 2].map(|rate| rate * 1_000_000));
    let segments = alone.user.seen().segments;
    let requested: Vec<u64> = segments.iter().map(|s| (s.requested_ns - START) / S).collect();
    assert_eq!(requested, [0, 0, 0, 4, 8], "at once until it is full, then one each 4 s");
}

#[test]
fn transfers_open_their_connections() {
    let open = |flow, down, up| Action::Open { flow, down, up };
    let endless = u64::MAX;
    let opened = |kind: AppKind| Alone::start(kind).actions();
    assert_eq!(opened(Upload::endless(CUBIC).into()), [open(0, 0, endless)]);
    let peers = |upload| P2p { flows: 2, congestion: CUBIC, upload }.into();
    assert_eq!(opened(peers(false)), [open(0, endless, 0), open(1, endless, 0)]);
    assert_eq!(opened(peers(true)), [open(0, endless, endless), open(1, endless, endless)]);
    let mut once = Alone::start(Download::endless(CUBIC));
    once.run(START + 100 * S, 0);
    assert_eq!(once.wanted, [(START, open(0, endless, 0))]);
    let mut again = Alone::start(Download { reconnect_ns: Some(2 * S), ..Download::endless(CUBIC) });
    again.run(START + 5 * S, 0);
    let all: Vec<_> = [0, 2, 4].map(|s| (START + s * S, open(0, endless, 0))).into();
    assert_eq!(again.wanted, all);
    let volume = |volume| Download { volume, ..Download::endless(CUBIC) }.into();
    assert_eq!(opened(volume(Volume::Once(9_000))), [open(0, 9_000, 0)]);
    assert_eq!(opened(volume(Volume::Repeated(9_000))), [open(0, 9_000, 0)]);
}

/// The next one begins with the last byte of the one before, where it repeats; once is once.
#[test]
fn a_volume_is_followed_by_the_next() {
    let download = |volume| Alone::start(Download { volume, ..Download::endless(CUBIC) });
    let mut once = download(Volume::Once(9_000));
    once.progress(START + S, 0, 9_000);
    assert_eq!(once.wanted.len(), 1);
    let mut again = download(Volume::Repeated(9_000));
    let mut upload = Alone::start(Upload { volume: Volume::Repeated(9_000), ..Upload::endless(CUBIC) });
    for (s, arrived, connections) in [(1, 8_999, 1), (2, 9_000, 2), (3, 100, 2), (4, 9_000, 3)] {
        again.progress(START + s * S, 0, arrived);
        upload.progress(START + s * S, arrived, 0);
        assert_eq!((again.wanted.len(), upload.wanted.len()), (connections, connections));
    }
    let open = |down, up| Action::Open { flow: 0, down, up };
    assert_eq!(again.wanted[2], (START + 4 * S, open(9_000, 0)));
    assert_eq!(upload.wanted[2], (START + 4 * S, open(0, 9_000)));
}

/// 1, 1.5, 2 Mb/s of 1250 bytes, for a second each and the last one for good: 100, 150, then 200 packets a second, and of
/// exponential gaps as many on the mean.
#[test]
fn a_rate_rises_in_steps() {
    let sweep = Sweep { start_bps: 1_000_000, max_bps: 2_000_000, add_bps: 500_000, each_ns: S };
    let sent = |gaps, user| {
        let udp = Udp { rate: Rate::Sweep(sweep), bytes: 1250, gaps, upload: true };
        let mut alone = Alone::user(udp, user, 1);
        alone.run(START + 4 * S, 0);
        let first = alone.wanted[0].0;
        let of = |step: u64| {
            alone.wanted.iter().filter(|(at, _)| (step * S..(step + 1) * S).contains(&(at - first))).count()
        };
        [0, 1, 2].map(of)
    };
    assert_eq!(sent(Gaps::Constant, 0), [100, 150, 200]);
    let all = (0..200).map(|user| sent(Gaps::Exponential, user));
    let sum = all.fold([0; 3], |sum, of| [0, 1, 2].map(|i| sum[i] + of[i]));
    for (n, expected) in sum.into_iter().zip([20_000.0, 30_000.0, 40_000.0]) {
        assert!((n as f64 / expected - 1.0).abs() < 0.02, "{n} {expected}");
    }
}

/// Packets that go down: when, of how many bytes, with which tag.
fn down(alone: &Alone) -> Vec<(u64, u32, u32)> {
    let of = |(at, action): &(u64, Action)| match action {
        Action::Send { up: false, bytes, tag } => Some((*at, *bytes, *tag)),
        _ => None,
    };
    alone.wanted.iter().filter_map(of).collect()
}

/// Packets of frames that were cut: 1472 bytes of each but the last, 1.3 ms apart, frames at their own times. Bytes of
/// each frame.
fn frames_of(packets: &[(u64, u32, u32)], period_ns: u64, first: u32) -> Vec<u32> {
    let mut sizes = Vec::new();
    for (number, frame) in (0..).zip(packets.chunk_by(|a, b| a.2 == b.2)) {
        assert_eq!(frame[0].2, number as u32 + first);
        assert_eq!(frame[0].0, packets[0].0 + number * period_ns, "frames keep their time");
        for (i, (at, bytes, _)) in (0..).zip(frame) {
            assert_eq!(*at, frame[0].0 + i * 1_300_000);
            assert!(i + 1 == frame.len() as u64 || *bytes == 1500, "full but for the last: {bytes}");
        }
        sizes.push(frame.iter().map(|(_, bytes, _)| bytes - 28).sum());
    }
    sizes
}

/// Voice each 100 ms; frames each 1/15 s, each packet at its time, and another phase for each.
#[test]
fn a_conference_sends_voice_and_frames_cut_into_packets() {
    let mut alone = Alone::start(Proshare::STUDY);
    alone.run(START + 100 * S, 0);
    let packets = down(&alone);
    let (voice, video): (Vec<_>, Vec<_>) = packets.iter().copied().partition(|packet| packet.2 == 0);
    assert_eq!(voice.len(), 1000);
    assert!(voice.iter().all(|(_, bytes, _)| *bytes == 228));
    assert!(voice.windows(2).all(|pair| pair[1].0 - pair[0].0 == 100 * MS));
    let sizes = frames_of(&video, 66_666_667, 1);
    assert_eq!(sizes.len(), 1500);
    assert!(sizes.iter().all(|bytes| (1100..2000).contains(bytes)), "within four deviations of 1537");
    let [(voice, ..), (frame, ..)] = [voice[0], video[0]];
    assert!((START..START + 100 * MS).contains(&voice) && (START..START + 66_666_667).contains(&frame));
    assert_ne!(voice, frame);
    assert_eq!(alone.sent(true), []);
    let (mut again, mut other) = (Alone::user(Proshare::STUDY, 0, 6), Alone::user(Proshare::STUDY, 1, 6));
    [&mut again, &mut other].into_iter().for_each(|alone| alone.run(START + 10 * S, 0));
    assert_eq!(down(&again)[..300], packets[..300], "other users change no draw");
    assert_ne!(down(&other)[..300], packets[..300]);
}

/// The closed form of a frame of N(1537, 105) bytes: 36.0 packets a second and 159.4 kB/s of Ethernet frames of six, by 738 bytes.
#[test]
fn six_conferences_are_the_studys_load() {
    let (mean, deviation) = (1537.0, 105.0);
    // Whole bytes: from 1472.5 on it is 1473.
    let two = 0.5 * libm::erfc((1472.5 - mean) / deviation / std::f64::consts::SQRT_2);
    let frame_headers = 42.0; // 14 of Ethernet, 28 of IP and UDP
    let packets = 10.0 + 15.0 * (1.0 + two);
    let bytes = 10.0 * 200.0 + 15.0 * mean + packets * frame_headers;
    assert!(
        (packets - 36.0_f64).abs() < 0.05 && (bytes / packets - 738.2_f64).abs() < 0.8,
        "{packets} {bytes}"
    );
    assert!((6.0 * bytes / 1e3 - 159.4).abs() < 0.1);
    let seconds = 2000;
    let (mut n, mut sum) = (0.0, 0.0);
    for user in 0..6 {
        let mut alone = Alone::user(Proshare::STUDY, user, 6);
        alone.run(START + seconds * S - 1, 0);
        n += down(&alone).len() as f64;
        sum += down(&alone).iter().map(|(_, bytes, _)| f64::from(*bytes) + 14.0).sum::<f64>();
    }
    let (of_one, all) = (n / 6.0 / seconds as f64, sum / seconds as f64);
    // 180,000 frames: standard errors of 0.016 packets a second and 0.03 kB/s.
    assert!((of_one - packets).abs() < 0.05, "{of_one} packets/s");
    assert!((all / (6.0 * bytes) - 1.0).abs() < 0.001, "{all} bytes/s");
    assert!((sum / n - 738.2).abs() < 1.0, "{} bytes a packet", sum / n);
}

/// Every rule of a conference, by what it says.
#[test]
fn what_is_no_conference_is_refused() {
    let good = Proshare::STUDY;
    assert_eq!(AppKind::from(good).check(), Ok(()));
    for (bad, says) in [
        (Proshare { voice: Constant { period_ns: 0, ..good.voice }, ..good }, "voice_interval: 0 ns"),
        (
            Proshare { voice: Constant { bytes: 28, ..good.voice }, ..good },
            "voice_bytes: 0 bytes of payload: 1 to",
        ),
        (Proshare { frames_per_second: 0, ..good }, "frame_rate: 0 frames a second: 1 to 1000"),
        (Proshare { frame_bytes: 0, ..good }, "frame_bytes: 0 bytes are no frame"),
        (
            Proshare { deviation_bytes: 800, ..good },
            "frame_deviation: 800 bytes: at most half of frame_bytes, 768",
        ),
        (
            Proshare { cut: Cut { payload: 1473, ..good.cut }, ..good },
            "split: 1473 bytes of payload: 100 to 1472",
        ),
    ] {
        let said = AppKind::from(bad).check().unwrap_err().to_string();
        assert!(said.starts_with(says), "{said}");
    }
}

/// Without scatter every frame has its kind's size: 0.93 of it, cut into 5, 2 and 1 packets, 11 of a group.
#[test]
fn an_mpeg_video_sends_its_pattern_cut_into_packets() {
    let film = Mpeg { sigma_ppm: 0, ..Mpeg::study() };
    let mut alone = Alone::start(film.clone());
    alone.run(START + 100 * S, 0);
    let packets = down(&alone);
    assert!((START..START + 200 * MS).contains(&packets[0].0), "a group's length");
    let sizes = frames_of(&packets, 33_333_333, 0);
    let group = [6432, 224, 224, 1531, 224, 224];
    assert!(sizes.chunks(6).all(|six| *six == group[..six.len()]), "{:?}", &sizes[..6]);
    assert!(sizes.len() >= 2994);
    let lengths: Vec<u32> = packets[..11].iter().map(|packet| packet.1).collect();
    assert_eq!(lengths, [1500, 1500, 1500, 1500, 572, 252, 252, 1500, 87, 252, 252]);
    // A packet that arrives counts for its frame.
    for tag in [0, 0, 0, 0, 3, 3, 1] {
        alone.tell(START + 100 * S, |user, io| user.datagram(false, 1500, tag, io));
    }
    let seen = alone.user.seen().frames;
    let first: Vec<_> = seen[..6].iter().map(|f| (f.kind, f.needed, f.received)).collect();
    let (i, p, b) = (FrameKind::I, FrameKind::P, FrameKind::B);
    assert_eq!(first, [(i, 5, 4), (b, 1, 1), (b, 1, 0), (p, 2, 2), (b, 1, 0), (b, 1, 0)]);
    // Half of it from 20 s on, by a line from 10 s.
    let scale = Points::new([(START, 1_000_000), (START + 10 * S, 500_000)]);
    let mut alone = Alone::start(Mpeg { scale, ..film });
    alone.run(START + 20 * S, 0);
    let (phase, sizes) = (down(&alone)[0].0 - START, frames_of(&down(&alone), 33_333_333, 0));
    let of = |n: u64| {
        let at = (phase + n * 33_333_333) as f64 / 10e9;
        (6916.0 * (1.0 - at.min(1.0) / 2.0)).round() as u32
    };
    assert!((0..600 / 6 - 2).all(|group| sizes[group * 6] == of(group as u64 * 6)), "{sizes:?}");
}

/// Mean packets of a lognormal frame, cut at 1472 bytes: a packet more for each 1472 that it exceeds.
fn packets_of(mean: f64, sigma: f64) -> f64 {
    let above = |x: f64| {
        let z = (libm::log(x / mean) + sigma * sigma / 2.0) / sigma;
        0.5 * libm::erfc(z / std::f64::consts::SQRT_2)
    };
    1.0 + (1..40).map(|n| above(f64::from(n) * 1472.0 + 0.5)).sum::<f64>()
}

/// The closed form: 10.38 packets a group, 185.9 kB/s of Ethernet frames of four films, by 895 bytes. The film's own frames, which are
/// larger, want 5.20 and 1.63 packets where the study prints 5.26 and 1.69.
#[test]
fn four_films_are_the_studys_load() {
    let (sigma, scale) = (0.25, 0.93);
    let means = [6916.0, 241.0, 241.0, 1646.0, 241.0, 241.0].map(|bytes| bytes * scale);
    let packets: f64 = means.iter().map(|mean| packets_of(*mean, sigma)).sum();
    let bytes = means.iter().sum::<f64>() + 42.0 * packets;
    assert!((packets - 10.38).abs() < 0.01, "{packets}");
    assert!((4.0 * 5.0 * bytes / 1e3 - 185.9).abs() < 0.1 && (bytes / packets - 895.1).abs() < 0.2);
    for (mean, printed) in [(6916.0, 5.26), (1646.0, 1.69)] {
        assert!((packets_of(mean, sigma) - printed).abs() < 0.07, "{}", packets_of(mean, sigma));
    }
    let (mut n, mut sum, mut sizes) = (0.0, 0.0, [Vec::new(), Vec::new(), Vec::new()]);
    let seconds = 1000;
    for user in 0..4 {
        let mut alone = Alone::user(Mpeg::study(), user, 4);
        alone.run(START + seconds * S - 1, 0);
        let packets = down(&alone);
        n += packets.len() as f64;
        sum += packets.iter().map(|(_, bytes, _)| f64::from(*bytes) + 14.0).sum::<f64>();
        for (frame, bytes) in frames_of(&packets, 33_333_333, 0).into_iter().enumerate() {
            sizes[[0, 2, 2, 1, 2, 2][frame % 6]].push(f64::from(bytes));
        }
    }
    // 20,000 groups: the I frames' scatter is 0.2 % of all.
    assert!((n / 20_000.0 / packets - 1.0).abs() < 0.005, "{} packets a group", n / 20_000.0);
    assert!((sum / 20_000.0 / bytes - 1.0).abs() < 0.006, "{} bytes a group", sum / 20_000.0);
    assert!((sum / n / (bytes / packets) - 1.0).abs() < 0.006, "{} bytes a packet", sum / n);
    for (of_kind, mean) in sizes.iter().zip([6916.0, 1646.0, 241.0]) {
        let logs: Vec<f64> = of_kind.iter().map(|bytes| libm::log(*bytes)).collect();
        let n = logs.len() as f64;
        let drawn = of_kind.iter().sum::<f64>() / n;
        assert!((drawn / (scale * mean) - 1.0).abs() < 0.007, "{drawn}");
        let of = logs.iter().sum::<f64>() / n;
        let deviation = (logs.iter().map(|x| (x - of) * (x - of)).sum::<f64>() / n).sqrt();
        assert!((deviation / sigma - 1.0).abs() < 0.02, "{deviation}");
    }
}

#[test]
fn what_is_no_mpeg_video_is_refused() {
    let good = Mpeg::study();
    assert_eq!(AppKind::from(good.clone()).check(), Ok(()));
    for (bad, says) in [
        (Mpeg { frame_bytes: [0, 1, 1], ..good.clone() }, "i_bytes: 0 bytes are no frame"),
        (Mpeg { frame_bytes: [1, 1, 0], ..good.clone() }, "b_bytes: 0 bytes are no frame"),
        (Mpeg { frames_per_second: 1001, ..good.clone() }, "frame_rate: 1001 frames a second: 1 to 1000"),
        (Mpeg { sigma_ppm: 2_000_001, ..good.clone() }, "sigma: above 2"),
        (Mpeg { scale: Points::new([]), ..good.clone() }, "course: no point"),
        (Mpeg { cut: Cut { payload: 10, ..good.cut }, ..good }, "split: 10 bytes of payload: 100 to 1472"),
    ] {
        let said = AppKind::from(bad).check().unwrap_err().to_string();
        assert!(said.starts_with(says), "{said}");
    }
}

/// The study's run of changing loads (table 4.4): 0 at 90 s, 500 kB/s at 176, 800 at 240, 500 at 304, 0 at 390. Its integral is
/// what is sent, in each second of it, and nothing before and after.
#[test]
fn a_rate_follows_its_course() {
    let points = [(90, 0), (176, 4_000_000), (240, 6_400_000), (304, 4_000_000), (390, 0)];
    let course = Points::new(points.map(|(s, bps)| (s * S, bps)));
    let sent = |gaps, user| {
        let udp = Udp { rate: Rate::Course(course.clone()), bytes: 1000, gaps, upload: false };
        let mut alone = Alone::user(udp, user, 1);
        alone.run(START + 1000 * S, 0);
        alone.sent(false).into_iter().map(|(at, _)| at).collect::<Vec<u64>>()
    };
    // Packets until a time, by the trapezia: 21.5, 41.6, 41.6 and 21.5 MB.
    let until = |at: f64| {
        let part = |from: f64, to: f64, low: f64, high: f64| {
            let t = (at.clamp(from, to) - from) / (to - from);
            (to - from) * (low * t + (high - low) * t * t / 2.0)
        };
        part(90.0, 176.0, 0.0, 500.0)
            + part(176.0, 240.0, 500.0, 800.0)
            + part(240.0, 304.0, 800.0, 500.0)
            + part(304.0, 390.0, 500.0, 0.0)
    };
    let all = sent(Gaps::Constant, 0);
    assert!((all.len() as f64 - until(1000.0)).abs() <= 1.0 && (until(1000.0) - 126_200.0).abs() < 1e-6);
    for (n, at) in all.iter().enumerate() {
        let paid = until(*at as f64 / 1e9) - n as f64;
        assert!((-1e-4..1.0001).contains(&paid), "packet {n} at {at} ns: {paid}");
    }
    // The same part of a packet is paid for at each.
    let part = until(all[0] as f64 / 1e9);
    let late = all.iter().enumerate().map(|(n, at)| (until(*at as f64 / 1e9) - n as f64 - part).abs());
    assert!(late.fold(0.0, f64::max) < 1e-3);
    assert_ne!(sent(Gaps::Constant, 1)[0], all[0], "another user begins at another time");
    for gaps in [Gaps::Jitter(100_000), Gaps::Jitter(1_000_000), Gaps::Exponential] {
        let times = sent(gaps, 0);
        let scatter = if gaps == Gaps::Exponential { 1.0 } else { 0.58 };
        for s in [150, 176, 240, 304, 390] {
            let n = times.partition_point(|at| *at < s * S) as f64;
            let expected = until(s as f64);
            assert!(
                (n - expected).abs() < 4.0 * scatter * expected.sqrt(),
                "{gaps:?}, {s} s: {n} of {expected}"
            );
        }
    }
    // A fixed phase is the first packet's time, even where the rate is nothing yet.
    let setting = Setting {
        seed: 1,
        app: "app",
        user: 0,
        users: 1,
        active_ns: S,
        phase_ns: Some(5 * MS),
        outstanding: 2,
    };
    let udp = Udp { rate: Rate::Course(course.clone()), bytes: 1000, gaps: Gaps::Constant, upload: false };
    let (mut user, mut io) = (AppKind::from(udp).user(&setting), Io::default());
    user.start(io.at(START));
    assert_eq!(io.poll(), Some(Action::Timer { at: START + 5 * MS, key: 0 }));
}

/// The study's blast: 1061 bytes each 879.2 us on the mean, 10 % more or less.
#[test]
fn gaps_scatter_by_a_share() {
    let rate_bps = 9_654_231;
    let udp = Udp { rate: Rate::Mean(rate_bps), bytes: 1061, gaps: Gaps::Jitter(100_000), upload: false };
    let mut alone = Alone::start(udp);
    alone.run(START + 200 * S, 0);
    let sent = alone.sent(false);
    let mean = 1061.0 * 8e9 / rate_bps as f64;
    assert!((mean - 879_200.0).abs() < 1.0);
    let gaps = gaps(&sent);
    assert!(gaps.iter().all(|gap| (0.899_99 * mean..1.100_01 * mean).contains(&(*gap as f64))));
    let of = gaps.iter().sum::<u64>() as f64 / gaps.len() as f64;
    assert!((of / mean - 1.0).abs() < 5e-4, "a standard error of 0.0577 / sqrt(227,000): {of}");
    let quarter = gaps.iter().filter(|gap| (**gap as f64) < 0.95 * mean).count() as f64 / gaps.len() as f64;
    assert!((quarter - 0.25).abs() < 0.004, "{quarter}");
}

#[test]
fn what_is_no_stream_is_refused() {
    let udp = |rate, gaps| AppKind::from(Udp { rate, bytes: 1000, gaps, upload: false }).check();
    let said =
        |broken: Result<(), _>| broken.map_err(|e: airtab_sim::traffic::Broken| e.to_string()).unwrap_err();
    assert_eq!(udp(Rate::Course(Points::new([(0, 0), (S, 1)])), Gaps::Jitter(1_000_000)), Ok(()));
    assert!(
        said(udp(Rate::Course(Points::constant(0)), Gaps::Constant)).starts_with("course: 0 bit/s at all")
    );
    assert!(said(udp(Rate::Course(Points::new([])), Gaps::Constant)).starts_with("course: no point"));
    assert!(said(udp(Rate::Mean(1), Gaps::Jitter(1_000_001))).starts_with("jitter: no gap is shorter"));
}

/// What the connection of a flow has received by `now`, server and client.
fn progress_of(alone: &mut Alone, flow: u16, now: u64, at_server: u64, at_client: u64) {
    let at = Progress { established: true, at_server, at_client, ..Progress::default() };
    alone.tell(now, |user, io| user.progress(flow, &at, io));
}

/// Lets an object come over a flow: its bytes.
fn load(alone: &mut Alone, flow: u16, now: u64) -> u64 {
    progress_of(alone, flow, now, 349, 0);
    assert_eq!(alone.actions(), [], "half a request is none");
    progress_of(alone, flow, now, 350, 0);
    let [Action::Write { flow: over, up: false, bytes }] = alone.actions()[..] else { panic!("no answer") };
    assert_eq!(over, flow);
    progress_of(alone, flow, now, 350, bytes - 1);
    assert_eq!(alone.actions(), [], "a byte is missing");
    progress_of(alone, flow, now, 350, bytes);
    bytes
}

/// It thinks, then loads the first object alone, then four at a time, each over the connection that is free for longest, then
/// thinks again.
#[test]
fn a_browser_loads_the_first_object_and_then_four_at_a_time() {
    let crowd = Http { browsers: 1, connections: 8, objects_ppm: 200_000_000, ..Http::STUDY };
    let open = |flow| Action::Open { flow, down: 0, up: 350 };
    let mut alone = Alone::start(crowd);
    assert_eq!(alone.actions(), [], "it thinks");
    let Some(&Reverse((begins, _, key))) = alone.timers.peek() else { panic!("no timer") };
    assert!(key == 0 && begins > START);
    alone.run(begins, 0);
    assert_eq!(alone.actions(), [open(0)], "one alone");
    let mut bytes = load(&mut alone, 0, begins + S);
    assert_eq!(alone.actions(), [1, 2, 3, 4].map(open), "four at a time");
    progress_of(&mut alone, 0, begins + S, 350, bytes);
    assert_eq!(alone.actions(), [], "over is over");
    let (mut flows, mut objects, mut now) = (VecDeque::from([1, 2, 3, 4]), 5, begins + S);
    while let Some(flow) = flows.pop_front() {
        now += S;
        bytes += load(&mut alone, flow, now);
        for action in alone.actions() {
            let Action::Open { flow: next, down: 0, up: 350 } = action else { panic!("{action:?}") };
            assert_eq!(next, objects % 8, "the oldest");
            flows.push_back(next);
            objects += 1;
        }
    }
    assert!(objects > 6, "{objects}: choose another seed");
    let page = PageTrace { number: 0, bytes, opened_ns: begins, requested_ns: begins + S, done_ns: now };
    assert_eq!(alone.user.seen().pages, [page]);
    assert_eq!(alone.timers.len(), 1);
    assert!(alone.timers.peek().is_some_and(|next| next.0.0 > now), "it thinks");
}

/// With one connection a browser waits for another one's object; who came first goes first.
#[test]
fn browsers_wait_for_a_connection() {
    let crowd = Http { browsers: 3, connections: 1, objects_ppm: 1_000_000, ..Http::STUDY };
    let open = [Action::Open { flow: 0, down: 0, up: 350 }];
    let mut alone = Alone::start(crowd);
    let order: Vec<u16> = std::iter::from_fn(|| {
        let Reverse((due, _, key)) = alone.timers.pop()?;
        alone.tell(due, |user, io| user.timer(due, key, io));
        Some(key)
    })
    .collect();
    assert_eq!(order.len(), 3);
    let now = START + 10_000 * S;
    for _ in 0..3 {
        assert_eq!(alone.actions(), open);
        load(&mut alone, 0, now);
    }
    assert_eq!(alone.actions(), []);
    let numbers: Vec<u16> = alone.user.seen().pages.iter().map(|page| page.number as u16).collect();
    assert_eq!(numbers, order);
}

/// Browsers have pages of their own, whatever others there are, of this user or of another one.
#[test]
fn browsers_draw_for_themselves() {
    let first = |browsers, user, users| {
        let crowd = Http { browsers, ..Http::STUDY };
        let mut alone = Alone::user(crowd, user, users);
        let mut timers: Vec<_> =
            alone.timers.clone().into_iter().map(|Reverse((at, _, key))| (key, at)).collect();
        timers.sort_unstable();
        alone.tell(timers[0].1, |user, io| user.timer(timers[0].1, 0, io));
        alone.actions();
        (timers[0].1, load(&mut alone, 0, 10_000 * S))
    };
    let one = first(1, 0, 1);
    assert_eq!([first(2, 0, 1), first(100, 0, 1), first(7, 0, 3)], [one; 3]);
    assert_eq!(first(1, 1, 2), first(5, 1, 9));
    assert_ne!(first(1, 1, 2), one);
}

/// Packets by hand: when, bytes, up.
fn packets(list: &[(u64, u32, bool)]) -> Packets {
    Packets::new(list.iter().map(|&(at_ns, bytes, up)| trace::Packet { at_ns, bytes, up }).collect())
        .expect("packets")
}

/// Everything that it wants to send by `until`: when after its start, bytes, up.
fn replayed(kind: &Replay, until: u64, late: u64) -> Vec<(u64, u32, bool)> {
    let mut alone = Alone::start(kind.clone());
    alone.run(START + until, late);
    let of = |(at, action): &(u64, Action)| match *action {
        Action::Send { up, bytes, tag: 0 } => (*at - START, bytes, up),
        ref other => panic!("{other:?}"),
    };
    alone.wanted.iter().map(of).collect()
}

#[test]
fn the_packets_of_a_capture_are_sent_at_their_times() {
    // Three at one time stay in their order.
    let list = [(0, 200, true), (7, 1500, false), (7, 40, true), (7, 2304, false), (20 * MS, 28, false)];
    let once = Replay::once(packets(&list));
    assert_eq!(replayed(&once, 100 * S, 0), list);
    let apart = [(0, 200, true), (7 * MS, 1500, false), (20 * MS, 28, false)];
    let late = apart.map(|(at, bytes, up)| (at + 5 * MS, bytes, up));
    let said = "timers that come late do not add up";
    assert_eq!(replayed(&Replay::once(packets(&apart)), 100 * S, 5 * MS), late, "{said}");
    assert_eq!(replayed(&once, 19 * MS, 0), list[..4]);
    // Half the time, twice the time, a third more slowly: to the nearest ns.
    for (scale_ppm, times) in [
        (2_000_000, [0, 4, 4, 4, 10 * MS]),
        (500_000, [0, 14, 14, 14, 40 * MS]),
        (750_000, [0, 9, 9, 9, 26_666_667]),
        (1_000_000_000, [0, 0, 0, 0, 20_000]),
        (1_000, [0, 7_000, 7_000, 7_000, 20 * S]),
    ] {
        let sent = replayed(&Replay { scale_ppm, ..once.clone() }, 100 * S, 0);
        assert_eq!(sent.iter().map(|p| p.0).collect::<Vec<_>>(), times, "{scale_ppm}");
    }
    let mut alone = Alone::start(once.clone());
    alone.tell(START + S, |user, io| user.datagram(true, 200, 0, io));
    assert_eq!(alone.actions(), [], "nothing answers");
    let setting = Setting {
        seed: 9,
        app: "b",
        user: 3,
        users: 4,
        active_ns: 0,
        phase_ns: Some(3 * MS),
        outstanding: 2,
    };
    let (mut user, mut io) = (AppKind::from(once).user(&setting), Io::default());
    user.start(io.at(START));
    assert_eq!(io.poll(), Some(Action::Timer { at: START + 3 * MS, key: 0 }), "a phase");
}

#[test]
fn a_capture_begins_again_after_its_end() {
    let list = [(0, 100, false), (4 * MS, 200, true), (12 * MS, 300, false)];
    let times = |kind: &Replay, until| replayed(kind, until, 0).iter().map(|p| p.0).collect::<Vec<_>>();
    let once = Replay::once(packets(&list));
    // Three packets in 12 ms are 6 ms apart on the mean: a round takes 18.
    let two = Replay { rounds: Some(2), ..once.clone() };
    assert_eq!(times(&two, S), [0, 4 * MS, 12 * MS, 18 * MS, 22 * MS, 30 * MS]);
    assert_eq!(two.period_ns(), Some(18 * MS));
    let sent = replayed(&two, S, 0);
    assert!(sent[3..].iter().zip(&list).all(|(a, b)| (a.1, a.2) == (b.1, b.2)), "the same packets");
    // With a gap, which is not scaled.
    let gap = Replay { gap_ns: Some(MS), scale_ppm: 2_000_000, ..two.clone() };
    assert_eq!(times(&gap, S), [0, 2 * MS, 6 * MS, 7 * MS, 9 * MS, 13 * MS]);
    // Again and again: 18 ms a round, exact after many.
    let forever = Replay { rounds: None, ..once.clone() };
    let sent = times(&forever, 18 * MS * 5000 - 1);
    assert_eq!((sent.len(), sent[14_997], sent[14_999]), (15_000, 18 * MS * 4999, 18 * MS * 4999 + 12 * MS));
    // A single packet needs a gap.
    let single = Replay { rounds: Some(3), gap_ns: Some(5), ..Replay::once(packets(&[(0, 60, true)])) };
    assert_eq!((single.check(), times(&single, S)), (Ok(()), vec![0, 5, 10]));
    // Times beyond all time do not come.
    let far = [(0, 60, true), (u64::MAX - 5, 60, true)];
    let far = Replay { scale_ppm: 1_000, rounds: None, ..Replay::once(packets(&far)) };
    assert_eq!(times(&far, S), [0]);
}

#[test]
fn what_is_no_capture_to_send_is_refused() {
    let of = |list: &[(u64, u32, bool)]| {
        let list = list.iter().map(|&(at_ns, bytes, up)| trace::Packet { at_ns, bytes, up });
        Packets::new(list.collect()).map_err(|broken| broken.to_string())
    };
    assert_eq!(of(&[]).unwrap_err(), "file: 0 packets: 1 to 1000000");
    assert_eq!(of(&[(0, 60, true); 1_000_001]).unwrap_err(), "file: 1000001 packets: 1 to 1000000");
    assert!(of(&[(0, 60, true); 1_000_000]).is_ok());
    assert_eq!(of(&[(1, 60, true)]).unwrap_err(), "file: the first packet is sent at 0");
    let back = [(0, 60, true), (9, 60, true), (8, 60, true)];
    assert_eq!(of(&back).unwrap_err(), "file: packets must be in order of time");
    for bytes in [0, 27, 2305] {
        let expected = format!("file: a packet of {bytes} bytes: 28 to 2304");
        assert_eq!(of(&[(0, bytes, true)]).unwrap_err(), expected);
    }
    let once = Replay::once(packets(&[(0, 60, true), (1000, 60, true)]));
    let moment = Replay { rounds: None, ..Replay::once(packets(&[(0, 60, true), (0, 60, true)])) };
    for (wrong, message) in [
        (Replay { scale_ppm: 0, ..once.clone() }, "scale: 0.001 to 1000"),
        (Replay { scale_ppm: 1_000_000_001, ..once.clone() }, "scale: 0.001 to 1000"),
        (Replay { rounds: Some(0), ..once.clone() }, "repeat: sent no time at all: at least 1"),
        (Replay { gap_ns: Some(1), ..once.clone() }, "gap: only with repeat"),
        (moment.clone(), "repeat: the capture's packets are all of one moment: say how long after it"),
        (Replay { gap_ns: Some(0), ..moment }, "gap: a round takes less than 1ns"),
        (
            Replay {
                rounds: None,
                scale_ppm: 1_000_000_000,
                ..Replay::once(packets(&[(0, 60, true), (200, 60, true)]))
            },
            "scale: a round takes less than 1ns",
        ),
    ] {
        let said = wrong.check().expect_err(message).to_string();
        assert!(said.starts_with(message), "{said}");
    }
    assert_eq!(once.check(), Ok(()));
}

/// What a run is stored by: any other packet is another number.
#[test]
fn a_captures_packets_are_told_by_their_digest() {
    let list = [(0, 100, false), (4 * MS, 200, true)];
    let said = |list: &[(u64, u32, bool)]| format!("{:?}", packets(list));
    assert_eq!(said(&list), said(&list));
    assert_eq!(said(&list).len(), "Packets(2, )".len() + 32);
    for other in [
        [(0, 101, false), list[1]],
        [(0, 100, true), list[1]],
        [list[0], (4 * MS + 1, 200, true)],
        [list[0], (4 * MS, 200, false)],
    ] {
        assert_ne!(said(&other), said(&list));
        assert_ne!(packets(&other), packets(&list));
    }
    assert_ne!(said(&list[..1]), said(&list));
}
