//! Tells what an OpenAPI 3.0 document says: `cargo run -p payout-openapi --example inspect -- FILE`.
//!
//! For documents nobody here wrote: it loads the file and prints its operations, or refuses it with
//! the place of the fault. It refuses to stop at one bad example: all are judged and counted.

use std::{
    collections::{HashMap, HashSet},
    env,
    fmt::Write as _,
    io::{self, Write as _},
    path::Path,
    process::ExitCode,
    time::Instant,
};

use payout_openapi::{Direction, Document, DocumentError, MediaType, Validator};

fn main() -> ExitCode {
    let Some(file) = env::args().nth(1) else {
        eprintln!("usage: cargo run -p payout-openapi --example inspect -- FILE");
        return ExitCode::from(2);
    };
    match inspect(Path::new(&file)) {
        // Whoever closes the pipe early, as `head` does, has read enough.
        Ok(report) => match io::stdout().write_all(report.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Err(error) => {
            eprintln!("refused: {error}");
            ExitCode::FAILURE
        }
    }
}

fn inspect(file: &Path) -> Result<String, DocumentError> {
    let started = Instant::now();
    let document = Document::load(file)?;
    let loaded = started.elapsed();
    let mut report = String::new();
    for operation in document.operations() {
        let statuses: Vec<String> = operation
            .responses
            .iter()
            .map(|response| response.status.to_string())
            .collect();
        let (method, path, id) = (operation.method, &operation.path, &operation.id);
        line(
            &mut report,
            &format!("{method} {path} {id} {}", statuses.join(",")),
        );
    }
    let started = Instant::now();
    let compiled = compile_bodies(&document)?;
    let bodies = started.elapsed();
    let started = Instant::now();
    let (judged, invalid) = judge_examples(&document, &mut report)?;
    let examples = started.elapsed();
    let count = document.operations().len();
    line(
        &mut report,
        &format!("{count} operations, loaded in {loaded:.1?}"),
    );
    line(
        &mut report,
        &format!("{compiled} body schemas, compiled in {bodies:.1?}"),
    );
    line(
        &mut report,
        &format!("{judged} examples, {invalid} of them invalid, judged in {examples:.1?}"),
    );
    Ok(report)
}

/// Compiles the schema of every body of every operation, shared ones once; returns how many.
fn compile_bodies(document: &Document) -> Result<usize, DocumentError> {
    let mut compiled = HashSet::new();
    for operation in document.operations() {
        let requests = operation.body.iter().flat_map(|body| &body.content);
        let answers = operation
            .responses
            .iter()
            .flat_map(|response| &response.content);
        let requests = requests.map(|media_type| (media_type, Direction::Request));
        let answers = answers.map(|media_type| (media_type, Direction::Response));
        for (MediaType { schema_pointer, .. }, direction) in requests.chain(answers) {
            let Some(schema_pointer) = schema_pointer else {
                continue;
            };
            let target = document.resolve(schema_pointer)?.pointer;
            if !compiled.contains(&(target.clone(), direction)) {
                document.validator(&target, direction)?;
                compiled.insert((target, direction));
            }
        }
    }
    Ok(compiled.len())
}

/// Judges every example that has a schema, tells each bad one; returns how many there were of both.
fn judge_examples(
    document: &Document,
    report: &mut String,
) -> Result<(usize, usize), DocumentError> {
    let mut validators: HashMap<(String, Direction), Validator> = HashMap::new();
    let (mut judged, mut invalid) = (0, 0);
    for example in document.examples()? {
        let Some(schema_pointer) = example.schema_pointer else {
            continue;
        };
        let key = (schema_pointer, example.direction);
        if !validators.contains_key(&key) {
            let validator = document.validator(&key.0, key.1)?;
            validators.insert(key.clone(), validator);
        }
        judged += 1;
        let violations = validators[&key].validate(&example.value);
        if let Some(first) = violations.first() {
            invalid += 1;
            line(
                report,
                &format!("{}: {}: {first}", example.place, example.pointer),
            );
        }
    }
    Ok((judged, invalid))
}

fn line(report: &mut String, text: &str) {
    writeln!(report, "{text}").expect("writing to a string never fails");
}
