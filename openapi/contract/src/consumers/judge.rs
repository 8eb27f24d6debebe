//! Judges every consumer: it compiles with the new client, or the change breaks it, or it did not
//! compile before the change either.

use std::path::PathBuf;

use super::{
    check::{CompileError, Consumer, Outcome, check},
    mirror::Mirror,
    packages::Packages,
};
use crate::Result;

/// What is compiled, and where.
#[derive(Debug)]
pub(super) struct Bench {
    /// The generated file of the client.
    pub(super) client_file: PathBuf,
    /// The package that it is in.
    pub(super) client: Consumer,
    pub(super) consumers: Vec<Consumer>,
    pub(super) packages: Packages,
    /// For mirrors.
    pub(super) scratch: PathBuf,
}

/// A client without the change. What fails with it too is not broken by the change.
#[derive(Debug)]
pub(super) struct Baseline {
    /// The name of its mirror.
    pub(super) name: &'static str,
    /// As in `the client in src/generated.rs`.
    pub(super) label: String,
    /// The generated file, or why there is none.
    pub(super) text: std::result::Result<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Verdict {
    Compiles,
    Breaks,
    /// Not by the change.
    BrokenBefore,
    NotJudged,
}

/// A consumer, or the client itself, with its errors.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) name: String,
    pub(super) verdict: Verdict,
    /// With the new client only.
    pub(super) errors: Vec<CompileError>,
    /// Also without the change.
    pub(super) before: Vec<CompileError>,
    /// What the verdict does not say.
    pub(super) note: Option<String>,
}

impl Judged {
    fn new(consumer: &Consumer, verdict: Verdict, note: Option<String>) -> Self {
        let name = consumer.name.clone();
        Self { name, verdict, errors: Vec::new(), before: Vec::new(), note }
    }
}

impl Bench {
    /// Compiles every consumer with the new client, and those that fail with a baseline: the first
    /// one whose client compiles.
    pub(super) fn judge(&self, new: &str, baselines: &[Baseline]) -> Result<Vec<Judged>> {
        let mirror = self.mirror("new", new)?;
        let mut judged = Vec::new();
        for consumer in &self.consumers {
            anstream::eprintln!("checking {} with the new client", consumer.name);
            match check(consumer, &self.client.manifest, &self.packages, &mirror)? {
                Outcome::Compiles => judged.push(Judged::new(consumer, Verdict::Compiles, None)),
                Outcome::NotCompiled(why) => {
                    judged.push(Judged::new(consumer, Verdict::NotJudged, Some(why)));
                }
                Outcome::Fails(errors) => {
                    judged.push(self.compare(consumer, errors, new, baselines)?);
                }
                Outcome::ClientFails(errors) => {
                    return self.client_fails(consumer, errors, new, baselines);
                }
            }
        }
        Ok(judged)
    }

    fn mirror(&self, name: &str, text: &str) -> Result<Mirror> {
        Mirror::create(&self.scratch, name, &self.packages, &self.client_file, text)
    }

    /// Nothing that uses a client can be compiled before the client itself is.
    fn client_fails(
        &self,
        through: &Consumer,
        errors: Vec<CompileError>,
        new: &str,
        baselines: &[Baseline],
    ) -> Result<Vec<Judged>> {
        let client = Consumer { name: self.client.name.clone(), ..through.clone() };
        let client = self.compare(&client, errors, new, baselines)?;
        let why = format!("{} does not compile; mend it first", client.name);
        let consumers = self.consumers.iter();
        let others = consumers.map(|one| Judged::new(one, Verdict::NotJudged, Some(why.clone())));
        Ok([client].into_iter().chain(others).collect())
    }

    /// Which errors there are without the change too.
    fn compare(
        &self,
        consumer: &Consumer,
        errors: Vec<CompileError>,
        new: &str,
        baselines: &[Baseline],
    ) -> Result<Judged> {
        let mut unknown = Vec::new();
        for Baseline { name, label, text } in baselines {
            let outcome = match text {
                Err(why) => Outcome::NotCompiled(why.clone()),
                Ok(text) if text == new => Outcome::Fails(errors.clone()),
                Ok(text) => {
                    anstream::eprintln!("checking {} with {label}", consumer.name);
                    let mirror = self.mirror(name, text)?;
                    check(consumer, &self.client.manifest, &self.packages, &mirror)?
                }
            };
            let old = match outcome {
                Outcome::Compiles => Vec::new(),
                // The client compiles with it, and is not what fails here.
                Outcome::Fails(_) if consumer.name == self.client.name => Vec::new(),
                Outcome::Fails(old) => old,
                Outcome::ClientFails(_) => {
                    unknown.push(format!("{label} does not compile with its hand-written code"));
                    continue;
                }
                Outcome::NotCompiled(why) => {
                    unknown.push(format!("{label} cannot be compared: {why}"));
                    continue;
                }
            };
            let (before, errors): (Vec<_>, Vec<_>) =
                errors.into_iter().partition(|error| old.iter().any(|one| one.is_same(error)));
            let verdict = if errors.is_empty() { Verdict::BrokenBefore } else { Verdict::Breaks };
            let judged = Judged::new(consumer, verdict, None);
            return Ok(Judged { errors, before, ..judged });
        }
        let why = unknown.join("; ");
        let note = format!("whether it compiled before the change is not known: {why}");
        Ok(Judged { errors, ..Judged::new(consumer, Verdict::Breaks, Some(note)) })
    }
}
