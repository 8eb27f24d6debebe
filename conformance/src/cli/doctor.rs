//! `doctor`: what is known about a deployment before a run, what the run costs, and what it skips.

use std::{collections::BTreeMap, error::Error, sync::Arc};

use super::{arguments::TargetOptions, prepare::prepare};
use crate::{
    baseline::Mode,
    isolation,
    run::plan::Estimate,
    target::{Fixture, Hook, Role},
};

/// The owner of the target promises this.
const ALONE: &str = "\
The organisations of these keys must be changed by nobody else while a run lasts. One run at a \
time may change data: it holds the journal on this machine, and marks the organisation for others.";

/// Prints the findings; false if some case would be skipped, so that a script can ask.
pub(super) async fn run(options: &TargetOptions) -> Result<bool, Box<dyn Error>> {
    let prepared = prepare(options, Mode::default()).await?;
    let deployment = &prepared.deployment;
    anstream::println!("{} at {}", prepared.file.name, deployment.client.base_url.as_str());
    let line =
        |kind: &str, name: &str, state: &str| anstream::println!("  {kind:<8} {name:<32} {state}");
    let state = |is_there| if is_there { "present" } else { "missing" };
    for role in Role::ALL {
        line("key", role.name(), state(deployment.keys.get(*role).is_some()));
    }
    for fixture in Fixture::ALL {
        let state = match deployment.fixtures.id(*fixture) {
            Some(id) if deployment.fixtures.was_discovered(*fixture) => format!("found: {id}"),
            Some(id) => id.to_owned(),
            None if fixture.is_shown() => "missing, and not found through the API".to_owned(),
            None => "missing; the API does not show it, so name it in the target file".to_owned(),
        };
        line("fixture", fixture.name(), &state);
    }
    for hook in Hook::ALL {
        line("hook", hook.name(), state(deployment.hooks.has(*hook)));
    }
    if !prepared.left_out.is_empty() {
        let (profiles, left_out) = (prepared.file.profiles.names(), &prepared.left_out);
        anstream::println!("\nNot in {}: {}", profiles.join(", "), left_out.join(", "));
    }
    anstream::println!("\n{ALONE}");
    let direct = Arc::new(deployment.again(deployment.client.direct()));
    match isolation::holder(&direct, &[]).await {
        Ok(None) => {}
        Ok(Some(holder)) => anstream::println!("{}", isolation::refusal(&holder)),
        Err(why) => anstream::println!("Whether another run is active is not known: {why}."),
    }
    let estimate = Estimate::of(&prepared.planned);
    anstream::println!("\nCases: {estimate}.");
    for warning in estimate.warnings(deployment) {
        anstream::println!("{warning}");
    }
    let mut skipped: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for planned in &prepared.planned {
        for missing in &planned.missing {
            skipped.entry(missing).or_default().push(planned.case.id);
        }
    }
    if skipped.is_empty() {
        anstream::println!("Nothing would be skipped.");
        return Ok(true);
    }
    anstream::println!("Would be skipped because something is missing:");
    for (missing, cases) in &skipped {
        anstream::println!("  {missing}: {}", cases.join(", "));
    }
    Ok(false)
}
