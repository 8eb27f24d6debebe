//! The stages that the decisions name, and the form of an outcome.

use std::sync::LazyLock;

use openapi_document::Document;

/// The stages in which a payout takes lines.
pub(super) const TAKES_LINES: [&str; 4] =
    ["DRAFT", "PENDING_REVIEW", "APPROVED", "PENDING_INVOICE"];
/// The stages in which a payout's lines can be neither changed nor declined.
pub(super) const LOCKS_LINES: [&str; 3] = ["SCHEDULED", "PENDING_PAYMENT", "PAID"];

/// Status, code, and the id of what the response shows.
pub(super) type Done = (u16, &'static str, String);

pub(super) fn rejected(code: &'static str) -> Done {
    (422, code, String::new())
}

/// Returns the stages that can follow this one, which the document lists.
pub(super) fn follow(stage: &str) -> Vec<&'static str> {
    static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
        let text = include_str!("../../../../openapi/api.yaml");
        Document::parse("openapi/api.yaml", text).expect("the document is sound")
    });
    let mut rows = DOCUMENT.transitions("PayoutStage").into_iter();
    rows.find_map(|(from, next)| (from == stage).then_some(next)).expect("each stage has a row")
}
