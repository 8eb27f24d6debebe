//! The portal (X17): processor time of the overview, and of a payout of 100 lines.

use std::path::Path;

use super::{
    comparison::{Comparison, Id},
    deployment::{Content, Deployment},
    report::{Bound, Findings, Goal, Report},
    rounds::{Bench, Candidate, Load},
    run::Options,
    stat::Stat,
};
use crate::{
    Result,
    http::{self, Request},
};

const SERVER: &str = "server";
const OVERVIEW: Id = Id::new(SERVER, "overview");
const PAYOUT: Id = Id::new(SERVER, "payout of 100 lines");
const PAGES: [(Id, &str); 2] =
    [(OVERVIEW, ""), (PAYOUT, "/payouts/pay_01BE0000000000000000000000")];
/// Microseconds of the server's processor time for a page.
const MAX_SERVER_CPU: f64 = 2_000.0;
/// Lines of the organisation, beside those of the payout.
const LINES: u32 = 100_000;

/// Publishes the partner's portal, approves its payout with 100 lines and a comment, and opens a
/// session whose secret is 32 zeros.
const PREPARE: &str = include_str!("portal.sql");
const COOKIE: &str = "payout-portal=org_01BE0000000000000000000000.ptn_01BE0000000000000000000000.\
                      pse_01BE0000000000000000000000.\
                      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

pub(crate) async fn measure(root: &Path, options: &Options) -> Result<Report> {
    let profile = options.profile(3, 2, &[1, 8]);
    let content = Content {
        description: "100,000 commission lines of one organisation".to_owned(),
        organizations: 1,
        lines: Some(LINES),
    };
    let prepare = async |deployment: &Deployment| {
        deployment.execute(PREPARE).await?;
        Ok(String::new())
    };
    let bench = Bench::start(("portal", root, options), profile, content, prepare).await?;
    let comparisons = bench.compare_all(|deployment, connections, _| {
        let page = |path: &str| Load::Http(deployment.load([request(deployment, path)]));
        PAGES.map(|(id, path)| Candidate::new(id, connections, page(path))).into()
    });
    let comparisons = comparisons.await?;
    let mut findings = Findings::default();
    findings.compare("Pages of the portal", &comparisons, &[]);
    findings.goals = comparisons.iter().flat_map(goals).collect();
    Ok(bench.report(findings))
}

fn request(deployment: &Deployment, path: &str) -> Request {
    let path = format!("/portal{path}");
    http::request(deployment.api.address, "GET", &path, None).with_header("cookie", COOKIE)
}

fn goals(comparison: &Comparison) -> Vec<Goal> {
    let goal = |(id, _): (Id, &str)| {
        let cpu = comparison.find(id)?.median(Stat::ServerCpu);
        let claim = format!("connections: {}, {}: server CPU µs", comparison.connections, id.data);
        Goal::new(claim, cpu, Bound::AtMost(MAX_SERVER_CPU))
    };
    PAGES.into_iter().filter_map(goal).collect()
}
