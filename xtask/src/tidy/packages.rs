//! Which package may use which package of the workspace, in its tests as well.

use super::{Check, Finding, Rule, tree::Tree};

pub(super) const PACKAGES: Rule = Rule {
    id: "packages",
    why: "client and conformance must not share types with the server: they would share its bugs",
    check: Check::Tree(packages),
};

/// Folder, and the packages that it may use.
const ALLOWED: [(&str, &[&str]); 11] = [
    ("openapi", &[]),
    ("openapi/codegen", &["payout-openapi"]),
    ("client", &[]),
    ("conformance/faults", &["payout-openapi"]),
    ("conformance/macros", &[]),
    ("conformance", &["payout-conformance-macros", "payout-faults", "payout-openapi"]),
    ("server/database", &[]),
    ("server/fuzz", &["payout-openapi", "payout-server"]),
    ("server/devdata", &["payout-database", "payout-openapi", "payout-server"]),
    ("server", &["payout-database", "payout-devdata", "payout-openapi"]),
    ("xtask", &["payout-codegen", "payout-database", "payout-openapi"]),
];

fn packages(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, text) in &tree.texts {
        let Some(folder) = path.strip_suffix("/Cargo.toml") else {
            continue;
        };
        let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == folder) else {
            let help = "add it to xtask/src/tidy/packages.rs";
            findings.push(Finding::new(path, 1, "unknown package", help));
            continue;
        };
        for (index, line) in text.lines().enumerate() {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if name.starts_with("payout-") && !allowed.contains(&name) {
                let help = format!("{folder} may use: {}", allowed.join(", "));
                findings.push(Finding::new(path, index + 1, name, help));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::{super::findings, *};

    #[test]
    fn forbidden_dependency_is_found() {
        let manifest = "[package]\nname = \"payout-client\"\n[dependencies]\n\
                        payout-server = { path = \"../server\" }\n";
        let expected = ["client/Cargo.toml:4: payout-server"];
        assert_eq!(findings(&PACKAGES, &[("client/Cargo.toml", manifest)]), expected);
        let in_tests = manifest.replace("[dependencies]", "[dev-dependencies]");
        assert_eq!(findings(&PACKAGES, &[("client/Cargo.toml", &in_tests)]), expected);
    }

    #[test]
    fn allowed_dependency_passes() {
        let manifest = "[dependencies]\npayout-openapi.workspace = true\n\
                        payout-database = { path = \"database\" }\n";
        assert_eq!(findings(&PACKAGES, &[("server/Cargo.toml", manifest)]), [""; 0]);
    }

    #[test]
    fn unknown_package_is_found() {
        let expected = ["extra/Cargo.toml:1: unknown package"];
        assert_eq!(findings(&PACKAGES, &[("extra/Cargo.toml", "")]), expected);
    }
}
