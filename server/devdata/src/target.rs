//! The command `target`: a target file for `payout-conformance`, which judges a server that holds
//! the data set. `target.toml` has its ids, variables of keys, and hooks.
//!
//! It contains no secret: keys are names of variables, and the database's URL is absent. Tests
//! compare it with `conformance/targets/target.schema.json`; the suite's code is not used here.

use std::path::{Path, PathBuf};

use clap::Args;
use payout_server::tools::{AssetLocation, DatabaseOptions, Environment};
use toml::{Table, Value};

use crate::{Error, import_command::ImportOptions};

const SERVER: &str = "payout-server";
const TEMPLATE: &str = include_str!("target.toml");
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
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    url: String,
    /// The program payout-server, which the hooks run [default: the one beside this program]
    #[arg(long, value_name = "PROGRAM")]
    server: Option<PathBuf>,
    /// The organisation `main` has generated lines too: values of lists are not compared
    #[arg(long)]
    with_generated_lines: bool,
    /// Links expire within seconds: the suite waits for that
    #[arg(long)]
    short_links: bool,
    /// Write address and keys alone: no fixtures, hooks or features
    #[arg(long)]
    without_fixtures: bool,
    /// A profile that the deployment has besides the core; may be repeated [default: all]
    #[arg(long, value_name = "PROFILE")]
    profile: Vec<String>,
    #[command(flatten)]
    options: ImportOptions,
}

pub(crate) fn run(database: &DatabaseOptions, arguments: &TargetArguments) -> Result<(), Error> {
    let server = find_server(arguments.server.as_deref())?;
    let text = text(arguments, &server, &std::path::absolute(database.folder()?)?)?;
    let file = arguments.file.display();
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

/// The text of a target file. `data_dir` is the folder of the server's own PostgreSQL and of PDFs.
fn text(arguments: &TargetArguments, server: &Path, data_dir: &Path) -> Result<String, Error> {
    let mut target: Table = TEMPLATE.parse()?;
    target.insert("base_url".to_owned(), arguments.url.trim_end_matches('/').into());
    if !arguments.profile.is_empty() {
        target.insert("profiles".to_owned(), arguments.profile.clone().into());
    }
    let bucket = matches!(arguments.options.assets.assets, Some(AssetLocation::Bucket { .. }));
    let features = [
        ("seeded", !arguments.with_generated_lines),
        ("links_local", !bucket),
        ("short_links", arguments.short_links),
    ];
    let features = features.into_iter().filter(|(_, has_it)| *has_it);
    let features: Vec<Value> = features.map(|(feature, _)| feature.into()).collect();
    target.insert("features".to_owned(), features.into());
    let environment = match arguments.options.environment {
        Environment::Live => "live",
        Environment::Test => "test",
    };
    let program = [&server.to_string_lossy(), "--data-dir", &data_dir.to_string_lossy()];
    let hooks = target.get_mut("hooks").and_then(Value::as_table_mut);
    for (_, hook) in hooks.into_iter().flatten() {
        let command = hook.as_array().into_iter().flatten().filter_map(Value::as_str);
        let command = program.into_iter().chain(command);
        *hook = command
            .map(|word| word.replace("{environment}", environment))
            .collect::<Vec<_>>()
            .into();
    }
    if arguments.without_fixtures {
        target.retain(|name, _| !["fixtures", "hooks", "features"].contains(&name));
    }
    Ok(format!("{HEAD}\n{}", toml::to_string(&target)?))
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::Value;

    use super::{Path, TargetArguments, text};
    const SCHEMA: &str = include_str!("../../../conformance/targets/target.schema.json");
    const EXAMPLE: &str = include_str!("../../../conformance/targets/example.toml");

    /// Names that the published schema still has and no case uses.
    const UNUSED: [&str; 3] = ["create_payout", "foreign_external_id", "partner_with_external_id"];

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: TargetArguments,
    }

    fn target() -> Value {
        let Line { arguments } = Line::parse_from(["target", "target.toml"]);
        let (server, data_dir) = ("/opt/payout server", "/var/lib/payout \"server\"");
        parsed(&text(&arguments, Path::new(server), Path::new(data_dir)).unwrap())
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
        assert_eq!(violations(&target()), [""; 0]);
        assert_eq!(violations(&parsed(EXAMPLE)), [""; 0]);
        let mut broken = parsed(EXAMPLE);
        broken["keys"]["all"] = "pcp_test_pasted".into();
        assert_eq!(violations(&broken).len(), 1);
    }

    #[test]
    fn target_of_the_data_set_names_every_role_fixture_and_hook() {
        let schema: Value = serde_json::from_str(SCHEMA).unwrap();
        let target = target();
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
        let (target, example) = (target(), parsed(EXAMPLE));
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
    fn keys_are_names_of_variables_and_hooks_run_the_server() {
        let target = target();
        assert_eq!(target["keys"]["partners_read"], "PAYOUT_KEY_MAIN_PARTNERS_READ");
        let hook = &target["hooks"]["create_key"];
        let begin = ["/opt/payout server", "--data-dir", "/var/lib/payout \"server\"", "keys"];
        assert_eq!(hook.as_array().unwrap()[..4], begin);
        assert!(hook.as_array().unwrap().contains(&"test".into()), "{hook}");
    }
}
