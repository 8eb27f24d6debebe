//! `doctor`: what was found of a deployment before a run, what it costs, and what would be skipped.
//!
//! It refuses to judge.

use std::{collections::BTreeMap, error::Error};

use super::{arguments::TargetOptions, prepare::prepare};
use crate::{
    run::Estimate,
    snapshot::Mode,
    target::{Fixture, Hook, Role},
};

/// Prints the findings; `false`, and so exit status 1, where some case would be skipped: a script can ask whether a target is whole.
pub(super) async fn run(options: &TargetOptions) -> Result<bool, Box<dyn Error>> {
    let prepared = prepare(options, Mode::default()).await?;
    let deployment = &prepared.deployment;
    println!("{} at {}", prepared.file.name, deployment.client.base_url());
    for role in Role::ALL {
        let told = if deployment.keys.get(*role).is_some() {
            "is there"
        } else {
            "is missing"
        };
        println!("  key      {:<26} {told}", role.name());
    }
    for fixture in Fixture::ALL {
        let told = match deployment.fixture(*fixture) {
            Some(id) if prepared.discovered.contains(fixture) => format!("found: {id}"),
            Some(id) => id,
            None if fixture.is_shown() => "is missing, and was not found".to_owned(),
            None => "is missing; no request shows it, so the target file must name it".to_owned(),
        };
        println!("  fixture  {:<26} {told}", fixture.name());
    }
    for hook in Hook::ALL {
        let told = if deployment.hooks.has(*hook) {
            "is there"
        } else {
            "is missing"
        };
        println!("  hook     {:<26} {told}", hook.name());
    }
    let estimate = Estimate::of(&prepared.planned);
    println!("\nCases: {estimate}.");
    for warning in estimate.warnings(deployment) {
        println!("{warning}");
    }
    let mut skipped: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for planned in &prepared.planned {
        for missing in &planned.missing {
            skipped.entry(missing).or_default().push(planned.case.id);
        }
    }
    if skipped.is_empty() {
        println!("Nothing would be skipped.");
        return Ok(true);
    }
    println!("Skipped for want of:");
    for (missing, cases) in &skipped {
        println!("  {missing}: {}", cases.join(", "));
    }
    Ok(false)
}
