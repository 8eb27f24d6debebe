//! Makes a deployment that can be tested from a target file. Changes nothing.

use std::{error::Error, time::Duration};

use super::arguments::TargetOptions;
use crate::{
    baseline::Mode,
    deployment::Deployment,
    document::DOCUMENT,
    exchange::{Client, trust},
    probes,
    run::{
        coverage::Coverage,
        discovery::discover,
        plan::{Decisions, Estimate, Planned, plan},
        profile,
    },
    target::TargetFile,
};

const TIMEOUT: Duration = Duration::from_secs(60);

pub(super) struct Prepared {
    pub(super) file: TargetFile,
    pub(super) deployment: Deployment,
    pub(super) planned: Vec<Planned>,
    pub(super) coverage: Coverage,
    pub(super) document_version: String,
    /// Operations of the document that the deployment's profiles do not have.
    pub(super) left_out: Vec<String>,
}

pub(super) async fn prepare(
    options: &TargetOptions,
    mode: Mode,
) -> Result<Prepared, Box<dyn Error>> {
    let file = TargetFile::read(&options.target)?;
    let keys = file.keys(|name| std::env::var(name).ok())?;
    let selection = profile::select(&DOCUMENT, &file.profiles)?;
    for id in &options.choice.cases {
        let case = super::catalogue::find(id)?;
        if !selection.has(case) {
            let operation = case.operation.unwrap_or_default();
            return Err(
                format!("{id} is about {operation}, which no profile of the target has").into()
            );
        }
    }
    let mut cases = probes::all_cases();
    cases.retain(|case| selection.has(case));
    let document = selection.document();
    let trusted = match file.ca_file() {
        Some(path) => trust::certificates(&path)?,
        None => Vec::new(),
    };
    let mut client = Client::new(file.base_url.0.as_str(), TIMEOUT, trusted)?;
    client.latency = Duration::from_millis(options.latency_ms);
    let with_decisions = options.choice.decisions == Decisions::On;
    let mut deployment = Deployment::new(client, &file, keys, document, with_decisions, mode)?;
    deployment.seed = options.choice.seed;
    let named = options.deadline.map(|seconds| Duration::from_secs(seconds.into()));
    if let Some(time) = named {
        deployment.budget.deadline.set(time);
    }
    deployment.fixtures = discover(&deployment).await?;
    let planned = plan(&cases, &options.choice, &deployment);
    if named.is_none() {
        let time = Estimate::of(&planned).deadline(&deployment);
        deployment.budget.deadline.set(time);
    }
    Ok(Prepared {
        planned,
        coverage: Coverage::of(document)?,
        document_version: document.version().to_owned(),
        left_out: selection.left_out,
        file,
        deployment,
    })
}
