//! The subject from build to report.
//!
//! It refuses to load the machine while documents are typeset: the server starts afterwards.

use std::path::Path;

use super::{
    calls,
    data::Data,
    documents::{self, SIZES},
    present::{self, Measured},
};
use crate::{
    bench::{
        deployment::{Content, Deployment},
        effort::Defaults,
        figure::Figure,
        machine::Machine,
        report::Report,
        run::{BenchError, Options, progress},
    },
    cargo::{Program, build},
};

const DEFAULTS: Defaults = Defaults {
    rounds: 5,
    seconds: 2,
    connections: &[8, 64],
};

/// Measures documents and calls.
///
/// # Errors
/// A build fails, PostgreSQL is missing, or an answer is not what is measured.
pub(crate) async fn measure(root: &Path, options: &Options) -> Result<Report, BenchError> {
    progress("building the server's bench target (some minutes the first time)");
    let typesetter = build(root, Program::Bench("statements"))?;
    // Last, because a bench target brings a server with it that has its tests' dependencies.
    progress("building payout-server as it is shipped");
    let server = build(root, Program::Released("payout-server"))?;
    let devdata = build(root, Program::Debug("payout-devdata"))?;

    let mut measured = Vec::new();
    for size in SIZES {
        progress(&format!("documents of {} lines", size.lines));
        measured.push(documents::measure(&typesetter, size)?);
    }

    progress("starting PostgreSQL and the server, importing");
    let effort = options.effort.effort(DEFAULTS);
    let plan = effort.plan;
    let (usual, long) = calls::first_calls(plan);
    let data = Data::new(usual, long);
    let content = Content {
        data: &data.file,
        lines: None,
    };
    let deployment = Deployment::start(&server, &devdata, content).await?;
    // First, while the memory is that of nothing else.
    let singles = calls::singles(&deployment, &data, plan).await?;
    let peak = deployment
        .meter()
        .server_peak_bytes()
        .map(Figure::megabytes);
    // The tables of documents were empty when the planner was last told.
    deployment.settle().await?;
    let mut repeated = Vec::new();
    for connections in effort.connections {
        repeated.extend(calls::repeated(&deployment, &data, connections, plan).await?);
    }
    let measured = Measured {
        documents: measured,
        repeated,
        singles,
        server_peak: peak,
        postgres_version: deployment.postgres_version().to_owned(),
        plan,
    };
    Ok(present::report(Machine::this(root), &measured))
}
