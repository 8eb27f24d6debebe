# Definitions that the rows of `faults.toml` may use. A filter for requests gets
#
#   { operation, method, path, id, is_list, keys, query, headers, body, before }
#
# and one for responses
#
#   { request, before, after, status, headers, body, memory }
#
# where `before` and `after` are the resource that the path names, if the row reads it, and `memory`
# is an object that stays from one response to the next. What a filter changes is sent so. Where it
# adds `again`, a request, the response to that one is the answer.

def minute_limit: "x-ratelimit-limit-minute";
def minute_left: "x-ratelimit-remaining-minute";
def credit_limit: "x-service-credits-limit-month";
def credits_left: "x-service-credits-remaining-month";

# Requests

# Changes the members of the body.
def members(f): if (.body | type) == "object" then .body |= f end;
# Changes a text of the body.
def text($name; f): members(if (.[$name] | type) == "string" then .[$name] |= f end);
# The request about an id that nothing has.
def about_nothing: .id as $id | .path |= (split("/") | map(if . == $id then "none" end) | join("/"));
# The request with a form that is refused.
def refused_form: .query["payout-faults"] = "refused";
# The time so many seconds later.
def later($seconds): (.[:19] + "Z" | fromdate + $seconds | todate | .[:19]) + .[19:];

# Responses

def answer($status; $data): .status = $status | .body = { data: $data };
# Another status and code.
def refuse($status; $code):
  .status = $status | .body.error = ((.body.error // {}) + { code: $code });
# Another status and error.
def refuse($status; $code; $message; $details):
  .status = $status | .body = { error: { code: $code, message: $message, details: $details } };
def is_success: .status >= 200 and .status < 300;
def is_about($operation): .request.operation == $operation and is_success;
# Changes each resource in `data`, whether it is one or a page.
def resources(f):
  if (.body | type) != "object" then .
  elif (.body.data | type) == "array" then .body.data[] |= f
  elif (.body.data | type) == "object" then .body.data |= f
  end;
# Changes the items of a page.
def items(f):
  if (.body | type) == "object" and (.body.data | type) == "array" then .body.data |= f end;
# Changes a header, where there is one.
def header($name; f): if .headers[$name] then .headers[$name] |= f end;
# Changes a header that counts.
def number($name; f): header($name; tonumber | f);
# Changes the texts of a resource whose name fits; CRM maps and metadata hold what they hold.
def texts(fits; f):
  def of_object:
    with_entries(if (.value | type) == "string" and (.key | fits) then .value |= f end);
  resources(of_object | if (.amount | type) == "object" then .amount |= of_object end);
def is_amount: . == "amount" or . == "sourceAmount" or . == "value";
def is_time: endswith("At") or startswith("period");
def plain_text: .headers["content-type"] = "text/plain; charset=utf-8" | .body = "not found";
# The resource as if the request, which was refused, were carried out.
def carried_out:
  (.request.body // {}) as $set
  | answer(200; .after | with_entries(.key as $name | if $set | has($name) then .value = $set[$name] end));
# Answers with the first data that was given for this name.
def first_data($name): .memory[$name] //= .body.data | .body.data = .memory[$name];
# Moves the `updatedAt` of each resource.
def moved:
  .memory.moves += 1
  | "2100-01-01T00:00:00.\(1000 + .memory.moves % 1000 | tostring | .[1:])Z" as $at
  | resources(.updatedAt = $at);
# A payout without lines in another stage.
def emptied($from; $to):
  resources(if .stage == $from and .amount.value == "0.00" then .stage = $to end);
# Changes the items of a page by `f`, whose input is the last item of the page before and the items.
def after_page(f):
  .memory[.request.query.cursor // ""] as $last
  | if .body.pagination.nextCursor then .memory[.body.pagination.nextCursor] = .body.data[-1] end
  | if $last then items([$last, .] | f) end;
# Shows partners with these members, which follow from `before` and the response, from a PATCH on.
def shows(f):
  (if is_about("updatePartner") and .before then
    .body.data.id as $id
    | (.before += (.memory[$id] // {}) | f) as $shown
    | .memory[$id] += $shown
  end)
  | .memory as $memory | resources(. + ($memory[.id // ""] // {}));
def moved_on: { updatedAt: "2100-01-01T00:00:00.000Z" };
# An asset id that depends on a number.
def numbered($number): .[:-8] + (100000000 + $number | tostring | .[1:]);
# The asset that the payout had when its amount and this part of it were the same.
def asset_by(f):
  if .body.data.isUploaded then . else
    (.after | [.id, .amount, f] | tojson) as $state
    | .memory[$state] //= .body.data.assetId | .body.data.assetId = .memory[$state]
  end;
def without_month: sub("-[0-9]{4}-[0-9]{2}[.]pdf"; ".pdf");
# Creates the line in no payout.
def left_pending: .again = (.request | del(.body.payoutId));

# Variations that conform

def further: if type == "object" then .further = [1, null] end;
def more_fields:
  if .request.operation and (.body | type) == "object" then
    (if .body.error.details then .body.error.details |= further end)
    | (if .body.pagination then .body.pagination |= further end)
    | (if .request.operation != "generateStatement" then
        resources(further | with_entries(
          if .key == "partner" or .key == "amount" or .key == "owner" or .key == "manager"
          then .value |= further end))
      end)
    | .body.further = { servedBy: "node-7" }
  end;
def more_headers:
  .headers += { "x-served-by": "node-7", "cache-control": "no-store",
    "strict-transport-security": "max-age=63072000", "vary": "accept-encoding" };
# Another name of each value of an open set that the document names. Values that requests set or
# filter by stay, and the status of a line is a closed set.
def other_values:
  { externalIdType: { PARTNER: "DEAL", COMPANY: "ACCOUNT" },
    stage: { PENDING_REVIEW: "IN_AUDIT", PAID: "SETTLED", DRAFT: "SKETCH" },
    status: { active: "engaged", inactive: "dormant", archived: "shelved" } } as $others
  | if .request.organization == "sandbox" or (.request.operation // "" | test("Line|listPayouts"))
    then . else resources(with_entries($others[.key][.value | tostring] as $other
      | if $other then .value = $other end)) end;
def other_messages:
  if .body.error then
    .body.error.message = "Bitte prüfen Sie die Anfrage."
    | if .body.error.details.issues then
        .body.error.details.issues[].message = "So geht das nicht."
      end
  end;
def charset: header("content-type"; if . == "application/json" then . + "; charset=utf-8" end);
def chunks:
  if .request.method != "HEAD" and (.headers["content-length"] // "0") != "0" then
    del(.headers["content-length"]) | .headers["transfer-encoding"] = "chunked"
  end;
def closed: .headers.connection = "close";
def no_metadata: if is_about("getPayout") then resources(del(.metadata)) end;
def no_template: if is_about("updatePartner") then resources(del(.experienceTemplateId)) end;
