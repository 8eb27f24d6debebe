//! Consumers of a small client, compiled by cargo.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::codegen::Config;
use tempfile::TempDir;

use super::{Effect, Judged, Workshop, report};
use crate::{
    breaking::{Comparison, Documents, compare},
    output::Format,
    project,
};

const PAGE: &str = include_str!("../../../README.md");
/// A client that is a member of a workspace and has an example, and a consumer elsewhere.
const FILES: &str = include_str!("../../tests/data/consumers.txt");
const CLIENT: &str = "client/src/generated.rs";
const CONSUMER: &str = "overdue/src/main.rs";

struct Project(TempDir);

impl Project {
    fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        for (path, text) in FILES.split("== ").filter_map(|file| file.split_once('\n')) {
            project.write(path, text);
        }
        project
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Judges the consumers after a change by which loans have no title.
    fn judge(&self) -> Vec<Judged> {
        let config = Config::parse(&self.read("contract.toml")).unwrap();
        let workshop = Workshop::new(self.path(""), &config).unwrap();
        let old = self.read(CLIENT);
        let new = old.replace("    pub title: String,\n", "");
        let judged = workshop.judge(&new, Some(&old)).unwrap();
        assert_eq!(self.read(CLIENT), old, "the client on disk stays as it is");
        judged
    }

    /// Compares the page's document with one whose loans have no title.
    fn compare(&self) -> Comparison {
        let old = PAGE.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
        let new = old.replace("[id, title]", "[id]");
        let new = new.lines().filter(|line| !line.trim_start().starts_with("title: {"));
        self.write("openapi/released/1.yaml", old);
        self.write("openapi/api.yaml", &new.collect::<Vec<_>>().join("\n"));
        let old = Some(self.path("openapi/released/1.yaml"));
        let project = project::Project::load(&self.path("contract.toml")).unwrap();
        compare(&Documents { old, ..Documents::default() }, &project).unwrap()
    }
}

fn verdicts(judged: &[Judged]) -> Vec<Effect> {
    judged.iter().map(|one| one.verdict).collect()
}

#[test]
fn removed_property_is_reported_as_the_page_shows() {
    let project = Project::new();
    let (judged, comparison) = (project.judge(), project.compare());
    let print = |format| report::print(&comparison, &judged, format).unwrap();
    let shown = PAGE.split("$ contract consumers\n").nth(1).unwrap().split("```").next().unwrap();
    let root = project.path("").display().to_string();
    assert_eq!(print(Format::Text).replace(&root, ""), shown);
    let annotation = "::error file=client/examples/list.rs,line=3,col=25,title=client/Cargo.toml";
    assert!(print(Format::Github).contains(annotation));
    let json: serde_json::Value = serde_json::from_str(&print(Format::Json)).unwrap();
    assert_eq!(json["consumers"][0]["verdict"], "breaks");
    assert_eq!(json["consumers"][0]["errors"][0]["code"], "E0609");
}

#[test]
fn error_that_was_there_before_is_not_the_changes() {
    let project = Project::new();
    let main = project.read(CONSUMER).replace("loan.id", "loan.shelf");
    project.write(CONSUMER, &main);
    let judged = project.judge();
    assert_eq!(verdicts(&judged), [Effect::Breaks, Effect::BrokenBefore], "{judged:?}");
    assert_eq!((judged[1].errors.len(), judged[1].before), (0, 1));
    project.write(CONSUMER, &main.replace("}\n", "    let _ = loan.title;\n}\n"));
    let judged = project.judge();
    assert_eq!((judged[1].errors.len(), judged[1].before), (1, 1), "{judged:?}");
}

#[test]
fn client_that_does_not_compile_is_reported_itself() {
    let project = Project::new();
    let support = "mod generated;\npub fn title(loan: &generated::Loan) -> &str { &loan.title }\n";
    project.write("client/src/lib.rs", support);
    let judged = project.judge();
    assert_eq!(verdicts(&judged), [Effect::Breaks, Effect::Breaks], "{judged:?}");
    assert_eq!(judged[0].errors[0].file, Path::new("client/src/lib.rs"));
}

#[test]
fn package_without_the_client_is_not_judged() {
    let project = Project::new();
    project.write("overdue/Cargo.toml", "package = { name = 'overdue' }\nworkspace = {}");
    project.write(CONSUMER, "fn main() {}\n");
    let judged = project.judge();
    assert_eq!(verdicts(&judged), [Effect::Breaks, Effect::NotJudged], "{judged:?}");
}
