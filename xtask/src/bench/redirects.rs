//! Redirects of one affiliate link (X18), each of which records a click: how many a second, and
//! what requests of the API take beside 5,000 of them a second.

use std::path::Path;

use super::{
    comparison::{Id, StatGoal},
    deployment::{Content, Deployment},
    http::HttpLoad,
    report::{Bound, Findings, Goal, Report},
    rounds::{Bench, Candidate, Load},
    run::Options,
    stat::Stat,
};
use crate::{Result, http::request};

const ORGANIZATIONS: usize = 1_000;
const PER_SECOND: u32 = 5_000;
const PREPARE: &str = include_str!("redirects.sql");

const LINK: &str = "one link";
const REDIRECT: Id = Id::new("redirects", LINK);
const QUIET: Id = Id::new("getPayout, before them", LINK);
const MEANWHILE: Id = Id::new("getPayout, beside 5,000 a second", LINK);
const GOAL: StatGoal = StatGoal::ratio(MEANWHILE, QUIET, Stat::MedianLatency, Bound::AtMost(1.2));

pub(crate) async fn measure(root: &Path, options: &Options) -> Result<Report> {
    let profile = options.profile(3, 5, &[64]);
    let seconds = u32::try_from(profile.seconds)?;
    let content = Content {
        description: "1,000 organisations, one of them with a link".to_owned(),
        organizations: ORGANIZATIONS,
        lines: None,
    };
    let prepare = async |deployment: &Deployment| {
        deployment.execute(PREPARE).await?;
        Ok(String::new())
    };
    let bench = Bench::start(("redirects", root, options), profile, content, prepare).await?;
    let comparisons = bench.compare_all(|deployment, connections, _| {
        let all = redirects(deployment, usize::MAX);
        let paced = redirects(deployment, (PER_SECOND * seconds) as usize).paced(PER_SECOND);
        let payouts = payouts(deployment);
        vec![
            Candidate::new(REDIRECT, connections, Load::Http(all)),
            Candidate::new(QUIET, 1, Load::Http(payouts.clone())),
            Candidate::new(MEANWHILE, 1, Load::HttpBeside(payouts, paced)),
        ]
    });
    let comparisons = comparisons.await?;
    let mut findings = Findings::default();
    findings.compare("Redirects and the API", &comparisons, &[(MEANWHILE, QUIET)]);
    for comparison in &comparisons {
        let rate = comparison.find(REDIRECT).and_then(|redirects| redirects.median(Stat::Rate));
        let claim = format!("connections: {}, redirects a second", comparison.connections);
        let rate = Goal::new(claim, rate, Bound::AtLeast(f64::from(PER_SECOND)));
        findings.goals.extend(rate);
        findings.goals.extend(comparison.goals([&GOAL]));
    }
    Ok(bench.report(findings))
}

fn redirects(deployment: &Deployment, count: usize) -> HttpLoad {
    let address = deployment.api.address;
    deployment.load_of(count, move |_| request(address, "GET", "/r/bench-link", None))
}

/// Requests of other organisations.
fn payouts(deployment: &Deployment) -> HttpLoad {
    let api = deployment.api.clone();
    let number = |number: usize| 1 + number % (ORGANIZATIONS - 1);
    deployment.load_of(usize::MAX, move |request| api.get_payout(number(request), number(request)))
}
