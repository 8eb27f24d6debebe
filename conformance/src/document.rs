//! The document that deployments are tested against, compiled into the binary.

use std::sync::LazyLock;

use payout_openapi::Document;

pub(crate) static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    Document::parse("openapi/api.yaml", include_str!("../../openapi/api.yaml"))
        .expect("`cargo xtask codegen` checks the project's own document")
});
