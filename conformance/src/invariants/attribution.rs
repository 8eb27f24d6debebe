//! Which clause a violation of the document's form breaks, by its place in the response.

/// The clause about a place in the body of a success: the envelope, the resource, or one of its
/// fields.
pub(super) fn body_clause(operation: &str, pointer: &str) -> &'static str {
    let is_list = operation.starts_with("list");
    let envelope = if is_list { "§2.5.list" } else { "§2.5.single" };
    let mut path = pointer.split('/').skip(1);
    let is_in_data = path.next() == Some("data");
    // Of a page the next part is the index of an item.
    if !is_in_data || (is_list && path.next().is_none()) || pointer == "/data" {
        return envelope;
    }
    let field = path.next().unwrap_or_default();
    let is_within = path.next().is_some();
    match operation {
        "listPartners" | "getPartner" | "updatePartner" => match field {
            "createdAt" => "§2.1.createdAt",
            "updatedAt" => "§2.1.updatedAt",
            "owner" | "manager" if is_within => "V8",
            _ => "§2.1",
        },
        "listCommissionLines" | "detachCommissionLine" => match field {
            "amount" => "§2.2.amount",
            "payoutId" => "§2.2.payoutId",
            "status" => "§2.2.status",
            "idempotencyKey" => "§2.2.idempotencyKey",
            _ => "§2.2",
        },
        "getPayout" => match field {
            "partner" => "§2.3.partner",
            "amount" => "§2.3.amount",
            "poNumber" => "§2.3.poNumber",
            "metadata" if is_within => "V11",
            _ => "§2.3",
        },
        "generateStatement" => match field {
            "isUploaded" => "§2.4.isUploaded",
            _ => "§2.4",
        },
        // Another operation's resource has no clause of its own here.
        _ => envelope,
    }
}

pub(super) fn header_clause(name: &str) -> &'static str {
    match name {
        "x-request-id" => "R13",
        "retry-after" => "§8.retry-after",
        "allow" => "R5.405",
        name if name.starts_with("x-service-credits") => "§8.credit-headers",
        _ => "§8.rate-headers",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clause::Clause;

    #[test]
    fn each_place_of_a_body_has_its_clause() {
        for (operation, pointer, clause) in [
            ("listPartners", "", "§2.5.list"),
            ("listPartners", "/data", "§2.5.list"),
            ("listPartners", "/pagination/nextCursor", "§2.5.list"),
            ("listPartners", "/data/0", "§2.1"),
            ("listPartners", "/data/12/createdAt", "§2.1.createdAt"),
            ("listPartners", "/data/0/owner", "§2.1"),
            ("listPartners", "/data/0/owner/updatedAt", "V8"),
            ("getPartner", "", "§2.5.single"),
            ("getPartner", "/data", "§2.5.single"),
            ("updatePartner", "/data/updatedAt", "§2.1.updatedAt"),
            ("listCommissionLines", "/data/3/amount", "§2.2.amount"),
            ("detachCommissionLine", "/data/idempotencyKey", "§2.2.idempotencyKey"),
            ("getPayout", "/data/amount/value", "§2.3.amount"),
            ("getPayout", "/data/stage", "§2.3"),
            ("getPayout", "/data/metadata", "§2.3"),
            ("getPayout", "/data/metadata/statementNote", "V11"),
            ("generateStatement", "/data/extra", "§2.4"),
        ] {
            assert_eq!(body_clause(operation, pointer), clause, "{operation} {pointer}");
            assert!(Clause::find(clause).is_some(), "{clause}");
        }
    }
}
