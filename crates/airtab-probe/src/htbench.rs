//! HTBench
mod tcp_info;
