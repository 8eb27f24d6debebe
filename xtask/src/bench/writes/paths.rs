//! The operations of `writes`: how the server is asked for each, and the same work in SQL.

use hyper::Method;
use serde_json::json;

use crate::bench::http::{Api, Request, with_json};

/// Requests and transactions take the organisations in turn, so that no two of them wait for the
/// same row.
pub(super) const ORGANIZATIONS: usize = 1_000;

/// An operation that changes something. The requests of a round are numbered from 0 on; so are the
/// transactions of pgbench.
#[derive(Clone, Copy, Debug)]
pub(super) struct WritePath {
    pub(super) name: &'static str,
    /// The request of this number.
    pub(super) request: fn(&Api, usize) -> Request,
    /// The server's statements in one transaction, for pgbench. Its variables are the `:number`,
    /// the `:organization`, and the `:turn`: 0 and 1 alternate for each organisation. A statement
    /// that ends with `\gset` must find one row.
    pub(super) transaction: &'static str,
    /// Makes the data that a round with at most `{requests}` changes, as superuser.
    pub(super) restore: &'static str,
}

pub(super) const PATHS: [WritePath; 2] = [
    WritePath {
        name: "updatePartner",
        request: update_partner,
        transaction: include_str!("update_partner.sql"),
        restore: "UPDATE partners SET name = 'Nordlys Consulting'",
    },
    WritePath {
        name: "detachCommissionLine",
        request: detach_commission_line,
        transaction: include_str!("detach_commission_line.sql"),
        restore: include_str!("lines.sql"),
    },
];

/// A partner has two names in turn: a name that it has already changes nothing.
fn update_partner(api: &Api, number: usize) -> Request {
    let path = "/api/v1/partners/ptn_01BE0000000000000000000000";
    let request = api.request(Method::PATCH, path, organization(number));
    let name = format!("Nordlys Consulting {}", turn(number));
    with_json(request, json!({ "name": name }).to_string())
}

/// Each line is attached once.
fn detach_commission_line(api: &Api, number: usize) -> Request {
    let path = format!("/api/v1/commission-lines/cln_01BE{number:022}/detach");
    api.request(Method::POST, &path, organization(number))
}

fn organization(number: usize) -> usize {
    number % ORGANIZATIONS
}

fn turn(number: usize) -> usize {
    number / ORGANIZATIONS % 2
}
