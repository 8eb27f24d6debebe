//! Faults of scopes (§5.5): an operation that asks for another one, or accepts less.

use crate::{
    fault::{Fault, fault},
    message::{Request, Response},
    upstream::Upstream,
};

pub(super) const FAULTS: &[Fault] = &[
    fault("missing-scope-401", "§5.5", "A valid key without the scope is answered 401.").edit(
        &|_, response| {
            if response.is(403) {
                response.set_code(401, "UNAUTHORIZED");
            }
        },
    ),
    fault("list-lines-needs-write", "§4.4", "Listing lines demands `commissions:write`.")
        .needs(&["commissions_read", "partners_read"])
        .exchange(&|request, upstream| Box::pin(list_lines_needs_write(request, upstream))),
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
