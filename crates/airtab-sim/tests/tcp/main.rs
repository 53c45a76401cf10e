//! Behaviour of the TCP endpoint over a scripted path.

mod bic;
mod compound;
mod handshake;
mod pair;
mod random;
mod recovery;
mod transfer;
mod window;
