//! Sample outcomes for the tests of the reports: one with every verdict and a hostile response, and
//! one in which every case passed.

use std::collections::BTreeMap;

use super::model::{
    CaseReport, ClauseReport, Cost, CoverageReport, ExchangeReport, FORMAT, MessageReport, Remains,
    Report, Summary, TargetReport, UnprovedReport,
};
use crate::{
    case::Changes,
    clause::Clause,
    verdict::{Diagnosis, Verdict},
};

/// A body that tries to leave whatever it is put into.
pub(super) const HOSTILE: &str = "</script><script>alert(1)</script>\u{1b}[2J\u{202e}]]>&\"'";

/// A run with every verdict, expected and not.
pub(crate) fn report() -> Report {
    report_of(vec![
        passed("partners.get.by-external-id", "§4.2.id", Some("getPartner")),
        failed(),
        hostile(),
        expected_failure(),
        inconclusive(),
        error(),
        skipped("statements.rebuild.note", "§4.7.2", &["hook set_note"]),
        skipped("statements.rebuild.po-number", "§4.7.2", &["hook set_po_number"]),
        skipped("statements.note.again", "§4.7.3", &["hook set_note"]),
        skipped("partners.get.short-id", "§4.2.id", &["hook set_note"]),
        surprise(),
    ])
}

/// A run in which every case passed.
pub(super) fn conforming() -> Report {
    let mut report = report_of(vec![
        passed("partners.get.by-external-id", "§4.2.id", Some("getPartner")),
        passed("keys.in-query", "§5.2", None),
    ]);
    report.remains.clear();
    report.unproved.clear();
    report.target.left_out.clear();
    report.coverage.truncate(1);
    report
}

pub(super) fn report_of(cases: Vec<CaseReport>) -> Report {
    let summary = Summary::of(&cases);
    Report {
        format: FORMAT,
        suite_version: "0.1.0".into(),
        document_version: "2026-05-20".into(),
        target: TargetReport {
            name: "staging".into(),
            file: "targets/staging.toml".into(),
            base_url: "https://staging.example.com".into(),
            profile: "core".into(),
            left_out: vec!["listPayouts".into()],
            random_requests: Some(0),
            with_decisions: true,
            read_only: false,
        },
        began_at: "2026-05-20T09:15:00.250Z".into(),
        elapsed_milliseconds: 6_042,
        summary,
        cases,
        unproved: vec![
            unproved("§4.5.body", Some("every detach is sent without a body")),
            unproved("§4.7.2", None),
        ],
        coverage: coverage(),
        cost: Cost {
            requests: 14,
            credits: BTreeMap::from([("main".into(), 9), ("other".into(), 1)]),
            irreversible: vec!["detach cln_01".into()],
            paced_milliseconds: 1_200,
        },
        remains: vec![Remains {
            case: "commission-lines.detach.attached".into(),
            what: "cln_01 is no longer in a payout; seed --reset attaches it again.".into(),
        }],
    }
}

fn unproved(clause: &str, without_case: Option<&str>) -> UnprovedReport {
    let clause = Clause::find(clause).unwrap().into();
    UnprovedReport { clause, without_case: without_case.map(str::to_owned) }
}

/// A case that passed, with one exchange.
pub(super) fn passed(id: &str, clause: &str, operation: Option<&str>) -> CaseReport {
    let clause = Clause::find(clause).expect("the sample names clauses that exist");
    CaseReport {
        id: id.into(),
        sentence: "The partner is found by the id of the CRM.".into(),
        clause: ClauseReport {
            id: clause.id.into(),
            source: clause.source(),
            sentence: clause.sentence.into(),
        },
        profile: "core".into(),
        operation: operation.map(Into::into),
        changes: Changes::Nothing,
        verdict: Verdict::Pass,
        expected: true,
        expectation: None,
        advice: None,
        because: None,
        elapsed_milliseconds: 12,
        exchanges: vec![exchange(
            "GET /api/v1/partners/CRM-7",
            200,
            r#"{"data":{"id":"ptn_01","amount":"12.50"}}"#,
        )],
    }
}

fn failed() -> CaseReport {
    CaseReport {
        sentence: "A line that is in no payout is rejected.".into(),
        verdict: Verdict::Fail,
        expected: false,
        because: Some(Diagnosis {
            what: "The response was 200 instead of 422.".into(),
            expected: Some(
                "status: 422\ncontent-type: application/json\nerror.code: LINE_NOT_IN_PAYOUT"
                    .into(),
            ),
            actual: Some("status: 200\ncontent-type: application/json".into()),
            exchange: Some(1),
            missing: Vec::new(),
        }),
        elapsed_milliseconds: 31,
        exchanges: vec![
            exchange(
                "POST /api/v1/commission-lines/cln_01/detach",
                200,
                r#"{"data":{"id":"cln_01","payoutId":null}}"#,
            ),
            ExchangeReport {
                violations: vec!["x-ratelimit-remaining-minute is missing.".into()],
                ..exchange(
                    "POST /api/v1/commission-lines/cln_01/detach",
                    200,
                    r#"{"data":{"id":"cln_01","payoutId":null}}"#,
                )
            },
        ],
        ..passed("commission-lines.detach.unattached", "§4.5.422", Some("detachCommissionLine"))
    }
}

fn hostile() -> CaseReport {
    CaseReport {
        sentence: "A decision's case, answered with markup.".into(),
        verdict: Verdict::Fail,
        expected: false,
        because: Some(Diagnosis {
            what: "The body is not JSON.".into(),
            actual: Some(HOSTILE.into()),
            exchange: Some(0),
            ..Diagnosis::default()
        }),
        exchanges: vec![exchange("GET /api/v1/partners?limit=5&limit=6", 500, HOSTILE)],
        ..passed("partners.list.repeated-parameter", "R9", Some("listPartners"))
    }
}

fn expected_failure() -> CaseReport {
    CaseReport {
        sentence: "A key that was revoked is rejected at once.".into(),
        verdict: Verdict::Fail,
        expected: true,
        expectation: Some("Their cache lives 30 s; ticket 118.".into()),
        because: Some(Diagnosis {
            what: "The response was 200 instead of 401.".into(),
            expected: Some("status: 401".into()),
            actual: Some("status: 200".into()),
            exchange: Some(0),
            missing: Vec::new(),
        }),
        ..passed("keys.revoked", "§5.4.revoked", None)
    }
}

fn inconclusive() -> CaseReport {
    CaseReport {
        sentence: "A name of 201 characters is rejected.".into(),
        verdict: Verdict::Inconclusive,
        expected: false,
        because: Some(Diagnosis {
            what: "The same request with a name of 200 characters was answered 404.".into(),
            expected: Some("status: 200".into()),
            actual: Some("status: 404".into()),
            exchange: Some(0),
            missing: Vec::new(),
        }),
        exchanges: vec![exchange(
            "PATCH /api/v1/partners/ptn_02",
            404,
            r#"{"error":{"code":"NOT_FOUND","message":"No such partner."}}"#,
        )],
        ..passed("partners.update.name-too-long", "§4.3.name", Some("updatePartner"))
    }
}

fn error() -> CaseReport {
    CaseReport {
        sentence: "A payout is found by its id.".into(),
        verdict: Verdict::Error,
        expected: false,
        because: Some(Diagnosis {
            what: "The connection was closed before a response came.".into(),
            exchange: Some(0),
            ..Diagnosis::default()
        }),
        exchanges: vec![ExchangeReport {
            response: None,
            status: None,
            ..exchange("GET /api/v1/payouts/pay_01", 0, "")
        }],
        ..passed("payouts.get.by-id", "§4.6", Some("getPayout"))
    }
}

fn skipped(id: &str, clause: &str, missing: &[&str]) -> CaseReport {
    CaseReport {
        sentence: "Another note gives another document.".into(),
        verdict: Verdict::Skipped,
        because: Some(Diagnosis {
            what: "Not run.".into(),
            missing: missing.iter().map(|&name| name.into()).collect(),
            ..Diagnosis::default()
        }),
        elapsed_milliseconds: 0,
        exchanges: Vec::new(),
        ..passed(id, clause, Some("generatePayoutStatement"))
    }
}

fn surprise() -> CaseReport {
    CaseReport {
        expected: false,
        expectation: Some("They forgot it; ticket 121.".into()),
        advice: Some("remove the entry (e.toml, line 3)".into()),
        ..passed("partners.list.default-limit", "R6", Some("listPartners"))
    }
}

fn exchange(line: &str, status: u16, body: &str) -> ExchangeReport {
    let (method, path) = line.split_once(' ').expect("a line has a method and a path");
    ExchangeReport {
        request: MessageReport {
            line: line.into(),
            headers: vec![("x-api-key".into(), "$KEY_ALL".into())],
            body: None,
            body_bytes: 0,
        },
        response: Some(MessageReport {
            line: status.to_string(),
            headers: vec![("content-type".into(), "application/json".into())],
            body: Some(body.into()),
            body_bytes: body.len(),
        }),
        status: Some(status),
        operation: Some("getPartner".into()),
        elapsed_milliseconds: 8,
        curl: format!(
            "curl -sS -X {method} -H \"x-api-key: $KEY_ALL\" 'https://staging.example.com{path}'"
        ),
        violations: Vec::new(),
    }
}

fn coverage() -> Vec<CoverageReport> {
    let seen = |operation: &str, status: u16, responses: usize| CoverageReport {
        operation: operation.into(),
        status,
        responses,
        headers_missing: Vec::new(),
        properties_missing: Vec::new(),
        exempt: None,
    };
    vec![
        seen("getPartner", 200, 3),
        CoverageReport {
            headers_missing: vec!["x-service-credits-limit-month".into()],
            properties_missing: vec!["/data/owner/email".into()],
            ..seen("getPartner", 404, 1)
        },
        seen("detachCommissionLine", 200, 2),
        seen("detachCommissionLine", 422, 0),
        CoverageReport {
            exempt: Some("No client can provoke it.".into()),
            ..seen("detachCommissionLine", 500, 0)
        },
    ]
}

/// Where the reviewed texts are, relative to the test that compares with them.
pub(super) fn settings(folder: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path(folder);
    settings.set_omit_expression(true);
    settings
}
