// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Two classes with probabilistic priority before one server (CHAP dissertation 5.2.1, first approach).
//!
//! The probabilistic priority discipline (PPDQ; Jiang, Tham and Ko; its reference 131): when the server is
//! free and both queues hold packets, the first is served with probability p_1, the second otherwise; a queue
//! alone is served at once. Arrivals are Poisson, a service is not interrupted. Times are in any one unit.
//!
//! The waiting time is an approximation: it adds up mean residual service, packets ahead in the own class,
//! and packets of the other class that are served in between, as if these were independent. It does not keep
//! the conservation law (eq. 5.17), which every work-conserving discipline obeys; [`Ppdq::work`] and
//! [`Ppdq::conserved_work`] show by how much. The exact ends of the scale are [`Ppdq::fifo_wait`] and
//! [`Ppdq::priority_wait`].
//!
//! Classes are numbered 0 and 1 here, 1 and 2 in the source.

use super::ChapError;

/// A class of packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class {
    /// lambda, packets a unit of time.
    pub arrival_rate: f64,
    /// s, mean time of a service.
    pub service: f64,
    /// s^(2), its second moment; the square of the mean if services are equal.
    pub service_square: f64,
}

impl Class {
    /// Packets whose services take the same time.
    pub fn fixed(arrival_rate: f64, service: f64) -> Class {
        Class { arrival_rate, service, service_square: service * service }
    }

    /// rho_i = lambda_i s_i, the share of time that the server spends on it.
    pub fn load(&self) -> f64 {
        self.arrival_rate * self.service
    }
}

/// The queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ppdq {
    classes: [Class; 2],
    p_1: f64,
}

impl Ppdq {
    /// Two classes, the first of which goes first with probability `p_1`; 1 is strict priority.
    ///
    /// # Errors
    /// A class whose fields are not above 0, a load of 1 or more, no probability.
    pub fn new(classes: [Class; 2], p_1: f64) -> Result<Ppdq, ChapError> {
        for (i, c) in classes.iter().enumerate() {
            let Class { arrival_rate, service, service_square } = *c;
            let above_0 = [arrival_rate, service, service_square].iter().all(|x| x.is_finite() && *x > 0.0);
            // The last digit of a square may be rounded up.
            if !above_0 || service_square < service * service * (1.0 - 1e-12) {
                return Err(ChapError::Class { class: i + 1, arrival_rate, service, service_square });
            }
        }
        if !(0.0..=1.0).contains(&p_1) {
            return Err(ChapError::Probability(p_1));
        }
        let queue = Ppdq { classes, p_1 };
        if queue.load() >= 1.0 { Err(ChapError::Load(queue.load())) } else { Ok(queue) }
    }

    /// Class `i`.
    pub fn class(&self, i: usize) -> Class {
        self.classes[i]
    }

    /// rho, the share of time that the server is busy.
    pub fn load(&self) -> f64 {
        self.classes.iter().map(Class::load).sum()
    }

    /// W_0, the mean time that an arriving packet finds left of the service under way.
    pub fn residual(&self) -> f64 {
        self.classes.iter().map(|c| c.load() * c.service_square / (2.0 * c.service)).sum()
    }

    /// w_i, the probability that class `i` goes first when both wait: p_1 and 1 - p_1 (eq. 5.18).
    pub fn weight(&self, i: usize) -> f64 {
        if i == 0 { self.p_1 } else { 1.0 - self.p_1 }
    }

    /// q_i, the probability that class `i` has packets (eq. 5.24, 5.25): the solution of
    /// rho_i = q_i (w_i q_i' + 1 - q_i') (eq. 5.21 to 5.23).
    ///
    /// The printed root of the quadratic divides by w_i, which may be 0 (so that the source keeps p_1 below
    /// 0.9999); here it is written with the root in the denominator, which is the same number.
    pub fn occupied(&self, i: usize) -> f64 {
        let (own, other) = (self.classes[i].load(), self.classes[1 - i].load());
        let b = 1.0 + self.weight(i) * own - self.weight(1 - i) * other;
        2.0 * own / (b + (b * b - 4.0 * self.weight(i) * own).max(0.0).sqrt())
    }

    /// b_i, the probability that a waiting packet of class `i` is served at the next choice, seen from the
    /// other class: 1 - q_i' + w_i q_i' (eq. 5.26, beta_i there).
    pub fn chance(&self, i: usize) -> f64 {
        let other = self.occupied(1 - i);
        (1.0 - other) + self.weight(i) * other
    }

    /// P(X = l), the probability that `l` packets of the other class are served before the next of class `i`:
    /// geometric (eq. 5.27).
    pub fn overtaken_by(&self, i: usize, l: u32) -> f64 {
        let b = self.chance(i);
        libm::pow(1.0 - b, f64::from(l)) * b
    }

    /// E X, how many they are on average (eq. 5.28).
    pub fn overtakers(&self, i: usize) -> f64 {
        (1.0 - self.chance(i)) / self.chance(i)
    }

    /// W_i, the mean time that a packet of class `i` waits (eq. 5.30). None where the approximation has no
    /// answer: its denominator is 0 or below, which needs services of very different length.
    ///
    /// Eq. 5.30 is printed with s_i where the other class's s_i' belongs: those who overtake take the time of
    /// their own class, as eq. 5.19 says. With equal services, as in the source's figures, nothing changes.
    pub fn wait(&self, i: usize) -> Option<f64> {
        let delay = self.classes[1 - i].service * self.overtakers(i);
        let rest = 1.0 - self.classes[i].load() - self.classes[i].arrival_rate * delay;
        (rest > 0.0).then(|| (self.residual() + delay) / rest)
    }

    /// T_i = W_i + s_i, the mean time in the system (eq. 5.15).
    pub fn sojourn(&self, i: usize) -> Option<f64> {
        Some(self.wait(i)? + self.classes[i].service)
    }

    /// N_i = lambda_i W_i, the mean number of packets that wait (eq. 5.16).
    pub fn backlog(&self, i: usize) -> Option<f64> {
        Some(self.classes[i].arrival_rate * self.wait(i)?)
    }

    /// n_i', the mean number of packets of the other class served while a packet of class `i` waits: each of
    /// those before it in its class, and itself, is overtaken by E X (eq. 5.29). The waiting time is
    /// W_0 + s_i N_i + s_i' n_i' (eq. 5.19).
    pub fn served_meanwhile(&self, i: usize) -> Option<f64> {
        Some((self.backlog(i)? + 1.0) * self.overtakers(i))
    }

    /// The sum of rho_i W_i over both classes: the mean work that waits, by this model.
    pub fn work(&self) -> Option<f64> {
        Some(self.classes[0].load() * self.wait(0)? + self.classes[1].load() * self.wait(1)?)
    }

    /// What it is under every work-conserving discipline that does not look at services: rho W_0 / (1 - rho)
    /// (eq. 5.17, Kleinrock's conservation law).
    pub fn conserved_work(&self) -> f64 {
        self.load() * self.residual() / (1.0 - self.load())
    }

    /// Mean wait of everybody in one first-in first-out queue (Pollaczek and Khinchine): exact.
    pub fn fifo_wait(&self) -> f64 {
        self.residual() / (1.0 - self.load())
    }

    /// Mean wait of class `i` if class 0 always goes first (Cobham): exact, whatever `p_1` is.
    pub fn priority_wait(&self, i: usize) -> f64 {
        let first = self.residual() / (1.0 - self.classes[0].load());
        if i == 0 { first } else { first / (1.0 - self.load()) }
    }
}
