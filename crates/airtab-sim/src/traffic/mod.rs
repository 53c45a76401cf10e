// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! What applications send: one file per kind, and the list of them.
//!
//! Parameters of the CHAP dissertation, 6.1, unless a file says otherwise. Sizes are whole IP packets.

mod application;
mod constant;
mod cut;
mod paid;
mod points;
mod sweep;
mod transfer;

pub(crate) use application::ROOM;
pub use application::{Action, Application, Broken, Io, Kind, Progress, Seen, Setting};
pub use constant::{Constant, TwoWay};
pub use cut::Cut;
pub use points::Points;
pub use sweep::Sweep;
pub use transfer::{Transfers, Volume};

use crate::net::address::Protocol;
use crate::tcp::Algorithm;

/// Makes of a list of kinds their modules, [`AppKind`], which is one, and [`User`], which is what a user of one does. A
/// file `NAME.rs` exports a type with the configuration of its kind that is a [`Kind`].
macro_rules! applications {
    ($($(#[doc = $doc:literal])+ $name:ident: $Type:ident),+ $(,)?) => {
        $(pub mod $name; pub use $name::$Type;)+

        /// What an application is, with its configuration.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum AppKind {
            $($(#[doc = $doc])+ $Type($Type)),+
        }

        impl AppKind {
            /// The names of all kinds, in the order of the documentation.
            pub const NAMES: [&str; [$(stringify!($name)),+].len()] = [$(stringify!($name)),+];

            /// Its name in scenario files and reports.
            pub fn name(&self) -> &'static str {
                match self {
                    $(AppKind::$Type(_) => stringify!($name)),+
                }
            }

            /// Server port.
            pub fn port(&self) -> u16 {
                match self {
                    $(AppKind::$Type(_) => $Type::PORT),+
                }
            }

            /// What its flows speak.
            pub fn protocol(&self) -> Protocol {
                match self.congestion(Algorithm::Cubic) {
                    Some(_) => Protocol::Tcp,
                    None => Protocol::Udp,
                }
            }

            /// See [`Kind::COUNTS_LATE`].
            pub(crate) fn counts_late(&self) -> bool {
                match self {
                    $(AppKind::$Type(_) => $Type::COUNTS_LATE),+
                }
            }

            /// See [`Kind::VOLUMES`].
            pub(crate) fn keeps_volumes(&self) -> bool {
                match self {
                    $(AppKind::$Type(_) => $Type::VOLUMES),+
                }
            }

            /// See [`Kind::check`].
            ///
            /// # Errors
            /// Says what is wrong and what is allowed.
            pub fn check(&self) -> Result<(), Broken> {
                match self {
                    $(AppKind::$Type(kind) => kind.check()),+
                }
            }

            /// See [`Kind::flows`].
            pub fn flows(&self) -> u16 {
                match self {
                    $(AppKind::$Type(kind) => kind.flows()),+
                }
            }

            /// See [`Kind::congestion`].
            pub fn congestion(&self, default: Algorithm) -> Option<Algorithm> {
                match self {
                    $(AppKind::$Type(kind) => kind.congestion(default)),+
                }
            }

            /// See [`Kind::saturates`].
            pub fn saturates(&self, up: bool) -> bool {
                match self {
                    $(AppKind::$Type(kind) => kind.saturates(up)),+
                }
            }

            /// Whether it saturates a direction.
            pub fn is_saturated(&self) -> bool {
                self.saturates(false) || self.saturates(true)
            }

            /// See [`Kind::follows`].
            pub(crate) fn follows(&self) -> bool {
                match self {
                    $(AppKind::$Type(kind) => kind.follows()),+
                }
            }

            /// See [`Kind::constant`].
            pub fn constant(&self, up: bool) -> Option<Constant> {
                match self {
                    $(AppKind::$Type(kind) => kind.constant(up)),+
                }
            }

            /// See [`Kind::recorded`].
            pub(crate) fn recorded(&self, up: bool, within_ns: u64) -> Option<u64> {
                match self {
                    $(AppKind::$Type(kind) => kind.recorded(up, within_ns)),+
                }
            }

            /// The application of one user.
            pub fn user(&self, setting: &Setting) -> User {
                match self {
                    $(AppKind::$Type(kind) => User::$Type(kind.user(setting))),+
                }
            }
        }

        /// What one user of an application does.
        pub enum User {
            $(#[doc = concat!("See [`", stringify!($Type), "`].")] $Type(<$Type as Kind>::Application)),+
        }

        impl Application for User {
            fn start(&mut self, io: &mut Io) {
                match self {
                    $(User::$Type(user) => user.start(io)),+
                }
            }

            fn timer(&mut self, due: u64, key: u16, io: &mut Io) {
                match self {
                    $(User::$Type(user) => user.timer(due, key, io)),+
                }
            }

            fn datagram(&mut self, up: bool, bytes: u32, tag: u32, io: &mut Io) {
                match self {
                    $(User::$Type(user) => user.datagram(up, bytes, tag, io)),+
                }
            }

            fn over(&mut self, dropped: bool, io: &mut Io) {
                match self {
                    $(User::$Type(user) => user.over(dropped, io)),+
                }
            }

            fn progress(&mut self, flow: u16, at: &Progress, io: &mut Io) {
                match self {
                    $(User::$Type(user) => user.progress(flow, at, io)),+
                }
            }

            fn seen(&mut self) -> Seen {
                match self {
                    $(User::$Type(user) => user.seen()),+
                }
            }
        }

        /// Calls the macro `kinds!` of its caller with this list, `name: Type` each.
        #[macro_export]
        macro_rules! every_kind {
            () => { kinds! { $($name: $Type),+ } };
        }

        $(impl From<$Type> for AppKind {
            fn from(kind: $Type) -> AppKind {
                AppKind::$Type(kind)
            }
        })+
    };
}

applications! {
    /// A first-person game: small packets both ways every 40 ms.
    game: Game,
    /// A G.711 call: 200-byte packets both ways every 20 ms.
    voip: Voip,
    /// Unresponsive video over UDP.
    video: Video,
    /// One web page after the other.
    web: Web,
    /// Requests of the station that its server echoes, over UDP.
    ping: Ping,
    /// Equal UDP packets to the station, or from it.
    udp: Udp,
    /// A TCP download, endless or of a volume.
    download: Download,
    /// A TCP upload, endless or of a volume.
    upload: Upload,
    /// Endless TCP downloads from several peers at once.
    p2p: P2p,
    /// Responsive video: segments over TCP.
    streaming: Streaming,
    /// A video conference: voice, and frames that are cut into packets, over UDP.
    proshare: Proshare,
    /// MPEG-1 video over UDP, each frame cut into packets.
    mpeg: Mpeg,
    /// A crowd of web browsers, each object over a connection of its own.
    http: Http,
    /// A test of responsiveness: transfers that fill the way, and probes.
    responsiveness: Responsiveness,
    /// The packets of a capture, sent again.
    trace: Replay,
}
