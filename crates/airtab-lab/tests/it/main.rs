// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tests of comparisons, sweeps, experiments, stored runs and reports.

mod acceptance;
mod by_hand;
mod capture_aggregates;
mod capture_readback;
mod columns;
mod comparison;
mod credit;
mod elsewhere;
mod experiments;
mod figures;
mod fingerprint;
mod largest_part;
mod live_experiments;
mod nothing_twice;
mod rank_correlation;
mod report_page;
mod results_parquet;
mod run_keys;
mod series;
mod shares_of_air;
mod stored_runs;
mod sweep;
mod until;
mod what_sets_a_rate;
