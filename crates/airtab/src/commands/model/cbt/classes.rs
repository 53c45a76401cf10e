// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The classes that are asked about, and what they send: a mix of the study, or the command line's own.
//!
//! What it does not do: whether a queue can keep what is allocated is `airtab_model::cbt::plan`'s to say.

use airtab_model::cbt::study::{LINK, Mix};
use airtab_model::cbt::threshold::Class;
use airtab_model::cbt::{KB, KIB};
use airtab_scenario::reader::instead;

use super::args::Classes;
use super::sheet::{Cell, Column, column};
use super::values::{Allocation, Named};

/// Packet of a class that says nothing of it, bytes.
pub const PACKET: f64 = 1500.0;
/// Combinations of loads.
const MOST: usize = 10_000;

/// A class.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub name: String,
    pub class: Class,
    pub weight: f64,
}

/// Classes, and bytes of the KB in which their rates are shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Members {
    pub all: Vec<Member>,
    kb: f64,
}

impl Members {
    /// A mix, its KB having so many bytes.
    pub fn of_mix(mix: &Mix, kb: f64) -> Members {
        let one = |class: &airtab_model::cbt::study::Studied| Member {
            name: class.name.into(),
            class: Class { rate: class.kb * kb, packet: class.packet },
            weight: class.weight,
        };
        Members { all: mix.classes.iter().map(one).collect(), kb }
    }

    /// What was asked about: `usual` if nothing was.
    ///
    /// # Errors
    /// A class that is there twice or nowhere, `rest` or a percentage of no link, more than the link.
    pub fn of(asked: &Classes, link: Option<f64>, usual: &Mix, kb: f64) -> Result<Members, String> {
        let mut members = match (asked.mix, asked.class.is_empty()) {
            (Some(mix), _) => Members::of_mix(mix, kb),
            (None, true) => Members::of_mix(usual, kb),
            (None, false) => {
                let own = Members { all: allocated(&asked.class, link)?, kb: KB };
                own.within(link)?;
                own
            }
        };
        members.pack(&asked.packet)?;
        Ok(members)
    }

    /// Those of a plan, in packets of `full` bytes where they do not say which.
    ///
    /// # Errors
    /// As [`Members::of`], but for more than the link.
    pub fn planned(
        given: &[Named<Allocation>],
        packets: &[Named<u64>],
        link: f64,
        full: u64,
    ) -> Result<Members, String> {
        let mut members = Members { all: allocated(given, Some(link))?, kb: KB };
        members.all.iter_mut().for_each(|member| member.class.packet = full as f64);
        members.pack(packets)?;
        Ok(members)
    }

    fn pack(&mut self, given: &[Named<u64>]) -> Result<(), String> {
        for (i, packet) in placed("--packet", &self.names(), given)? {
            self.all[i].class.packet = *packet as f64;
        }
        Ok(())
    }

    /// More than the link carries is no allocation; the study's are, in KB of 1024 bytes, by a third of a percent.
    fn within(&self, link: Option<f64>) -> Result<(), String> {
        let sum: f64 = self.rates().iter().sum();
        match link {
            Some(link) if sum > link * (1.0 + 1e-9) => Err(format!(
                "--link {}: the classes sum to {}; give a link of at least that, or less to the classes",
                mbps(link),
                mbps(sum)
            )),
            _ => Ok(()),
        }
    }

    pub fn names(&self) -> Vec<&str> {
        self.all.iter().map(|member| member.name.as_str()).collect()
    }

    pub fn classes(&self) -> Vec<Class> {
        self.all.iter().map(|member| member.class).collect()
    }

    pub fn rates(&self) -> Vec<f64> {
        self.all.iter().map(|member| member.class.rate).collect()
    }

    /// Sets weights.
    ///
    /// # Errors
    /// A class that there is not, or is there twice.
    pub fn weigh(&mut self, given: &[Named<f64>]) -> Result<(), String> {
        for (i, weight) in placed("--weight", &self.names(), given)? {
            self.all[i].weight = *weight;
        }
        Ok(())
    }

    /// A column of rates.
    pub fn rate_column(&self, name: &str, heading: &str) -> Column {
        let unit = if self.kb == KIB { "KiB/s" } else { "KB/s" };
        column(name, format!("{heading}\n{unit}"), 1).times(1.0 / self.kb)
    }

    /// Every combination of loads; a class of which nothing is said is busy.
    ///
    /// # Errors
    /// A class that is there twice or nowhere; too many.
    pub fn offered(&self, given: &[Named<Vec<f64>>]) -> Result<Offered, String> {
        let mut lists = vec![vec![f64::INFINITY]; self.all.len()];
        for (i, loads) in placed("--load", &self.names(), given)? {
            lists[i] = loads.clone();
        }
        if lists
            .iter()
            .map(Vec::len)
            .try_fold(1, |n: usize, more| n.checked_mul(more))
            .is_none_or(|n| n > MOST)
        {
            return Err(format!("--load: at most {MOST} combinations; give shorter lists"));
        }
        let varied: Vec<usize> = (0..lists.len()).filter(|&i| lists[i].len() > 1).collect();
        let mut loads = vec![Vec::new()];
        for list in &lists {
            let longer =
                |row: &Vec<f64>| list.iter().map(|load| [&row[..], &[*load]].concat()).collect::<Vec<_>>();
            loads = loads.iter().flat_map(longer).collect();
        }
        let names = varied.iter().map(|&i| self.all[i].name.clone()).collect();
        Ok(Offered { longest: varied.iter().copied().max_by_key(|&i| lists[i].len()), varied, names, loads })
    }
}

/// What classes send.
pub struct Offered {
    /// Classes with several loads.
    varied: Vec<usize>,
    names: Vec<String>,
    /// The one with most.
    longest: Option<usize>,
    /// A load of each class, combination by combination.
    pub loads: Vec<Vec<f64>>,
}

impl Offered {
    /// A column for each class with several loads.
    pub fn columns(&self) -> Vec<Column> {
        let one = |name: &String| {
            column(load_name(name), format!("load of\n{name}, KB/s"), 0).times(1.0 / KB).whole()
        };
        self.names.iter().map(one).collect()
    }

    /// Their cells.
    pub fn cells(&self, loads: &[f64]) -> Vec<Cell> {
        let cell = |load: f64| if load.is_finite() { Cell::Number(load) } else { "busy".into() };
        self.varied.iter().map(|&i| cell(loads[i])).collect()
    }

    /// The column to draw over.
    pub fn over(&self) -> Option<String> {
        let at = self.varied.iter().position(|i| Some(*i) == self.longest)?;
        Some(load_name(&self.names[at]))
    }
}

fn load_name(class: &str) -> String {
    format!("load_{class}_bytes_per_s")
}

/// Rates of classes that are parts of a link.
fn allocated(given: &[Named<Allocation>], link: Option<f64>) -> Result<Vec<Member>, String> {
    once("--class", given)?;
    let of_link = |name: &str, what: &str| {
        link.ok_or_else(|| {
            format!("--class {name}={what}: of what? give --link, such as --link {}", mbps(LINK))
        })
    };
    let (mut rates, mut rest) = (Vec::new(), None);
    for (i, Named { name, value }) in given.iter().enumerate() {
        rates.push(match value {
            Allocation::Rate(rate) => *rate,
            Allocation::Part(part) => part * of_link(name, "a percentage")?,
            Allocation::Peak => {
                return Err(format!("--class {name}=peak: of what? give --from FILE, or a rate"));
            }
            Allocation::Rest => {
                of_link(name, "rest")?;
                if let Some(first) = rest.replace(i) {
                    let first = &given[first].name;
                    return Err(format!(
                        "--class {name}=rest: {first} has the rest; give one of them a rate"
                    ));
                }
                0.0
            }
        });
    }
    if let (Some(i), Some(link)) = (rest, link) {
        let sum: f64 = rates.iter().sum();
        if sum >= link * (1.0 - 1e-9) {
            return Err(format!(
                "--class {}=rest: nothing is left, the others sum to {} of {}; give a link above that, or less to them",
                given[i].name,
                mbps(sum),
                mbps(link)
            ));
        }
        rates[i] = link - sum;
    }
    let one = |(given, rate): (&Named<Allocation>, f64)| Member {
        name: given.name.clone(),
        class: Class { rate, packet: PACKET },
        weight: 1.0 / 256.0,
    };
    Ok(given.iter().zip(rates).map(one).collect())
}

/// No name twice.
pub fn once<T>(option: &str, given: &[Named<T>]) -> Result<(), String> {
    let names: Vec<&str> = given.iter().map(|one| one.name.as_str()).collect();
    match crate::commands::twice(&names) {
        Some(name) => Err(format!("{option} {name}: it is there twice; give it once")),
        None => Ok(()),
    }
}

/// Of which class each value is.
///
/// # Errors
/// A class that there is not, or is there twice.
pub fn placed<'a, T>(
    option: &str,
    names: &[&str],
    given: &'a [Named<T>],
) -> Result<Vec<(usize, &'a T)>, String> {
    once(option, given)?;
    let place = |one: &'a Named<T>| {
        let found = names.iter().position(|name| *name == one.name).map(|i| (i, &one.value));
        found.ok_or_else(|| format!("{option} {0}: no class '{0}'{1}", one.name, instead(&one.name, names)))
    };
    given.iter().map(place).collect()
}

/// Bytes/s for messages.
pub fn mbps(rate: f64) -> String {
    let text = format!("{:.3}", rate * 8.0 / 1e6);
    format!("{}Mb/s", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use airtab_model::cbt::study::{BULK_MPEG, RAMP};

    use super::*;

    fn named<T>(name: &str, value: T) -> Named<T> {
        Named { name: name.into(), value }
    }

    fn asked(class: &[Named<Allocation>], packet: &[Named<u64>]) -> Classes {
        Classes { mix: None, class: class.into(), packet: packet.into() }
    }

    /// The rest is what the link has left, wherever it stands; a part is one of the link; packets and weights have defaults.
    #[test]
    fn allocations_are_parts_of_the_link() {
        let class = [
            named("a", Allocation::Part(0.3)),
            named("b", Allocation::Rest),
            named("c", Allocation::Rate(200_000.0)),
        ];
        let asked = asked(&class, &[named("c", 700)]);
        let mut members = Members::of(&asked, Some(1_000_000.0), BULK_MPEG, KIB).expect("classes");
        assert_eq!(
            (members.names(), members.rates()),
            (vec!["a", "b", "c"], vec![300_000.0, 500_000.0, 200_000.0])
        );
        let packets: Vec<f64> = members.classes().iter().map(|class| class.packet).collect();
        assert_eq!(packets, [1500.0, 1500.0, 700.0]);
        members.weigh(&[named("b", 0.5)]).expect("a class");
        let weights: Vec<f64> = members.all.iter().map(|member| member.weight).collect();
        assert_eq!(weights, [1.0 / 256.0, 0.5, 1.0 / 256.0]);
        let planned = Members::planned(&class, &[named("a", 99)], 1_000_000.0, 1538).expect("classes");
        let packets: Vec<f64> = planned.classes().iter().map(|class| class.packet).collect();
        assert_eq!((planned.rates(), packets), (members.rates(), vec![99.0, 1538.0, 1538.0]));
        // As much as the link is fine, more is not.
        let whole = |rate: f64| {
            let classes = self::asked(&[named("a", Allocation::Rate(rate))], &[]);
            Members::of(&classes, Some(1_000_000.0), BULK_MPEG, KIB).map(|_| ())
        };
        assert_eq!(whole(1_000_000.0), Ok(()));
        let said = whole(1_001_000.0).expect_err("too much");
        assert!(said.starts_with("--link 8Mb/s: the classes sum to 8.008Mb/s"), "{said}");
        let none = self::asked(&[named("a", Allocation::Part(0.5))], &[]);
        let said = Members::of(&none, None, BULK_MPEG, KIB).map(|_| ()).expect_err("of what?");
        assert!(
            said.starts_with("--class a=a percentage: of what? give --link, such as --link 10Mb/s"),
            "{said}"
        );
    }

    /// A mix has the rates that the source prints, in KB of as many bytes as are asked for.
    #[test]
    fn a_mix_is_in_the_unit_that_is_asked_for() {
        let nothing = asked(&[], &[]);
        let rates = |kb| Members::of(&nothing, None, RAMP, kb).expect("classes").rates();
        assert_eq!(rates(KB), [575_000.0, 150_000.0, 500_000.0]);
        assert_eq!(rates(KIB), [588_800.0, 153_600.0, 512_000.0]);
        let mix = Classes { mix: Some(BULK_MPEG), ..asked(&[], &[named("mm", 400)]) };
        let members = Members::of(&mix, None, RAMP, KB).expect("classes");
        assert_eq!(members.rates(), [870_000.0, 205_000.0, 150_000.0]);
        let packets: Vec<f64> = members.classes().iter().map(|class| class.packet).collect();
        assert_eq!(packets, [1507.0, 400.0, 1075.0]);
        assert_eq!(members.all[2].weight, 0.25);
        for (kb, unit) in [(KB, "rate\nKB/s"), (KIB, "rate\nKiB/s")] {
            let column = Members::of(&nothing, None, RAMP, kb).expect("classes").rate_column("r", "rate");
            assert_eq!((column.heading.as_str(), column.scale), (unit, 1.0 / kb));
        }
    }

    /// Every combination of loads, the last class fastest; columns are those of classes with several, by their names.
    #[test]
    fn loads_are_combined() {
        let nothing = asked(&[], &[]);
        let members = Members::of(&nothing, None, RAMP, KB).expect("classes");
        let given = [named("other", vec![0.0, 1_000.0, f64::INFINITY]), named("tcp", vec![2_000.0, 3_000.0])];
        let offered = members.offered(&given).expect("loads");
        let busy = f64::INFINITY;
        let expected =
            [2_000.0, 3_000.0].map(|tcp| [0.0, 1_000.0, busy].map(|other| vec![tcp, busy, other])).concat();
        assert_eq!(offered.loads, expected);
        let names: Vec<String> = offered.columns().into_iter().map(|column| column.name).collect();
        assert_eq!(names, ["load_tcp_bytes_per_s", "load_other_bytes_per_s"]);
        assert_eq!(offered.cells(&expected[4]), [Cell::Number(3_000.0), Cell::Number(1_000.0)]);
        assert_eq!(offered.cells(&expected[5]), [Cell::Number(3_000.0), "busy".into()]);
        assert_eq!(offered.over().as_deref(), Some("load_other_bytes_per_s"));
        let one = members.offered(&[named("mm", vec![5.0])]).expect("loads");
        assert_eq!(
            (one.loads.as_slice(), one.over(), one.columns().len()),
            (&[vec![busy, 5.0, busy]][..], None, 0)
        );
        let many = |n: usize| {
            members.offered(&[named("mm", vec![1.0; 100]), named("tcp", vec![1.0; n])]).map(|o| o.loads.len())
        };
        assert_eq!(many(100), Ok(10_000));
        assert_eq!(many(101), Err("--load: at most 10000 combinations; give shorter lists".into()));
    }

    #[test]
    fn rates_of_messages_have_no_zeros_at_their_end() {
        for (rate, text) in [
            (250_000.0, "2Mb/s"),
            (102_500.0, "0.82Mb/s"),
            (1_250_000.0, "10Mb/s"),
            (12_500_125.0, "100.001Mb/s"),
        ] {
            assert_eq!(mbps(rate), text);
        }
    }
}
