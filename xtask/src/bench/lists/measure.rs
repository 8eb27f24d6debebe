//! The subject from build to report.
//!
//! It refuses to measure while tables are still being tidied up: they are settled first.

use std::path::Path;

use serde_json::json;

use super::{
    contest,
    present::{self, Measured},
    walk::{LINES, deep_cursor},
};
use crate::{
    bench::{
        deployment::{Content, Deployment},
        effort::Defaults,
        machine::Machine,
        report::Report,
        run::{BenchError, Options, progress},
    },
    cargo::{Program, build},
};

const DEFAULTS: Defaults = Defaults {
    rounds: 3,
    seconds: 2,
    connections: &[1, 8],
};
/// Of the organisation's only key, in the file of keys.
const KEY: &str = "BENCH_ALL";

/// Measures lists.
///
/// # Errors
/// A build fails, PostgreSQL is missing, or an answer is not what is measured.
pub(crate) async fn measure(root: &Path, options: &Options) -> Result<Report, BenchError> {
    let effort = options.effort.effort(DEFAULTS);
    progress("building payout-server as it is shipped");
    let server = build(root, Program::Released("payout-server"))?;
    let devdata = build(root, Program::Debug("payout-devdata"))?;
    progress("starting PostgreSQL and the server, generating 1,000,000 lines (about a minute)");
    let data = json!({ "organizations": [{
        "id": "org_01JV3N8Q5R000000000000000B",
        "name": "bench",
        "limits": { "requestsPerMinute": 1_000_000, "creditsPerMonth": 1_000_000_000 },
        "keys": [{ "name": "all", "scopes": ["commissions:read"] }],
    }] });
    let content = Content {
        data: &data,
        lines: Some(LINES),
    };
    let deployment = Deployment::start(&server, &devdata, content).await?;
    let key = deployment.key(KEY).to_owned();
    progress("following the cursors to 99 % of the list");
    let cursor = deep_cursor(&deployment, &key).await?;
    deployment.settle().await?;
    let mut pairs = Vec::new();
    for connections in effort.connections {
        progress(&format!(
            "first page and 99 %, by cursor and by OFFSET, connections: {connections}, rounds: {}",
            effort.plan.rounds
        ));
        let held = contest::hold(&deployment, &key, &cursor, connections, effort.plan).await?;
        for pair in &held {
            progress(&format!(
                "  {}: 99 % costs {} first pages",
                pair.name,
                pair.latency.text(2)
            ));
        }
        pairs.extend(held);
    }
    let measured = Measured {
        pairs,
        postgres_version: deployment.postgres_version().to_owned(),
        plan: effort.plan,
    };
    Ok(present::report(Machine::this(root), &measured))
}
