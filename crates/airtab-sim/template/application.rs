// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Template: one sentence on who sends what, and when.
//!
//! Source: where the application was described, section by section. This one is a sensor: it reports once in each
//! interval, and its server answers.
//!
//! What it does not do: what a reader might expect and will not find here.

use super::{Application, Broken, Io, Kind, Setting};

/// Such an application: what a scenario says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// From one report to the next, ns.
    pub interval_ns: u64,
}

/// IP packet of a report and of its answer, bytes.
const REPORT: u32 = 128;
const ANSWER: u32 = 64;

impl Kind for Template {
    type Application = Sensor;
    /// CoAP's (RFC 7252).
    const PORT: u16 = 5683;

    fn check(&self) -> Result<(), Broken> {
        Broken::unless(self.interval_ns > 0, "interval", "must not be 0")
    }

    fn user(&self, setting: &Setting) -> Sensor {
        // A random phase, so that users do not march in step.
        Sensor { interval_ns: self.interval_ns, phase_ns: setting.phase(&mut setting.draws(), self.interval_ns) }
    }
}

/// One user's sensor, and its server.
#[derive(Debug)]
pub struct Sensor {
    interval_ns: u64,
    phase_ns: u64,
}

impl Application for Sensor {
    fn start(&mut self, io: &mut Io) {
        io.timer(io.now() + self.phase_ns, 0);
    }

    fn timer(&mut self, due: u64, key: u16, io: &mut Io) {
        io.timer(due + self.interval_ns, key);
        io.send(true, REPORT, 0);
    }

    fn datagram(&mut self, up: bool, _: u32, _: u32, io: &mut Io) {
        if up {
            io.send(false, ANSWER, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::Action;

    #[test]
    fn a_report_in_each_interval_and_an_answer_to_each() {
        let setting = Setting { seed: 1, app: "sensor", user: 0, users: 1, active_ns: 0, phase_ns: None };
        let (mut sensor, mut io) = (Template { interval_ns: 1000 }.user(&setting), Io::default());
        sensor.start(io.at(5000));
        let Some(Action::Timer { at, key }) = io.poll() else { panic!("no timer") };
        assert!((5000..6000).contains(&at) && io.poll().is_none());
        sensor.timer(at, key, io.at(at));
        assert_eq!(io.poll(), Some(Action::Timer { at: at + 1000, key }));
        assert_eq!(io.poll(), Some(Action::Send { up: true, bytes: REPORT, tag: 0 }));
        sensor.datagram(true, REPORT, 0, io.at(at + 10));
        assert_eq!(io.poll(), Some(Action::Send { up: false, bytes: ANSWER, tag: 0 }));
        sensor.datagram(false, ANSWER, 0, io.at(at + 20));
        assert_eq!(io.poll(), None);
    }
}
