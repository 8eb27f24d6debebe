//! The stages that the decisions name, and the form of an outcome.

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

/// The stages that can follow this one, from the table in the document.
pub(super) fn follow(stage: &str) -> Vec<String> {
    const DOCUMENT: &str = include_str!("../../../../openapi/api.yaml");
    let (_, operation) = DOCUMENT.split_once("operationId: updatePayout\n").expect("its table");
    let row = operation.lines().find_map(|line| {
        let mut cells = line.trim().trim_matches('|').split('|').map(str::trim);
        (cells.next() == Some(stage)).then(|| cells.next().unwrap_or_default().to_owned())
    });
    row.expect("each stage has a row").split(", ").map(str::to_owned).collect()
}
