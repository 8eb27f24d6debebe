//! The contract that is generated for the document `library.yaml` compiles, and reads requests. The
//! document has one of every construct that this project's own document lacks. After a change of
//! the generator: `UPDATE_GENERATED=1 cargo test --workspace --test library`.

#[allow(
    clippy::disallowed_types,
    clippy::too_many_arguments,
    reason = "its numbers are no money, and it takes many parameters"
)]
pub mod contract;
mod requests;

use std::{env, path::Path};

use openapi_codegen::{Config, Mode, ensure_folder, generate};
use openapi_document::Document;

const CONFIG: &str = "document = \"library.yaml\"\nserver.folder = \"contract\"\n";

#[test]
fn contract_is_what_the_generator_writes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/library");
    let document = Document::load(&root.join("library.yaml")).unwrap();
    let config = Config::parse(CONFIG).unwrap();
    let artifacts = generate(&document, &[], &config).unwrap_or_else(|error| panic!("{error}"));
    let update = env::var_os("UPDATE_GENERATED").is_some();
    let mode = if update { Mode::Write } else { Mode::Check };
    let stale = ensure_folder(&root, "contract", &artifacts, mode).unwrap();
    assert!(update || stale.is_empty(), "{stale:#?}");
}
