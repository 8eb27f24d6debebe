//! The subject from build to report.
//!
//! It refuses to compare with a statement that does less than the server: each is tried once before the clock starts.

use std::path::Path;

use super::{
    contest::{Contest, Side},
    data::{self, PREPARATION, payout_id},
    overload::Overload,
    present::{self, Measured},
    scripts::{CONTRACT, READ, literal},
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
    rounds: 3,
    seconds: 2,
    connections: &[1, 4, 8, 64, 256],
};
/// The organisation on which statements are tried.
const TRIED: usize = 7;

/// Measures the gate.
///
/// # Errors
/// A build fails, PostgreSQL is missing, or an answer is not what is measured.
pub(crate) async fn measure(root: &Path, options: &Options) -> Result<Report, BenchError> {
    let effort = options.effort.effort(DEFAULTS);
    progress("building payout-server as it is shipped");
    let server = build(root, Program::Released("payout-server"))?;
    let devdata = build(root, Program::Debug("payout-devdata"))?;
    progress("starting PostgreSQL and the server, importing 1,000 organisations");
    let data = data::file();
    let content = Content {
        data: &data,
        lines: None,
    };
    let deployment = Deployment::start(&server, &devdata, content).await?;
    deployment.prepare(PREPARATION).await?;
    try_statements(&deployment).await?;
    let mut contests = Vec::new();
    for connections in effort.connections {
        progress(&format!(
            "pgbench and server, connections: {connections}, rounds: {}",
            effort.plan.rounds
        ));
        // What rounds before have left behind must not weigh on these.
        deployment.settle().await?;
        let contest = Contest::hold(&deployment, connections, &contests, effort.plan).await?;
        progress(&format!(
            "  the server is {} of the read alone, {} times one durable statement; on one organisation {} times",
            contest.rate(Side::Server, Side::Read).text(2),
            contest.rate(Side::Server, Side::Contract).text(2),
            contest.rate(Side::HotServer, Side::HotContract).text(2)
        ));
        contests.push(contest);
    }
    // Before the overload, whose connections have a memory of their own.
    let peak = deployment
        .meter()
        .server_peak_bytes()
        .map(Figure::megabytes);
    let most = contests.last().map_or(1, |contest| contest.connections);
    progress(&format!(
        "overload, connections: {most} and three times as many"
    ));
    deployment.settle().await?;
    let overload = Overload::measure(&deployment, most, effort.plan).await?;
    let measured = Measured {
        contests,
        overload,
        server_peak: peak,
        postgres_version: deployment.postgres_version().to_owned(),
        plan: effort.plan,
    };
    Ok(present::report(Machine::this(root), &measured))
}

/// Tries each statement once: it must find the payout, and the contract must charge for it.
async fn try_statements(deployment: &Deployment) -> Result<(), BenchError> {
    for statement in [READ, CONTRACT] {
        let found = deployment.ask(literal(statement, TRIED)).await?;
        if found != payout_id(TRIED) {
            let what =
                "a statement of pgbench does not find the payout that the server answers with";
            return Err(BenchError::Unlike(what.to_owned()));
        }
    }
    let charged = "SELECT sum(month_used)::text FROM meters".to_owned();
    match deployment.ask(charged).await?.as_str() {
        "1" => Ok(()),
        charged => Err(BenchError::Unlike(format!(
            "the whole contract, tried once, charged {charged} credits"
        ))),
    }
}
