//! Runs `cargo check` on a consumer with a copy of the client, and reads what the compiler reports.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use super::client::Client;
use crate::Result;

pub(super) struct Consumer {
    /// The manifest as the configuration names it, and the arguments.
    pub(super) name: String,
    pub(super) manifest: PathBuf,
    pub(super) arguments: Vec<String>,
}

/// The errors of a consumer, or the reason why it was not compiled with the client.
pub(super) type Compiled = std::result::Result<Vec<CompileError>, String>;

/// An error of the compiler; `rendered` is its own text with the marked source.
#[derive(Debug, serde::Serialize)]
pub(super) struct CompileError {
    pub(super) file: PathBuf,
    pub(super) line: u32,
    pub(super) column: u32,
    code: Option<String>,
    pub(super) message: String,
    pub(super) rendered: String,
    /// True if the consumer was not compiled, because its client does not compile.
    #[serde(skip)]
    pub(super) is_in_client: bool,
}

impl CompileError {
    /// Reads a message of cargo; a diagnostic without a place is only a summary.
    fn read(message: &Value, workspace: &Path, client: &str) -> Option<Self> {
        let diagnostic = &message["message"];
        let place =
            diagnostic["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
        let number = |name: &str| place[name].as_u64().and_then(|number| number.try_into().ok());
        Some(Self {
            file: workspace.join(place["file_name"].as_str()?),
            line: number("line_start")?,
            column: number("column_start")?,
            code: diagnostic["code"]["code"].as_str().map(str::to_owned),
            message: diagnostic["message"].as_str()?.to_owned(),
            rendered: diagnostic["rendered"].as_str()?.to_owned(),
            is_in_client: message["manifest_path"] == client
                && message["target"]["kind"] == serde_json::json!(["lib"]),
        })
    }

    /// Returns true if the compiler reports the same error at the same place.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (&self.file, self.line, self.column) == (&other.file, other.line, other.column)
            && self.message == other.message
    }
}

/// Compiles `consumer` with the copy of the client in the folder `copy`.
///
/// The setting `paths` replaces the client wherever it comes from, also if it is a member of the
/// consumer's workspace, which `patch` cannot replace; and it leaves `Cargo.lock` as it is.
pub(super) fn check(
    consumer: &Consumer,
    client: &Client,
    copy: &Path,
    builds: &Path,
) -> Result<Compiled> {
    let copied = copy.join("Cargo.toml");
    let is_client = consumer.manifest == client.folder.join("Cargo.toml");
    let manifest = if is_client { &copied } else { &consumer.manifest };
    let workspace = workspace_of(&consumer.manifest)?;
    let mut command = cargo();
    // Every target is compiled, also after the first that fails.
    command.args(["check", "--keep-going", "--message-format", "json", "--manifest-path"]);
    command.arg(manifest).arg("--target-dir").arg(builds).args(&consumer.arguments);
    if !is_client {
        let paths = toml::Value::from(vec![copy.display().to_string()]);
        command.args(["--config", &format!("paths={paths}")]);
    }
    let output = command.current_dir(manifest.parent().unwrap_or(manifest)).output();
    let output = output.map_err(|error| format!("cargo cannot be started: {error}"))?;
    let copied = copied.display().to_string();
    let mut errors = Vec::new();
    let mut is_client_used = false;
    for line in output.stdout.split(|byte| *byte == b'\n') {
        let message: Value = serde_json::from_slice(line).unwrap_or_default();
        is_client_used |=
            message["reason"] == "compiler-artifact" && message["manifest_path"] == copied;
        if message["message"]["level"] == "error" {
            errors.extend(CompileError::read(&message, &workspace, &copied));
        }
    }
    Ok(match (output.status.success(), is_client_used, errors.is_empty()) {
        (true, true, _) => Ok(Vec::new()),
        (true, false, _) => Err("it does not depend on the client of the document".to_owned()),
        (false, _, false) => Ok(errors),
        (false, _, true) => {
            let problem = String::from_utf8_lossy(&output.stderr);
            Err(format!("cargo could not check it: {}", problem.trim_end()))
        }
    })
}

pub(super) fn workspace_of(manifest: &Path) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["locate-project", "--workspace", "--message-format", "plain"]);
    let output = command.arg("--manifest-path").arg(manifest).output();
    let output = output.map_err(|error| format!("cargo cannot be started: {error}"))?;
    let path = String::from_utf8_lossy(&output.stdout);
    let folder = Path::new(path.trim_end()).parent().filter(|_| output.status.success());
    folder.map(Path::to_owned).ok_or_else(|| {
        let problem = String::from_utf8_lossy(&output.stderr);
        format!("{}: cargo cannot read it: {}", manifest.display(), problem.trim_end()).into()
    })
}

/// Returns the cargo that runs this program, or the one on the path.
fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
