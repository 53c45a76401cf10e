//! What applications send: one file per kind, and the list of them.
//!
//! Parameters of the CHAP dissertation, 6.1. Sizes are whole IP packets.

/// Makes of a list of kinds their modules and [`AppKind`], which is one. A file `NAME.rs` exports a type with the
/// configuration of its kind.
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
    /// Equal UDP packets to the station.
    udp: Udp,
    /// An endless TCP download.
    download: Download,
    /// An endless TCP upload.
    upload: Upload,
    /// Endless TCP downloads from several peers at once.
    p2p: P2p,
    /// Responsive video: segments over TCP.
    streaming: Streaming,
}

/// A constant stream of equal packets, one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// From one packet to the next, ns.
    pub period_ns: u64,
    /// IP packet, bytes.
    pub bytes: u32,
}
