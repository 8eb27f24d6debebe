//! `doctor`: what was found of a deployment before a run, what it costs, and what would be skipped.
//!
//! It refuses to judge.

use std::{collections::BTreeMap, error::Error};

use super::{arguments::TargetOptions, prepare::prepare};
use crate::{
    case::Changes,
    target::{Fixture, Hook, Role},
};

/// Prints the findings; `false` where some case would be skipped.
pub(super) async fn run(options: &TargetOptions) -> Result<bool, Box<dyn Error>> {
    let prepared = prepare(options).await?;
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
            None => "is missing, and was not found".to_owned(),
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
    let runs = prepared
        .planned
        .iter()
        .filter(|planned| planned.missing.is_empty());
    let (mut cases, mut requests, mut irreversible) = (0_u32, 0_u32, 0_u32);
    for planned in runs {
        cases += 1;
        requests += planned.case.requests;
        irreversible += u32::from(planned.case.changes == Changes::Irreversible);
    }
    println!(
        "\nA run: {cases} cases, at most {requests} requests and as many credits, {irreversible} cases that change what cannot be undone."
    );
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
