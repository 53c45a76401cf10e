// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The worst wait that bursts can cause (CHAP dissertation 5.4): flows that were idle for long hold 2I
//! each, and burst together just when another, which is always backlogged, has nothing left.
//!
//! What it does not do: bursts of flows that the discipline has forgotten, or does not know yet.

use std::iter;

use airtab_core::{ParamError, Params};

use super::{Arrivals, Flow, Server};

/// What the starved flow saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Starvation {
    /// What it had left when the bursts came, ns: from 0 to a packet's cost.
    pub left_ns: i64,
    /// How long its next packet waited, ns.
    pub wait_ns: u64,
}

/// Lets `bursts` idle flows burst at once; a packet of anybody takes `service_ns`. `chap` are that
/// discipline's parameters; its `limit` and `flows` are set to what is needed.
///
/// # Errors
/// If the queue cannot hold the bursts.
///
/// # Panics
/// If the parameters are those of a discipline without `increment` or without a table of what flows have left,
/// or a packet takes no time or more than one increment.
pub fn starve(bursts: u16, service_ns: u64, chap: &Params) -> Result<Starvation, ParamError> {
    let increment = chap.get("increment").expect("the discipline has increments")[0];
    let left = chap.discipline().flow_columns().first().expect("its table says what flows have left").name;
    assert!((1..=increment).contains(&service_ns), "a packet takes 1..={increment} ns, not {service_ns}");
    let packets = (2 * increment).div_ceil(service_ns) as usize + 1;
    let places = usize::from(bursts) * packets + 4;
    let with_room = |places: usize| {
        let mut chap = chap.clone();
        chap.set("limit", &places.to_string())?;
        chap.set("flows", &(places + 1).to_string())?;
        chap.check()?;
        Ok(chap)
    };
    // What notes columns looks at every record: the rehearsal has few.
    let (chap, few) = (with_room(places)?, with_room(usize::from(bursts) + 4)?);

    let server = |times: &[u64], duration_ns| {
        let idle = Flow::new(service_ns, Arrivals::At(times.to_vec()));
        let mut flows = vec![idle; bursts.into()];
        flows.push(Flow::new(service_ns, Arrivals::Saturated { backlog: 1 }));
        Server::new(flows, duration_ns)
    };
    let victim = usize::from(bursts);
    // All flows are known from the start. After forty boosts, one each time the saturated flow has spent I,
    // the idle ones hold 2I to the nanosecond. Then it is rehearsed when the saturated one runs dry.
    let rehearsal = Server { record: vec![left], ..server(&[0], 80 * increment) }.run(&few, 0);
    let dry = rehearsal[victim].columns[0].iter().filter(|n| n.at_ns > 50 * increment && n.value >= 0);
    let dry = dry.min_by_key(|n| n.value).expect("a saturated flow runs dry once a period");

    let times: Vec<u64> = iter::once(0).chain(iter::repeat_n(dry.at_ns, packets)).collect();
    let end = dry.at_ns + places as u64 * service_ns;
    let traces = Server { warm_up_ns: dry.at_ns, ..server(&times, end) }.run(&chap, 0);
    Ok(Starvation { left_ns: dry.value, wait_ns: traces[victim].wait_max_ns })
}
