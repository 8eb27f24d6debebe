//! The versions that the server supports: those of released documents and the document's own.
//! `x-deprecated-versions` says which of them will end.

use chrono::{DateTime, Months, Utc};
use openapi_document::pointer;
use serde_json::Value;

use super::Reader;
use crate::codegen::model::{Deprecation, Version};

const AT: &str = "/info/x-deprecated-versions";
/// The shortest time between a version's deprecation and its end.
const NOTICE: Months = Months::new(12);

impl Reader<'_> {
    pub(super) fn versions(&mut self, released: &[String]) -> Vec<Version> {
        let own = self.document.version();
        let names = released.iter().map(String::as_str).filter(|name| *name != own);
        let mut names: Vec<&str> = names.chain([own]).collect();
        names.dedup();
        for (name, _) in self.members(AT) {
            let problem = if name == own {
                "the document's own version cannot be deprecated"
            } else if !names.contains(&name.as_str()) {
                "no released document has this version"
            } else {
                continue;
            };
            let others = names.iter().filter(|name| **name != own).copied();
            let others = others.collect::<Vec<_>>().join(", ");
            let help = format!("name a version of openapi/released: there is {others:?}");
            self.report(&pointer::join(AT, name), problem, help);
        }
        let versions = names.into_iter().map(|name| Version {
            name: name.to_owned(),
            deprecation: self.deprecation(&pointer::join(AT, name)),
        });
        versions.collect()
    }

    fn deprecation(&mut self, at: &str) -> Option<Deprecation> {
        let written = self.written(at)?;
        let time = |member: &str| -> Option<DateTime<Utc>> {
            written.get(member).and_then(Value::as_str)?.parse().ok()
        };
        let (Some(deprecated), Some(sunset)) = (time("deprecated"), time("sunset")) else {
            let problem = "`deprecated` and `sunset` must be times, such as 2027-01-01T00:00:00Z";
            self.report(at, problem, "write both");
            return None;
        };
        if sunset < deprecated + NOTICE {
            let help = "a version ends 12 months after its deprecation, or later";
            self.report(&pointer::join(at, "sunset"), "the sunset is too early", help);
        }
        Some(Deprecation {
            deprecated: format!("@{}", deprecated.timestamp()),
            sunset: sunset.format("%a, %d %b %Y %H:%M:%S GMT").to_string(),
        })
    }
}
