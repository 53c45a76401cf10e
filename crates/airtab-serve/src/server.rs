// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! The server: where it listens, what it has in common for all requests, how it ends.
//!
//! One thread answers; what takes processor time is done aside. [`DOOR`] says how many connections
//! there may be, and how long a client may take to say what it wants.
//!
//! What it does not do: no TLS, no HTTP/2: a proxy has these.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use airtab_lab::store::Store;
use axum::Router;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get, post};
use tokio::sync::watch;

use crate::answer::Refusal;
use crate::catalogue::{self, Schemas};
use crate::door::Door;
use crate::files::Named;
use crate::guard::{Names, guard, is_name};
use crate::live::{Houses, Replay};
#[cfg(has_live)]
use crate::metrics;
use crate::runs::board::Board;
use crate::runs::work::Kit;
use crate::token::Token;
use crate::{check, live, page, runs};

/// Port where nothing else was asked for.
pub const DEFAULT_PORT: u16 = 8080;
/// Browsers keep connections open, and those with events stay.
const DOOR: Door = Door { connections: 128, head: Duration::from_secs(10), whole: None };
/// Longest time until a stop is seen.
const TICK: Duration = Duration::from_millis(100);

/// What is served, to whom.
pub struct Options {
    /// Address to listen on.
    pub listen: IpAddr,
    /// Port; 0 takes any that is free.
    pub port: u16,
    /// Names, besides those of the loopback, by which browsers may ask: without a port.
    pub names: Vec<String>,
    /// The folder of files that scenarios may name; none without.
    pub files: Option<PathBuf>,
    /// Scenarios that airtab brings besides the home: names and texts.
    pub scenarios: &'static [(&'static str, &'static str)],
    /// Version of airtab.
    pub version: String,
    /// Commit that it was built from.
    pub git: String,
    /// Houses of this machine that are shown.
    pub live: Vec<String>,
    /// Recordings of houses that are shown.
    pub replay: Vec<Replay>,
    /// Where finished runs are kept.
    pub store: Arc<dyn Store + Send + Sync>,
    /// Threads of a study; 0: one per processor.
    pub jobs: usize,
    /// What studies may take.
    pub limits: Limits,
}

/// What studies may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Studies that run at a time.
    pub running: usize,
    /// Studies that wait; one more is refused.
    pub waiting: usize,
    /// Processor time of one.
    pub processor: Duration,
    /// Results of all together, bytes.
    pub result_bytes: u64,
    /// A study ends so long after its last reader.
    pub unread: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            running: 2,
            waiting: 8,
            processor: Duration::from_secs(600),
            result_bytes: 256 << 20,
            unread: Duration::from_secs(30),
        }
    }
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is taken, or not this machine's.
    #[error("cannot listen on {address}: {cause} (another port: --port N, or 0 for one that is free)")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        cause: io::Error,
    },
    /// Who may ask is not said.
    #[error(
        "--listen {0} lets other machines ask: say by which name they do, --allow-host NAME (and let a proxy do TLS: the \
         token is readable on the way otherwise)"
    )]
    NoName(IpAddr),
    /// A name that none is.
    #[error(
        "--allow-host {0}: is no name of a host, such as lab.example.org or 192.168.1.5 (without a port)"
    )]
    BadName(String),
    /// The folder of files.
    #[error("--files {folder}: {cause}")]
    Files {
        /// Which.
        folder: String,
        /// What is wrong with it.
        cause: io::Error,
    },
    /// Houses that cannot be shown.
    #[error("{0}")]
    Houses(String),
    /// The operating system lacks something.
    #[error("cannot start the server: {0}")]
    System(#[from] io::Error),
}

/// What all requests share.
pub struct Shared {
    pub(crate) token: Token,
    pub(crate) names: Names,
    pub(crate) files: Named,
    pub(crate) scenarios: &'static [(&'static str, &'static str)],
    pub(crate) board: Arc<Board>,
    pub(crate) limits: Limits,
    pub(crate) houses: Houses,
    pub(crate) schemas: Schemas,
}

/// A server that listens already.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Listens.
    ///
    /// # Errors
    /// [`ServeError`].
    pub fn bind(options: Options) -> Result<Server, ServeError> {
        if !options.listen.is_loopback() && options.names.is_empty() {
            return Err(ServeError::NoName(options.listen));
        }
        if let Some(name) = options.names.iter().find(|name| !is_name(name)) {
            return Err(ServeError::BadName(name.clone()));
        }
        let files = Named::below(options.files.as_deref()).map_err(|cause| {
            let folder = options.files.as_ref().map_or(String::new(), |folder| folder.display().to_string());
            ServeError::Files { folder, cause }
        })?;
        let houses = Houses::new(options.replay, &options.live).map_err(ServeError::Houses)?;
        let address = SocketAddr::from((options.listen, options.port));
        let refused = |cause| ServeError::Listen { address, cause };
        let listener = TcpListener::bind(address).map_err(refused)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let kit = Kit {
            version: options.version,
            git: options.git,
            store: options.store,
            jobs: options.jobs,
            limits: options.limits,
        };
        let shared = Shared {
            token: Token::new().map_err(|e| io::Error::other(e.to_string()))?,
            names: Names::new(&options.names),
            files,
            scenarios: options.scenarios,
            board: Board::new(kit),
            limits: options.limits,
            houses,
            schemas: Schemas::default(),
        };
        Ok(Server { listener, address, shared: Arc::new(shared) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What proves that one may ask.
    pub fn token(&self) -> &str {
        self.shared.token.text()
    }

    /// The address for a browser on this machine, with the token.
    pub fn link(&self) -> String {
        let ip = match self.address.ip() {
            ip if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            ip => ip,
        };
        format!("http://{}/#token={}", SocketAddr::new(ip, self.address.port()), self.token())
    }

    /// Answers until `stop` is set; then ends studies and connections.
    ///
    /// # Errors
    /// The operating system lacks something.
    pub fn run(self, stop: &AtomicBool) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let shared = self.shared;
        let sources = shared.houses.start();
        let app = router(shared.clone());
        let board = shared.board.clone();
        // The page's first question, before it is asked.
        let early = shared.clone();
        runtime.spawn_blocking(move || _ = early.schemas.text("scenario"));
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            let ends = watch::Sender::new(());
            let accepting = tokio::spawn(DOOR.serve(listener, app, ends.subscribe()));
            while !stop.load(Ordering::Relaxed) {
                tokio::time::sleep(TICK).await;
                board.look_after();
            }
            accepting.abort();
            let closing = board.clone();
            // Runs see it within a tenth of a second; readers are told.
            let _ = tokio::task::spawn_blocking(move || closing.close()).await;
            drop(ends);
            Ok::<_, io::Error>(())
        })?;
        runtime.shutdown_timeout(TICK);
        shared.houses.close();
        // A panic was told already.
        sources.into_iter().for_each(|source| _ = source.join());
        Ok(())
    }
}

fn router(shared: Arc<Shared>) -> Router {
    let no_such =
        || async { Refusal::new(StatusCode::NOT_FOUND, "there is nothing of that name below /api/") };
    let no_method = || async { Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "not by this method") };
    let api = Router::new()
        .route("/schema/{name}", get(catalogue::schema))
        .route("/disciplines", get(catalogue::disciplines))
        .route("/experiments", get(catalogue::experiments))
        .route("/experiments/{*id}", get(catalogue::experiment))
        .route("/scenarios", get(catalogue::scenarios))
        .route("/check", post(check::check))
        .route("/edit", post(check::edit))
        .route("/runs", post(runs::add))
        .route("/runs/{id}", get(runs::get).delete(runs::delete))
        .route("/runs/{id}/events", get(runs::events))
        .route("/runs/{id}/{file}", get(runs::file))
        .route("/live", get(live::list))
        .route("/live/{house}", post(live::ask))
        .route("/live/{house}/events", get(live::events))
        // Or they would be files of the page.
        .route("/", any(no_such))
        .route("/{*other}", any(no_such))
        .method_not_allowed_fallback(no_method);
    let app = Router::new();
    #[cfg(has_live)]
    let app = app.route("/metrics", get(metrics::shown)).route("/health", get(metrics::shown_health));
    app.nest("/api", api)
        .route("/", get(page::index))
        .route("/{*name}", get(page::file))
        .layer(from_fn_with_state(shared.clone(), guard))
        .with_state(shared)
}
