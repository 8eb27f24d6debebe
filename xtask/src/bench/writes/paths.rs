//! The operations of `writes`: how the server is asked for each, and its statements for pgbench.

use serde_json::json;

use crate::{
    Result,
    bench::{
        http::{Api, Request},
        server_statements::ServerStatements,
    },
};

/// Requests and transactions take the organisations in turn, so that no two of them wait for the
/// same row.
pub(super) const ORGANIZATIONS: usize = 1_000;

pub(super) const CREATION: &str = "createCommissionLine";
pub(super) const KEYED_CREATION: &str = "createCommissionLine, idempotency-key";

/// An operation that changes something. The requests of a round are numbered from 0 on; so are the
/// transactions of pgbench.
#[derive(Clone, Copy, Debug)]
pub(super) struct WritePath {
    pub(super) name: &'static str,
    /// The request of this number.
    pub(super) request: fn(&Api, usize) -> Request,
    /// The server's statements in one transaction. Their variables are the `:number`, the
    /// `:organization`, and the `:turn`: 0 and 1 alternate for each organisation.
    statements: &'static [Statement],
    /// Makes the data that a round with at most `{requests}` changes, as superuser.
    pub(super) restore: &'static str,
}

/// A statement of the server's.
#[derive(Debug)]
enum Statement {
    Text(&'static str),
    /// The one with this text in it, and expressions for its parameters. It must find one row,
    /// whose columns become variables with this prefix; or it may find any number.
    Of(&'static str, &'static [&'static str], Option<&'static str>),
}

use Statement::{Of, Text};

const ORGANIZATION: &str = "'org_01BE' || lpad(:organization::text, 22, '0')";
const PARTNER: &str = "'ptn_01BE0000000000000000000000'";
const LINE: &str = "'cln_01BE' || lpad(:number::text, 22, '0')";
const ACTOR: &str = "'key_01BE0000000000000000000000'";
const REQUEST: &str = "'req_01BE0000000000000000000000'";
/// Without a colon, which begins a variable of pgbench.
const PERIOD_END: &str = "timestamptz '2026-04-30'";
const NONE: &str = "NULL";

const CREATE: Statement = Of(
    "'create_commission_line'",
    &[
        ORGANIZATION,
        LINE,
        PARTNER,
        NONE,
        "'Annual plan'",
        "1234.50",
        "0.00",
        "'EUR'",
        "''",
        PERIOD_END,
        NONE,
        "'{DRAFT, PENDING_REVIEW, APPROVED, PENDING_INVOICE}'::text[]",
        ACTOR,
        REQUEST,
    ],
    Some("line_"),
);

pub(super) const PATHS: [WritePath; 4] = [
    WritePath {
        name: "updatePartner",
        request: update_partner,
        statements: &[
            Of(
                "AS \"owner!\" FROM partners",
                &[ORGANIZATION, NONE, NONE, NONE, NONE, PARTNER],
                Some("before_"),
            ),
            Of(
                "'update_partner'",
                &[
                    ORGANIZATION,
                    PARTNER,
                    "'Nordlys Consulting ' || :turn::text",
                    NONE,
                    NONE,
                    NONE,
                    NONE,
                    NONE,
                    NONE,
                    ACTOR,
                    REQUEST,
                    "jsonb_build_object('name', :before_name::text,
                     'domain', NULL, 'portalAccess', NULL, 'tierId', NULL,
                     'experienceTemplateId', NULL, 'phaseId', NULL, 'partnerOwnerId', NULL)",
                    "jsonb_build_object('name', 'Nordlys Consulting ' || :turn::text,
                     'domain', NULL, 'portalAccess', NULL, 'tierId', NULL,
                     'experienceTemplateId', NULL, 'phaseId', NULL, 'partnerOwnerId', NULL)",
                ],
                None,
            ),
        ],
        restore: "UPDATE partners SET name = 'Nordlys Consulting'",
    },
    WritePath {
        name: "detachCommissionLine",
        request: detach_commission_line,
        statements: &[
            Of("AS \"payout_currency?\"", &[ORGANIZATION, LINE], Some("found_")),
            Of(
                "line_entry AS",
                &[
                    ORGANIZATION,
                    LINE,
                    ":found_payout_id::text",
                    "'PENDING'",
                    "false",
                    ACTOR,
                    REQUEST,
                    "'detach_commission_line'",
                    "'{}'::jsonb",
                    ":found_stage::text",
                ],
                Some("line_"),
            ),
        ],
        restore: include_str!("lines.sql"),
    },
    WritePath {
        name: CREATION,
        request: create_commission_line,
        statements: &[CREATE],
        restore: "TRUNCATE commission_lines, idempotent_requests",
    },
    WritePath {
        name: KEYED_CREATION,
        request: create_commission_line_once,
        statements: &[
            Text("SELECT pg_try_advisory_xact_lock(:number)"),
            Of(
                "FROM idempotent_requests AS kept",
                &[
                    "ARRAY['org_01BE' || lpad(:organization::text, 22, '0')]",
                    "ARRAY['createCommissionLine cln_01BE' || lpad(:number::text, 22, '0')]",
                    "24",
                ],
                None,
            ),
            CREATE,
            Of(
                "INSERT INTO idempotent_requests",
                &[
                    ORGANIZATION,
                    "'createCommissionLine'",
                    LINE,
                    "sha256('')",
                    "sha256('')",
                    "201",
                    "convert_to(repeat('x', 450), 'UTF8')",
                    "24",
                ],
                None,
            ),
        ],
        restore: "TRUNCATE commission_lines, idempotent_requests",
    },
];

impl WritePath {
    /// The transaction for pgbench. A single statement is one by itself.
    pub(super) fn transaction(&self, server: &ServerStatements) -> Result<String> {
        let mut statements = String::new();
        for statement in self.statements {
            statements += &match statement {
                Text(text) => format!("{text};\n"),
                Of(text, arguments, None) => server.with(text, arguments)? + ";\n",
                Of(text, arguments, Some(prefix)) => {
                    format!("{} \\gset {prefix}\n", server.with(text, arguments)?)
                }
            };
        }
        let is_single = self.statements.len() == 1;
        Ok(if is_single { statements } else { format!("BEGIN;\n{statements}COMMIT;\n") })
    }
}

/// A partner has two names in turn: a name that it has already changes nothing.
fn update_partner(api: &Api, number: usize) -> Request {
    let path = "/api/v1/partners/ptn_01BE0000000000000000000000";
    let request = api.request("PATCH", path, organization(number));
    let name = format!("Nordlys Consulting {}", turn(number));
    request.with_json(json!({ "name": name }).to_string())
}

/// Each line is attached once.
fn detach_commission_line(api: &Api, number: usize) -> Request {
    let path = format!("/api/v1/commission-lines/cln_01BE{number:022}/detach");
    api.request("POST", &path, organization(number))
}

fn create_commission_line(api: &Api, number: usize) -> Request {
    let request = api.request("POST", "/api/v1/commission-lines", organization(number));
    let line = json!({
        "partnerId": "ptn_01BE0000000000000000000000", "amount": "1234.50", "currency": "EUR",
        "description": "Annual plan", "periodEnd": "2026-04-30T00:00:00.000Z",
    });
    request.with_json(line.to_string())
}

fn create_commission_line_once(api: &Api, number: usize) -> Request {
    create_commission_line(api, number).with_header("idempotency-key", &number.to_string())
}

fn organization(number: usize) -> usize {
    number % ORGANIZATIONS
}

fn turn(number: usize) -> usize {
    number / ORGANIZATIONS % 2
}
