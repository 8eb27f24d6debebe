//! The file itself.
//!
//! It refuses secrets: keys stand in it as names of variables, and the database's URL not at all.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::{
    fixtures::Fixtures,
    hooks::{Hooks, hooks},
};
use crate::{
    cli::{error::CliError, key_file},
    gate::Environment,
    import::write::Imported,
};

/// Where `serve` listens by default.
pub(in crate::cli) const DEFAULT_URL: &str = "http://127.0.0.1:8080";
/// The organisation that is judged.
const MAIN: &str = "main";
/// Role in the target file, organisation and key of the data set.
const ROLES: [(&str, &str, &str); 14] = [
    ("all", MAIN, "all"),
    ("partners_read", MAIN, "partners-read"),
    ("partners_write", MAIN, "partners-write"),
    ("commissions_read", MAIN, "commissions-read"),
    ("commissions_write", MAIN, "commissions-write"),
    ("affiliate_write", MAIN, "affiliate-write"),
    ("portal_sessions_write", MAIN, "portal-sessions-write"),
    ("expired", MAIN, "expired"),
    ("revoked", MAIN, "revoked"),
    ("other_organization", "other", "all"),
    ("no_billing", "no_billing", "all"),
    ("exhausted", "exhausted", "all"),
    ("tight", "tight", "all"),
    ("unlimited", "unlimited", "all"),
];
const HEAD: &str = "\
# Written by `payout-server seed --target`; example.toml beside the suite's targets explains every field.
# The keys come from the key file (set -a; . keys.env; set +a). The hooks take DATABASE_URL, and where PDFs are kept
# (PAYOUT_ASSETS and the like), from the environment that the suite runs in: the one that the server runs in.
";

/// What the data set does not say.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Surroundings {
    /// Where the server will be.
    pub(in crate::cli) base_url: String,
    /// This program.
    pub(in crate::cli) program: PathBuf,
    /// The folder of the server's own PostgreSQL and of PDFs.
    pub(in crate::cli) data_dir: PathBuf,
    /// Which servers take the keys.
    pub(in crate::cli) environment: Environment,
    /// `conformance/dataset.json` as it is, and nothing besides.
    pub(in crate::cli) is_the_data_set: bool,
    /// Links lead to the server, not to an object store.
    pub(in crate::cli) links_local: bool,
}

/// A target file, in the order in which it is written: `conformance/targets/target.schema.json` is its form.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct TargetFile {
    name: &'static str,
    base_url: String,
    profile: &'static str,
    features: Vec<&'static str>,
    keys: BTreeMap<&'static str, String>,
    fixtures: Fixtures,
    hooks: Hooks,
}

impl TargetFile {
    /// The target of what was imported.
    pub(in crate::cli) fn of(
        imported: &[Imported],
        fixtures: Fixtures,
        surroundings: Surroundings,
    ) -> Self {
        let features = [
            (surroundings.is_the_data_set, "seeded"),
            (surroundings.links_local, "links_local"),
        ];
        Self {
            name: "payout-server with the data set",
            profile: "core",
            features: features
                .into_iter()
                .filter_map(|(has, feature)| has.then_some(feature))
                .collect(),
            keys: keys(imported),
            fixtures,
            hooks: hooks(imported, &surroundings),
            base_url: surroundings.base_url,
        }
    }

    /// The file's text.
    fn text(&self) -> Result<String, CliError> {
        let text = toml::to_string(self);
        let text =
            text.map_err(|error| CliError::told(format!("no TOML can say this: {error}")))?;
        Ok(format!("{HEAD}\n{text}"))
    }

    /// Writes the file, in place of whatever was there.
    ///
    /// # Errors
    /// The folder does not take it.
    pub(in crate::cli) fn write(&self, path: &Path) -> Result<(), CliError> {
        let written = std::fs::write(path, self.text()?);
        written.map_err(|error| {
            CliError::told(format!(
                "the target file cannot be written to {}: {error}. Name another one with --target, and --reset",
                path.display()
            ))
        })
    }
}

fn keys(imported: &[Imported]) -> BTreeMap<&'static str, String> {
    let has = |organization: &str, key: &str| {
        let mut named = imported.iter().filter(|one| one.name == organization);
        named.any(|one| one.keys.iter().any(|made| made.name == key))
    };
    ROLES
        .iter()
        .filter(|(_, organization, key)| has(organization, key))
        .map(|(role, organization, key)| (*role, key_file::variable(organization, key)))
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{super::fixtures, *};
    use crate::{
        gate::ApiKey,
        id::OrganizationId,
        import::{self, read, write::ImportedKey},
        keys::KeyState,
    };

    const SCHEMA: &str = include_str!("../../../../conformance/targets/target.schema.json");
    const EXAMPLE: &str = include_str!("../../../../conformance/targets/example.toml");

    /// What an import of the data set gives, without a database.
    fn imported(dataset: &import::format::Dataset) -> Vec<Imported> {
        let organizations = dataset.organizations.iter();
        let imported = organizations.map(|organization| Imported {
            id: OrganizationId::parse(organization.id.as_deref().unwrap()).unwrap(),
            name: organization.name.clone(),
            keys: organization
                .keys
                .iter()
                .map(|key| ImportedKey {
                    name: key.name.clone(),
                    state: KeyState::default(),
                    scopes: Vec::new(),
                    key: ApiKey::generate(Environment::Test),
                })
                .collect(),
            partners: 0,
            payouts: 0,
            commission_lines: 0,
        });
        imported.collect()
    }

    fn text(dataset: &str) -> String {
        let dataset = read::read(dataset).unwrap();
        let surroundings = Surroundings {
            base_url: DEFAULT_URL.to_owned(),
            program: "/opt/payout server".into(),
            data_dir: "/var/lib/payout \"server\"".into(),
            environment: Environment::Test,
            is_the_data_set: true,
            links_local: true,
        };
        let fixtures = fixtures::fixtures(&dataset);
        let file = TargetFile::of(&imported(&dataset), fixtures, surroundings);
        file.text().unwrap()
    }

    fn parsed(text: &str) -> Value {
        toml::from_str(text).unwrap()
    }

    fn violations(target: &Value) -> Vec<String> {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let errors = validator.iter_errors(target);
        errors.map(|error| error.to_string()).collect()
    }

    #[test]
    fn target_of_the_data_set_and_the_example_satisfy_the_published_schema() {
        assert_eq!(violations(&parsed(&text(import::DATASET))), [""; 0]);
        assert_eq!(violations(&parsed(EXAMPLE)), [""; 0]);
        let mut broken = parsed(EXAMPLE);
        broken["keys"]["all"] = "pcp_test_pasted".into();
        assert_eq!(violations(&broken).len(), 1);
    }

    #[test]
    fn target_of_the_data_set_names_every_role_fixture_and_hook() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let target = parsed(&text(import::DATASET));
        for table in ["keys", "fixtures", "hooks"] {
            let known = schema["properties"][table]["properties"]
                .as_object()
                .unwrap();
            for name in known.keys().filter(|name| *name != "timeout_seconds") {
                assert!(!target[table][name].is_null(), "{table}.{name}");
            }
        }
    }

    #[test]
    fn example_names_ids_of_the_data_set() {
        let (target, example) = (parsed(&text(import::DATASET)), parsed(EXAMPLE));
        for (name, id) in example["fixtures"].as_object().unwrap() {
            match id.as_array() {
                Some(ids) => assert!(
                    target["fixtures"][name]
                        .as_array()
                        .unwrap()
                        .starts_with(ids),
                    "{name}"
                ),
                None => assert_eq!(&target["fixtures"][name], id, "{name}"),
            }
        }
    }

    #[test]
    fn no_key_stands_in_a_target() {
        let text = text(import::DATASET);
        assert!(!text.contains("pcp_"), "{text}");
        assert_eq!(
            parsed(&text)["keys"]["partners_read"],
            "PAYOUT_KEY_MAIN_PARTNERS_READ"
        );
    }

    #[test]
    fn another_data_set_gives_what_it_has() {
        let text = text(
            r#"{"organizations": [{"id": "org_01JV3N8Q5R0000000000000002", "name": "other", "partners": [
            {"ref": "first", "id": "ptn_01JV3N8Q5R0200000000000001", "name": "p"}, {"ref": "second", "name": "q"}]}]}"#,
        );
        let target = parsed(&text);
        assert_eq!(violations(&target), [""; 0]);
        let fixtures = target["fixtures"].as_object().unwrap();
        assert_eq!(fixtures.len(), 1);
        assert_eq!(
            fixtures["foreign_partner"],
            "ptn_01JV3N8Q5R0200000000000001"
        );
        assert!(target["keys"].as_object().unwrap().is_empty());
    }
}
