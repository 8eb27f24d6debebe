//! Consumers of a small client, compiled by cargo.

use std::{
    fs,
    path::{Path, PathBuf},
};

use openapi_codegen::{ClientConfig, Config, ConsumerConfig};
use tempfile::TempDir;

use super::{
    bench,
    judge::{Baseline, Bench, Judged, Verdict},
    report::Report,
};
use crate::{
    breaking::{Comparison, Documents, compare},
    output::Format,
};

const PAGE: &str = include_str!("../../../README.md");

/// Like a generated client.
const CLIENT: &str = "pub struct Loan {
    pub id: String,
    pub title: String,
}

impl Loan {
    pub fn get_loan() -> Self {
        Self { id: String::new(), title: String::new() }
    }
}
";

const LIST: &str = "use library_client::Loan;

fn main() {
    let loan = Loan::get_loan();
    println!(\"{}\", loan.title);
}
";

/// A client in a workspace with an example, and a consumer elsewhere.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        let package = |name: &str| {
            format!("[package]\nname = \"{name}\"\nversion = \"1.0.0\"\nedition = \"2024\"\n")
        };
        project.write("Cargo.toml", "[workspace]\nmembers = [\"client\"]\nresolver = \"3\"\n");
        project.write("client/Cargo.toml", &package("library-client"));
        project.write("client/src/lib.rs", "mod generated;\npub use generated::*;\n");
        project.write("client/src/generated.rs", CLIENT);
        project.write("client/examples/list.rs", LIST);
        let dependency = "[workspace]\n[dependencies]\nlibrary-client = { path = \"../client\" }\n";
        project.write("overdue/Cargo.toml", &(package("overdue") + dependency));
        project.write("overdue/src/main.rs", &LIST.replace("title", "id"));
        let document = PAGE.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
        project.write("openapi/released/1.yaml", document);
        let without_title = document
            .replace("required: [id, title]", "required: [id]")
            .lines()
            .filter(|line| !line.trim_start().starts_with("title: {"))
            .fold(String::new(), |text, line| text + line + "\n");
        project.write("openapi/api.yaml", &without_title);
        project
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn bench(&self) -> Bench {
        let client = ClientConfig { file: "client/src/generated.rs".into(), ..client_config() };
        let consumer = |manifest: &str, arguments: &[&str]| ConsumerConfig {
            manifest: manifest.to_owned(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
        };
        let registered =
            [consumer("client/Cargo.toml", &["--examples"]), consumer("overdue/Cargo.toml", &[])];
        bench(&self.path(""), Path::new(""), &client, &registered).unwrap()
    }

    /// Judges the consumers with a client; the one without the change is [`CLIENT`].
    fn judge(&self, client: &str) -> Vec<Judged> {
        let label = "the client in client/src/generated.rs".to_owned();
        let baseline = Baseline { name: "current", label, text: Ok(CLIENT.to_owned()) };
        self.bench().judge(client, &[baseline]).unwrap()
    }

    fn compare(&self) -> Comparison {
        let documents = Documents {
            config: self.path("contract.toml"),
            old: Some(self.path("openapi/released/1.yaml")),
            new: None,
            accepted: None,
        };
        let mut comparison = compare(&documents).unwrap();
        // The names that a person in the project's folder would see.
        let root = self.path("").display().to_string();
        for side in [&mut comparison.old, &mut comparison.new] {
            side.path = side.path.replace(&root, "");
        }
        for change in &mut comparison.changes {
            change.place.file = change.place.file.replace(&root, "").into();
        }
        comparison
    }
}

fn client_config() -> ClientConfig {
    let text = "[client]\nfile = \"generated.rs\"\n";
    Config::parse(text).unwrap().client.unwrap()
}

fn verdicts(judged: &[Judged]) -> Vec<Verdict> {
    judged.iter().map(|one| one.verdict).collect()
}

fn without_title() -> String {
    CLIENT.replace("    pub title: String,\n", "").replace(", title: String::new()", "")
}

#[test]
fn removed_property_is_reported_as_the_page_shows() {
    let project = Project::new();
    let judged = project.judge(&without_title());
    let comparison = project.compare();
    let bench = project.bench();
    let report = Report::new(&comparison, judged, &bench, (&project.path(""), Path::new("")));
    let text = report.print(Format::Text).unwrap();
    let shown = PAGE.split("$ contract consumers\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(text, shown);

    let annotations = report.print(Format::Github).unwrap();
    let start = "::error file=client/examples/list.rs,line=5,col=25";
    assert!(annotations.starts_with(start), "{annotations}");
    let json: serde_json::Value =
        serde_json::from_str(&report.print(Format::Json).unwrap()).unwrap();
    assert_eq!(json["consumers"][0]["verdict"], "breaks");
    let change = &json["consumers"][0]["errors"][0]["changes"][0];
    assert_eq!(*change, json["changes"][0]["fingerprint"]);
}

#[test]
fn change_that_every_consumer_compiles_with_shows_at_run_time() {
    let project = Project::new();
    let judged = project.judge(CLIENT);
    let comparison = project.compare();
    let bench = project.bench();
    let report = Report::new(&comparison, judged, &bench, (&project.path(""), Path::new("")));
    let text = report.print(Format::Text).unwrap();
    let expected = "client/Cargo.toml --examples: compiles
overdue/Cargo.toml: compiles
openapi/released/1.yaml:36:9: breaking: A client that reads `title` no longer gets it. \
                    [response-property-removed]
    response 200 title of GET /loans/{id}; every consumer compiles with it: it shows at run time
0 of 2 break: openapi/released/1.yaml -> openapi/api.yaml
";
    assert_eq!(text, expected);
}

#[test]
fn consumer_beside_the_client_is_compared_with_the_client_without_the_change() {
    let project = Project::new();
    let renamed = CLIENT.replace("get_loan", "read_loan");
    for _ in 0..2 {
        let judged = project.judge(&renamed);
        assert_eq!(verdicts(&judged), [Verdict::Breaks, Verdict::Breaks], "{judged:?}");
        assert_eq!(verdicts(&project.judge(CLIENT)), [Verdict::Compiles, Verdict::Compiles]);
    }
}

#[test]
fn error_that_was_there_before_is_not_the_changes() {
    let project = Project::new();
    let main = LIST.replace("title", "shelf");
    project.write("overdue/src/main.rs", &main);
    let judged = project.judge(&without_title());
    assert_eq!(verdicts(&judged), [Verdict::Breaks, Verdict::BrokenBefore]);
    assert_eq!(judged[1].errors, []);
    assert_eq!(judged[1].before.len(), 1, "{judged:?}");

    project.write("overdue/src/main.rs", &main.replace("}\n", "    let _ = loan.title;\n}\n"));
    let judged = project.judge(&without_title());
    assert_eq!(verdicts(&judged), [Verdict::Breaks, Verdict::Breaks]);
    assert_eq!((judged[1].errors.len(), judged[1].before.len()), (1, 1), "{judged:?}");
}

#[test]
fn client_that_does_not_compile_is_reported_itself() {
    let project = Project::new();
    let support = "mod generated;\npub use generated::*;\n\
                   pub fn title(loan: &Loan) -> &str { &loan.title }\n";
    project.write("client/src/lib.rs", support);
    let judged = project.judge(&without_title());
    let expected = [Verdict::Breaks, Verdict::NotJudged, Verdict::NotJudged];
    assert_eq!(verdicts(&judged), expected, "{judged:?}");
    assert_eq!(judged[0].name, "the client itself, client/Cargo.toml");
    assert_eq!(judged[0].errors[0].file, project.path("client/src/lib.rs"));
    let note = "the client itself, client/Cargo.toml does not compile; mend it first";
    assert_eq!(judged[1].note.as_deref(), Some(note));
}

#[test]
fn consumer_of_no_client_is_not_judged() {
    let project = Project::new();
    let manifest = fs::read_to_string(project.path("overdue/Cargo.toml")).unwrap();
    let (alone, _) = manifest.split_once("[dependencies]").unwrap();
    project.write("overdue/Cargo.toml", alone);
    project.write("overdue/src/main.rs", "fn main() {}\n");
    let judged = project.judge(CLIENT);
    assert_eq!(verdicts(&judged), [Verdict::Compiles, Verdict::NotJudged]);
    let note = judged[1].note.as_deref().unwrap();
    assert!(note.starts_with("it was not compiled with the client of the document"), "{note}");
}

#[test]
fn files_of_the_project_stay_as_they_are() {
    let project = Project::new();
    let client = fs::read_to_string(project.path("client/src/generated.rs")).unwrap();
    let _ = project.judge(&without_title());
    assert_eq!(fs::read_to_string(project.path("client/src/generated.rs")).unwrap(), client);
    for lock in ["Cargo.lock", "overdue/Cargo.lock"] {
        assert!(!project.path(lock).exists(), "{lock}");
    }
}

#[test]
fn missing_registration_says_what_to_write() {
    let project = Project::new();
    let client = ClientConfig { file: "client/src/generated.rs".into(), ..client_config() };
    let error = bench(&project.path(""), Path::new(""), &client, &[]).unwrap_err().to_string();
    assert!(error.contains("`[[consumers]]` `manifest = \"client/Cargo.toml\"`"), "{error}");
    let gone = ConsumerConfig { manifest: "gone/Cargo.toml".to_owned(), arguments: Vec::new() };
    let error = bench(&project.path(""), Path::new(""), &client, &[gone]).unwrap_err().to_string();
    assert!(error.starts_with("the consumer gone/Cargo.toml: "), "{error}");
}
