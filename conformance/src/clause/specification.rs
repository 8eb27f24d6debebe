//! The sentences of the specification that an outside observer can test.
//!
//! It refuses to paraphrase: where a table speaks, its row is quoted as a sentence.

use super::Clause;

const fn clause(id: &'static str, sentence: &'static str) -> Clause {
    Clause { id, sentence }
}

/// In the order of the specification.
pub(super) const CLAUSES: &[Clause] = &[
    clause(
        "§1.1",
        "Every request is scoped to the organisation that owns the API key.",
    ),
    clause(
        "§2.1",
        "A partner has these fields, of these types: id, name, domain, externalCompanyId, externalId, externalIdType, managerEmail, categories, tierId, phaseId, experienceTemplateId, owner, manager, three maps of CRM properties, status, createdAt, updatedAt.",
    ),
    clause(
        "§2.1.createdAt",
        "createdAt is an ISO 8601 date-time in UTC with millisecond precision.",
    ),
    clause(
        "§2.1.updatedAt",
        "updatedAt is the time of the last update, in the same format.",
    ),
    clause(
        "§2.2",
        "A commission line has these fields, of these types: id, partnerId, payoutId, description, amount, sourceAmount, currency, status, planName, periodEnd, createdAt, updatedAt.",
    ),
    clause(
        "§2.2.amount",
        "amount is a string: a decimal with two fraction digits.",
    ),
    clause(
        "§2.2.payoutId",
        "payoutId is the payout that the line is attached to, and null when the line is not in a payout.",
    ),
    clause(
        "§2.2.status",
        "status is one of EXPECTED, PENDING, IN_PAYOUT, VOIDED.",
    ),
    clause(
        "§2.2.idempotencyKey",
        "idempotencyKey is present in the detach response and absent from list items.",
    ),
    clause(
        "§2.3",
        "A payout has these fields, of these types: id, partner (id, name), batchId, periodStart, periodEnd, amount (value, currency), stage, poNumber, createdAt, updatedAt; metadata appears in some responses.",
    ),
    clause(
        "§2.3.partner",
        "partner is an object with id (string) and name (string).",
    ),
    clause(
        "§2.3.amount",
        "amount is an object with value (string, decimal with two fraction digits) and currency (string).",
    ),
    clause(
        "§2.3.poNumber",
        "poNumber is a string or null: the purchase-order number; it appears on the statement.",
    ),
    clause(
        "§2.4",
        "The statement result has assetId, filename, downloadUrl, expiresAt and isUploaded; all five fields are required and no other field is present.",
    ),
    clause(
        "§2.4.isUploaded",
        "isUploaded is true when the PDF was uploaded by a person in the app, and false when the service rendered it.",
    ),
    clause(
        "§2.4.expiresAt",
        "After expiresAt the downloadUrl stops working.",
    ),
    clause(
        "§2.5.single",
        "A single resource comes as { data: <resource> }.",
    ),
    clause(
        "§2.5.list",
        "A list comes as { data: [<resource>, ...], pagination: { nextCursor: string or null } }.",
    ),
    clause(
        "§2.5.nextCursor",
        "nextCursor is null when there is no further page.",
    ),
    clause(
        "§3.1.detach",
        "IN_PAYOUT, by POST detach of an attached line, becomes PENDING: payoutId becomes null; the line returns to the pending pool.",
    ),
    clause(
        "§3.1.unattached",
        "POST detach of a line that is not attached to a payout leaves it unchanged and returns a 422 error.",
    ),
    clause("§3.1.pool", "The pending pool holds lines with no payout."),
    clause(
        "§3.2",
        "Generating a statement does not change the payout stage.",
    ),
    clause("§4.json", "Every response is application/json."),
    clause(
        "§4.1",
        "GET /api/v1/partners, scope partners:read: 200 with a list envelope of Partner.",
    ),
    clause("§4.1.limit", "limit is an integer, 1 to 100."),
    clause(
        "§4.1.cursor",
        "cursor is the nextCursor of a previous list response.",
    ),
    clause(
        "§4.2",
        "GET /api/v1/partners/{id}, scope partners:read: 200 with { data: Partner }.",
    ),
    clause(
        "§4.2.id",
        "The path's id accepts either the service partner id or the partner's CRM externalId.",
    ),
    clause(
        "§4.2.organisation",
        "The partner must belong to the key's organisation.",
    ),
    clause(
        "§4.3",
        "PATCH /api/v1/partners/{id}, scope partners:write: 200 with { data: Partner }, the updated partner.",
    ),
    clause("§4.3.required", "No field of the body is marked required."),
    clause("§4.3.name", "name has a length of 1 to 200."),
    clause(
        "§4.3.domain",
        "domain has a length of 1 to 255 when a string; null clears the domain.",
    ),
    clause(
        "§4.3.portalAccess",
        "portalAccess is RESTRICTED_USERS or RESTRICTED_DOMAINS, and takes effect only together with experienceTemplateId.",
    ),
    clause(
        "§4.3.tierId",
        "tierId has a minimum length of 1; it is the tier to assign.",
    ),
    clause(
        "§4.3.experienceTemplateId",
        "experienceTemplateId has a minimum length of 1; it is the experience template to publish for the partner.",
    ),
    clause(
        "§4.3.phaseId",
        "phaseId has a minimum length of 1; it is the lifecycle phase to assign.",
    ),
    clause(
        "§4.3.partnerOwnerId",
        "partnerOwnerId has a minimum length of 1; it is the id of the user to assign as partner owner.",
    ),
    clause(
        "§4.4",
        "GET /api/v1/commission-lines, scope commissions:read: 200 with a list envelope of Commission line.",
    ),
    clause("§4.4.limit", "limit is an integer, 1 to 100, default 25."),
    clause(
        "§4.4.cursor",
        "cursor is a cursor from a previous list response.",
    ),
    clause("§4.4.partnerId", "partnerId: only lines of this partner."),
    clause(
        "§4.4.payoutId",
        "payoutId: only lines attached to this payout.",
    ),
    clause(
        "§4.4.status",
        "status is one of EXPECTED, PENDING, IN_PAYOUT, VOIDED: only lines in this status.",
    ),
    clause(
        "§4.5",
        "POST /api/v1/commission-lines/{id}/detach, scope commissions:write: 200 with { data: Commission line }; the line has status PENDING and payoutId null.",
    ),
    clause("§4.5.body", "Detaching takes no request body."),
    clause("§4.5.422", "422 when the line is not attached to a payout."),
    clause(
        "§4.6",
        "GET /api/v1/payouts/{id}, scope commissions:read: 200 with { data: Payout }.",
    ),
    clause(
        "§4.7",
        "POST /api/v1/payouts/{id}/statement, scope commissions:write, no request body: 200 with { data: Statement result }.",
    ),
    clause(
        "§4.7.1",
        "The service renders the statement PDF and returns a pre-signed link to it.",
    ),
    clause(
        "§4.7.2",
        "The PDF is rebuilt only when one of these changed: the commission lines, the PO number, the statement note, the statement template.",
    ),
    clause(
        "§4.7.3",
        "Repeated requests with nothing changed return the same document.",
    ),
    clause(
        "§4.7.4",
        "When a person has uploaded their own statement in the app, that PDF is returned unchanged with isUploaded true; it is never re-rendered.",
    ),
    clause(
        "§4.7.5",
        "404 when the payout is not in the key's organisation.",
    ),
    clause(
        "§4.7.6",
        "422 when the payout has no commission lines to print.",
    ),
    clause(
        "§4.7.7",
        "422 when the organisation's commission billing information is incomplete.",
    ),
    clause(
        "§5.1",
        "Authentication uses an API key sent in the request header x-api-key.",
    ),
    clause("§5.2", "Keys are never sent as query parameters."),
    clause(
        "§5.3",
        "Each key belongs to one organisation and reaches only that organisation's data.",
    ),
    clause(
        "§5.4",
        "A key that is missing, invalid, expired or revoked gets 401.",
    ),
    clause("§5.4.revoked", "Revocation takes effect immediately."),
    clause(
        "§5.5",
        "A valid key without the scope the endpoint needs gets 403.",
    ),
    clause(
        "§7.error",
        "Every error status has the error body: error.code and error.message are required, error.details is optional, and no other field is present in the error object.",
    ),
    clause(
        "§7.402",
        "402: monthly API credit allowance reached; the response carries retry-after.",
    ),
    clause(
        "§7.404",
        "404: resource not found in the key's organisation.",
    ),
    clause("§7.429", "429: rate limit exceeded."),
    clause(
        "§8.minute",
        "The per-minute request allowance is enforced; exceeding it gives 429.",
    ),
    clause(
        "§8.month",
        "The monthly API credit allowance is enforced; exhausting it gives 402 until the next calendar month starts.",
    ),
    clause(
        "§8.page-size",
        "Page size (limit) on list endpoints: 1 to 100; default 25 on commission lines.",
    ),
    clause(
        "§8.rate-headers",
        "All responses carry x-ratelimit-limit-minute and x-ratelimit-remaining-minute: the maximum requests allowed, and those remaining, in the current minute.",
    ),
    clause(
        "§8.credit-headers",
        "x-service-credits-limit-month and x-service-credits-remaining-month are absent when the request was not metered or the allowance is unlimited.",
    ),
    clause(
        "§8.credits-remaining",
        "x-service-credits-remaining-month: credits left in the current calendar month, after this request. It is 0 on a 402.",
    ),
    clause(
        "§8.retry-after",
        "retry-after is on 402 only: seconds until the credit allowance resets, at the start of the next calendar month.",
    ),
    clause("§9.prefix", "Every path carries the prefix /api/v1."),
];
