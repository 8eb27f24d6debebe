//! Claims about documents that are made at random: no command panics or hangs, none finds a
//! document different from itself, lint says what the generators reject, and what they accept
//! compiles.
//!
//! `DOCUMENTS=20000 SEED=7 cargo test -p openapi-contract --lib documents` tries others, and more.

mod edits;
mod grammar;
mod schemas;

use std::{
    env, fs,
    path::Path,
    process::Command,
    sync::{
        atomic::{AtomicU32, Ordering::Relaxed},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};

use openapi_document::{Document, DocumentError};
use proptest::{
    prelude::{Strategy as _, any},
    sample::Index,
    test_runner::{Config as Cases, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use serde_json::Value;

use self::{
    edits::{edit, edited},
    grammar::document,
};
use crate::{
    breaking::changes,
    codegen::{
        Artifact, ClientConfig, CodegenError, Config, Coverage, coverage, format::UNFORMATTED,
        generate,
    },
    lint::{self, Severities},
};

/// The commands end within this time for each of the small documents.
const LIMIT: Duration = Duration::from_secs(60);
/// One in so many of the documents of which something is generated is compiled.
const COMPILED: usize = 10;

fn number(name: &str, default: u32) -> u32 {
    env::var(name).map_or(default, |text| text.parse().expect("it is a number"))
}

fn runner() -> TestRunner {
    let cases =
        Cases { cases: number("DOCUMENTS", 150), failure_persistence: None, ..Cases::default() };
    let seed = number("SEED", 0).to_le_bytes().repeat(8);
    TestRunner::new_with_rng(cases, TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
}

/// Without a client, and with one.
fn configs() -> [Config; 2] {
    let client = ClientConfig { file: "client.rs".to_owned(), ..ClientConfig::default() };
    [Config::default(), Config { client: Some(client), ..Config::default() }]
}

fn read(value: &Value) -> Result<Document, DocumentError> {
    Document::parse("made.json", &serde_json::to_string_pretty(value).unwrap())
}

/// Counts of the documents that are read, and of the operations that are generated of them.
static READ: AtomicU32 = AtomicU32::new(0);
static GENERATED: AtomicU32 = AtomicU32::new(0);

#[test]
fn every_command_keeps_its_word_for_any_document() {
    let documents = (document(), any::<Index>(), edit());
    let mut runner = runner();
    let count = runner.config().cases;
    let tried = runner.run(&documents, |(made, at, edit)| {
        let other = edited(&made, at, &edit);
        let (done, answer) = channel();
        let judge = thread::spawn(move || {
            UNFORMATTED.set(true);
            let judged = judge(&made, &other);
            done.send(()).ok();
            judged
        });
        if answer.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            return Err(TestCaseError::fail(format!("it takes longer than {LIMIT:?}")));
        }
        let judged = judge.join().map_err(|_| TestCaseError::fail("it panics"))?;
        judged.map_err(TestCaseError::fail)
    });
    if let Err(failure) = tried {
        panic!("{failure}");
    }
    let (read, generated) = (READ.load(Relaxed), GENERATED.load(Relaxed));
    assert!(2 * read > count && generated > count, "{read} read, {generated} operations");
}

fn judge(made: &Value, other: &Value) -> Result<(), String> {
    let document = match read(made) {
        Ok(document) => document,
        Err(DocumentError::Invalid(found)) => {
            let has_place = found.iter().all(|it| it.to_string().starts_with("made.json:"));
            return if has_place { Ok(()) } else { Err(format!("no place: {found:?}")) };
        }
        Err(error) => return Err(error.to_string()),
    };
    READ.fetch_add(1, Relaxed);
    for config in configs() {
        generates_what_it_counts(&document, config)?;
    }
    let differences = changes(&document, &read(made).unwrap());
    if let Some(change) = differences.first() {
        return Err(format!("it differs from itself: {}", change.sentence));
    }
    if let Ok(other) = read(other) {
        changes(&document, &other);
        changes(&other, &document);
    }
    Ok(())
}

/// The generators accept each operation that coverage counts, and lint reports each other one.
fn generates_what_it_counts(document: &Document, mut config: Config) -> Result<(), String> {
    let found = lint::lint(document, &config, &Severities::new());
    if let Some(finding) = found.iter().find(|finding| finding.line == 0) {
        return Err(format!("no line: {finding:?}"));
    }
    let covered = coverage(document, &config).ok();
    let is_whole = covered.is_some();
    if found.is_empty() && covered.as_ref().is_none_or(|it| !it.left_out.is_empty()) {
        return Err("lint finds nothing, and an operation is left out".to_owned());
    }
    if let Some(covered) = covered {
        GENERATED.fetch_add(covered.generated.len() as u32, Relaxed);
        leave_out(&mut config, covered);
    }
    match generate(document, &[], &config) {
        Ok(_) if is_whole => Ok(()),
        Err(CodegenError::Rejected(_)) if !is_whole => Ok(()),
        Ok(_) => Err("coverage is an error, and codegen generates".to_owned()),
        Err(error) => Err(format!("coverage counts what codegen rejects: {error}")),
    }
}

#[test]
fn generated_code_compiles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = root.join("target/documents");
    fs::remove_dir_all(&folder).ok();
    let mut runner = runner();
    let made = (0..number("DOCUMENTS", 150)).map(|_| {
        let tree = document().new_tree(&mut runner).unwrap();
        proptest::strategy::ValueTree::current(&tree)
    });
    let accepted = made.filter_map(|made| {
        let [_, config] = configs();
        let files = accepted_files(&made, config).or_else(|| {
            let [config, _] = configs();
            accepted_files(&made, config)
        });
        Some((made, files?))
    });
    // An author of a server may have this line.
    let mut modules = "#![deny(warnings)]\n".to_owned();
    for (index, (made, files)) in accepted.step_by(COMPILED).enumerate() {
        let module = format!("document_{index}");
        write(&folder.join("src").join(&module), &module, &made, files);
        modules.push_str(&format!("pub mod {module};\n"));
    }
    assert!(modules.lines().count() >= 3, "{modules}");
    fs::write(folder.join("src/lib.rs"), modules).unwrap();
    // The build of the example's tests has the same dependencies, with the same features.
    let library = root.join("openapi/examples/library");
    let manifest = fs::read_to_string(library.join("Cargo.toml")).unwrap();
    let manifest = manifest
        .replace("[dependencies]", "[dependencies]\nopenapi-client = { path = \"../../client\" }")
        .replace("library-client = { path = \"client\" }\n", "")
        .replace("members = [\"client\"]\n", "")
        .replace("\"../..\"", "\"../../openapi\"")
        .replace("\"../../runtime\"", "\"../../openapi/runtime\"")
        .replace("\"../../client\"", "\"../../openapi/client\"");
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(library.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--lib", "--tests", "--quiet", "--offline"]);
    cargo.args(["--target-dir", "../library"]);
    assert!(cargo.current_dir(&folder).status().unwrap().success(), "{}", folder.display());
}

/// What is generated of the operations that the configuration's outputs have.
fn accepted_files(made: &Value, mut config: Config) -> Option<Vec<Artifact>> {
    let document = read(made).ok()?;
    let covered = coverage(&document, &config).ok().filter(|it| !it.generated.is_empty())?;
    leave_out(&mut config, covered);
    generate(&document, &[], &config).ok()
}

/// Configures what `contract coverage` advises.
fn leave_out(config: &mut Config, covered: Coverage) {
    let ids = covered.left_out.into_iter().map(|(id, _)| id);
    config.leave_out = ids.filter(|id| !covered.of_server.contains(id)).collect();
    if let Some(client) = &mut config.client {
        client.leave_out = covered.of_server;
    }
}

/// Writes a module with the server, and with the client as the root of a package has it.
fn write(folder: &Path, module: &str, made: &Value, files: Vec<Artifact>) {
    fs::create_dir_all(folder.join("contract")).unwrap();
    fs::create_dir_all(folder.join("client")).unwrap();
    fs::write(folder.join("made.json"), format!("{made:#}")).unwrap();
    let mut modules = "pub mod contract;\n".to_owned();
    for Artifact { path, text } in files {
        if path == "client.rs" {
            let root = include_str!("../codegen/client/templates/lib.rs.txt");
            fs::write(folder.join("client/mod.rs"), root.replace("$module$", "generated")).unwrap();
            let text = text.replace("crate::", &format!("crate::{module}::client::"));
            fs::write(folder.join("client/generated.rs"), text).unwrap();
            modules.push_str("pub mod client;\n");
        } else {
            fs::write(folder.join(path.trim_start_matches("src/")), text).unwrap();
        }
    }
    fs::write(folder.join("mod.rs"), modules).unwrap();
}
