//! Runs every chosen step, also after a failure, and prints a summary.

use std::{
    cell::OnceCell,
    env,
    io::{self, Write as _},
    path::Path,
    process::Command,
    time::Instant,
};

use super::{
    clients, deny,
    process::{self, Checked, Done},
    step::{STEPS, Step, names},
};
use crate::{Result, cargo, deployment::Postgres, endurance};

#[derive(Debug, Default, clap::Args)]
pub(crate) struct Options {
    /// Run this step alone; may be given several times.
    #[arg(long, value_name = "STEP", value_parser = names())]
    only: Vec<String>,
    /// Leave this step out; may be given several times.
    #[arg(long, value_name = "STEP", value_parser = names())]
    skip: Vec<String>,
}

impl Options {
    fn chooses(&self, step: &Step) -> bool {
        (self.only.is_empty() || self.only.contains(&step.name)) && !self.skip.contains(&step.name)
    }
}

/// A PostgreSQL for the tests, started by the first step that needs it; `None` where DATABASE_URL
/// names one. An error is kept for the next step.
type Database = OnceCell<std::result::Result<Option<Postgres>, String>>;

/// Runs the chosen steps; `false` where one failed.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let database = Database::new();
    let mut summary = String::new();
    let (mut failed, mut unable) = (0, 0);
    for step in STEPS.iter().filter(|step| options.chooses(step)) {
        anstream::println!("\n== {}: {}", step.name, step.claim);
        // A closed pipe is reported by the next println.
        let _ = io::stdout().flush();
        let begun = Instant::now();
        let done = check(root, step, &database);
        match &done {
            Err(error) => anstream::println!("could not run: {error}"),
            Ok(Done { checked: Checked::Nothing(why), .. }) => anstream::println!("skipped: {why}"),
            Ok(Done { success: false, output, .. }) => anstream::println!("{}", output.trim_end()),
            Ok(_) => {}
        }
        let seconds = begun.elapsed().as_secs_f32();
        anstream::println!("   {seconds:.1} s");
        unable += usize::from(done.is_err());
        failed += usize::from(done.as_ref().is_ok_and(|done| !done.success));
        summary += &format!("{:<8} {seconds:>7.1} s  {}\n", step.name, result(step, &done));
    }
    if let Some(Ok(Some(postgres))) = database.into_inner()
        && let Err(error) = postgres.stop()
    {
        // It stops with this process.
        anstream::eprintln!("the database of the tests did not stop: {error}");
    }
    anstream::println!("\n{}", summary.trim_end());
    if unable > 0 {
        return Err(format!("{unable} of the steps could not run; see their output above").into());
    }
    Ok(failed == 0)
}

/// The result of a step in the summary.
fn result(step: &Step, done: &Result<Done>) -> String {
    match done {
        Err(error) => {
            let error = error.to_string();
            format!("COULD NOT RUN: {}", error.lines().next().unwrap_or_default())
        }
        Ok(Done { success: false, .. }) => {
            format!("FAILED, see above; `{}` repeats it", step.repeat)
        }
        Ok(Done { checked: Checked::Nothing(why), .. }) => format!("skipped: {why}"),
        Ok(Done { checked: Checked::AllBut(what), .. }) => format!("ok; NOT CHECKED: {what}"),
        Ok(Done { passed_tests: 0, .. }) => "ok".to_owned(),
        Ok(Done { passed_tests, .. }) => format!("ok, {passed_tests} tests"),
    }
}

fn check(root: &Path, step: &Step, database: &Database) -> Result<Done> {
    match step.name.as_str() {
        "clients" => return clients::check(root),
        "deny" => return deny::check(root),
        _ => {}
    }
    if step.needs_cluster
        && let Err(missing) = endurance::failover_can_run()
    {
        return Ok(Done::skipped(missing.to_string().replace("\n ", "")));
    }
    let mut done = Done::default();
    for line in &step.commands {
        let mut command = command(root, line)?;
        if step.needs_database {
            set_database(&mut command, root, database)?;
        }
        done = process::run(command)?;
        if !done.success {
            break;
        }
    }
    Ok(done)
}

fn command(root: &Path, line: &str) -> Result<Command> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words[0] != "xtask" {
        let mut command = cargo::command(root, &words);
        if words[0] == "doc" {
            command.env("RUSTDOCFLAGS", "-D warnings");
        }
        return Ok(command);
    }
    // Found by its path, because the build of the tests replaces the file that runs.
    let program = env::args_os().next().ok_or("this program has no name")?;
    let mut command = Command::new(program);
    command.args(&words[1..]).current_dir(root);
    Ok(command)
}

fn set_database(command: &mut Command, root: &Path, database: &Database) -> Result<()> {
    let open = || {
        let is_set = env::var_os("DATABASE_URL").is_some_and(|url| !url.is_empty());
        let own = (!is_set).then(|| Postgres::disposable("xtask", 0)).transpose();
        own.map_err(|error| error.to_string())
    };
    if let Some(postgres) = database.get_or_init(open).as_ref().map_err(String::as_str)? {
        command.env("DATABASE_URL", postgres.superuser_url("postgres"));
    }
    // Without it, insta runs `cargo metadata` for each snapshot.
    command.env("INSTA_WORKSPACE_ROOT", root).env("INSTA_UPDATE", "no");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(only: &[&str], skip: &[&str]) -> Vec<&'static str> {
        let [only, skip] =
            [only, skip].map(|names| names.iter().map(ToString::to_string).collect());
        let options = Options { only, skip };
        STEPS.iter().filter(|step| options.chooses(step)).map(|step| &*step.name).collect()
    }

    #[test]
    fn only_and_skip_choose_in_the_usual_order() {
        assert_eq!(chosen(&[], &[]).len(), STEPS.len());
        assert_eq!(chosen(&["tests", "format"], &[]), ["format", "tests"]);
        assert_eq!(chosen(&["tests", "format"], &["tests"]), ["format"]);
        assert_eq!(chosen(&[], &["clippy", "tests"]).len(), STEPS.len() - 2);
    }

    #[test]
    fn summary_reports_a_step_with_the_command_that_repeats_it() {
        let checked = |checked| Done { success: true, checked, ..Done::default() };
        let result = |done| result(&STEPS[0], &done);
        assert_eq!(result(Ok(Done::default())), "FAILED, see above; `cargo fmt --all` repeats it");
        assert_eq!(result(Ok(checked(Checked::All))), "ok");
        let advisories = Checked::AllBut("advisories".to_owned());
        assert_eq!(result(Ok(checked(advisories))), "ok; NOT CHECKED: advisories");
        assert_eq!(result(Ok(Done::skipped("no tool".to_owned()))), "skipped: no tool");
        let tests = Done { passed_tests: 12, ..checked(Checked::All) };
        assert_eq!(result(Ok(tests)), "ok, 12 tests");
        assert_eq!(result(Err("no disk\nat all".into())), "COULD NOT RUN: no disk");
    }
}
