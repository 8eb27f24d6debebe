//! Prints the operations of any OpenAPI 3.0 document, compiles the schema of every body and
//! validates every example: `cargo run -p openapi-document --example inspect -- FILE`.

use std::{env, path::Path, process::ExitCode};

use openapi_document::{Direction, Document, DocumentError};

fn main() -> ExitCode {
    let Some(file) = env::args().nth(1) else {
        eprintln!("usage: cargo run -p openapi-document --example inspect -- FILE");
        return ExitCode::from(2);
    };
    match inspect(Path::new(&file)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn inspect(file: &Path) -> Result<(), DocumentError> {
    let document = Document::load(file)?;
    for operation in document.operations() {
        let (method, path, id) = (operation.method, &operation.path, &operation.id);
        println!("{method} {path} {id}");
        let bodies = operation.body.iter().flat_map(|body| &body.content);
        let responses = operation.responses.iter().flat_map(|response| &response.content);
        let bodies = bodies.map(|media_type| (media_type, Direction::Request));
        let responses = responses.map(|media_type| (media_type, Direction::Response));
        for (media_type, direction) in bodies.chain(responses) {
            if let Some(schema) = &media_type.schema_pointer {
                document.validator(schema, direction)?;
            }
        }
    }
    let examples = document.examples()?;
    for example in &examples {
        let Some(schema) = &example.schema_pointer else {
            continue;
        };
        let validator = document.validator(schema, example.direction)?;
        for violation in validator.validate(&example.value) {
            println!("{}: {}: {violation}", example.place, example.pointer);
        }
    }
    let count = document.operations().len();
    println!("{count} operations, {} examples", examples.len());
    Ok(())
}
