//! Compiles a consumer in a mirror, and reads what the compiler reports.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde::Deserialize;

use super::{
    mirror::Mirror,
    packages::{Packages, Workspace, cargo},
};
use crate::Result;

/// A registered package.
#[derive(Debug, Clone)]
pub(super) struct Consumer {
    /// As the configuration names it.
    pub(super) name: String,
    /// The absolute path of its `Cargo.toml`.
    pub(super) manifest: PathBuf,
    /// Arguments of `cargo check`.
    pub(super) arguments: Vec<String>,
}

/// What compiling a consumer with one client led to.
#[derive(Debug)]
pub(super) enum Outcome {
    Compiles,
    /// Errors in the consumer.
    Fails(Vec<CompileError>),
    /// Errors in the client, so that the consumer was not compiled.
    ClientFails(Vec<CompileError>),
    /// Nothing was compiled, or not with this client: why.
    NotCompiled(String),
}

/// An error of the compiler.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CompileError {
    /// The real file.
    pub(super) file: PathBuf,
    /// Counted from 1.
    pub(super) line: u32,
    /// Counted from 1.
    pub(super) column: u32,
    /// As in `E0609`.
    pub(super) code: Option<String>,
    /// The first line.
    pub(super) message: String,
    /// The identifiers that message and marked source name.
    pub(super) names: BTreeSet<String>,
    /// The other identifiers on the marked lines.
    pub(super) nearby: BTreeSet<String>,
}

impl CompileError {
    /// Whether the compiler said the same at the same place.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let key = |error: &Self| (error.file.clone(), error.line, error.column, error.code.clone());
        key(self) == key(other) && self.message == other.message
    }
}

/// Compiles `consumer` with the client of `mirror`.
pub(super) fn check(
    consumer: &Consumer,
    client: &Path,
    packages: &Packages,
    mirror: &Mirror,
) -> Result<Outcome> {
    let workspace = packages.workspace(&consumer.manifest).ok_or("the consumer is no package")?;
    let name = &packages.package(client).ok_or("the client is no package")?.name;
    let root = mirror.inside(&workspace.workspace_root);
    let client = mirror.inside(client);
    let mut command = cargo();
    // Every target is compiled, also after the first that fails.
    command.args(["check", "--keep-going", "--message-format", "json", "--manifest-path"]);
    command.arg(mirror.inside(&consumer.manifest));
    command.arg("--target-dir").arg(mirror.builds());
    for argument in patches(workspace, name, client.parent().unwrap_or(&client)) {
        command.args(["--config", &argument]);
    }
    command.args(&consumer.arguments).current_dir(&root).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("cargo cannot be started: {error}"))?;
    let report = Report::read(&String::from_utf8_lossy(&output.stdout), &client, &root, mirror);
    let problem = String::from_utf8_lossy(&output.stderr);
    Ok(report.outcome(output.status.success(), name, problem.trim_end()))
}

/// What replaces the client that a registry or a repository has.
fn patches(workspace: &Workspace, name: &str, folder: &Path) -> Vec<String> {
    let path = toml::Value::from(folder.display().to_string());
    let sources = workspace.sources(name).into_iter().map(toml::Value::from);
    sources.map(|source| format!("patch.{source}.{name}.path={path}")).collect()
}

/// What cargo reported.
#[derive(Debug, Default)]
struct Report {
    is_client_compiled: bool,
    in_client: BTreeSet<CompileError>,
    elsewhere: BTreeSet<CompileError>,
}

#[derive(Deserialize)]
#[serde(tag = "reason")]
enum Message {
    #[serde(rename = "compiler-artifact")]
    Compiled { manifest_path: PathBuf, target: Target },
    #[serde(rename = "compiler-message")]
    Reported { manifest_path: PathBuf, target: Target, message: Diagnostic },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    message: String,
    code: Option<Code>,
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: PathBuf,
    line_start: u32,
    column_start: u32,
    is_primary: bool,
    label: Option<String>,
    text: Vec<Line>,
    /// Where the macro is called that the span is in.
    expansion: Option<Box<Expansion>>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

#[derive(Deserialize)]
struct Line {
    text: String,
    /// Counted from 1, in characters.
    highlight_start: usize,
    highlight_end: usize,
}

impl Report {
    fn read(messages: &str, client: &Path, root: &Path, mirror: &Mirror) -> Self {
        let mut report = Self::default();
        for message in messages.lines().filter_map(|line| serde_json::from_str(line).ok()) {
            match message {
                Message::Compiled { manifest_path, target } => {
                    report.is_client_compiled |= manifest_path == client && target.is_library();
                }
                Message::Reported { manifest_path, target, message } => {
                    let Some(error) = message.error(root, mirror) else {
                        continue;
                    };
                    let is_client = manifest_path == client && target.is_library();
                    let errors =
                        if is_client { &mut report.in_client } else { &mut report.elsewhere };
                    errors.insert(error);
                }
                Message::Other => {}
            }
        }
        report
    }

    fn outcome(mut self, is_success: bool, client: &str, problem: &str) -> Outcome {
        if !self.is_client_compiled && !self.in_client.is_empty() {
            return Outcome::ClientFails(self.in_client.into_iter().collect());
        }
        // Of a client that compiles, such as its unit tests.
        self.elsewhere.append(&mut self.in_client);
        if !self.elsewhere.is_empty() {
            return Outcome::Fails(self.elsewhere.into_iter().collect());
        }
        match (is_success, self.is_client_compiled) {
            (true, true) => Outcome::Compiles,
            (true, false) => Outcome::NotCompiled(format!(
                "it was not compiled with the client of the document: let it depend on {client} by \
                 a relative path, from a registry or from a repository"
            )),
            (false, _) => Outcome::NotCompiled(format!("cargo could not check it: {problem}")),
        }
    }
}

impl Target {
    fn is_library(&self) -> bool {
        self.kind.iter().any(|kind| kind.ends_with("lib"))
    }
}

impl Diagnostic {
    /// The error with its place; warnings and what has no place are none.
    fn error(self, root: &Path, mirror: &Mirror) -> Option<CompileError> {
        let is_error = self.level == "error";
        let mut names = BTreeSet::new();
        quoted_names(&self.message, &mut names);
        let mut spans = self.spans.into_iter().filter(|span| span.is_primary && is_error);
        let mut spans = spans.by_ref().map(Span::outside_of_macros).peekable();
        let place = spans.peek()?;
        let file = mirror.real(&root.join(&place.file_name));
        let (line, column) = (place.line_start, place.column_start);
        let mut nearby = BTreeSet::new();
        for span in spans {
            quoted_names(span.label.as_deref().unwrap_or_default(), &mut names);
            for text in &span.text {
                names.extend(identifiers(&text.highlighted()));
                nearby.extend(identifiers(&text.text));
            }
        }
        let message = self.message.lines().next().unwrap_or_default().to_owned();
        let code = self.code.map(|code| code.code);
        Some(CompileError { file, line, column, code, message, names, nearby })
    }
}

impl Span {
    fn outside_of_macros(self) -> Self {
        match self.expansion {
            Some(expansion) => expansion.span.outside_of_macros(),
            None => self,
        }
    }
}

impl Line {
    fn highlighted(&self) -> String {
        let length = self.highlight_end.saturating_sub(self.highlight_start);
        self.text.chars().skip(self.highlight_start.saturating_sub(1)).take(length).collect()
    }
}

/// The identifiers of a message are in backquotes.
fn quoted_names(message: &str, names: &mut BTreeSet<String>) {
    let quoted = message.split('`').skip(1).step_by(2);
    names.extend(quoted.flat_map(identifiers));
}

fn identifiers(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|character: char| !character.is_alphanumeric() && character != '_');
    words.filter(|word| !word.is_empty()).map(str::to_owned)
}
