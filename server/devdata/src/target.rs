//! The command `target`: a target file for `payout-conformance`, which judges a server that holds
//! the data set. The file has the server's address, variables of keys, ids of the data set, and
//! commands of `payout-server` as hooks.
//!
//! It contains no secret: keys are names of variables, and the database's URL is absent. Tests
//! compare it with `conformance/targets/target.schema.json`; the suite's code is not used here.

mod fixtures;
mod hooks;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use clap::Args;
use payout_server::tools::{AssetPlace, DatabaseOptions, Environment};
use serde::Serialize;
use serde_json::Value;

use self::{fixtures::Fixtures, hooks::Hooks};
use crate::{
    Error,
    import::{Dataset, command::ImportOptions},
    key_file,
    seed::DatasetOption,
};

const DEFAULT_URL: &str = "http://127.0.0.1:8080";
const SERVER: &str = "payout-server";
/// The organisation that is judged.
const MAIN: &str = "main";
/// Role in the target file, organisation and key of the data set.
const ROLES: [(&str, &str, &str); 15] = [
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
    ("sandbox", "sandbox", "all"),
];
const HEAD: &str = "\
# Written by `payout-devdata target`; example.toml beside the suite's targets explains every field.
# The keys come from the key file (set -a; . keys.env; set +a). The hooks take DATABASE_URL and the
# place of PDFs (PAYOUT_ASSETS and the like) from the environment of the suite: it must be the one
# that the server has.
";

/// Write a target file: what payout-conformance must know to judge a server with the data set
///
/// The file holds no key. Its hooks are commands of payout-server with absolute paths.
#[derive(Args, Debug)]
pub(crate) struct TargetArguments {
    /// The target file; an existing one is replaced
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Address of the server
    #[arg(long, default_value = DEFAULT_URL, value_parser = base_url)]
    url: String,
    /// The program payout-server, which the hooks run [default: the one beside this program]
    #[arg(long, value_name = "PROGRAM")]
    server: Option<PathBuf>,
    /// The organisation `main` has generated lines too: values of lists are not compared
    #[arg(long)]
    with_generated_lines: bool,
    #[command(flatten)]
    dataset: DatasetOption,
    #[command(flatten)]
    options: ImportOptions,
}

pub(crate) fn run(database: &DatabaseOptions, arguments: &TargetArguments) -> Result<(), Error> {
    let text = arguments.dataset.text()?;
    Dataset::read(&text)?;
    let dataset = serde_json::from_str(&text)?;
    let assets = arguments.options.assets.assets.as_ref();
    let context = Context {
        base_url: arguments.url.clone(),
        server: find_server(arguments.server.as_deref())?,
        data_dir: std::path::absolute(database.folder()?)?,
        environment: arguments.options.environment,
        is_as_seeded: arguments.dataset.dataset.is_none() && !arguments.with_generated_lines,
        links_local: !matches!(assets, Some(AssetPlace::Bucket { .. })),
    };
    let file = arguments.file.display();
    let text = TargetFile::new(&dataset, context).text()?;
    std::fs::write(&arguments.file, text)
        .map_err(|error| format!("cannot write {file}: {error}"))?;
    anstream::println!(
        "Target: {file} (judge a running server with: payout-conformance run --target {file})"
    );
    Ok(())
}

/// The program of the hooks, with an absolute path.
fn find_server(named: Option<&Path>) -> Result<PathBuf, Error> {
    let program = match named {
        Some(program) => std::path::absolute(program)?,
        None => std::env::current_exe()?.with_file_name(SERVER),
    };
    if program.is_file() {
        return Ok(program);
    }
    let program = program.display();
    Err(format!(
        "there is no program {program}, which the hooks would run. Build it with \
         `cargo build --workspace --bin {SERVER}`, or name it with --server"
    )
    .into())
}

/// What the data set does not contain.
#[derive(Clone, Debug)]
struct Context {
    base_url: String,
    /// The program `payout-server`.
    server: PathBuf,
    /// The folder of the server's own PostgreSQL and of PDFs.
    data_dir: PathBuf,
    environment: Environment,
    /// The server holds `conformance/dataset.json` and nothing else.
    is_as_seeded: bool,
    /// Links lead to the server, not to an object store.
    links_local: bool,
}

/// A target file, in the order in which it is written.
#[derive(Debug, Serialize)]
struct TargetFile {
    name: &'static str,
    base_url: String,
    profile: &'static str,
    features: Vec<&'static str>,
    keys: BTreeMap<&'static str, String>,
    fixtures: Fixtures,
    hooks: Hooks,
}

impl TargetFile {
    fn new(dataset: &Value, context: Context) -> Self {
        let mut features = Vec::new();
        features.extend(context.is_as_seeded.then_some("seeded"));
        features.extend(context.links_local.then_some("links_local"));
        Self {
            name: "payout-server with the data set",
            profile: "extended",
            features,
            keys: keys(dataset),
            fixtures: fixtures::fixtures(dataset),
            hooks: hooks::hooks(dataset, &context),
            base_url: context.base_url,
        }
    }

    fn text(&self) -> Result<String, Error> {
        Ok(format!("{HEAD}\n{}", toml::to_string(self)?))
    }
}

/// The variables of the keys that the data set has.
fn keys(dataset: &Value) -> BTreeMap<&'static str, String> {
    let has = |organization: &str, key: &str| {
        let keys = organization_of(dataset, organization)["keys"].as_array();
        keys.is_some_and(|keys| keys.iter().any(|entry| entry["name"] == key))
    };
    let found = ROLES.iter().filter(|(_, organization, key)| has(organization, key));
    let variables =
        found.map(|(role, organization, key)| (*role, key_file::variable(organization, key)));
    variables.collect()
}

/// An organisation of the data set; null where it has none of this name.
fn organization_of<'a>(dataset: &'a Value, name: &str) -> &'a Value {
    let mut organizations = dataset["organizations"].as_array().into_iter().flatten();
    let found = organizations.find(|organization| organization["name"] == name);
    found.unwrap_or(&Value::Null)
}

/// The address of a server, without a slash at its end.
fn base_url(value: &str) -> Result<String, String> {
    let form = "must be http:// or https:// and a host, and may have a port and a path, \
                such as http://127.0.0.1:8080";
    let url = url::Url::parse(value).map_err(|error| format!("{error}: {form}"))?;
    let fits = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if fits { Ok(value.trim_end_matches('/').to_owned()) } else { Err(form.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DATASET;

    const SCHEMA: &str = include_str!("../../../conformance/targets/target.schema.json");
    const EXAMPLE: &str = include_str!("../../../conformance/targets/example.toml");

    /// Names that the published schema still has and no case uses.
    const UNUSED: [&str; 3] = ["create_payout", "foreign_external_id", "partner_with_external_id"];

    fn text(dataset: &str) -> String {
        let context = Context {
            base_url: DEFAULT_URL.to_owned(),
            server: "/opt/payout server".into(),
            data_dir: "/var/lib/payout \"server\"".into(),
            environment: Environment::Test,
            is_as_seeded: true,
            links_local: true,
        };
        let dataset = serde_json::from_str(dataset).unwrap();
        TargetFile::new(&dataset, context).text().unwrap()
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
        assert_eq!(violations(&parsed(&text(DATASET))), [""; 0]);
        assert_eq!(violations(&parsed(EXAMPLE)), [""; 0]);
        let mut broken = parsed(EXAMPLE);
        broken["keys"]["all"] = "pcp_test_pasted".into();
        assert_eq!(violations(&broken).len(), 1);
    }

    #[test]
    fn target_of_the_data_set_names_every_role_fixture_and_hook() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let target = parsed(&text(DATASET));
        for table in ["keys", "fixtures", "hooks"] {
            let known = schema["properties"][table]["properties"].as_object().unwrap();
            let expected = known.keys().filter(|name| *name != "timeout_seconds");
            for name in expected.filter(|name| !UNUSED.contains(&name.as_str())) {
                assert!(!target[table][name].is_null(), "{table}.{name}");
            }
        }
    }

    #[test]
    fn example_names_ids_of_the_data_set() {
        let (target, example) = (parsed(&text(DATASET)), parsed(EXAMPLE));
        let ids = example["fixtures"].as_object().unwrap().iter();
        for (name, id) in ids.filter(|(name, _)| !UNUSED.contains(&name.as_str())) {
            match id.as_array() {
                Some(ids) => {
                    assert!(target["fixtures"][name].as_array().unwrap().starts_with(ids), "{name}")
                }
                None => assert_eq!(&target["fixtures"][name], id, "{name}"),
            }
        }
    }

    #[test]
    fn target_contains_no_key() {
        let text = text(DATASET);
        assert!(!text.contains("pcp_"), "{text}");
        assert_eq!(parsed(&text)["keys"]["partners_read"], "PAYOUT_KEY_MAIN_PARTNERS_READ");
    }

    #[test]
    fn another_data_set_gives_what_it_has() {
        let text = text(
            r#"{"organizations": [{
                "id": "org_01JV3N8Q5R0000000000000002",
                "name": "other",
                "partners": [
                    {"ref": "first", "id": "ptn_01JV3N8Q5R0200000000000001", "name": "p"},
                    {"ref": "second", "name": "q"}
                ]
            }]}"#,
        );
        let target = parsed(&text);
        assert_eq!(violations(&target), [""; 0]);
        let fixtures = target["fixtures"].as_object().unwrap();
        assert_eq!(fixtures.len(), 1);
        assert_eq!(fixtures["foreign_partner"], "ptn_01JV3N8Q5R0200000000000001");
        assert!(target["keys"].as_object().unwrap().is_empty());
    }

    #[test]
    fn missing_server_is_an_error_that_names_the_build_command() {
        let error = find_server(Some(Path::new("/nowhere/payout-server"))).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("/nowhere/payout-server"), "{error}");
        assert!(error.contains("cargo build --workspace --bin payout-server"), "{error}");
    }

    #[test]
    fn base_url_has_no_password_and_no_query() {
        assert_eq!(base_url("http://127.0.0.1:8080/"), Ok("http://127.0.0.1:8080".to_owned()));
        assert!(base_url("https://h.example/pay").is_ok());
        for wrong in [
            "h.example",
            "ftp://h.example",
            "http://u:p@h.example",
            "http://h.example?x",
            "http://h.example#x",
        ] {
            assert!(base_url(wrong).is_err(), "{wrong}");
        }
    }
}
