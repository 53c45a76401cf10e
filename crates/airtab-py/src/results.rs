// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Runs, comparisons, sweeps and experiments: how they are asked for, and what came out.
//!
//! Rows go to Python by Arrow's C stream, which is a pointer: nothing is copied, and no library of Arrow is needed.
//!
//! What it does not do: no other forms of rows; pyarrow, polars and pandas read the stream.

use std::path::PathBuf;
use std::sync::OnceLock;

use airtab::calls::{self, Asked, Cache, CallError, Compared, From, Judged, Swept};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::of_call;
use crate::scenario::Text;
use crate::task::{Wanted, run};

enum Kind {
    Compared(Box<Compared>),
    Swept(Box<Swept>),
    Judged(Box<Judged>),
}

/// What came out.
#[pyclass(frozen, module = "airtab._airtab")]
pub struct Results {
    kind: Kind,
    rows: OnceLock<RecordBatch>,
}

impl Results {
    fn new(kind: Kind) -> Results {
        Results { kind, rows: OnceLock::new() }
    }

    fn rows(&self) -> Result<RecordBatch, CallError> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows.clone());
        }
        let rows = match &self.kind {
            Kind::Compared(compared) => compared.frame(),
            Kind::Swept(swept) => swept.frame(),
            Kind::Judged(judged) => judged.frame()?,
        };
        Ok(self.rows.get_or_init(|| rows).clone())
    }
}

#[pymethods]
impl Results {
    /// What the command prints as JSON.
    fn json(&self, py: Python) -> PyResult<String> {
        let failed = |e: serde_json::Error| CallError::Failed(e.to_string());
        let json = py.detach(|| match &self.kind {
            Kind::Compared(compared) => compared.json().map_err(failed),
            Kind::Swept(swept) => swept.json(),
            Kind::Judged(judged) => judged.json().map_err(failed),
        });
        json.map_err(|e| of_call(py, e))
    }

    /// What `airtab run --json` prints.
    fn run_json(&self, py: Python) -> PyResult<Option<String>> {
        let Kind::Compared(compared) = &self.kind else { return Ok(None) };
        let json = compared.run_json().map_err(|e| CallError::Failed(e.to_string()));
        json.map(Some).map_err(|e| of_call(py, e))
    }

    /// As a table of text.
    fn text(&self, width: usize) -> Option<String> {
        match &self.kind {
            Kind::Compared(compared) => Some(compared.text(width)),
            Kind::Judged(judged) => Some(judged.text(width)),
            Kind::Swept(_) => None,
        }
    }

    /// What made the scores, by the sentence.
    fn why(&self, full: bool) -> Option<Vec<String>> {
        match &self.kind {
            Kind::Compared(compared) => Some(compared.why(full)),
            _ => None,
        }
    }

    /// What each application received over time in the runs with the first seed, as JSON; of comparisons.
    fn courses(&self, py: Python) -> PyResult<Option<String>> {
        let Kind::Compared(compared) = &self.kind else { return Ok(None) };
        let wanted = Wanted { jobs: 0, cache: Cache::Off, progress: None, exchange: None };
        run(py, wanted, |how| compared.courses(how)).map(|courses| Some(courses.to_string()))
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        match &self.kind {
            Kind::Compared(compared) => compared.warnings.clone(),
            Kind::Swept(swept) => swept.warnings.clone(),
            Kind::Judged(judged) => judged.warnings.clone(),
        }
    }

    /// Writes the files of `--out`.
    fn save(&self, py: Python, dir: PathBuf) -> PyResult<()> {
        let wanted = Wanted { jobs: 0, cache: Cache::Off, progress: None, exchange: None };
        run(py, wanted, |how| match &self.kind {
            Kind::Compared(compared) => compared.save(&dir, how.jobs, how.stop).map(drop),
            Kind::Swept(swept) => swept.save(&dir).map(drop),
            Kind::Judged(judged) => judged.save(&dir),
        })
    }

    /// A row for each figure of each seed, by the PyCapsule interface of Arrow.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A producer may ignore it.
        drop(requested_schema);
        let rows = py.detach(|| self.rows()).map_err(|e| of_call(py, e))?;
        let schema = rows.schema();
        let reader = RecordBatchIterator::new([Ok(rows)], schema);
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), c"arrow_array_stream")
    }
}

/// Jobs, cache, progress, and who makes runs if not this machine.
type How = (usize, Option<(bool, Option<PathBuf>)>, Option<Py<PyAny>>, Option<Py<PyAny>>);

/// `cache`: None for none, else where.
fn wanted((jobs, cache, progress, exchange): How) -> Wanted {
    let cache = match cache {
        None => Cache::Off,
        Some((_, None)) => Cache::Usual,
        Some((_, Some(folder))) => Cache::At(folder),
    };
    Wanted { jobs, cache, progress, exchange }
}

/// `airtab compare`; `airtab run`, too.
#[pyfunction]
pub fn compare(
    py: Python,
    scenario: &Text,
    queues: Vec<String>,
    seeds: &str,
    short: bool,
    how: How,
) -> PyResult<Results> {
    let queues = calls::queues(&queues).map_err(|e| of_call(py, e))?;
    let seeds = calls::seeds(seeds).map_err(|e| of_call(py, e))?;
    let found = scenario.found.clone();
    let compared = run(py, wanted(how), |how| calls::compare(&found, &queues, &seeds, short, how))?;
    Ok(Results::new(Kind::Compared(Box::new(compared))))
}

/// What is swept, and how: as [`Asked`] has it.
type Sweeping = (
    Vec<(String, Vec<String>)>,
    Option<Vec<String>>,
    Option<String>,
    Option<(String, f64)>,
    (Option<u64>, Option<u64>),
    Vec<PathBuf>,
);

fn asked(py: Python, (axes, queues, seeds, until, rounds, merge): Sweeping) -> PyResult<Asked> {
    let queues = queues.map(|labels| calls::queues(&labels)).transpose().map_err(|e| of_call(py, e))?;
    Ok(Asked { axes, queues, seeds, until, rounds, merge })
}

fn source(scenario: Option<&Text>, file: Option<PathBuf>) -> From {
    match (scenario, file) {
        (Some(text), _) => From::Text(text.found.name.clone(), text.found.text.clone()),
        (None, file) => From::File(file.unwrap_or_default()),
    }
}

/// `airtab sweep`.
#[pyfunction]
#[pyo3(signature = (scenario, file, asking, how))]
pub fn sweep(
    py: Python,
    scenario: Option<&Text>,
    file: Option<PathBuf>,
    asking: Sweeping,
    how: How,
) -> PyResult<Results> {
    let (from, asking) = (source(scenario, file), asked(py, asking)?);
    let swept = run(py, wanted(how), |how| calls::sweep(&from, asking, how))?;
    Ok(Results::new(Kind::Swept(Box::new(swept))))
}

/// `airtab sweep --shard`: how many runs it has.
#[pyfunction]
#[pyo3(signature = (scenario, file, asking, shard, dir, how))]
pub fn fill(
    py: Python,
    scenario: Option<&Text>,
    file: Option<PathBuf>,
    asking: Sweeping,
    shard: &str,
    dir: PathBuf,
    how: How,
) -> PyResult<usize> {
    let (from, asking) = (source(scenario, file), asked(py, asking)?);
    run(py, wanted(how), |how| calls::fill(&from, asking, shard, &dir, how))
}

/// `airtab experiment run`; `None` for `how`: only whether there is one.
#[pyfunction]
#[pyo3(signature = (name, quick, seeds, how))]
pub fn experiment(
    py: Python,
    name: &str,
    quick: bool,
    seeds: Option<u64>,
    how: Option<How>,
) -> PyResult<Option<Results>> {
    let found = calls::find(name).map_err(|e| of_call(py, e))?;
    if seeds.is_some_and(|n| n == 0 || n > 100_000) {
        return Err(PyValueError::new_err("seeds: give 1 to 100000"));
    }
    let Some(how) = how else { return Ok(None) };
    let judged = run(py, wanted(how), |how| calls::experiment(found, quick, seeds, how))?;
    Ok(Some(Results::new(Kind::Judged(Box::new(judged)))))
}
