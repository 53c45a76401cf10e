//! An endless TCP download (CHAP dissertation 6.1.5): the client connects, the
//! server sends as fast as TCP lets it. In an upload the client does; peer-to-peer
//! traffic is several downloads from different servers, in its symmetric form
//! with data both ways in each connection. When the application stops, both ends forget the
//! connection; what is on its way is received by nobody.
//!
//! A download can leave its connection for a new one at equal intervals, from another port of the client: who does that
//! is a new flow to the access point each time, and so finds out what it gives to newcomers. No end tells the other: data
//! of the old connection that is on its way takes its time in the cell, and that which arrives counts as received.

use crate::engine::NEVER;
use crate::tcp::{Algorithm, Config, Endpoint};

/// Such an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Download {
    /// Congestion control of its sender.
    pub congestion: Algorithm,
    /// Time after which it leaves its connection for a new one, again and again, ns.
    pub reconnect_ns: Option<u64>,
}

/// Server port.
pub const PORT: u16 = 80;

/// Both ends of a connection, with the timer event of each.
pub(crate) struct Connection {
    pub(crate) server: Socket,
    pub(crate) client: Socket,
}

/// A TCP endpoint and the time of its timer event, [`NEVER`] if none is under way.
pub(crate) struct Socket {
    pub(crate) endpoint: Endpoint,
    pub(crate) timer_at: u64,
}

impl Connection {
    /// A connection that the client opens; its server has `bytes` to send.
    pub(crate) fn open(config: Config, bytes: u64) -> Connection {
        let mut server = Endpoint::server(config);
        server.write(bytes);
        let mut client = Endpoint::client(config);
        client.open();
        Connection {
            server: Socket { endpoint: server, timer_at: NEVER },
            client: Socket { endpoint: client, timer_at: NEVER },
        }
    }

    pub(crate) fn socket(&mut self, server: bool) -> &mut Socket {
        if server { &mut self.server } else { &mut self.client }
    }
}
