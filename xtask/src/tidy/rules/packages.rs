//! Which package may use which.
//!
//! It refuses an unknown package: a new one must first be given its place here.

use super::Rule;
use crate::tidy::{finding::Finding, tree::Tree};

/// A package of ours, and those of ours it may use, in its tests as well.
struct Place {
    folder: &'static str,
    uses: &'static [&'static str],
}

/// Dependencies between packages. The server uses `payout-devdata` only in its tests.
const PLACES: [Place; 8] = [
    place("openapi", &[]),
    place("client", &[]),
    place("conformance", &["payout-openapi"]),
    place("server/database", &[]),
    place("server/fuzz", &["payout-openapi", "payout-server"]),
    place(
        "server/devdata",
        &["payout-database", "payout-openapi", "payout-server"],
    ),
    place(
        "server",
        &["payout-database", "payout-devdata", "payout-openapi"],
    ),
    place("xtask", &["payout-database", "payout-openapi"]),
];

const fn place(folder: &'static str, uses: &'static [&'static str]) -> Place {
    Place { folder, uses }
}

pub(super) fn packages(tree: &Tree, rule: &Rule) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in &tree.texts {
        let Some(folder) = path.strip_suffix("/Cargo.toml") else {
            continue;
        };
        let Some(place) = PLACES.iter().find(|place| place.folder == folder) else {
            findings.push(rule.finding(
                path,
                1,
                "a package without a place",
                "say in xtask/src/tidy/rules/packages.rs what it may use",
            ));
            continue;
        };
        for (index, line) in text.lines().enumerate() {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if name.starts_with("payout-") && !place.uses.contains(&name) {
                let mend = format!("{folder} may use {}", listed(place.uses));
                findings.push(rule.finding(path, index + 1, name, mend));
            }
        }
    }
    findings
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "no package of the workspace".to_owned(),
        names => names.join(" and "),
    }
}

#[cfg(test)]
mod tests {
    use super::super::findings;

    #[test]
    fn dependency_upwards_is_found() {
        let manifest = "[package]\nname = \"payout-client\"\n[dependencies]\npayout-server = { path = \"../server\" }\n";
        assert_eq!(
            findings("packages", &[("client/Cargo.toml", manifest)]),
            ["client/Cargo.toml:4: payout-server"]
        );
        let in_tests = manifest.replace("[dependencies]", "[dev-dependencies]");
        assert_eq!(
            findings("packages", &[("client/Cargo.toml", &in_tests)]),
            ["client/Cargo.toml:4: payout-server"]
        );
    }

    #[test]
    fn dependency_downwards_passes() {
        let manifest = "[dependencies]\npayout-openapi.workspace = true\npayout-database = { path = \"database\" }\n";
        assert!(findings("packages", &[("server/Cargo.toml", manifest)]).is_empty());
    }

    #[test]
    fn new_package_must_be_given_its_place() {
        assert_eq!(findings("packages", &[("extra/Cargo.toml", "")]).len(), 1);
    }
}
