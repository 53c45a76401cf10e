// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `access` of `[wifi]` and of `[[station]]`: how a contender gets at the channel, by name (`"h"`) or with what is to
//! differ (`{ rule = "h", c = 32 }`). `docs/access.md` has the rules.
//!
//! What it does not do: ranges are `airtab_sim::wifi`'s, which knows the cell.

use airtab_core::Unit;
use airtab_core::time::MS;
use airtab_sim::wifi::{AccessMethod, AccessRule, CellConfig, IdleWindow, SlotLaw, Windows};

use crate::reader::{Form, Section, Value, choice, flag, instead, number, quantity};

/// None where the key is missing, or wrong, which is noted then.
pub(crate) fn read_access(s: &Section, key: &'static str) -> Option<AccessMethod> {
    let value = s.get(key)?;
    if value.value.as_table().is_none() {
        return s.read(key, rule).map(|rule| AccessMethod { rule, ifs_ns: None });
    }
    let own = s.section(key)?;
    let rule = own.require("rule", rule);
    let rule = rule.map(|rule| read_keys(&own, rule));
    let ifs_ns = own.read("ifs", quantity(Unit::Ns, 0..=MS));
    if rule.is_some() {
        own.finish();
    }
    Some(AccessMethod { rule: rule?, ifs_ns })
}

/// Notes what is wrong with a method in that cell.
pub(crate) fn check_access(s: &Section, key: &str, cell: &CellConfig, access: Option<&AccessMethod>) {
    if let Some(Err(message)) = access.map(|access| cell.check_access(access)) {
        s.problem_of(key, message.trim_start_matches("access: "));
    }
}

fn rule(v: &Value) -> Result<AccessRule, String> {
    v.takes(|| Form::Words(AccessRule::NAMES.iter().map(|name| (*name).into()).collect()));
    let named = v.value.as_str().and_then(AccessRule::named);
    named.ok_or_else(|| format!("'{}' is not known{}", v.written, instead(&v.written, &AccessRule::NAMES)))
}

/// A rule with the keys that it has.
fn read_keys(own: &Section, rule: AccessRule) -> AccessRule {
    let slots = |key| own.read(key, quantity(Unit::Count, 0..=u32::MAX.into())).map(|n| n as u32);
    match rule {
        AccessRule::Dcf(_) => AccessRule::Dcf(Windows { least: slots("cw_min"), most: slots("cw_max") }),
        AccessRule::DcfM { .. } => AccessRule::DcfM {
            windows: Windows { least: slots("cw_min"), most: slots("cw_max") },
            offset: slots("offset"),
        },
        AccessRule::IdleSense(_) => AccessRule::IdleSense(read_window(own)),
        AccessRule::H { .. } => AccessRule::H { slots: slots("c") },
        AccessRule::Hash1 { .. } => AccessRule::Hash1 { slots: slots("c") },
        AccessRule::Geometric { .. } => {
            AccessRule::Geometric { hazard: own.read("hazard", number(0.0..=1.0, "a chance such as 0.05")) }
        }
        AccessRule::Slots(law) => AccessRule::Slots(read_law(own, law)),
        AccessRule::Tcf => AccessRule::Tcf,
    }
}

fn read_window(own: &Section) -> IdleWindow {
    let cw = own.read("cw", |v| match v.is("adapt") {
        true => Ok(IdleWindow::ADAPT),
        false => number(0.0..=65_536.0, "a window such as 60.7")(v)
            .map(IdleWindow::Fixed)
            .map_err(|e| format!("{e}, or \"adapt\"")),
    });
    let target = own.read("target", number(0.0..=100.0, "idle slots such as 5.68"));
    match (cw.unwrap_or_default(), target) {
        (IdleWindow::Adapt(_), Some(target)) => IdleWindow::Adapt(target),
        (window, None) => window,
        (window, Some(_)) => {
            own.problem_of("target", "only with cw = \"adapt\"");
            window
        }
    }
}

fn read_law(own: &Section, default: SlotLaw) -> SlotLaw {
    let weights = own.require("weights", |v| {
        let wrong = || format!("{} is not a list of numbers such as [3, 2, 1]", v.written);
        let list = v.value.as_array().ok_or_else(wrong)?;
        let weight = |text: &str| text.replace('_', "").parse::<f64>().map_err(|_| wrong());
        own.items(v)
            .iter()
            .zip(list.iter())
            .map(|(text, item)| match item.get_ref().is_str() {
                true => Err(wrong()),
                false => weight(text),
            })
            .collect::<Result<Vec<f64>, String>>()
    });
    let order = own.read("order", choice(vec![("drawn", false), ("counter", true)]));
    SlotLaw {
        // One that says nothing of slots is wrong already.
        weights: weights.unwrap_or_else(|| vec![1.0]),
        residual: own.read("residual", flag).unwrap_or(default.residual),
        doubles: own.read("doubles", flag).unwrap_or(default.doubles),
        counter: order.unwrap_or(default.counter),
    }
}
