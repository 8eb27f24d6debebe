//! Parameters that a list refuses (R9, R3), each told with what is wrong.
//!
//! They refuse to leave it at the first violation: all are told at once.

use super::walk::{LINES, List, PARTNERS};
use crate::{
    case::{Case, CaseContext, CaseOutcome, definition::runs},
    exchange::Request,
};

/// The cases.
pub(in crate::cases) const CASES: &[Case] = &[
    Case::new(
        "lists.partners-unknown-parameter",
        "Partners are listed by limit and cursor alone; another parameter, a filter of lines too, is refused.",
        "R9",
        |context| {
            let unknown = &["partnerId", "payoutId", "status", "Limit", "page", "offset"];
            Box::pin(unknown_parameter(context, PARTNERS, unknown))
        },
    )
    .on("listPartners"),
    Case::new(
        "lists.lines-unknown-parameter",
        "A parameter that lines do not have is refused, also one that is nearly a filter.",
        "R9",
        |context| {
            let unknown = &["partner", "partnerid", "Status", "status[]", "currency"];
            Box::pin(unknown_parameter(context, LINES, unknown))
        },
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.partners-repeated-parameter",
        "A parameter of partners that is given twice is refused, also with one value.",
        "R9",
        |context| {
            let repeated = &[("limit", "2", "2"), ("limit", "2", "3")];
            Box::pin(repeated_parameter(context, PARTNERS, repeated))
        },
    )
    .on("listPartners"),
    Case::new(
        "lists.lines-repeated-parameter",
        "A parameter of lines that is given twice is refused, also with one value.",
        "R9",
        |context| {
            let repeated = &[
                ("limit", "2", "3"),
                ("status", "PENDING", "PENDING"),
                ("status", "PENDING", "EXPECTED"),
                ("partnerId", "a", "b"),
                ("payoutId", "a", "a"),
            ];
            Box::pin(repeated_parameter(context, LINES, repeated))
        },
    )
    .on("listCommissionLines")
    .requests(12),
    Case::new(
        "lists.lines-unknown-status",
        "A status that is none of the four is refused, or at the least selects nothing.",
        "§4.4.status",
        runs!(unknown_status),
    )
    .on("listCommissionLines")
    .requests(12),
    Case::new(
        "lists.lines-empty-filter",
        "An empty partnerId or payoutId is refused, and never taken for none.",
        "R4.422",
        runs!(empty_filter),
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.lines-filter-with-nul",
        "U+0000 in a filter is refused.",
        "R3",
        runs!(filter_with_nul),
    )
    .on("listCommissionLines"),
    Case::new(
        "lists.lines-several-violations",
        "All parameters that break a rule are told at once.",
        "R4.422",
        runs!(several_violations),
    )
    .on("listCommissionLines"),
];

async fn unknown_parameter(
    context: &mut CaseContext<'_>,
    list: List,
    unknown: &[&str],
) -> Result<(), CaseOutcome> {
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
) -> Result<(), CaseOutcome> {
    let list = list.request(&context.all()?);
    for (name, one, other) in repeated {
        let once = list.clone().query(name, one);
        let response = context
            .refused(once.clone().query(name, other), once)
            .await?;
        context.is_violation(&response, &[&format!("query /{name} REPEATED_PARAMETER")])?;
    }
    Ok(())
}

async fn unknown_status(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let list = LINES.request(&context.all()?);
    let request = |status: &str| list.clone().query("status", status);
    context.given(request("PENDING")).await?;
    // An escape stands for its letter.
    let path = "/api/v1/commission-lines?limit=1&status=%50ENDING";
    let escaped = Request::get(path).with(&context.all()?);
    context.send(escaped).await?.is(200)?;
    for status in [
        "UNKNOWN",
        "pending",
        "PAID",
        " PENDING",
        "PENDING,EXPECTED",
        "",
    ] {
        let response = context.send(request(status)).await?;
        if context.with_decisions() {
            context.is_violation(&response, &["query /status NOT_IN_ENUM"])?;
        } else {
            response.that(
                !response.is_success() || response.items().is_empty(),
                &format!("Lines were listed for the unknown status {status:?}."),
                "a refusal, or no line",
                &response.shown(),
            )?;
        }
    }
    Ok(())
}

/// With this value in either id filter, one after the other.
async fn id_filters(
    context: &mut CaseContext<'_>,
    value: &str,
    codes: &[&str],
) -> Result<(), CaseOutcome> {
    let list = LINES.request(&context.all()?).query("limit", "1");
    for name in ["partnerId", "payoutId"] {
        let request = |value: &str| -> Request { list.clone().query(name, value) };
        let response = context.refused(request(value), request("nobody")).await?;
        let issues: Vec<String> = codes
            .iter()
            .map(|code| format!("query /{name} {code}"))
            .collect();
        let issues: Vec<&str> = issues.iter().map(String::as_str).collect();
        context.is_violation(&response, &issues)?;
    }
    Ok(())
}

async fn empty_filter(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    id_filters(context, "", &["TOO_SHORT"]).await
}

async fn filter_with_nul(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    id_filters(context, "a\0b", &["BAD_FORMAT"]).await
}

async fn several_violations(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
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
