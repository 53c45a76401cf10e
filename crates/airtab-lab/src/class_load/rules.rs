// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Which class a packet is of: `tcp=0,udp:6000-6010=1,dscp:ef=1,*=2`. The first rule that matches decides; a port may be
//! the source's or the destination's, since of a download the known port is the source's. What no rule takes is of the last
//! class.
//!
//! What it does not do: stations. A capture knows no numbers of them.

use airtab_capture::Key;
use airtab_core::{Pattern, Rule, unreached};

/// What is wrong with a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("rule {number}, '{written}': {what}")]
pub struct RuleError {
    /// From 1.
    pub number: usize,
    /// As it was written.
    pub written: String,
    /// What, and what would do.
    pub what: String,
}

/// Rules, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    rules: Vec<Rule>,
    classes: usize,
}

impl Rules {
    /// Reads rules for classes of these names, which are numbered from 0.
    ///
    /// # Errors
    /// The first rule that is none.
    pub fn parse(text: &str, classes: &[&str]) -> Result<Rules, RuleError> {
        let rule = |(i, written): (usize, &str)| {
            let written = written.trim();
            let error = |what| RuleError { number: i + 1, written: written.into(), what };
            rule(written, classes).map_err(error)
        };
        let rules = text.split(',').enumerate().map(rule).collect::<Result<_, _>>()?;
        Ok(Rules { rules, classes: classes.len() })
    }

    /// How many there are.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one")]
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// They themselves.
    pub fn all(&self) -> &[Rule] {
        &self.rules
    }

    /// How many classes there are.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The first that matches, from 0.
    pub(super) fn first(&self, key: &Key) -> Option<usize> {
        self.rules.iter().position(|rule| matches(&rule.pattern, key))
    }

    /// Of which class what it takes is.
    pub(super) fn class(&self, rule: Option<usize>) -> usize {
        rule.map_or(self.classes - 1, |rule| usize::from(self.rules[rule].class))
    }

    /// For each rule that took none of `matched`, why.
    pub fn unreached(&self, matched: &[u64]) -> Vec<String> {
        let idle = self.rules.iter().enumerate().filter(|(i, _)| matched[*i] == 0);
        let why = |(i, rule): (usize, &Rule)| {
            let number = i + 1;
            match unreached(&self.rules).find(|(covered, _)| *covered == i) {
                Some((_, before)) => format!(
                    "rule {number}, '{rule}', is never reached: rule {}, '{}', takes all that it would; put it before that one",
                    before + 1,
                    self.rules[before]
                ),
                None => format!("rule {number}, '{rule}', took no packet"),
            }
        };
        idle.map(why).collect()
    }
}

fn rule(written: &str, classes: &[&str]) -> Result<Rule, String> {
    let rule: Rule = written.parse().map_err(|e: airtab_core::RuleError| e.to_string())?;
    if usize::from(rule.class) >= classes.len() {
        let (last, names) = (classes.len() - 1, classes.join(", "));
        return Err(format!(
            "there is no class {}: they are 0 to {last} ({names}); name more classes",
            rule.class
        ));
    }
    match rule.pattern {
        Pattern::Station(_) => Err("a capture knows no numbers of stations; use ports or dscp".into()),
        Pattern::Host => Err("a capture has no classifier of its own; write *=CLASS".into()),
        _ => Ok(rule),
    }
}

fn matches(pattern: &Pattern, key: &Key) -> bool {
    match pattern {
        Pattern::All | Pattern::Host => true,
        Pattern::Protocol(protocol) => key.protocol == Some(*protocol),
        Pattern::Ports(protocol, ports) => {
            let either = |(a, b): (u16, u16)| ports.contains(&a) || ports.contains(&b);
            key.protocol == Some(*protocol) && key.ports.is_some_and(either)
        }
        Pattern::Dscp(dscp) => key.dscp == Some(*dscp),
        Pattern::Station(_) => false,
    }
}
