// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Every way to get a scenario file wrong, and what the reader says about it.
//! The messages are frozen in `snapshots/`: read a change of them as a user would.

use airtab_scenario::{HOME, ScenarioFile};
use airtab_sim::traffic::Video;

/// The scenario that the cases spoil.
const RIGHT: &str = include_str!("../../../scenarios/game-call-download.toml");

/// Name of the case, text of the scenario to replace, its replacement.
const CASES: &[(&str, &str, &str)] = &[
    ("unknown key at the top", "duration = ", "durration = "),
    ("unknown key far from any", "[wifi]", "[wifi]\nchannel = 6"),
    ("unknown table", "[wired]", "[wires]"),
    ("unknown key of an application", "class = 1", "clas = 1"),
    ("time without unit", "duration = \"330s\"", "duration = 330"),
    ("time with the unit of a rate", "trunk_latency = \"1ms\"", "trunk_latency = \"1Mb/s\""),
    ("negative time", "stop = \"330s\"", "stop = \"-5s\""),
    ("no time at all", "duration = \"330s\"", "duration = \"0s\""),
    ("too long", "duration = \"330s\"", "duration = \"1000000s\""),
    ("more than 64 bits", "duration = \"330s\"", "duration = \"99999999999999999999s\""),
    ("measured past the end", "\"270s\"]", "\"331s\"]"),
    ("measured part empty", "[\"90s\", \"270s\"]", "[\"270s\", \"270s\"]"),
    ("measured part of three times", "[\"90s\", \"270s\"]", "[\"90s\", \"100s\", \"270s\"]"),
    ("measured part of numbers", "[\"90s\", \"270s\"]", "[90, 270]"),
    ("measured part is one time", "[\"90s\", \"270s\"]", "\"90s\""),
    ("unknown profile", "\"phy-a\"", "\"phy-b\""),
    ("profile is a number", "\"phy-a\"", "11"),
    ("no attempts", "attempts = 7", "attempts = 0"),
    ("too many attempts", "attempts = 7", "attempts = 256"),
    ("attempts as text", "attempts = 7", "attempts = \"7\""),
    ("attempts with a fraction", "attempts = 7", "attempts = 7.5"),
    ("backoff rule", "attempts = 7", "backoff = \"bianci\""),
    ("delivery rule", "attempts = 7", "deliver_on = \"later\""),
    ("eifs as text", "attempts = 7", "eifs = \"yes\""),
    ("beacon interval", "attempts = 7", "beacon_interval = \"never\""),
    ("beacon bytes", "attempts = 7", "beacon_bytes = 1"),
    ("uplink packets", "attempts = 7", "uplink_packets = 0"),
    ("slot of nothing", "attempts = 7", "slot = \"0us\""),
    ("preamble without unit", "attempts = 7", "preamble = 96"),
    ("window that is none", "attempts = 7", "cw_min = 20"),
    ("window of one slot", "attempts = 7", "cw_max = 0"),
    ("least window above the largest", "attempts = 7", "cw_min = 2047"),
    ("largest window below the least", "attempts = 7", "cw_max = 7"),
    ("ACK rate too fine", "attempts = 7", "ack_rate = \"5500001b/s\""),
    ("EIFS rate too low", "attempts = 7", "eifs_rate = \"10kb/s\""),
    ("beacon rate as number", "attempts = 7", "beacon_rate = 6"),
    ("path-loss exponent", "attempts = 7", "path_loss_exponent = 0"),
    ("no deviation", "attempts = 7", "shadowing_deviation = 0"),
    ("margin as text", "attempts = 7", "link_margin = \"33 dB\""),
    ("windows of the emulator", "attempts = 7", "medium = \"emulator\"\ncw_min = 15\neifs_rate = \"6Mb/s\""),
    ("rates in Mb/s with a profile by MCS", "phy = \"phy-a\"", "phy = \"std-11n\""),
    ("rate of no mixed cell", "phy = \"phy-a\"", "phy = \"std-11bg\"\nslot = \"1s\""),
    ("wired rate 0", "\"100Mb/s\"", "\"0Mb/s\""),
    ("wired queue 0", "rate = \"100Mb/s\"", "queue = 0"),
    ("limit 0", "chap.limit = 35", "limit = 0"),
    ("limit as text", "chap.limit = 35", "limit = \"many\""),
    ("limit beyond a discipline", "chap.limit = 35", "limit = 100000"),
    ("unknown discipline", "chap.limit = 35", "chop.limit = 35"),
    ("discipline is a number", "chap.limit = 35", "chap = 25"),
    ("unknown parameter", "chap.limit = 35", "chap.incrments = \"25ms\""),
    ("parameter out of range", "chap.limit = 35", "chap.increment = \"1h\""),
    ("parameter outside 1 to 16", "spq.limit = 35", "spq.classes = 17"),
    ("too many values", "spq.limit = 35", "spq.classes = [1, 2]"),
    ("choice", "chap.limit = 35", "chap.profile = \"fast\""),
    ("rule between parameters", "chap.limit = 35", "chap.limit = 35\nchap.flows = 20"),
    ("station name twice", "name = \"phone\"", "name = \"console\""),
    ("station name empty", "name = \"phone\"", "name = \"\""),
    ("station name with a line break", "name = \"phone\"", "name = \"a\\nb\""),
    ("station without name", "name = \"phone\"", ""),
    ("station rate without unit", "\"54Mb/s\"\ndistance = 1.0                #", "\"54\" #"),
    ("station rate 0", "\"54Mb/s\"\ndistance = 1.0                #", "\"0Mb/s\" #"),
    ("station rate too high", "\"54Mb/s\"\ndistance = 1.0                #", "\"100Gb/s\" #"),
    ("station rate not of OFDM", "\"54Mb/s\"\ndistance = 1.0                #", "\"55Mb/s\" #"),
    ("station rate not of DSSS", "\"phy-a\"", "\"std-11b\""),
    ("station rate too fine", "\"54Mb/s\"\ndistance = 1.0                #", "\"5500001b/s\" #"),
    ("distance 0", "distance = 1.0                #", "distance = 0 #"),
    ("distance below 0", "distance = 1.0                #", "distance = -1 #"),
    ("distance too far", "distance = 1.0                #", "distance = \"2 km\" #"),
    ("distance 1001 m", "distance = 1.0                #", "distance = 1001 #"),
    ("distance not a number", "distance = 1.0                #", "distance = nan #"),
    ("error rate above 1", "distance = 1.0                #", "fer = 1.5 #"),
    ("error rate as text", "distance = 1.0                #", "fer = \"high\" #"),
    ("distance and error rate", "distance = 1.0                #", "distance = 1\nfer = 0.1 #"),
    ("a discipline of a station's own", "name = \"phone\"", "name = \"phone\"\nuplink = \"fq_codle\""),
    ("its parameter", "name = \"phone\"", "name = \"phone\"\nuplink = \"fq_codel:limt=100\""),
    ("its value", "name = \"phone\"", "name = \"phone\"\nuplink = \"chap:limit=0\""),
    ("no text", "name = \"phone\"", "name = \"phone\"\nuplink = 1000"),
    (
        "a station's discipline on the emulated link",
        "attempts = 7",
        "medium = \"emulator\"\n[[station]]\nname = \"a\"\nuplink = \"fifo\"",
    ),
    ("application name twice", "name = \"call\"", "name = \"game\""),
    ("application called like the access point", "name = \"call\"", "name = \"ap\""),
    ("application without kind", "kind = \"voip\"", ""),
    ("unknown kind", "kind = \"voip\"", "kind = \"phone\""),
    ("unknown station", "station = \"laptop\"", "station = \"labtop\""),
    ("stop before start", "stop = \"270s\"", "stop = \"80s\""),
    ("stop after the end", "stop = \"270s\"", "stop = \"400s\""),
    ("class too high", "class = 1", "class = 255"),
    ("class below 0", "class = 1", "class = -1"),
    (
        "latency too long",
        "latency = \"1ms\"\n\n[[app]]\nname = \"call\"",
        "latency = \"11s\"\n\n[[app]]\nname = \"call\"",
    ),
    ("unknown congestion control", "\"cubic\"", "\"tahoe\""),
    ("congestion control of a call", "kind = \"voip\"", "kind = \"voip\"\ncongestion = \"cubic\""),
    ("one table instead of a list", "[[station]]\nname = \"console\"", "[station]\nname = \"console\""),
    ("key twice", "attempts = 7", "attempts = 7\nattempts = 8"),
    ("text without end", "name = \"game-call-download\"", "name = \"game-call-download"),
    ("limit 0 of one discipline", "fifo.limit = 35", "fifo.limit = 0"),
    ("rate below 0", "\"54Mb/s\"\ndistance = 1.0                #", "\"-54Mb/s\" #"),
    ("distance 1001 m as text", "distance = 1.0                #", "distance = \"1001 m\" #"),
    ("ends before anything is measured", "duration = \"330s\"", "duration = \"60s\""),
    ("redundancy of a video", "kind = \"voip\"", "kind = \"video\"\nfec = \"huge\""),
    ("redundancy of a call", "kind = \"voip\"", "kind = \"voip\"\nfec = \"small\""),
    ("trace of a call", "kind = \"voip\"", "kind = \"voip\"\ntrace = \"movie.txt\""),
    ("trace that is not there", "kind = \"voip\"", "kind = \"video\"\ntrace = \"no/movie.txt\""),
    ("trace is a number", "kind = \"voip\"", "kind = \"video\"\ntrace = 7"),
    ("trace is a folder", "kind = \"voip\"", "kind = \"video\"\ntrace = \".\""),
    ("sizes of the synthetic video", "kind = \"voip\"", "kind = \"video\"\ntrace_sizes = \"bits\""),
    ("unit of sizes", "kind = \"voip\"", "kind = \"video\"\ntrace = \"no/movie.txt\"\ntrace_sizes = \"kB\""),
    ("no flow", "kind = \"voip\"", "kind = \"p2p\"\nflows = 0"),
    ("too many flows", "kind = \"voip\"", "kind = \"p2p\"\nflows = 1001"),
    ("a stream without rate", "kind = \"voip\"", "kind = \"udp\""),
    ("packets that do not fit", "kind = \"voip\"", "kind = \"udp\"\nrate = \"1Mb/s\"\nbytes = 9000"),
    ("gaps of a stream", "kind = \"voip\"", "kind = \"udp\"\nrate = \"1Mb/s\"\ngaps = \"pareto\""),
    ("rate of a stream", "kind = \"voip\"", "kind = \"udp\"\nrate = \"100bit\""),
    ("nearly the word for a saturated stream", "kind = \"voip\"", "kind = \"udp\"\nrate = \"maximum\""),
    ("gaps of a saturated stream", "kind = \"voip\"", "kind = \"udp\"\nrate = \"max\"\ngaps = \"constant\""),
    (
        "phase and wires of a saturated stream",
        "kind = \"game\"",
        "kind = \"udp\"\nrate = \"max\"\nphase = \"1ms\"\nlatency_up = \"2ms\"",
    ),
    ("phase of a download", "kind = \"download\"", "kind = \"download\"\nphase = \"1ms\""),
    ("phase without unit", "kind = \"voip\"", "kind = \"voip\"\nphase = 3"),
    ("an unknown server", "kind = \"voip\"", "kind = \"voip\"\nserver = \"far\""),
    (
        "a server that is nearly known, and a latency beside it",
        "[[app]]\nname = \"game\"",
        "[[server]]\nname = \"far\"\n\n[[app]]\nserver = \"fra\"\nname = \"game\"",
    ),
    (
        "two servers of one name, of no rate and not a key",
        "[[app]]\nname = \"game\"",
        "[[server]]\nname = \"a\"\nrate = \"0b/s\"\n[[server]]\nname = \"a\"\nlatenzy = \"1ms\"\n\n[[app]]\nname = \"game\"",
    ),
    ("latency upwards too long", "rate = \"100Mb/s\"", "trunk_latency_up = \"11s\""),
    ("rate of a call", "kind = \"voip\"", "kind = \"voip\"\nrate = \"64kb/s\""),
    ("measured before it starts", "kind = \"download\"", "kind = \"download\"\nmeasure = [\"1s\", \"90s\"]"),
    ("measured beyond the end", "kind = \"voip\"", "kind = \"voip\"\nmeasure = [\"1s\", \"900s\"]"),
    ("scored on what", "duration = ", "mos_direction = \"up\"\nduration = "),
    ("upload of a download", "kind = \"download\"", "kind = \"download\"\nupload = true"),
    ("upload is a text", "kind = \"download\"", "kind = \"p2p\"\nupload = \"yes\""),
    ("ladder that falls", "kind = \"voip\"", "kind = \"streaming\"\nladder = [\"2Mb/s\", \"1Mb/s\"]"),
    ("ladder without units", "kind = \"voip\"", "kind = \"streaming\"\nladder = [1, 2]"),
    ("empty ladder", "kind = \"voip\"", "kind = \"streaming\"\nladder = []"),
    ("site of a web application", "kind = \"voip\"", "kind = \"web\"\nsite = \"bbc\""),
    ("reading without a site", "kind = \"voip\"", "kind = \"web\"\nreading = \"1s\""),
    ("client of a web application", "kind = \"voip\"", "kind = \"web\"\nclient = \"firefox\""),
    ("site of a download", "kind = \"download\"", "kind = \"download\"\nsite = \"cnn\""),
    ("pings without pause", "kind = \"voip\"", "kind = \"ping\"\ninterval = \"0s\""),
    ("buffer of one segment", "kind = \"voip\"", "kind = \"streaming\"\nbuffer = \"7s\""),
    ("segment of a video", "kind = \"voip\"", "kind = \"video\"\nsegment = \"4s\""),
    ("flows of a download", "kind = \"download\"", "kind = \"download\"\nflows = 2"),
    ("reconnects of an upload", "kind = \"download\"", "kind = \"upload\"\nreconnect = \"1s\""),
    ("reconnects without end", "kind = \"download\"", "kind = \"download\"\nreconnect = \"0s\""),
    ("reconnects without unit", "kind = \"download\"", "kind = \"download\"\nreconnect = 1"),
    ("no users", "kind = \"voip\"", "kind = \"voip\"\nusers = 0"),
    ("users who never begin", "kind = \"voip\"", "kind = \"voip\"\nwithin = \"330s\""),
    ("starts at the end", "start = \"90s\"\nstop = \"270s\"", "start = \"330s\""),
    ("unknown medium", "attempts = 7", "medium = \"emulater\"\nextra_delay = \"2ms\""),
    ("backoff of the emulator", "attempts = 7", "medium = \"emulator\"\nbackoff = \"bianchi\""),
    ("beacons of the emulator", "attempts = 7", "medium = \"emulator\"\nbeacon_interval = \"off\""),
    ("extra delay of a channel", "attempts = 7", "extra_delay = \"2ms\""),
    ("extra delay without unit", "attempts = 7", "medium = \"emulator\"\nextra_delay = 2"),
    ("extra delay too long", "attempts = 7", "medium = \"emulator\"\nextra_delay = \"11s\""),
    ("unknown profile of TCP", "[wired]", "[tcp]\nprofile = \"windows\"\n[wired]"),
    ("unknown key of TCP", "[wired]", "[tcp]\nnagle = true\n[wired]"),
    ("timestamps of TCP by another name", "[wired]", "[tcp]\ntimestamps = true\n[wired]"),
    ("SACK of TCP by another name", "[wired]", "[tcp]\nsack = false\n[wired]"),
    ("segments of TCP too long", "[wired]", "[tcp]\nmss = 9000\n[wired]"),
    ("PRR without SACK", "[wired]", "[tcp]\nrecovery = \"newreno\"\nprr = true\n[wired]"),
    ("HyStart without timestamps", "[wired]", "[tcp]\nhystart = true\n[wired]"),
    ("beta of CUBIC", "[wired]", "[tcp]\ncubic_beta = 1\n[wired]"),
    ("alpha of Vegas", "[wired]", "[tcp.vegas]\nalpha = 5\n[wired]"),
    ("beta of Vegas", "[wired]", "[tcp.vegas]\nbeta = 1\ngamma = 0\n[wired]"),
    ("k of TCP-D", "[wired]", "[tcp.tcp_d]\nk = 0\neps = 0.96\nq = 0.6\nform = \"mean\"\n[wired]"),
    ("unknown key of TCP-D", "[wired]", "[tcp.tcp_d]\nalpha = 2\n[wired]"),
    ("way of TCP-AP", "[wired]", "[tcp.tcp_ap]\nhops = 0\nrate = \"1kb/s\"\n[wired]"),
    ("TCP-AP without a way", "congestion = \"cubic\"", "congestion = \"tcp_ap\""),
    ("filter of Westwood", "[wired]", "[tcp.westwood]\nfilter = \"plus\"\n[wired]"),
    ("voice of a call", "kind = \"voip\"", "kind = \"voip\"\nvoice_bytes = 100"),
    (
        "a conference of nothing",
        "kind = \"voip\"",
        "kind = \"proshare\"\nvoice_bytes = 0\nvoice_interval = \"0s\"\nframe_rate = 0\nframe_bytes = 0",
    ),
    ("frames that scatter too far", "kind = \"voip\"", "kind = \"proshare\"\nframe_deviation = 900"),
    ("packets beyond a frame", "kind = \"voip\"", "kind = \"proshare\"\nsplit = 1500\nspacing = 1.3"),
    (
        "sizes of frames of nothing",
        "kind = \"voip\"",
        "kind = \"mpeg\"\ni_bytes = 0\np_bytes = \"1ms\"\nsigma = 3",
    ),
    ("capture without keys", "kind = \"voip\"", "kind = \"trace\""),
    (
        "capture that is not there",
        "kind = \"voip\"",
        "kind = \"trace\"\nfile = \"no-such.pcapng\"\nclient = \"10.0.0.1\"",
    ),
    (
        "capture of nobody",
        "kind = \"voip\"",
        "kind = \"trace\"\nfile = \"no-such.pcapng\"\nclient = \"laptop\"\nrepeat = 0\nscale = 0\ngap = 5",
    ),
    (
        "capture at no scale",
        "kind = \"voip\"",
        "kind = \"trace\"\nfile = 5\nclient = 10\nrepeat = \"yes\"\nscale = nan",
    ),
    (
        "keys of a capture",
        "kind = \"voip\"",
        "kind = \"voip\"\nfile = \"x\"\nclient = \"10.0.0.1\"\ngap = \"1s\"",
    ),
    ("scale as text", "kind = \"voip\"", "kind = \"mpeg\"\nscale = \"0.93\""),
    ("scale and course", "kind = \"voip\"", "kind = \"mpeg\"\nscale = 0.93\ncourse = [[\"0s\", 1]]"),
    ("course that goes back", "kind = \"voip\"", "kind = \"mpeg\"\ncourse = [[\"9s\", 1], [\"8s\", 1]]"),
    ("course past the end", "kind = \"voip\"", "kind = \"mpeg\"\ncourse = [[\"400s\", 1]]"),
    ("course of nothing", "kind = \"voip\"", "kind = \"mpeg\"\ncourse = []"),
    ("course without times", "kind = \"voip\"", "kind = \"mpeg\"\ncourse = [1, 2]"),
    ("course out of range", "kind = \"voip\"", "kind = \"mpeg\"\ncourse = [[\"0s\", 0]]"),
    ("course of a call", "kind = \"voip\"", "kind = \"voip\"\ncourse = [[\"0s\", 1]]"),
    ("jitter beyond a gap", "kind = \"voip\"", "kind = \"udp\"\nrate = \"1Mb/s\"\njitter = \"110%\""),
    (
        "jitter of exponential gaps",
        "kind = \"voip\"",
        "kind = \"udp\"\nrate = \"1Mb/s\"\ngaps = \"exponential\"\njitter = \"10%\"",
    ),
    ("jitter of a saturated stream", "kind = \"voip\"", "kind = \"udp\"\nrate = \"max\"\njitter = \"10%\""),
    ("jitter of a call", "kind = \"voip\"", "kind = \"voip\"\njitter = \"10%\""),
    (
        "rate and course",
        "kind = \"voip\"",
        "kind = \"udp\"\nrate = \"1Mb/s\"\ncourse = [[\"0s\", \"1Mb/s\"], [\"9s\", \"2Mb/s\"]]",
    ),
    (
        "rates and course",
        "kind = \"voip\"",
        "kind = \"udp\"\ncourse = [[\"0s\", \"1Mb/s\"]]\nrates = { start = \"1Mb/s\", max = \"2Mb/s\", steps = 2, each = \"1s\" }",
    ),
    ("course without units", "kind = \"voip\"", "kind = \"udp\"\ncourse = [[\"0s\", 1000]]"),
    ("course of silence", "kind = \"voip\"", "kind = \"udp\"\ncourse = [[\"0s\", \"0b/s\"]]"),
    ("course too fast", "kind = \"voip\"", "kind = \"udp\"\ncourse = [[\"0s\", \"11Gb/s\"]]"),
    ("course of three", "kind = \"voip\"", "kind = \"udp\"\ncourse = [[\"0s\", \"1Mb/s\", \"2Mb/s\"]]"),
    (
        "no browsers",
        "kind = \"voip\"",
        "kind = \"http\"\nbrowsers = 0\nconnections = 40000\nthink = 43\nparallel = \"4\"",
    ),
    ("pages of half an object", "kind = \"voip\"", "kind = \"http\"\nobjects = 0.5\nrequest = 0"),
    ("objects that are all cut", "kind = \"voip\"", "kind = \"http\"\nobject_most = 1000"),
    ("browsers of a call", "kind = \"voip\"", "kind = \"voip\"\nbrowsers = 3000"),
    ("volume of nothing", "kind = \"download\"", "kind = \"download\"\nvolume = \"0B\""),
    ("volume without unit of size", "kind = \"download\"", "kind = \"upload\"\nvolume = \"10s\""),
    ("volume of a stream", "kind = \"voip\"", "kind = \"udp\"\nrate = \"1Mb/s\"\nvolume = \"10MB\""),
    ("repeats what never ends", "kind = \"download\"", "kind = \"download\"\nrepeat = true"),
    ("leaves what ends", "kind = \"download\"", "kind = \"download\"\nvolume = \"1MB\"\nreconnect = \"1s\""),
    (
        "rate and rates",
        "kind = \"voip\"",
        "kind = \"udp\"\nrate = \"1Mb/s\"\nrates = { start = \"1Mb/s\", max = \"2Mb/s\", steps = 2, each = \"1s\" }",
    ),
    (
        "rates that fall",
        "kind = \"voip\"",
        "kind = \"udp\"\nrates = { start = \"2Mb/s\", max = \"1Mb/s\", steps = 2, each = \"1s\" }",
    ),
    (
        "rates without steps",
        "kind = \"voip\"",
        "kind = \"udp\"\nrates = { start = \"1Mb/s\", max = \"2Mb/s\" }",
    ),
    (
        "rates by both",
        "kind = \"voip\"",
        "kind = \"udp\"\nrates = { start = \"1Mb/s\", max = \"2Mb/s\", steps = 2, add = \"1Mb/s\", each = \"1s\" }",
    ),
    ("rates of a call", "kind = \"voip\"", "kind = \"voip\"\nrates = { start = \"1Mb/s\" }"),
    ("no acknowledgements", "[wired]", "[tcp]\nack_every = 0\ndelayed_ack = \"0s\"\n[wired]"),
    ("an unknown contention rule", "attempts = 7", "access = \"hash\""),
    ("a rule that is a number", "attempts = 7", "access = 7"),
    ("a table without a rule", "attempts = 7", "access = { offset = 3 }"),
    ("a key of another rule", "attempts = 7", "access = { rule = \"h\", offset = 3 }"),
    ("no offset", "attempts = 7", "access = { rule = \"dcf-m\", offset = 0 }"),
    ("windows of a rule", "attempts = 7", "access = { rule = \"dcf\", cw_min = 20 }"),
    ("windows of a rule in the wrong order", "attempts = 7", "ap_access = { rule = \"dcf\", cw_min = 2047 }"),
    ("no table", "attempts = 7", "access = { rule = \"h\", c = 0 }"),
    ("no ramp", "attempts = 7", "ap_access = { rule = \"hash1\", c = 100000 }"),
    ("no window", "attempts = 7", "access = { rule = \"idle-sense\", cw = 0 }"),
    ("a window by another word", "attempts = 7", "access = { rule = \"idle-sense\", cw = \"aimd\" }"),
    ("a target of a fixed window", "attempts = 7", "access = { rule = \"idle-sense\", cw = 20, target = 5 }"),
    ("no target", "attempts = 7", "access = { rule = \"idle-sense\", cw = \"adapt\", target = 0 }"),
    ("a hazard of 1", "attempts = 7", "access = { rule = \"geometric\", hazard = 1 }"),
    ("a hazard of 0", "attempts = 7", "access = { rule = \"geometric\", hazard = 0.0 }"),
    ("a hazard as text", "attempts = 7", "access = { rule = \"geometric\", hazard = \"0.1\" }"),
    ("slots by name alone", "attempts = 7", "access = \"slots\""),
    ("slots without weights", "attempts = 7", "access = { rule = \"slots\", doubles = false }"),
    ("weights of nothing", "attempts = 7", "access = { rule = \"slots\", weights = [] }"),
    ("weights that are all 0", "attempts = 7", "access = { rule = \"slots\", weights = [0, 0.0] }"),
    ("a weight below 0", "attempts = 7", "access = { rule = \"slots\", weights = [1, -1] }"),
    ("a weight as text", "attempts = 7", "access = { rule = \"slots\", weights = [\"1\"] }"),
    ("weights without end", "attempts = 7", "access = { rule = \"slots\", weights = [1, inf] }"),
    ("an order of slots", "attempts = 7", "access = { rule = \"slots\", weights = [1], order = \"random\" }"),
    ("an interframe space off the slots", "attempts = 7", "access = { rule = \"dcf\", ifs = \"30us\" }"),
    ("an interframe space too long", "attempts = 7", "access = { rule = \"dcf\", ifs = \"910us\" }"),
    ("TCF of the access point alone", "attempts = 7", "ap_access = \"tcf\""),
    ("TCF of one station alone", "name = \"phone\"", "name = \"phone\"\naccess = \"tcf\""),
    ("a rule of a station", "name = \"phone\"", "name = \"phone\"\naccess = { rule = \"h\", c = 0 }"),
    ("a rule on the emulated link", "attempts = 7", "medium = \"emulator\"\naccess = \"h\"\nwinners = true"),
    (
        "a station's rule on the emulated link",
        "attempts = 7",
        "medium = \"emulator\"\n[[station]]\nname = \"a\"\naccess = \"h\"",
    ),
    ("a rule beside access categories", "phy = \"phy-a\"", "phy = \"std-11n\"\naccess = \"h\""),
    ("winners as text", "attempts = 7", "winners = \"all\""),
    ("tabs before the mark", "attempts = 7", "\tattempts = \t300"),
];

#[test]
fn every_message() {
    let mut all = String::new();
    for (case, from, to) in CASES {
        assert!(RIGHT.contains(from), "{case}: '{from}' is not in the scenario");
        let text = RIGHT.replacen(from, to, 1);
        let message = match ScenarioFile::parse("home.toml", &text) {
            Ok(_) => panic!("{case}: accepted"),
            Err(e) => e.to_string(),
        };
        all.push_str(&format!("--- {case}\n{message}\n"));
    }
    for (case, text) in [
        ("empty file", ""),
        ("not TOML", "<scenario/>"),
        ("no stations and applications", "duration = \"1s\"\nstation = []\napp = []"),
        ("stations are numbers", "duration = \"1s\"\nstation = [1]\napp = 2"),
    ] {
        let message = ScenarioFile::parse("home.toml", text).expect_err(case);
        all.push_str(&format!("--- {case}\n{message}\n"));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_cut_file_is_refused_or_whole() {
    // Cut anywhere, the file is wrong or still says something complete; never a panic.
    for end in (0..HOME.len()).filter(|i| HOME.is_char_boundary(*i)) {
        let _ = ScenarioFile::parse("cut.toml", &HOME[..end]);
    }
    let in_the_middle = &HOME[..HOME.find("[[app]]").expect("there are applications")];
    let message = ScenarioFile::parse("cut.toml", in_the_middle).unwrap_err().to_string();
    assert_eq!(message, "cut.toml: no application: at least one [[app]] is needed");
}

#[test]
fn more_stations_than_802_11_can_number() {
    let stations = |n: usize| (0..n).map(|i| format!("[[station]]\nname = \"s{i}\"\n")).collect::<String>();
    let app = "[[app]]\nname = \"g\"\nkind = \"game\"\nstation = \"s0\"\n";
    let file = |n| format!("duration = \"1s\"\n{}{app}", stations(n));
    assert!(ScenarioFile::parse("many.toml", &file(2007)).is_ok());
    let message = ScenarioFile::parse("many.toml", &file(2008)).unwrap_err().to_string();
    assert!(message.contains("2008 stations: at most 2007"), "{message}");
    // One problem: the application's station is there.
    let message = ScenarioFile::parse("many.toml", &file(10_000)).unwrap_err().to_string();
    let expected = "many.toml: 10000 stations: at most 2007, where the association numbers of 802.11 end";
    assert_eq!(message, expected);
    let message = ScenarioFile::parse("many.toml", &file(0)).unwrap_err().to_string();
    assert_eq!(message, "many.toml: no station: at least one [[station]] is needed");
}

#[test]
fn more_flows_than_a_cell_can_tell_apart() {
    let peer = |i| format!("[[app]]\nname = \"p{i}\"\nkind = \"p2p\"\nstation = \"s\"\nflows = 1000\n");
    let file = |n| {
        let peers = (0..n).map(peer).collect::<String>();
        format!("duration = \"1s\"\n[[station]]\nname = \"s\"\n{peers}")
    };
    assert!(ScenarioFile::parse("peers.toml", &file(65)).is_ok());
    let message = ScenarioFile::parse("peers.toml", &file(66)).unwrap_err().to_string();
    assert_eq!(message, "peers.toml: 66000 flows of all applications: at most 65535");
}

#[test]
fn users_that_cannot_be() {
    let refused = |kind: &str, keys: &str| {
        let app = format!("[[app]]\nname = \"a\"\nkind = \"{kind}\"\nstation = \"s\"\n{keys}\n");
        let text = format!("duration = \"10s\"\n[[station]]\nname = \"s\"\ncount = 3\n{app}");
        ScenarioFile::parse("users.toml", &text).err().map(|e| e.to_string())
    };
    assert_eq!(refused("web", "users = 10000\nwithin = \"9999ms\""), None);
    for (keys, expected) in [
        ("users = 0", "[[app]] users: '0' is outside 1 to 10000"),
        ("users = 10001", "[[app]] users: '10001' is outside 1 to 10000"),
        ("users = \"ten\"", "[[app]] users: "),
        ("users = 2\nstations = 3", "[[app]] stations: 3: 1 to as many as it has users, which are 2"),
        ("users = 9\nstations = 4", "[[app]] stations: '4' is outside 1 to 3"),
        (
            "users = 2\nwithin = \"10s\"",
            "[[app]] within: its users must begin before it stops: less than 10s",
        ),
        ("users = 2\nwithin = 3", "[[app]] within: "),
    ] {
        let message = refused("web", keys).expect(keys);
        assert!(message.contains(expected), "{message}");
    }
    let message = refused("p2p", "users = 6554").expect("too many");
    assert_eq!(message, "users.toml: 65540 flows of all applications: at most 65535");
}

/// The emulated link has no queue at its stations that could be kept full.
#[test]
fn nothing_saturates_the_uplink_of_the_emulator() {
    let with = |keys: &str| {
        let app = format!("[[app]]\nname = \"a\"\nkind = \"udp\"\nstation = \"s\"\n{keys}\n");
        let text = format!("duration = \"1s\"\nwifi.medium = \"emulator\"\n[[station]]\nname = \"s\"\n{app}");
        ScenarioFile::parse("up.toml", &text).err().map(|e| e.to_string())
    };
    assert_eq!(with("rate = \"max\""), None);
    assert_eq!(with("rate = \"1Mb/s\"\nupload = true"), None);
    let expected =
        "up.toml: application a: rate: the emulated link has no uplink queue that could be kept full";
    assert_eq!(with("rate = \"max\"\nupload = true").as_deref(), Some(expected));
}

/// A scenario and a trace in a folder of their own.
fn with_trace(trace: &str) -> Result<ScenarioFile, String> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = folder.path();
    std::fs::create_dir_all(folder.join("traces")).unwrap();
    std::fs::write(folder.join("traces/movie.txt"), trace).unwrap();
    let scenario = "duration = \"1s\"\n[[station]]\nname = \"tv\"\n[[app]]\nname = \"film\"\nkind = \"video\"\n\
                    trace = \"traces/movie.txt\"\nstation = \"tv\"\n";
    std::fs::write(folder.join("film.toml"), scenario).unwrap();
    ScenarioFile::load(&folder.join("film.toml"))
        .map_err(|e| e.to_string().replace(folder.to_str().unwrap(), ""))
}

#[test]
fn a_trace_is_read_beside_its_scenario_and_blamed_itself() {
    let file = with_trace("0 I 5000\n1 P 900\n").unwrap();
    let airtab_sim::AppKind::Video(Video { frames, .. }) = &file.scenario.apps[0].kind else {
        panic!("no video")
    };
    assert_eq!(frames.0.iter().map(|f| f.bytes).collect::<Vec<_>>(), [5000, 900]);
    assert_eq!(
        with_trace("# Number of Frames: 4\n0 I 5000\n1 P 900\n").unwrap_err(),
        "/traces/movie.txt: has 2 frames, and line 1 says another number: is it cut short?"
    );
    assert_eq!(
        with_trace("0 I 5000\n1 P many\n").unwrap_err(),
        "/traces/movie.txt:2:5: is not the size of a frame: 1 to 1000000 bytes, a whole number"
    );
}
