// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tests of the command line: the program as a user starts it, and what the repository's files say.

mod airtime;
mod calls;
mod captures;
mod cli;
mod common;
mod contest;
mod documentation;
mod drain;
mod experiment;
mod files;
mod live;
mod mesh;
mod model;
mod model_cbt;
mod model_sizing;
mod numbers;
mod pages;
mod passed_on;
mod probe;
mod programs;
mod release;
mod rpm;
mod schema;
mod serve;
mod standalone;
mod stored_runs;
mod surroundings;
mod sweep;
mod sweep_until;
mod tcp;
mod tools;
mod vocabulary;
