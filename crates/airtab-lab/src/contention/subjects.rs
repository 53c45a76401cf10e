// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The list of subjects.
//!
//! What it does not do: nothing is computed here.

use std::ops::Bound::{Excluded, Included};

use airtab_model::contention::{MAX_STATIONS, MAX_WINDOW};

use super::closed::{self, LAWS, PROFILES};
use super::methods::{self, METHODS};
use super::{Kind, Output, Param, Subject};

const STATIONS: u64 = MAX_STATIONS as u64;
const WINDOW: u64 = MAX_WINDOW as u64;

const fn param(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Param {
    Param { name, help, kind, default }
}

const fn output(name: &'static str, heading: &'static str, decimals: usize) -> Output {
    Output { name, heading, decimals, words: &[] }
}

const fn words(name: &'static str, heading: &'static str, words: &'static [&'static str]) -> Output {
    Output { name, heading, decimals: 0, words }
}

const fn stations(default: &'static str) -> Param {
    param("n", Kind::Count(2, STATIONS), default, "N, stations that contend; the access point is one")
}

const LOST: Param = param(
    "lost",
    Kind::Number(Excluded(1.0), Included(1e6)),
    "68.2",
    "T, what a collision costs, slots; 68.2 for 1500 bytes at 11 Mb/s",
);

/// What every run of a method takes.
const METHOD: &[Param] = &[
    param("method", Kind::Word(&METHODS), "dcf", "Channel access methods"),
    param(
        "n",
        Kind::Count(1, STATIONS),
        "2,3,4,5,10,15",
        "N, stations that contend; the access point is one",
    ),
];
const RULES: &[Param] = &[
    param("cwmin", Kind::Count(1, WINDOW), "32", "First window of dcf, dcf-m and dcf-shortened, slots"),
    param("cwmax", Kind::Count(1, WINDOW), "1024", "Their largest window, slots"),
    param("offset", Kind::Count(1, WINDOW), "", "M, what dcf-m adds to every draw, slots [default: 2 N]"),
    param(
        "window",
        Kind::Number(Included(1.0), Included(MAX_WINDOW as f64)),
        "",
        "Window of idle-sense, hash1 and h, slots [default: Idle Sense's, or the one that collides as often]",
    ),
    param(
        "decrement",
        Kind::Word(&["m+1", "m"]),
        "m+1",
        "How far backoff goes down beside m idle slots: the slot of the sender counts, or not",
    ),
    param("noise", Kind::Number(Included(0.0), Excluded(1.0)), "0", "How often noise spoils a success"),
    LOST,
    param("successes", Kind::Count(1, 100_000_000), "1000000", "Length of a run"),
    param("seed", Kind::Count(0, u64::MAX), "1", "Of the stations' random numbers"),
];

/// All of them.
pub static SUBJECTS: &[Subject] = &[
    Subject {
        name: "access",
        also: &["automaton", "effective"],
        about: "Collisions and waits of a channel access method, and the H window that collides as often (8.1.1, 8.2)",
        help: "Examples:
  airtab model contention access --method dcf,idle-sense,hash1
  airtab model contention access --method dcf --n 5 --decrement m+1,m
  airtab model contention access --method dcf-m --n 15 --offset 5,10,20,40 --out figures

dcf is 802.11, dcf-m adds an offset to every draw, dcf-shortened draws anew in what is left of the
window, idle-sense has the window that is best for N, idle-sense-aimd finds it, hash1 and h have no
memory, best-uniform and best-ramp are these with the window that wastes least, and optimal has the
hazard that is best of all without memory. C_eff is the window with which the memoryless H collides as
often; a method is better than H if both of its waits are shorter. wasted: idle slots, and T for each
collision, for each success; at best: by formula, without memory.",
        params: &[METHOD, RULES],
        outputs: &[
            output("collisions", "R\nper success", 4),
            output("p_collision", "p_c\n", 4),
            output("wait_success", "W_T\nslots", 3),
            output("wait_collision", "W_C\nslots", 3),
            output("effective_window", "C_eff\nslots", 1),
            output("h_wait_success", "W_T of H\nslots", 3),
            output("h_wait_collision", "W_C of H\nslots", 3),
            words("better_than_h", "better\nthan H", &["no", "yes"]),
            output("contention", "eq. 9.3\nslots", 3),
            output("window", "window\nslots", 1),
            output("idle", "idle\nslots", 2),
            output("wasted", "wasted\nslots", 3),
            output("least_wasted", "at best\nslots", 3),
        ],
        random: true,
        compute: methods::access,
    },
    Subject {
        name: "fairness",
        also: &["jain"],
        about: "Short-term fairness of a method: Jain's index of the last k N successes (8.2)",
        help: "Examples:
  airtab model contention fairness --method dcf,dcf-m,idle-sense --n 15 --k 1,2,5,10,20,50,100
  airtab model contention fairness --method dcf,idle-sense --n 15 --k 1,3,10,30,100 --out figures

Schemes without memory come to 1 / (1 + (N - 1) / w) over long windows of w successes, whatever
their slot law.",
        params: &[
            METHOD,
            &[param(
                "k",
                Kind::Count(1, 10_000),
                "1,10,100",
                "Successes for each station that are looked at together",
            )],
            RULES,
        ],
        outputs: &[output("jain", "J(k)\n", 4), output("jain_memoryless", "J\nno memory", 4)],
        random: true,
        compute: methods::fairness,
    },
    Subject {
        name: "correlation",
        also: &["ps"],
        about: "p_s: how likely a station has sent again within the next d successes (8.2)",
        help: "Examples:
  airtab model contention correlation --method dcf,idle-sense --n 15 --d 1,7,15,30,60,120
  airtab model contention correlation --method dcf,dcf-m,hash1 --n 5 --d 1,2,5,10,20,40 --out figures

Above a scheme without memory at small d is unfair, below it is fair. t is d over a look-ahead of 8 N.",
        params: &[
            METHOD,
            &[param("d", Kind::Count(1, 100_000), "1,5,15,40", "Successes to look ahead")],
            RULES,
        ],
        outputs: &[
            output("again", "p_s(d)\n", 4),
            output("again_memoryless", "p_s\nno memory", 4),
            output("t", "t\n", 3),
        ],
        random: true,
        compute: methods::correlated,
    },
    Subject {
        name: "slots",
        also: &["h"],
        about: "The memoryless H scheme of any slot law, exact: collisions, waits, cost (8.1.1, 8.1.2, eq. 8.6 to 8.8)",
        help: "Examples:
  airtab model contention slots --law uniform,ramp --n 2,5,10
  airtab model contention slots --law geometric --hazard 0.05,0.1,0.2 --lost 68
  airtab model contention slots --law weights --weights 4:3:2:1
  airtab model contention slots --law uniform,ramp,best,density --n 2 --lost 60

best is the law of a window that costs two stations least; density is the thesis' (8.19), scaled to it.",
        params: &[&[
            param("law", Kind::Word(&LAWS), "uniform", "How slots are drawn"),
            stations("2,3,5,10,15"),
            param("window", Kind::Count(1, WINDOW), "32", "C, slots; geometric and weights have none"),
            param(
                "hazard",
                Kind::Number(Excluded(0.0), Excluded(1.0)),
                "0.1",
                "Of geometric: the chance to send in a slot, having waited so far",
            ),
            param("weights", Kind::Numbers, "4:3:2:1", "Of weights: proportions of slots 0, 1, ..."),
            param("slot", Kind::Count(0, WINDOW), "0", "Whose probability to show"),
            LOST,
        ]],
        outputs: &[
            output("p_collision", "p_c\n", 4),
            output("wait_success", "W_T\nslots", 3),
            output("wait_collision", "W_C\nslots", 3),
            output("collisions", "R\nper success", 4),
            output("cost", "eq. 8.8\nslots", 4),
            output("wasted", "wasted\nslots", 4),
            output("p", "p(slot)\n", 5),
        ],
        random: false,
        compute: closed::slots,
    },
    Subject {
        name: "windows",
        also: &[],
        about: "Windows of the uniform law (C_eff) and of the ramp that collide with a given probability (8.1.1, 8.2)",
        help: "Examples:
  airtab model contention windows --collision 0.0303 --n 2
  airtab model contention windows --collision 0.07 --n 2,5,10,15,20 --out figures",
        params: &[&[
            stations("2,3,5,10,15"),
            param(
                "collision",
                Kind::Number(Excluded(0.0), Included(1.0)),
                "0.07",
                "p_c, the share of cycles that end in a collision",
            ),
        ]],
        outputs: &[
            output("uniform", "C_eff\nslots", 2),
            output("uniform_wait_success", "W_T\nslots", 3),
            output("uniform_wait_collision", "W_C\nslots", 3),
            output("ramp", "ramp\nslots", 2),
            output("ramp_wait_success", "W_T\nslots", 3),
            output("ramp_wait_collision", "W_C\nslots", 3),
        ],
        random: false,
        compute: closed::windows,
    },
    Subject {
        name: "waste",
        also: &[],
        about: "What contention wastes at best: uniform and ramp windows, and the hazard that is best of all (8.1.2)",
        help: "Examples:
  airtab model contention waste --lost 68
  airtab model contention waste --lost 20,68,200 --n 2,5 --out figures

Idle slots, and T slots for each collision, for each success. Among schemes without memory a constant
hazard is best: with two stations 1 / (1 + sqrt T), which wastes sqrt T.",
        params: &[&[stations("2,3,5,10,15,30"), LOST]],
        outputs: &[
            output("uniform_window", "uniform\nC", 0),
            output("uniform", "wasted\nslots", 4),
            output("ramp_window", "ramp\nCW", 0),
            output("ramp", "wasted\nslots", 4),
            output("hazard", "hazard\n", 5),
            output("optimum", "wasted\nslots", 4),
            output("attempts", "N h\na slot", 4),
            output("root", "sqrt T\nslots", 4),
        ],
        random: false,
        compute: closed::waste,
    },
    Subject {
        name: "density",
        also: &["pdf"],
        about: "The best slot law of two stations as a density (8.1.2, eq. 8.19, figure 8.1)",
        help: "Examples:
  airtab model contention density --time 4
  airtab model contention density --time 0.25,1,4,16 --t 0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1 --out figures

Of a window of C slots and a lost time of T of them, the time to put in is T / C^2.",
        params: &[&[
            param("time", Kind::Number(Excluded(0.0), Included(1e9)), "4", "T, in units of the window"),
            param(
                "t",
                Kind::Number(Included(0.0), Included(1.0)),
                "0,0.25,0.5,0.75,1",
                "Where in the window",
            ),
        ]],
        outputs: &[output("density", "p(t)\n", 4), output("distribution", "c(t)\n", 4)],
        random: false,
        compute: closed::of_density,
    },
    Subject {
        name: "airtime",
        also: &[],
        about: "What a packet costs among N stations, and what an ACK proves (9.2, eq. 9.1 to 9.4)",
        help: "Examples:
  airtab model contention airtime
  airtab model contention airtime --n 6 --covered 1460,2920,5840
  airtab model contention airtime --n 6 --header 0 --covered 1500,3000,6000
  airtab model contention airtime --bytes 40,1500 --profile std-11b

An ACK that covers a whole packet costs what a data packet does: that is what makes uploads pay.
std-11b has its MAC ACK at 2 Mb/s.",
        params: &[&[
            param(
                "n",
                Kind::Count(1, STATIONS),
                "1,2,4,6,7",
                "N, stations that contend; the access point is one",
            ),
            param("bytes", Kind::Count(0, 65_535), "1500", "IP bytes of the packet"),
            param(
                "covered",
                Kind::Count(0, 100_000_000),
                "1460",
                "Payload that the ACK newly acknowledges, bytes",
            ),
            param("ack", Kind::Count(0, 65_535), "40", "IP bytes of an ACK; 52 with timestamps"),
            param("header", Kind::Count(0, 1_000), "40", "Headers of a data packet, bytes; 0 as in ns-2"),
            param("mtu", Kind::Count(1_001, 65_535), "1500", "IP bytes of a full packet"),
            param("rate", Kind::Number(Included(1.0), Included(11.0)), "11", "Rate of data frames, Mb/s"),
            param("profile", Kind::Word(&PROFILES), "starzetz-11b", "802.11b, MAC ACK at 1 Mb/s or at 2"),
        ]],
        outputs: &[
            output("contention", "eq. 9.3\nslots", 3),
            output("packet", "T80211\nus", 1),
            output("data", "eta, data\nus", 1),
            output("ack", "eta, ACK\nus", 1),
        ],
        random: false,
        compute: closed::airtime,
    },
    Subject {
        name: "idle-sense",
        also: &[],
        about: "The window that Idle Sense aims at (8.2; Heusse et al., SIGCOMM 2005)",
        help: "Examples:
  airtab model contention idle-sense
  airtab model contention idle-sense --n 10 --lost 20,68.2,200",
        params: &[&[stations("2,3,5,10,15,20"), LOST]],
        outputs: &[
            output("attempts", "zeta\na slot", 5),
            output("idle", "n*\nslots", 3),
            output("probability", "P_e\na slot", 5),
            output("window", "window\nslots", 2),
        ],
        random: false,
        compute: closed::aims,
    },
    Subject {
        name: "tcf",
        also: &[],
        about: "p_s of TCF, where stations take turns in a fixed order without collisions (2.2, 8.2)",
        help: "Examples:
  airtab model contention tcf --n 15 --d 14,15,16",
        params: &[&[
            stations("5"),
            param("d", Kind::Count(1, 100_000), "1,4,5,6,40", "Successes to look ahead"),
        ]],
        outputs: &[output("again", "p_s(d)\n", 4), output("p_collision", "p_c\n", 4), output("t", "t\n", 4)],
        random: false,
        compute: closed::tcf,
    },
    Subject {
        name: "turns",
        also: &["permutation"],
        about: "Shares of stations that go through fixed sequences of slots (8.1.2)",
        help: "Examples:
  airtab model contention turns --station 1,2
  airtab model contention turns --slots 1:2:3/2:3:1/3:1:2 --station 1,2,3

All stations are one slot further in every cycle; the lowest slot sends.",
        params: &[&[
            param("slots", Kind::Sequences, "1:2:3:4/2:3:4:1", "Slots of each station, repeated"),
            param("station", Kind::Count(1, STATIONS), "1,2", "Whose share to show"),
        ]],
        outputs: &[
            output("share", "share\n", 4),
            output("p_collision", "p_c\n", 4),
            output("round", "round\ncycles", 0),
        ],
        random: false,
        compute: closed::turns,
    },
    Subject {
        name: "uploads",
        also: &["shares"],
        about: "Rule of thumb: uploads get 1/(M+1) of the capacity, downloads (1/(M+1))^2 (7.1)",
        help: "Examples:
  airtab model contention uploads --uploads 1,2,3,5

It ignores how many downloads there are. With a DropTail queue they get far less.",
        params: &[&[
            param("uploads", Kind::Count(0, STATIONS), "3", "M, stations that upload"),
            param("downloads", Kind::Count(0, STATIONS), "3", "Stations that download"),
        ]],
        outputs: &[
            output("upload", "an upload\n%", 2),
            output("download", "a download\n%", 2),
            output("ratio", "ratio\n", 2),
            output("jain", "Jain's\nindex", 3),
            output("sum", "all\n%", 2),
        ],
        random: false,
        compute: closed::uploads,
    },
    Subject {
        name: "pipe",
        also: &["regimes"],
        about: "What Reno flows do in a pipe of so many packets (7.1.1, after Qiu et al.)",
        help: "Examples:
  airtab model contention pipe --flows 6 --packets 5,10,60

small: some flows are shut off. intermediate: fair in the long run only. large: fair, and all together.",
        params: &[&[
            param("flows", Kind::Count(1, 1_000_000), "6", "N, flows of similar round-trip times"),
            param("packets", Kind::Count(1, 100_000_000), "5,12,60", "W, what link and queue hold, packets"),
        ]],
        outputs: &[words("regime", "pipe\n", &["small", "intermediate", "large"])],
        random: false,
        compute: closed::pipe,
    },
    Subject {
        name: "link",
        also: &[],
        about: "Corruption of frames by bit errors, range by the length of a slot (3.3.2)",
        help: "Examples:
  airtab model contention link --ber 1e-6,1e-5 --bytes 40,1500",
        params: &[&[
            param("ber", Kind::Number(Included(0.0), Included(1.0)), "1e-5", "Probability of a wrong bit"),
            param("bytes", Kind::Count(0, 65_535), "40,1500", "Length of a frame"),
            param("slot", Kind::Number(Excluded(0.0), Included(1e6)), "20", "Length of a slot, us"),
        ]],
        outputs: &[output("corrupted", "corrupted\n", 5), output("range", "range\nm", 0)],
        random: false,
        compute: closed::of_link,
    },
];
