//! Prints the operations of an OpenAPI document:
//! `cargo run -p openapi-document --example inspect -- FILE`.

use std::{env, path::Path};

use openapi_document::Document;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = env::args().nth(1).ok_or("usage: inspect FILE")?;
    let document = Document::load(Path::new(&file))?;
    for operation in document.operations() {
        println!("{} {} {}", operation.method, operation.path, operation.id);
    }
    println!("{} operations", document.operations().len());
    Ok(())
}
