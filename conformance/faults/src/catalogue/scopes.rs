//! Faults of scopes (§5.5): an operation that asks for another one, or accepts less.

use crate::{
    fault::faults,
    message::{Request, Response},
    upstream::Upstream,
};

faults! {
    "missing-scope-401" "§5.5" edit(missing_scope_401)
        "A valid key without the scope is answered 401.";
    "get-partner-needs-no-scope" "§4.2" exchange(get_partner_needs_no_scope) .needs("all")
        "Any valid key may get a partner.";
    "patch-needs-only-read" "§4.3" exchange(patch_needs_only_read) .needs("all", "partners_read")
        "`partners:read` is enough to update a partner.";
    "statement-needs-only-read" "§4.7" exchange(statement_needs_only_read)
        .needs("all", "commissions_read")
        "`commissions:read` is enough to generate a statement.";
    "detach-needs-only-read" "§4.5" exchange(detach_needs_only_read)
        .needs("all", "commissions_read")
        "`commissions:read` is enough to detach a line.";
    "partners-write-may-list" "§4.1" exchange(partners_write_may_list)
        .needs("all", "partners_write")
        "`partners:write` is enough to list partners.";
    "affiliate-may-read-payouts" "§4.6" exchange(affiliate_may_read_payouts)
        .needs("all", "affiliate_write")
        "`affiliate:write` is enough to get a payout.";
    "list-lines-needs-write" "§4.4" exchange(list_lines_needs_write)
        .needs("commissions_read", "partners_read")
        "Listing lines demands `commissions:write`.";
}

fn missing_scope_401(_: &Request, response: &mut Response) {
    if response.is(403) {
        response.set_code(401, "UNAUTHORIZED");
    }
}

async fn get_partner_needs_no_scope(request: Request, upstream: &Upstream) -> Response {
    accepted(request, upstream, "getPartner", None).await
}

async fn patch_needs_only_read(request: Request, upstream: &Upstream) -> Response {
    accepted(request, upstream, "updatePartner", Some("partners_read")).await
}

async fn statement_needs_only_read(request: Request, upstream: &Upstream) -> Response {
    accepted(request, upstream, "generateStatement", Some("commissions_read")).await
}

async fn detach_needs_only_read(request: Request, upstream: &Upstream) -> Response {
    accepted(request, upstream, "detachCommissionLine", Some("commissions_read")).await
}

async fn partners_write_may_list(request: Request, upstream: &Upstream) -> Response {
    accepted(request, upstream, "listPartners", Some("partners_write")).await
}

async fn affiliate_may_read_payouts(request: Request, upstream: &Upstream) -> Response {
    accepted(request, upstream, "getPayout", Some("affiliate_write")).await
}

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
