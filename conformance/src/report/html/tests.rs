//! Claims about the page, read as a browser's tokenizer would.
//!
//! They refuse a browser: where one is installed, another test looks at the page itself.

use serde_json::Value;

use super::*;
use crate::report::{json, model::Verdict, redact::change_texts, sample};

/// What stands between the opening tag of the data and the next end of a script.
fn embedded(page: &str) -> &str {
    let (_, behind) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .unwrap();
    behind.split_once("</script").unwrap().0
}

#[test]
fn body_cannot_break_out_of_the_page() {
    let mut report = sample::report();
    change_texts(&mut report, &|text| {
        format!(
            "{text}{}<img src=x onerror=alert(1)>{{{{script}}}}",
            sample::HOSTILE
        )
    });
    let page = page(&report);
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<img"));
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    assert_eq!(page.matches("\"use strict\";").count(), 1);
}

#[test]
fn embedded_data_is_the_json_report() {
    let report = sample::report();
    let page = page(&report);
    let embedded: Value = serde_json::from_str(embedded(&page)).unwrap();
    assert_eq!(
        embedded,
        serde_json::from_str::<Value>(&json::text(&report)).unwrap()
    );
}

#[test]
fn only_our_own_style_and_script_are_let_run() {
    let page = page(&sample::report());
    let (_, policy) = page
        .split_once("Content-Security-Policy\" content=\"")
        .unwrap();
    let policy = policy.split_once('"').unwrap().0;
    assert!(policy.starts_with("default-src 'none';"));
    assert!(policy.contains(&format!("script-src '{}'", hash(SCRIPT))));
    assert!(policy.contains(&format!("style-src '{}'", hash(STYLE))));
    assert!(page.contains(&format!("<script>{SCRIPT}</script>")));
    assert!(page.contains(&format!("<style>{STYLE}</style>")));
}

#[test]
fn page_needs_nothing_from_elsewhere() {
    let page = page(&sample::conforming());
    for outside in ["src=", "<link", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    for handler in [" onclick=", " style=\"", "javascript:"] {
        assert!(!page.contains(handler), "{handler}: the policy forbids it");
    }
}

#[test]
fn failures_come_before_all_other_cases() {
    let report = sample::report();
    let page = page(&report);
    let first = |verdict: Verdict| {
        page.find(&format!("data-verdict=\"{}\"", verdict.name()))
            .unwrap()
    };
    let places = crate::report::words::VERDICTS.map(first);
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(
        page.matches("<details class=\"case ").count(),
        report.cases.len()
    );
}

#[test]
fn each_id_stands_once_and_each_link_leads_somewhere() {
    let page = page(&sample::report());
    let values = |name: &str| -> Vec<String> {
        let opening = format!(" {name}=\"");
        let behind = page.split(&opening).skip(1);
        behind
            .map(|rest| rest.split('"').next().unwrap().to_owned())
            .collect()
    };
    let ids = values("id");
    let distinct: std::collections::BTreeSet<&String> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
    for link in values("href") {
        assert!(
            ids.contains(&link.trim_start_matches('#').to_owned()),
            "{link}"
        );
    }
    for label in values("aria-labelledby") {
        assert!(ids.contains(&label), "{label}");
    }
}

#[test]
fn failing_case_is_as_it_was_reviewed() {
    let mut report = sample::report();
    report
        .cases
        .retain(|case| case.id == "commission-lines.detach.unattached");
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_snapshot_path("../snapshots");
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("html_case", cases::all(&report)));
}

#[test]
fn table_tells_not_documented_from_not_seen() {
    let section = coverage::section(&sample::report());
    assert!(section.contains(
        "<tr><th scope=\"row\">detachCommissionLine</th><td class=\"count\">2</td><td class=\"count\">·</td>\
         <td class=\"count missing\">0</td><td class=\"count\">0*</td></tr>"
    ));
    assert!(section.contains("<li>detachCommissionLine 422: no such response was seen</li>"));
    assert!(section.contains("* No client can provoke it."));
}
