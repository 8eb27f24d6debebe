//! From a target file to a deployment that can be judged.
//!
//! It refuses a request that changes anything.

use std::{error::Error, time::Duration};

use payout_openapi::Document;

use super::arguments::{Consent, Decisions, TargetOptions};
use crate::{
    cases,
    exchange::{Client, trust},
    invariants::{Invariants, silent},
    run::{
        Choice, Deployment, Planned,
        coverage::Coverage,
        fixtures::{Found, discover},
        plan::plan,
    },
    snapshot::{Mode, Snapshots},
    target::{Feature, Fixture, TargetFile},
};

/// The document that is judged by.
const DOCUMENT: &str = include_str!("../../../openapi/api.yaml");
/// How long a response may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a run begins with.
pub(super) struct Prepared {
    /// The target file.
    pub(super) file: TargetFile,
    /// The deployment.
    pub(super) deployment: Deployment,
    /// What becomes of each case.
    pub(super) planned: Vec<Planned>,
    /// `info.version` of the document.
    pub(super) document_version: String,
    /// Fixtures that were found through the API.
    pub(super) discovered: Vec<Fixture>,
}

/// Reads the file, finds fixtures, and plans.
pub(super) async fn prepare(
    options: &TargetOptions,
    snapshots: Mode,
) -> Result<Prepared, Box<dyn Error>> {
    for case in &options.cases {
        super::catalogue::find(case)?;
    }
    let file = TargetFile::read(&options.target)?;
    let keys = file.keys(|name| std::env::var(name).ok())?;
    let document = Document::parse("openapi/api.yaml", DOCUMENT)?;
    let with_decisions = options.decisions == Decisions::On;
    let trusted = match file.ca_file() {
        Some(path) => trust::certificates(&path)?,
        None => Vec::new(),
    };
    let client = Client::new(file.base_url.as_str(), PATIENCE, trusted)?;
    let deployment = Deployment::new(
        client,
        keys.clone(),
        file.hooks(keys.redaction()),
        file.features.iter().copied().collect(),
        Invariants::new(&document, with_decisions)?,
        with_decisions,
        Coverage::of(&document)?,
    );
    let deployment = deployment.with_limits(&file.budget, &file.pace);
    let found = discover(&deployment, Found::named(&file)).await?;
    let discovered = found.discovered.clone();
    let is_seeded = file
        .features
        .iter()
        .any(|feature| *feature == Feature::Seeded);
    let snapshots = if with_decisions {
        Snapshots::new(&document, snapshots, is_seeded, true)?
    } else {
        let document = silent::without_decisions(&document)?;
        Snapshots::new(&document, snapshots, is_seeded, false)?
    };
    let deployment = deployment.with_fixtures(found).with_snapshots(snapshots);
    let choice = Choice {
        cases: options.cases.clone(),
        with_decisions,
        read_only: options.read_only,
        consents: options.consent == Some(Consent::Irreversible),
        patient: options.patient,
    };
    let planned = plan(&cases::all(), &choice, &deployment);
    Ok(Prepared {
        file,
        deployment,
        planned,
        document_version: document.openapi().info.version.clone(),
        discovered,
    })
}
