// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs that a cluster makes: orders go to a function of Python (`airtab._cluster`), packs of runs come back.
//!
//! What it does not do: it knows no scheduler, and no worker.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use airtab::calls::{self, Back, Broken, Elsewhere, Order};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::errors::of_call;

/// Whoever takes orders.
pub struct Crew {
    /// Takes a list of orders, `(bytes, str)` each; gives packs, and how many more orders there is room for.
    exchange: Py<PyAny>,
    /// What it raised.
    raised: Mutex<Option<PyErr>>,
}

impl Crew {
    /// Of a function of Python.
    pub fn new(exchange: Py<PyAny>) -> Crew {
        Crew { exchange, raised: Mutex::default() }
    }

    /// What the function raised, if it did.
    pub fn raised(self) -> Option<PyErr> {
        self.raised.into_inner().expect("nobody panics with it")
    }

    /// For the command: `join` gives the function, or raises what is told.
    pub fn join(join: &Py<PyAny>, cluster: &str, jobs: Option<u16>) -> Result<Box<dyn Elsewhere>, String> {
        Python::attach(|py| match join.call1(py, (cluster, jobs)) {
            Ok(exchange) => Ok(Box::new(Crew::new(exchange)) as Box<dyn Elsewhere>),
            Err(e) => Err(e.value(py).to_string()),
        })
    }

    fn call(&self, py: Python, orders: &[Order]) -> PyResult<(Vec<Vec<u8>>, usize)> {
        // One object for all orders of a study: Python sends it once with each task.
        let mut last: Option<(&Arc<[u8]>, Bound<PyBytes>)> = None;
        let rows = orders.iter().map(|order| {
            let bytes = match last.take() {
                Some((same, bytes)) if Arc::ptr_eq(same, &order.study) => bytes,
                _ => PyBytes::new(py, &order.study),
            };
            last = Some((&order.study, bytes.clone()));
            (bytes, order.run.as_str())
        });
        let rows = PyList::new(py, rows.collect::<Vec<_>>())?;
        let (packs, room): (Vec<Bound<PyBytes>>, usize) = self.exchange.call1(py, (rows,))?.extract(py)?;
        Ok((packs.iter().map(|pack| pack.as_bytes().to_vec()).collect(), room))
    }
}

impl Elsewhere for Crew {
    fn exchange(&self, orders: Vec<Order>) -> Result<Back, Broken> {
        Python::attach(|py| match self.call(py, &orders) {
            Ok((packs, room)) => Ok(Back { packs, room }),
            Err(e) => {
                let message = e.value(py).to_string();
                *self.raised.lock().expect("nobody panics with it") = Some(e);
                Err(Broken(message))
            }
        })
    }
}

/// Makes runs, on the thread of the caller with the GIL free; gives a pack of them.
#[pyfunction]
pub fn make<'py>(
    py: Python<'py>,
    orders: Vec<(Bound<'py, PyBytes>, String)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let orders: Vec<(&[u8], &str)> =
        orders.iter().map(|(study, run)| (study.as_bytes(), run.as_str())).collect();
    let never = AtomicBool::new(false);
    let pack = py.detach(|| calls::make(&orders, &never)).map_err(|e| of_call(py, e))?;
    Ok(PyBytes::new(py, &pack))
}
