//! The last gate before any report: each text of a run's outcome goes through [`Redaction`] once more, whoever wrote it.
//!
//! It refuses exceptions: a test poisons every text of the model and finds each of them changed.

use super::model::{
    CaseReport, ClauseReport, Cost, CoverageReport, Diagnosis, ExchangeReport, MessageReport,
    Remains, Report, TargetReport,
};
use crate::secret::Redaction;

/// Takes what is secret out of every text of the outcome.
pub fn redact(report: &mut Report, redaction: &Redaction) {
    change_texts(report, &|text| redaction.apply(text));
}

type Change<'a> = &'a dyn Fn(&str) -> String;

/// Changes every text. Structures are taken apart by name, so that a new field does not compile until it is considered.
pub(super) fn change_texts(report: &mut Report, change: Change<'_>) {
    let Report {
        format: _,
        suite_version,
        document_version,
        target,
        began_at,
        elapsed_milliseconds: _,
        summary: _,
        cases,
        coverage,
        cost,
        remains,
    } = report;
    let TargetReport {
        name,
        file,
        base_url,
        profile,
        with_decisions: _,
        read_only: _,
    } = target;
    for text in [
        suite_version,
        document_version,
        began_at,
        name,
        file,
        base_url,
        profile,
    ] {
        alter(text, change);
    }
    for case in cases {
        change_case(case, change);
    }
    for documented in coverage {
        change_coverage(documented, change);
    }
    let Cost {
        requests: _,
        credits,
        irreversible,
        paced_milliseconds: _,
    } = cost;
    *credits = std::mem::take(credits)
        .into_iter()
        .map(|(role, spent)| (change(&role), spent))
        .collect();
    alter_all(irreversible, change);
    for Remains { case, what } in remains {
        alter(case, change);
        alter(what, change);
    }
}

fn change_case(case: &mut CaseReport, change: Change<'_>) {
    let CaseReport {
        id,
        sentence,
        clause,
        profile,
        operation,
        verdict: _,
        expected: _,
        expectation,
        because,
        elapsed_milliseconds: _,
        exchanges,
    } = case;
    let ClauseReport {
        id: clause_id,
        source: _,
        sentence: clause_sentence,
    } = clause;
    for text in [id, sentence, profile, clause_id, clause_sentence] {
        alter(text, change);
    }
    for text in operation.iter_mut().chain(expectation) {
        alter(text, change);
    }
    if let Some(because) = because {
        let Diagnosis {
            what,
            expected,
            actual,
            exchange: _,
            missing,
        } = because;
        alter(what, change);
        for text in expected.iter_mut().chain(actual) {
            alter(text, change);
        }
        alter_all(missing, change);
    }
    for exchange in exchanges {
        change_exchange(exchange, change);
    }
}

fn change_exchange(exchange: &mut ExchangeReport, change: Change<'_>) {
    let ExchangeReport {
        request,
        response,
        status: _,
        operation,
        elapsed_milliseconds: _,
        curl,
        broken_laws,
    } = exchange;
    for message in std::iter::once(request).chain(response) {
        let MessageReport {
            line,
            headers,
            body,
            body_bytes: _,
        } = message;
        alter(line, change);
        for (name, value) in headers {
            alter(name, change);
            alter(value, change);
        }
        body.iter_mut().for_each(|body| alter(body, change));
    }
    operation.iter_mut().for_each(|text| alter(text, change));
    alter(curl, change);
    alter_all(broken_laws, change);
}

fn change_coverage(coverage: &mut CoverageReport, change: Change<'_>) {
    let CoverageReport {
        operation,
        status: _,
        responses: _,
        headers_missing,
        properties_missing,
        exempt,
    } = coverage;
    alter(operation, change);
    alter_all(headers_missing, change);
    alter_all(properties_missing, change);
    exempt.iter_mut().for_each(|text| alter(text, change));
}

fn alter(text: &mut String, change: Change<'_>) {
    *text = change(text);
}

fn alter_all(texts: &mut [String], change: Change<'_>) {
    for text in texts {
        alter(text, change);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::{
        report::{html, json, junit, sample, terminal},
        secret::Secret,
    };

    const CANARY: &str = "pcp_test_c4n4ryc4n4ryc4n4ryc4n4ry";

    /// Every report of one run, by name.
    fn all(report: &Report) -> [(&'static str, String); 4] {
        [
            ("terminal", terminal::text(report, terminal::Paint::plain())),
            ("json", json::text(report)),
            ("junit", junit::text(report)),
            ("html", html::page(report)),
        ]
    }

    #[test]
    fn no_report_holds_a_key_wherever_it_stood() {
        let mut report = sample::report();
        change_texts(&mut report, &|text| format!("{text}{CANARY}"));
        for (name, text) in all(&report) {
            assert!(text.contains(CANARY), "{name}: the test proves nothing");
        }
        redact(
            &mut report,
            &Redaction::of([Secret::new("KEY_ALL", CANARY)]),
        );
        for (name, text) in all(&report) {
            assert!(!text.contains(CANARY), "{name}");
            assert!(text.contains("$KEY_ALL"), "{name}");
        }
    }

    #[test]
    fn each_text_of_the_model_is_changed() {
        let mut report = sample::report();
        change_texts(&mut report, &|text| format!("{text}{CANARY}"));
        let mut untouched = Vec::new();
        collect_untouched("", &serde_json::to_value(&report).unwrap(), &mut untouched);
        untouched.retain(|pointer| !pointer.ends_with("/verdict") && !pointer.ends_with("/source"));
        assert_eq!(untouched, Vec::<String>::new());
    }

    fn collect_untouched(pointer: &str, value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) if !text.contains(CANARY) => found.push(pointer.to_owned()),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    collect_untouched(&format!("{pointer}/{index}"), item, found);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    // The one map whose names are data.
                    if pointer == "/cost/credits" && !name.contains(CANARY) {
                        found.push(format!("{pointer}/{name}"));
                    }
                    collect_untouched(&format!("{pointer}/{name}"), member, found);
                }
            }
            _ => {}
        }
    }
}
