//! Parameters that a list rejects (R9, R3). All violations are reported at once.

use crate::cases::prelude::*;
use crate::cases::walk::{LINES, List, PARTNERS};

const UNKNOWN_OF_PARTNERS: &[&str] =
    &["partnerId", "payoutId", "status", "Limit", "page", "offset"];
const UNKNOWN_OF_LINES: &[&str] = &["partner", "partnerid", "Status", "status[]", "currency"];
const REPEATED_OF_PARTNERS: &[(&str, &str, &str)] = &[("limit", "2", "2"), ("limit", "2", "3")];
const REPEATED_OF_LINES: &[(&str, &str, &str)] = &[
    ("limit", "2", "3"),
    ("status", "PENDING", "PENDING"),
    ("status", "PENDING", "EXPECTED"),
    ("partnerId", "a", "b"),
    ("payoutId", "a", "a"),
];

pub(crate) const CASES: &[Case] = cases! {
    Case::ANY.on("listCommissionLines");
    { "lists.partners-unknown-parameter" "R9" run(unknown_parameter, PARTNERS, UNKNOWN_OF_PARTNERS)
      "The list of partners rejects every parameter but limit and cursor, filters of lines too."
      .on("listPartners") }
    { "lists.lines-unknown-parameter" "R9" run(unknown_parameter, LINES, UNKNOWN_OF_LINES)
      "The list of lines rejects unknown parameters, also those that resemble a filter." }
    { "lists.partners-repeated-parameter" "R9"
      run(repeated_parameter, PARTNERS, REPEATED_OF_PARTNERS)
      "The list of partners rejects a repeated parameter, also with the same value."
      .on("listPartners") }
    { "lists.lines-repeated-parameter" "R9" run(repeated_parameter, LINES, REPEATED_OF_LINES)
      "The list of lines rejects a repeated parameter, also with the same value." .requests(12) }
    { "lists.lines-unknown-status" "§4.4.status" run(unknown_status)
      "A status other than the four is rejected, or lists nothing." .requests(12) }
    { "lists.lines-empty-filter" "R4.422" run(id_filters, "", "TOO_SHORT")
      "An empty partnerId or payoutId is rejected, never ignored." }
    { "lists.lines-filter-with-nul" "R3" run(id_filters, "a\0b", "BAD_FORMAT")
      "A filter that contains U+0000 is rejected." }
    { "lists.lines-several-violations" "R4.422" run(several_violations)
      "All parameters that break a rule are reported at once." }
};

async fn unknown_parameter(
    context: &mut CaseContext<'_>,
    list: List,
    unknown: &[&str],
) -> CaseResult {
    let request = list.request(&context.all()?).query("limit", "1");
    context.given(request.clone()).await?;
    for name in unknown {
        let response = context.send(request.clone().query(name, "1")).await?;
        context.is_violation(&response, &[&format!("query /{name} UNKNOWN_PARAMETER")])?;
    }
    Ok(())
}

async fn repeated_parameter(
    context: &mut CaseContext<'_>,
    list: List,
    repeated: &[(&str, &str, &str)],
) -> CaseResult {
    let list = list.request(&context.all()?);
    for (name, one, other) in repeated {
        let once = list.clone().query(name, one);
        let response = context.refused(once.clone().query(name, other), once).await?;
        context.is_violation(&response, &[&format!("query /{name} REPEATED_PARAMETER")])?;
    }
    Ok(())
}

async fn unknown_status(context: &mut CaseContext<'_>) -> CaseResult {
    let list = LINES.request(&context.all()?);
    let request = |status: &str| list.clone().query("status", status);
    context.given(request("PENDING")).await?;
    // An escape means its letter.
    let path = "/api/v1/commission-lines?limit=1&status=%50ENDING";
    let escaped = Request::get(path).with(&context.all()?);
    context.ok(escaped).await?;
    for status in ["UNKNOWN", "pending", "PAID", " PENDING", "PENDING,EXPECTED", ""] {
        let response = context.send(request(status)).await?;
        if context.with_decisions() {
            context.is_violation(&response, &["query /status NOT_IN_ENUM"])?;
        } else {
            response.that(
                !response.is_success() || response.items().is_empty(),
                &format!("Lines were listed for the unknown status {status:?}."),
                "a rejection, or no line",
                &response.shown(),
            )?;
        }
    }
    Ok(())
}

/// That either id filter rejects this value.
async fn id_filters(context: &mut CaseContext<'_>, value: &str, code: &str) -> CaseResult {
    let list = LINES.request(&context.all()?).query("limit", "1");
    for name in ["partnerId", "payoutId"] {
        let request = |value: &str| -> Request { list.clone().query(name, value) };
        let response = context.refused(request(value), request("nobody")).await?;
        context.is_violation(&response, &[&format!("query /{name} {code}")])?;
    }
    Ok(())
}

async fn several_violations(context: &mut CaseContext<'_>) -> CaseResult {
    let list = LINES.request(&context.all()?);
    let sound = list.clone().query("limit", "1").query("status", "PENDING");
    let broken = list
        .query("limit", "0")
        .query("status", "NONE")
        .query("partnerId", "")
        .query("surprise", "1");
    let response = context.refused(broken, sound).await?;
    context.is_violation(
        &response,
        &[
            "query /limit TOO_SMALL",
            "query /status NOT_IN_ENUM",
            "query /partnerId TOO_SHORT",
            "query /surprise UNKNOWN_PARAMETER",
        ],
    )
}
