//! Faults of scopes (§5.5): an operation that asks for another one, or accepts less.

use crate::{
    fault::{Fault, shows},
    message::{Request, Response},
    upstream::Upstream,
};

pub(super) const FAULTS: &[Fault] = &[
    Fault::edit(
        "missing-scope-401",
        "§5.5",
        "A valid key without the scope is answered 401.",
        |_, response| {
            if response.is(403) {
                response.set_code(401, "UNAUTHORIZED");
            }
        },
    ),
    Fault::exchange(
        "get-partner-needs-no-scope",
        "§4.2",
        "Any valid key may get a partner.",
        |request, upstream| Box::pin(accepted(request, upstream, "getPartner", None)),
    )
    .needs(&["all"]),
    Fault::exchange(
        "patch-needs-only-read",
        "§4.3",
        "`partners:read` is enough to update a partner.",
        |request, upstream| {
            Box::pin(accepted(
                request,
                upstream,
                "updatePartner",
                Some("partners_read"),
            ))
        },
    )
    .needs(&["all", "partners_read"]),
    Fault::exchange(
        "statement-needs-only-read",
        "§4.7",
        "`commissions:read` is enough to generate a statement.",
        |request, upstream| {
            Box::pin(accepted(
                request,
                upstream,
                "generateStatement",
                Some("commissions_read"),
            ))
        },
    )
    .needs(&["all", "commissions_read"]),
    Fault::exchange(
        "detach-needs-only-read",
        "§4.5",
        "`commissions:read` is enough to detach a line.",
        |request, upstream| {
            Box::pin(accepted(
                request,
                upstream,
                "detachCommissionLine",
                Some("commissions_read"),
            ))
        },
    )
    .needs(&["all", "commissions_read"]),
    Fault::exchange(
        "partners-write-may-list",
        "§4.1",
        "`partners:write` is enough to list partners.",
        |request, upstream| {
            Box::pin(accepted(
                request,
                upstream,
                "listPartners",
                Some("partners_write"),
            ))
        },
    )
    .needs(&["all", "partners_write"]),
    Fault::exchange(
        "affiliate-may-read-payouts",
        "§4.6",
        "`affiliate:write` is enough to get a payout.",
        |request, upstream| {
            Box::pin(accepted(
                request,
                upstream,
                "getPayout",
                Some("affiliate_write"),
            ))
        },
    )
    .needs(&["all", "affiliate_write"]),
    Fault::exchange(
        "list-lines-needs-write",
        "§4.4",
        "Listing lines demands `commissions:write`.",
        shows!(list_lines_needs_write),
    )
    .needs(&["commissions_read", "partners_read"]),
];

/// Lets a key without the scope in: that of a role, or any.
async fn accepted(
    request: Request,
    upstream: &Upstream,
    operation: &str,
    role: Option<&str>,
) -> Response {
    let response = upstream.send(&request).await;
    let may = role.is_none_or(|role| upstream.keys().get(role) == request.key());
    if response.is(403) && request.is(operation) && may {
        return upstream.send(&upstream.in_role("all", &request)).await;
    }
    response
}

async fn list_lines_needs_write(request: Request, upstream: &Upstream) -> Response {
    let reads_alone = request.key() == upstream.keys().get("commissions_read");
    let request = if request.is("listCommissionLines") && reads_alone {
        upstream.in_role("partners_read", &request)
    } else {
        request
    };
    upstream.send(&request).await
}
