//! The sentences of the specification that an outside observer can test. A row of a table is quoted
//! as a sentence.

use super::Clause;

pub(super) const CLAUSES: &[Clause] = clauses! {
    "§1.1" "Every request is scoped to the organisation that owns the API key."
    "§2.1"
      "A partner has these fields, of these types: id, name, domain, externalCompanyId, \
      externalId, externalIdType, managerEmail, categories, tierId, phaseId, \
      experienceTemplateId, owner, manager, three maps of CRM properties, status, createdAt, \
      updatedAt."
    "§2.1.createdAt" "createdAt is an ISO 8601 date-time in UTC with millisecond precision."
    "§2.1.updatedAt" "updatedAt is the time of the last update, in the same format."
    "§2.2"
      "A commission line has these fields, of these types: id, partnerId, payoutId, description, \
      amount, sourceAmount, currency, status, planName, periodEnd, createdAt, updatedAt."
    "§2.2.amount" "amount is a string: a decimal with two fraction digits."
    "§2.2.payoutId"
      "payoutId is the payout that the line is attached to, and null when the line is not in a \
      payout."
    "§2.2.status" "status is one of EXPECTED, PENDING, IN_PAYOUT, VOIDED."
    "§2.2.idempotencyKey"
      "idempotencyKey is present in the detach response and absent from list items."
    "§2.3"
      "A payout has these fields, of these types: id, partner (id, name), batchId, periodStart, \
      periodEnd, amount (value, currency), stage, poNumber, createdAt, updatedAt; metadata \
      appears in some responses."
    "§2.3.partner" "partner is an object with id (string) and name (string)."
    "§2.3.amount"
      "amount is an object with value (string, decimal with two fraction digits) and currency \
      (string)."
    "§2.3.poNumber"
      "poNumber is a string or null: the purchase-order number; it appears on the statement."
    "§2.4"
      "The statement result has assetId, filename, downloadUrl, expiresAt and isUploaded; all \
      five fields are required and no other field is present."
    "§2.4.isUploaded"
      "isUploaded is true when the PDF was uploaded by a person in the app, and false when the \
      service rendered it."
    "§2.4.expiresAt" "After expiresAt the downloadUrl stops working."
    "§2.5.single" "A single resource comes as { data: <resource> }."
    "§2.5.list"
      "A list comes as { data: [<resource>, ...], pagination: { nextCursor: string or null } }."
    "§2.5.nextCursor" "nextCursor is null when there is no further page."
    "§3.1.detach"
      "IN_PAYOUT, by POST detach of an attached line, becomes PENDING: payoutId becomes null; the \
      line returns to the pending pool."
    "§3.1.unattached"
      "POST detach of a line that is not attached to a payout leaves it unchanged and returns a \
      422 error."
    "§3.1.pool" "The pending pool holds lines with no payout."
    "§3.2" "Generating a statement does not change the payout stage."
    "§4.json" "Every response is application/json."
    "§4.1" "GET /api/v1/partners, scope partners:read: 200 with a list envelope of Partner."
    "§4.1.limit" "limit is an integer, 1 to 100."
    "§4.1.cursor" "cursor is the nextCursor of a previous list response."
    "§4.2" "GET /api/v1/partners/{id}, scope partners:read: 200 with { data: Partner }."
    "§4.2.id" "The path's id accepts either the service partner id or the partner's CRM externalId."
    "§4.2.organisation" "The partner must belong to the key's organisation."
    "§4.3"
      "PATCH /api/v1/partners/{id}, scope partners:write: 200 with { data: Partner }, the updated \
      partner."
    "§4.3.required" "No field of the body is marked required."
    "§4.3.name" "name has a length of 1 to 200."
    "§4.3.domain" "domain has a length of 1 to 255 when a string; null clears the domain."
    "§4.3.portalAccess"
      "portalAccess is RESTRICTED_USERS or RESTRICTED_DOMAINS, and takes effect only together \
      with experienceTemplateId."
    "§4.3.tierId" "tierId has a minimum length of 1; it is the tier to assign."
    "§4.3.experienceTemplateId"
      "experienceTemplateId has a minimum length of 1; it is the experience template to publish \
      for the partner."
    "§4.3.phaseId" "phaseId has a minimum length of 1; it is the lifecycle phase to assign."
    "§4.3.partnerOwnerId"
      "partnerOwnerId has a minimum length of 1; it is the id of the user to assign as partner \
      owner."
    "§4.4"
      "GET /api/v1/commission-lines, scope commissions:read: 200 with a list envelope of \
      Commission line."
    "§4.4.limit" "limit is an integer, 1 to 100, default 25."
    "§4.4.cursor" "cursor is a cursor from a previous list response."
    "§4.4.partnerId" "partnerId: only lines of this partner."
    "§4.4.payoutId" "payoutId: only lines attached to this payout."
    "§4.4.status"
      "status is one of EXPECTED, PENDING, IN_PAYOUT, VOIDED: only lines in this status."
    "§4.5"
      "POST /api/v1/commission-lines/{id}/detach, scope commissions:write: 200 with { data: \
      Commission line }; the line has status PENDING and payoutId null."
    "§4.5.body" "Detaching takes no request body."
    "§4.5.422" "422 when the line is not attached to a payout."
    "§4.6" "GET /api/v1/payouts/{id}, scope commissions:read: 200 with { data: Payout }."
    "§4.7"
      "POST /api/v1/payouts/{id}/statement, scope commissions:write, no request body: 200 with { \
      data: Statement result }."
    "§4.7.1" "The service renders the statement PDF and returns a pre-signed link to it."
    "§4.7.2"
      "The PDF is rebuilt only when one of these changed: the commission lines, the PO number, \
      the statement note, the statement template."
    "§4.7.3" "Repeated requests with nothing changed return the same document."
    "§4.7.4"
      "When a person has uploaded their own statement in the app, that PDF is returned unchanged \
      with isUploaded true; it is never re-rendered."
    "§4.7.5" "404 when the payout is not in the key's organisation."
    "§4.7.6" "422 when the payout has no commission lines to print."
    "§4.7.7" "422 when the organisation's commission billing information is incomplete."
    "§5.1" "Authentication uses an API key sent in the request header x-api-key."
    "§5.1.once" "The key is shown in full only once, when it is created."
    "§5.2" "Keys are never sent as query parameters."
    "§5.3" "Each key belongs to one organisation and reaches only that organisation's data."
    "§5.4" "A key that is missing, invalid, expired or revoked gets 401."
    "§5.4.revoked" "Revocation takes effect immediately."
    "§5.5" "A valid key without the scope the endpoint needs gets 403."
    "§7.error"
      "Every error status has the error body: error.code and error.message are required, \
      error.details is optional, and no other field is present in the error object."
    "§7.402" "402: monthly API credit allowance reached; the response carries retry-after."
    "§7.404"
      "404: resource not found in the key's organisation (stated for the statement endpoint)."
    "§7.429" "429: rate limit exceeded."
    "§8.minute" "The per-minute request allowance is enforced; exceeding it gives 429."
    "§8.month"
      "The monthly API credit allowance is enforced; exhausting it gives 402 until the next \
      calendar month starts."
    "§8.page-size" "Page size (limit) on list endpoints: 1 to 100; default 25 on commission lines."
    "§8.rate-headers"
      "All responses carry x-ratelimit-limit-minute and x-ratelimit-remaining-minute: the maximum \
      requests allowed, and those remaining, in the current minute."
    "§8.credit-headers"
      "x-service-credits-limit-month and x-service-credits-remaining-month are absent when the \
      request was not metered or the allowance is unlimited."
    "§8.credits-remaining"
      "x-service-credits-remaining-month: credits left in the current calendar month, after this \
      request. It is 0 on a 402."
    "§8.retry-after"
      "retry-after is on 402 only: seconds until the credit allowance resets, at the start of the \
      next calendar month."
    "§9.prefix" "Every path carries the prefix /api/v1."
};
