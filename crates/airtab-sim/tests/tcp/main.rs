//! Behaviour of the TCP endpoint over a scripted path.

mod handshake;
mod pair;
mod random;
mod recovery;
mod transfer;
mod window;
