//! The errors of the API.

/// Status and code; each code has one status.
pub(crate) type Error = (u16, &'static str);

/// The clause that says which status such an error has. Where it is a decision, the specification
/// says at most that the request is rejected.
pub(crate) fn status_clause((status, code): Error) -> &'static str {
    match (status, code) {
        (400, "INVALID_CURSOR") => "R8",
        (400, "UNSUPPORTED_API_VERSION") => "R12",
        (400, _) => "R4.400",
        (401, _) => "§5.4",
        (402, _) => "§7.402",
        (403, _) => "§5.5",
        (404, _) => "A.order",
        (405, _) => "R5.405",
        (413, _) => "R4.413",
        (415, _) => "R4.415",
        (422, "INVALID_REFERENCE") => "R2.reference",
        (422, "LINE_NOT_IN_PAYOUT") => "§4.5.422",
        (422, "NO_BILLING_INFO") => "§4.7.7",
        (422, "NO_COMMISSION_LINES") => "§4.7.6",
        (422, _) => "R4.422",
        (429, _) => "§7.429",
        _ => "E.codes",
    }
}

pub(crate) const INVALID_CURSOR: Error = (400, "INVALID_CURSOR");
pub(crate) const INVALID_JSON: Error = (400, "INVALID_JSON");
pub(crate) const UNSUPPORTED_API_VERSION: Error = (400, "UNSUPPORTED_API_VERSION");
pub(crate) const UNAUTHORIZED: Error = (401, "UNAUTHORIZED");
pub(crate) const API_CREDITS_EXHAUSTED: Error = (402, "API_CREDITS_EXHAUSTED");
pub(crate) const INSUFFICIENT_SCOPE: Error = (403, "INSUFFICIENT_SCOPE");
pub(crate) const NOT_FOUND: Error = (404, "NOT_FOUND");
pub(crate) const METHOD_NOT_ALLOWED: Error = (405, "METHOD_NOT_ALLOWED");
pub(crate) const PAYLOAD_TOO_LARGE: Error = (413, "PAYLOAD_TOO_LARGE");
pub(crate) const UNSUPPORTED_MEDIA_TYPE: Error = (415, "UNSUPPORTED_MEDIA_TYPE");
pub(crate) const IDEMPOTENCY_IN_PROGRESS: Error = (409, "IDEMPOTENCY_IN_PROGRESS");
pub(crate) const COMMENT_INTERNAL: Error = (422, "COMMENT_INTERNAL");
pub(crate) const FORM_REJECTED: Error = (422, "FORM_REJECTED");
pub(crate) const PORTAL_NOT_PUBLISHED: Error = (422, "PORTAL_NOT_PUBLISHED");
pub(crate) const VISITOR_NOT_AUTHORIZED: Error = (422, "VISITOR_NOT_AUTHORIZED");
pub(crate) const CURRENCY_MISMATCH: Error = (422, "CURRENCY_MISMATCH");
pub(crate) const IDEMPOTENCY_KEY_REUSED: Error = (422, "IDEMPOTENCY_KEY_REUSED");
pub(crate) const INVALID_REFERENCE: Error = (422, "INVALID_REFERENCE");
pub(crate) const INVALID_STAGE_TRANSITION: Error = (422, "INVALID_STAGE_TRANSITION");
pub(crate) const LINE_IN_PAYOUT: Error = (422, "LINE_IN_PAYOUT");
pub(crate) const LINE_LOCKED: Error = (422, "LINE_LOCKED");
pub(crate) const LINE_NOT_IN_PAYOUT: Error = (422, "LINE_NOT_IN_PAYOUT");
pub(crate) const LINE_NOT_PENDING: Error = (422, "LINE_NOT_PENDING");
pub(crate) const LINE_VOIDED: Error = (422, "LINE_VOIDED");
pub(crate) const NO_BILLING_INFO: Error = (422, "NO_BILLING_INFO");
pub(crate) const NO_COMMISSION_LINES: Error = (422, "NO_COMMISSION_LINES");
pub(crate) const PARTNER_MISMATCH: Error = (422, "PARTNER_MISMATCH");
pub(crate) const PAYOUT_LOCKED: Error = (422, "PAYOUT_LOCKED");
pub(crate) const VALIDATION_FAILED: Error = (422, "VALIDATION_FAILED");
pub(crate) const RATE_LIMITED: Error = (429, "RATE_LIMITED");
