// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which packets are taken in, and what disciplines are told of them.
//!
//! What it does not do: what becomes of them is `fate`'s.

use std::net::IpAddr;

use airtab_core::{Key, Meta, NO_STATION};
use airtab_sim::datagram_payload;
use airtab_sim::wifi::Category;
use airtab_sim::world::{HomeHost, NodeId, Tag};

use super::AccessPoint;
use crate::house::{self, Owner, Port};
use crate::packet::{FlowKey, Parsed, Refusal};
use crate::source;

/// The host's part of a packet.
#[derive(Clone, Copy)]
pub(super) struct Body {
    pub(super) buffer: u32,
    pub(super) flow: u32,
    /// Past the end of the list: of no application.
    pub(super) app: u16,
    /// Payload of TCP or UDP, bytes; retransmissions count again.
    pub(super) payload: u16,
    /// A discipline made it: nobody sent it.
    pub(super) made: bool,
}

impl Tag for Body {
    const CROSSINGS: bool = true;

    fn tag(&self, peer: u16) -> u32 {
        u32::from(peer) << 16 | self.flow
    }
}

pub(super) const NO_APP: u16 = u16::MAX;
/// Of packets that belong to no application: not the first.
const OTHER_CLASS: u8 = 1;

impl AccessPoint {
    /// Finds out where a packet goes and sends it on its way.
    pub(super) fn admit(
        &mut self,
        port: Port,
        bytes: &[u8],
        parsed: &Parsed,
        now: u64,
    ) -> Result<(), Refusal> {
        let to = self.route(parsed.destination)?;
        let from = match port {
            Port::Station(i) => HomeHost::Station(i),
            Port::AccessPoint => HomeHost::AccessPoint,
            // Servers have each their own wire: whose is it?
            Port::Internet => match self.route(parsed.source)? {
                HomeHost::Server(i) => HomeHost::Server(i),
                _ => return Err(Refusal::NoRoute),
            },
        };
        let station = match (from, to) {
            // What a host says to itself reaches no network.
            _ if from == to => return Err(Refusal::NoRoute),
            (HomeHost::Server(_), HomeHost::Server(_)) => return Err(Refusal::NoRoute),
            (HomeHost::Station(i), _) | (_, HomeHost::Station(i)) => i,
            // Between servers and the access point: no air, and nothing to learn.
            _ => 0,
        };
        // An application is between a station and its server: not what the access point says.
        let owner = match (from, to) {
            (HomeHost::Server(i), HomeHost::Station(_)) | (HomeHost::Station(_), HomeHost::Server(i)) => {
                Some(i)
            }
            _ => None,
        };
        let up = matches!(from, HomeHost::Station(_));
        let (flow, hash) = self.flows.enter(FlowKey::of(parsed, up), owner, station, now);
        if port == Port::Internet
            && let Some(ns) = self.flows.answered(flow, parsed, now)
        {
            self.spreads.server.record(ns);
        }
        let app = owner.unwrap_or(NO_APP);
        let scenario_app = self.house.file.scenario.apps.get(usize::from(app));
        let class = scenario_app.map_or(OTHER_CLASS, |a| a.class);
        // Where the house says nothing of it, a program's own DSCP counts.
        let access = scenario_app.map(|a| a.access).filter(|access| *access != Category::default());
        let own = parsed.key();
        let key = Key { dscp: access.map_or(own.dscp, Category::dscp), ..own };
        let meta = Meta {
            bytes: parsed.bytes,
            flow: hash,
            source: source::hash(parsed.source, self.source_key),
            sta: NO_STATION,
            class,
            ecn: parsed.ecn,
            tcp: parsed.tcp,
            key: Some(key),
        };
        if let Some(meter) = self.meters.get_mut(usize::from(app)) {
            meter.sent(up, parsed.bytes, now);
        }
        let buffer = self.buffers.lock().keep(&bytes[..parsed.bytes as usize]);
        let payload = parsed.tcp.map_or(datagram_payload(parsed.bytes), |tcp| tcp.payload.into()) as u16; // of a packet
        let body = Body { buffer, flow, app, payload, made: false };
        self.world.send(now, self.node(from), self.node(to), meta, body);
        Ok(())
    }

    /// Where a host is; several applications may share a server's link.
    fn node(&self, host: HomeHost) -> NodeId {
        self.home.node(match host {
            HomeHost::Server(app) => HomeHost::Server(self.servers[usize::from(app)]),
            host => host,
        })
    }

    fn route(&self, address: IpAddr) -> Result<HomeHost, Refusal> {
        let scenario = &self.house.file.scenario;
        match house::owner(address) {
            Some(Owner::Server(i)) if usize::from(i) < scenario.apps.len() => Ok(HomeHost::Server(i)),
            Some(Owner::Station(i)) if self.ended.get(usize::from(i)) == Some(&None) => {
                Ok(HomeHost::Station(i))
            }
            Some(Owner::AccessPoint) => Ok(HomeHost::AccessPoint),
            _ => Err(Refusal::NoRoute),
        }
    }
}
