//! Tests of the page's text; `browser.rs` opens it in a browser.

mod browser;

use serde_json::Value;

use strum::IntoEnumIterator as _;

use super::*;
use crate::{
    report::{json, redact::map_texts, sample},
    verdict::Verdict,
};

/// The text between the opening tag of the data and the next end of a script.
fn embedded(page: &str) -> &str {
    let (_, behind) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    behind.split_once("</script").unwrap().0
}

#[test]
fn body_cannot_break_out_of_the_page() {
    let report = map_texts(&sample::report(), &|text| {
        format!("{text}{}<img src=x onerror=alert(1)>{{{{ script }}}}", sample::HOSTILE)
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
    assert_eq!(embedded, serde_json::from_str::<Value>(&json::text(&report)).unwrap());
}

#[test]
fn policy_allows_only_our_own_style_and_script() {
    let page = page(&sample::report());
    let (_, policy) = page.split_once("Content-Security-Policy\" content=\"").unwrap();
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
    let first =
        |verdict: Verdict| page.find(&format!("data-verdict=\"{}\"", verdict.name())).unwrap();
    let places: Vec<usize> = Verdict::iter().map(first).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(page.matches("<details class=\"case ").count(), report.cases.len());
}

#[test]
fn each_id_is_unique_and_each_link_has_a_target() {
    let page = page(&sample::report());
    let values = |name: &str| -> Vec<String> {
        let opening = format!(" {name}=\"");
        let behind = page.split(&opening).skip(1);
        behind.map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    let ids = values("id");
    let distinct: std::collections::BTreeSet<&String> = ids.iter().collect();
    assert_eq!(distinct.len(), ids.len());
    for link in values("href") {
        assert!(ids.contains(&link.trim_start_matches('#').to_owned()), "{link}");
    }
    for label in values("aria-labelledby") {
        assert!(ids.contains(&label), "{label}");
    }
}

#[test]
fn failing_case_is_as_it_was_reviewed() {
    let mut report = sample::report();
    report.cases.retain(|case| case.id == "commission-lines.detach.unattached");
    let cases = render("cases.html", context! { groups => view::groups(&report) });
    sample::settings("../snapshots").bind(|| insta::assert_snapshot!("html_case", cases));
}

#[test]
fn table_distinguishes_undocumented_from_unseen() {
    let section = page(&sample::report());
    assert!(section.contains(
        "<tr><th scope=\"row\">detachCommissionLine</th><td class=\"count\">2</td><td \
         class=\"count\">·</td>\
         <td class=\"count missing\">0</td><td class=\"count\">0*</td></tr>"
    ));
    assert!(section.contains("<li>detachCommissionLine 422: no such response was seen</li>"));
    assert!(section.contains("* No client can provoke it."));
}

#[test]
fn requirement_that_nothing_proved_and_operation_that_is_left_out_are_named() {
    let page = page(&sample::report());
    assert!(page.contains(
        "<li><strong>§4.5.body</strong> Detaching takes no request body. (every detach is sent \
         without a body)</li>"
    ));
    assert!(page.contains("core, without listPayouts"));
}

#[test]
fn text_cannot_leave_its_element_or_attribute() {
    let mut report = sample::report();
    report.target.name = "<a href=\"x\" b='y'>&\0".into();
    let escaped = "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;\\u{0}";
    assert!(page(&report).contains(&format!("<title>Conformance of {escaped}</title>")));
    assert_eq!(anchor("a.b \"<"), "case-a.b___");
}

#[test]
fn each_line_of_one_side_has_its_sign() {
    let page = page(&sample::report());
    assert!(page.contains(
        "<pre class=\"comparison\"><span class=\"expected\">− status: 422\n</span>\
         <span class=\"actual\">+ status: 200\n</span>\
         <span class=\"both\">  content-type: application/json\n</span>"
    ));
}
