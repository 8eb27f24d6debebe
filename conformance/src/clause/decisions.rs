//! The decisions that an outside observer can test, where the specification says nothing. Other
//! deployments may have decided otherwise: `--decisions off` omits their cases.

use super::Clause;

pub(super) const CLAUSES: &[Clause] = clauses! {
    "V2" "Timestamps are always YYYY-MM-DDTHH:MM:SS.mmmZ."
    "V3"
      "Money is a decimal string with exactly two fraction digits, never a JSON number; it may be \
      negative."
    "V4"
      "A payout has one currency, an upper-case ISO 4217 code; its amount.value is the exact sum \
      of its attached lines."
    "V5"
      "Every key of a partner is always present; only in the PATCH response may \
      experienceTemplateId be missing."
    "V8" "owner and manager are null or {id, name, email}; managerEmail equals manager.email."
    "V9" "crmProperties are the company's properties overlaid by those of the partner object."
    "V11"
      "A payout's metadata is null or an object of string values; statementNote is the note \
      printed on the statement."
    "R1" "A partner's path id is the service id first, then externalId, for GET and PATCH alike."
    "R2.absent" "In a PATCH body, a field that is absent is kept."
    "R2.null" "null is allowed for domain only."
    "R2.unknown" "An unknown field in a PATCH body: 422."
    "R2.equal" "Equal values or {}: 200, nothing changes, updatedAt neither."
    "R2.portalAccess"
      "portalAccess without experienceTemplateId is accepted and changes nothing, updatedAt \
      neither."
    "R2.reference"
      "An unknown tier, phase, template or user: 422 INVALID_REFERENCE, all of them in issues, \
      after the 404."
    "R3"
      "Lengths count Unicode scalar values; a number or boolean in place of a string is \
      rejected; U+0000 is rejected (422; in a path id 404)."
    "R4.400" "400: the body cannot be parsed (broken or empty JSON, duplicate key)."
    "R4.422" "422: parsed, but breaks a rule; all violations are named at once."
    "R4.413" "413: a body above 64 KiB."
    "R4.415" "415: a body that is not declared as JSON."
    "R5.404"
      "An unknown path is 404 before the key is looked at; so are an empty id and an undecodable \
      percent-escape."
    "R5.405" "A known path with another method is 405 with Allow, before the key is looked at."
    "R6" "The default limit is 25 on every list; limit is [1-9][0-9]{0,2} up to 100."
    "R7" "Lists are ordered by createdAt descending, then id descending."
    "R8"
      "A cursor that is malformed, or used with other filters or another list: 400 \
      INVALID_CURSOR; limit may change between pages."
    "R9" "An unknown or repeated query parameter: 422."
    "R10"
      "A filter that names a foreign or absent partner or payout: 200 and an empty page, the same \
      for both."
    "R11" "A body on detach or statement is ignored (up to 64 KiB)."
    "R12"
      "The optional request header api-version: 2026-05-20 is accepted; an unknown version is 400 \
      UNSUPPORTED_API_VERSION listing the supported ones."
    "R13"
      "Every response carries x-request-id; an inbound one of [A-Za-z0-9._-]{1,128} is echoed, \
      another replaced."
    "A1" "A key begins with pcp_live_ or pcp_test_; one of the other environment gets 401."
    "A3" "Every 401 has the one code UNAUTHORIZED, and x-api-key must be sent exactly once."
    "A4"
      "Every request with a valid key counts for its organisation's minute, also one with 403 \
      or 402; 429 has no retry-after, and details.retryAfterSeconds says how long."
    "A5"
      "Requests without a valid key are counted for their client address; their values are in \
      the rate headers of 401s and unknown paths."
    "A6"
      "Every operation costs one credit of the organisation's UTC calendar month; without an \
      allowance it is unlimited."
    "A7"
      "Responses of 200, 404 and 422 of references or state cost the credit; 401, 429, 403, form \
      errors and 402 cost nothing."
    "A8"
      "Over all replicas there are never more metered responses than credits, and each remaining \
      is the value after its request in one serial order."
    "A9"
      "Credit headers come both or neither, exactly on metered responses and on 402 of an \
      organisation with an allowance; retry-after is on 402 alone."
    "A10" "A foreign resource answers exactly like an id that does not exist."
    "A.order"
      "Checks come in this order: 404/405 of the route, 401, 429, 403, form (415, 413, 400, 422), \
      402, 404 of the resource, 422 of references and state."
    "S1"
      "The order of a statement's checks: payout (404), uploaded PDF, lines (422 \
      NO_COMMISSION_LINES), billing (422 NO_BILLING_INFO)."
    "S2" "Printed are the lines attached to the payout, ordered by periodEnd, createdAt, id."
    "S5"
      "The same four triggers give the same assetId and the same stored bytes; back to an earlier \
      state gives the earlier document; the link is signed anew each time."
    "S7" "Concurrent requests make one asset for one fingerprint."
    "S9"
      "A link lives from 1 second to 7 days and needs no key; expired or altered 403 \
      (LINK_EXPIRED only where the signature was right, else LINK_INVALID), unknown 404, bad \
      range 416; Content-Disposition is attachment with ASCII and UTF-8 names."
    "S10" "The filename is statement-<partner>-<YYYY-MM of periodEnd>.pdf, safe on every system."
    "E.codes" "Each error status has the codes that the document names for it."
    "E.framework" "Errors of the framework have the error body too."
    "E.details"
      "details of a 422 list issues with in, path, code and message; of a 403 requiredScope; of a \
      402 and 429 retryAfterSeconds; never a secret, nor internals of the deployment."
};
