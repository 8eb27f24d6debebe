//! What the framework understood of the generated routes, against the document: everything that it
//! does not show is proved by a test or in the ledger. `contract round-trip` does the same, and
//! compiles the routes itself.

use std::path::Path;

use openapi_contract::round_trip::{Ledger, judge, text};
use openapi_document::Document;
use poem_openapi::OpenApiService;

use super::handlers::EchoHandlers;
use crate::contract::Routes;

const LEDGER: &str = "openapi/round-trip.toml";

#[test]
fn routes_keep_all_of_the_document_that_the_ledger_does_not_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let load = |text: &str| Document::parse("openapi/api.yaml", text).unwrap();
    let document = load(crate::http::docs::DOCUMENT);
    let service = OpenApiService::new(Routes::new(EchoHandlers), "", "");
    let emitted = Document::parse("emitted.json", &service.spec()).unwrap();
    let ledger = Ledger::load(&root.join(LEDGER)).unwrap();
    let report = judge(&document, &emitted, &ledger, root, Path::new(LEDGER));
    assert!(report.findings.is_empty(), "{}", text(&report, Path::new(LEDGER), true));
    // Else the two were not compared.
    let total = report.total();
    assert!(total.by_type > total.all() / 3, "{total:?}");
}
