//! Tests of the reports of a sample run; `browser.rs` opens the page in a browser.

mod browser;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    html::{self, SCRIPT, STYLE},
    json, junit,
    model::{CaseReport, Remains, Report},
    redact::{map_texts, redact},
    sample, terminal, words,
};
use crate::{
    case::Changes,
    clause::Source,
    secret::{Redaction, Secret},
    verdict::Verdict,
};

const CANARY: &str = "pcp_test_c4n4ryc4n4ryc4n4ryc4n4ry";

/// The terminal's text as it is without colours.
fn text(report: &Report) -> String {
    anstream::adapter::strip_str(&terminal::text(report)).to_string()
}

/// The sample, of its cases only those that ended so.
fn only(verdicts: &[Verdict]) -> Report {
    let cases = sample::report().cases.into_iter();
    sample::report_of(cases.filter(|case| verdicts.contains(&case.verdict)).collect())
}

#[test]
fn reports_are_as_they_were_reviewed() {
    let report = sample::report();
    let mut page = html::page(&report).replace(STYLE, "…").replace(SCRIPT, "…");
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data = data.split_once("</script").unwrap().0.to_owned();
    page = page.replace(&data, "…");
    for text in [STYLE, SCRIPT] {
        page = page.replace(&html::hash(text), "…");
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!("terminal", text(&report));
        insta::assert_snapshot!("junit", junit::text(&report));
        insta::assert_snapshot!("html", page);
    });
    let embedded: Value = serde_json::from_str(&data).unwrap();
    assert_eq!(embedded, serde_json::from_str::<Value>(&json::text(&report)).unwrap());
}

#[test]
fn comparison_is_shown_as_it_was_reviewed() {
    let report = sample::compared();
    let page = html::page(&report);
    let section = page.split("<section aria-labelledby=\"comparison\">").nth(1).unwrap();
    let section = section.split("</section>").next().unwrap();
    let file = junit::text(&report);
    let suite = file.split("<testsuite name=\"baseline\"").nth(1).unwrap();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::assert_snapshot!("comparison_terminal", text(&report));
        insta::assert_snapshot!("comparison_junit", suite);
        insta::assert_snapshot!("comparison_html", section);
    });
}

#[test]
fn comparison_says_in_a_sentence_what_it_found() {
    let mut report = sample::compared();
    let sentence = |report: &Report| {
        words::comparison(&report.target.name, report.comparison.as_ref().unwrap())
    };
    let before = "production did at 2026-06-01 08:30 UTC";
    assert_eq!(
        sentence(&report),
        format!(
            "staging does not answer as {before}: 312 responses were compared, with 1 difference \
             at 2 places. 1 thing is new."
        )
    );
    let comparison = report.comparison.as_mut().unwrap();
    comparison.differences.clear();
    comparison.additions.clear();
    comparison.compare = crate::baseline::Compare::Form;
    let same = "312 responses were compared by form, without a difference.";
    assert_eq!(sentence(&report), format!("staging answers as {before}: {same}"));
    assert!(text(&report).contains(same));
    assert!(junit::text(&report).contains("<testcase name=\"staging answers as production"));
}

#[test]
fn responses_stay_text_in_each_report() {
    let report = map_texts(&sample::compared(), &|text| format!("{text}{}", sample::HOSTILE));
    assert!(!html::page(&report).contains("</script><script>alert"));
    let report = map_texts(&sample::report(), &|text| {
        format!("{text}{}<img src=x onerror=alert(1)>{{{{ script }}}}", sample::HOSTILE)
    });
    let page = html::page(&report);
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (2, 2));
    assert!(!page.contains("<img"));
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert_eq!(page.matches("\"use strict\";").count(), 1);
    let (text, file) = (text(&report), junit::text(&report));
    assert!(text.contains("\\u{1b}[2J\\u{202e}"));
    assert!(!file.contains("<script>") && !file.contains("]]>"));
    for text in [text, file] {
        assert!(text.chars().all(|character| character == '\n' || !character.is_control()));
    }
}

#[test]
fn no_report_holds_a_key_wherever_it_stood() {
    for report in [sample::report(), sample::compared()] {
        let poisoned = map_texts(&report, &|text| format!("{text}{CANARY}"));
        let clean = redact(&poisoned, &Redaction::of([Secret::new("KEY_ALL", CANARY)]));
        for write in [terminal::text, json::text::<Report>, junit::text, html::page] {
            assert!(write(&poisoned).contains(CANARY), "the test proves nothing");
            let text = write(&clean);
            assert!(!text.contains(CANARY) && text.contains("$KEY_ALL"), "{text}");
        }
    }
}

#[test]
fn published_schema_is_current_and_a_report_keeps_it() {
    let mut schema = schemars::schema_for!(Report).to_value();
    schema["title"] = "A report of `payout-conformance run`".into();
    crate::tests::is_current("report.schema.json", &schema);
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for report in [sample::report(), sample::compared()] {
        let value: Value = serde_json::from_str(&json::text(&report)).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
}

#[test]
fn page_needs_nothing_from_elsewhere_and_allows_only_its_own_script() {
    let page = html::page(&sample::conforming());
    for outside in ["src=", "<link", "@import", "url(", " onclick=", " style=\"", "javascript:"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let (_, policy) = page.split_once("Content-Security-Policy\" content=\"").unwrap();
    let policy = policy.split_once('"').unwrap().0;
    assert!(policy.starts_with("default-src 'none';"));
    assert!(policy.contains(&format!("script-src '{}'", html::hash(SCRIPT))));
    assert!(policy.contains(&format!("style-src '{}'", html::hash(STYLE))));
}

#[test]
fn each_id_is_unique_and_each_link_has_a_target() {
    let page = html::page(&sample::report());
    let values = |name: &str| -> Vec<String> {
        let opening = format!(" {name}=\"");
        let behind = page.split(&opening).skip(1);
        behind.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    let ids = values("id");
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len());
    for link in values("href").into_iter().chain(values("aria-labelledby")) {
        assert!(ids.contains(&link.trim_start_matches('#').to_owned()), "{link}");
    }
}

#[test]
fn nothing_remains_only_where_that_is_known() {
    let mut report = sample::conforming();
    assert!(html::page(&report).contains("Nothing: no case that changes data was run."));
    report.cases[0].changes = Changes::Restored;
    assert!(html::page(&report).contains("<p>Every change was undone."));
}

#[test]
fn conforming_run_takes_a_few_lines_and_thousand_failures_are_cut() {
    let conforming = text(&sample::conforming());
    assert!(conforming.lines().count() <= 8, "{conforming}");
    assert!(conforming.ends_with("2 cases: 2 passed. 6.042 s\n"), "{conforming}");
    let mut failed = sample::report().cases.remove(1);
    let command =
        "curl --data-raw '{\n\"name\": \"two\nlines\"}' \\\n  https://staging.example.com";
    failed.exchanges[1].curl = command.to_owned();
    let text = text(&sample::report_of(vec![failed; 1_000]));
    assert!(text.contains("… and 960 more; the HTML and the JSON report list all."));
    assert_eq!(text.matches("run it alone").count(), terminal::CASE_LIMIT);
    assert!(text.contains(command), "a command of several lines stays what it is");
}

#[test]
fn exempt_status_that_was_seen_is_printed_before_the_summary() {
    let mut report = sample::report();
    report.coverage.last_mut().unwrap().responses = 2;
    let text = text(&report);
    assert!(text.contains("detachCommissionLine 500: seen, although it is exempt"), "{text}");
}

#[test]
fn junit_is_red_exactly_for_unexpected_verdicts() {
    let report = sample::report();
    let file = junit::text(&report);
    let red = file.matches("</failure>").count() + file.matches("</error>").count();
    assert_eq!(red, report.summary.unexpected);
    assert!(!junit::text(&sample::conforming()).contains("<failure"));
}

#[test]
fn headline_says_what_the_run_means() {
    let failed = || only(&[Verdict::Fail]);
    let of = |keeps: fn(&CaseReport) -> bool| {
        sample::report_of(failed().cases.into_iter().filter(keeps).collect())
    };
    for (report, sentence) in [
        (failed(), "3 of 3 cases failed: this deployment does not conform to the core profile.\n"),
        (of(|case| case.expected), "all of them listed in the expectations file"),
        (
            of(|case| case.clause.source == Source::Decision),
            "none on a sentence of the specification",
        ),
        (
            only(&[Verdict::Error, Verdict::Inconclusive]),
            "No case failed, but 2 of 2 ended without a verdict: conformance is not proved.\n",
        ),
        (only(&[Verdict::Skipped]), "All 4 cases were skipped, so nothing is proved.\n"),
        (only(&[]), "No case was run, so nothing is proved.\n"),
        (
            only(&[Verdict::Pass, Verdict::Skipped]),
            "All 2 cases that ran passed. 4 were skipped, so their requirements are not proved. 1 \
             case passed or skipped although the expectations file lists another verdict: update \
             the file.\n",
        ),
        (sample::conforming(), "This deployment conforms to the core profile.\n"),
    ] {
        let text = text(&report);
        assert!(text.contains(sentence), "{sentence}: {text}");
    }
}

#[test]
fn command_that_runs_a_case_alone_survives_a_shell_and_judges_as_the_run_did() {
    let mut report = sample::report();
    let mut case = report.cases[0].clone();
    let run = "payout-conformance run --target";
    let id = "--case partners.get.by-external-id";
    let expected = format!("{run} targets/staging.toml {id}");
    assert_eq!(words::run_alone(&report, &case), expected);
    report.target.file = "my targets/it's.toml".into();
    report.target.with_decisions = false;
    let run = format!(r"{run} 'my targets/it'\''s.toml' {id}");
    assert_eq!(words::run_alone(&report, &case), format!("{run} --decisions off"));
    case.changes = Changes::Irreversible;
    let consent = "--decisions off --consent irreversible";
    assert_eq!(words::run_alone(&report, &case), format!("{run} {consent}"));
    report.target.with_decisions = true;
    report.target.read_only = true;
    assert_eq!(words::run_alone(&report, &case), format!("{run} --read-only"));
}

#[test]
fn what_cannot_be_undone_is_what_such_cases_left() {
    let case = |id: &str, changes| CaseReport { changes, ..sample::passed(id, "R9", None) };
    let remains = |case: &str, what: &str| Remains { case: case.into(), what: what.into() };
    let told = words::irreversible(
        &[case("a.detach", Changes::Irreversible), case("a.rename", Changes::Restored)],
        &[remains("a.detach", "cln_1 is in no payout"), remains("a.rename", "ptn_1 is renamed")],
    );
    assert_eq!(told, ["cln_1 is in no payout"]);
}
