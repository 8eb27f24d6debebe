//! Tells what an OpenAPI 3.0 document says: `cargo run -p payout-openapi --example inspect -- FILE`.
//!
//! For documents nobody here wrote: it loads the file and prints its operations, or refuses it with
//! the place of the fault. It refuses to stop at one bad example: all are judged and counted.

use std::{collections::HashMap, env, path::Path, process::ExitCode, time::Instant};

use payout_openapi::{Direction, Document, DocumentError, Validator};

fn main() -> ExitCode {
    let Some(file) = env::args().nth(1) else {
        eprintln!("usage: cargo run -p payout-openapi --example inspect -- FILE");
        return ExitCode::from(2);
    };
    match inspect(Path::new(&file)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("refused: {error}");
            ExitCode::FAILURE
        }
    }
}

fn inspect(file: &Path) -> Result<(), DocumentError> {
    let started = Instant::now();
    let document = Document::load(file)?;
    let loaded = started.elapsed();
    for operation in document.operations() {
        let statuses: Vec<String> = operation
            .responses
            .iter()
            .map(|response| response.status.to_string())
            .collect();
        let statuses = statuses.join(",");
        println!(
            "{} {} {} {statuses}",
            operation.method, operation.path, operation.id
        );
    }
    let started = Instant::now();
    let findings = judge_examples(&document)?;
    println!(
        "{} operations, loaded in {loaded:.1?}",
        document.operations().len()
    );
    println!("{findings}, judged in {:.1?}", started.elapsed());
    Ok(())
}

/// Judges every example that has a schema; tells each bad one and returns the totals.
fn judge_examples(document: &Document) -> Result<String, DocumentError> {
    let mut validators: HashMap<(String, Direction), Validator> = HashMap::new();
    let (mut judged, mut invalid) = (0_usize, 0_usize);
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
            println!("{}: {}: {first}", example.place, example.pointer);
        }
    }
    Ok(format!("{judged} examples, {invalid} of them invalid"))
}
