//! Which operation of the document a request is for.

use std::sync::LazyLock;

use openapi_document::{Document, Operation};

/// The document that deployments are tested against, compiled into the binary.
pub static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
    Document::parse("openapi/api.yaml", include_str!("../../../openapi/api.yaml"))
        .expect("the project's own document is sound: `cargo xtask codegen` checks it")
});

/// The operation of this method at this path, and the segment in place of its `{id}`.
pub(crate) fn find<'path>(
    method: &str,
    path: &'path str,
) -> Option<(&'static Operation, Option<&'path str>)> {
    DOCUMENT.operations().iter().find_map(|operation| {
        let id = matches(&operation.path, path)?;
        (operation.method.as_str() == method).then_some((operation, id))
    })
}

/// Whether a path fits a template; the inner value is the segment in place of a parameter.
#[must_use]
pub fn matches<'path>(template: &str, path: &'path str) -> Option<Option<&'path str>> {
    let (mut template, mut path) = (template.split('/'), path.split('/'));
    let mut id = None;
    loop {
        match (template.next(), path.next()) {
            (None, None) => return Some(id),
            (Some(part), Some(segment)) if part.starts_with('{') => id = Some(segment),
            (Some(part), Some(segment)) if part == segment => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_finds_its_operation_and_id() {
        let (operation, id) = find("POST", "/api/v1/payouts/pay_1/statement").unwrap();
        assert_eq!((operation.id.as_str(), id), ("generateStatement", Some("pay_1")));
        assert_eq!(find("GET", "/api/v1/partners").unwrap().1, None);
        assert!(find("DELETE", "/api/v1/partners").is_none());
        assert!(
            find("GET", "/api/v1/partners/")
                .is_none_or(|(operation, _)| operation.id == "getPartner")
        );
        assert!(find("GET", "/statements/a/b").is_none());
    }
}
