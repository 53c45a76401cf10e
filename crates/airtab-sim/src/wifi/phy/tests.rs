// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Tests of the radio links.

use super::*;

#[test]
fn a_station_that_changes_its_rate_often_takes_no_more_memory() {
    let phy = Phy::named("phy-a").expect("a profile of the core");
    let stations = ["a", "b"].map(|name| (name, Speed::from(54_000), Loss::None));
    let mut radios = Radios::new(&CellConfig::new(phy), &stations, 1);
    for kbps in 7_000..7_100 {
        radios.set(1, kbps.into(), Loss::None, 0);
        let rates = [Some(0), Some(1), None].map(|station| radios.frame(station, 1500).kbps);
        assert_eq!(rates, [54_000, kbps, phy.base_kbps()]);
    }
    assert!(radios.tables.len() <= 4, "all, two stations, and one while it changes");
}
