//! Opens the page in a headless browser: the policy allows the script, and the filters work.

use crate::report::{
    html::{SCRIPT, page, page_with},
    redact::map_texts,
    sample,
};

#[path = "../../../../server/tests/shared/browser.rs"]
mod headless;

/// Uses the page as a person would, and writes what it saw to an attribute of the body. It runs
/// after the page's own script.
const PERSON: &str = include_str!("person.js");

#[test]
fn page_works_in_a_browser() {
    let Some(elements) =
        headless::elements(&page_with(&sample::report(), &format!("{SCRIPT}{PERSON}")))
    else {
        return;
    };
    let told = elements.split_once("data-told=\"").expect("the script ran").1;
    let told: Vec<&str> = told.split_once('"').unwrap().0.split(" | ").collect();
    assert_eq!(
        told,
        [
            "start: 11 of 11 cases shown; 11 unhidden",
            "no passes: 9 of 11 cases shown; 9 unhidden",
            "operation: 2 of 11 cases shown; 2 unhidden",
            "clause: 2 of 11 cases shown; 2 unhidden",
            "search: 1 of 11 cases shown; 1 unhidden",
            "folded: 0 open",
            "unfolded: 11 open",
            "0 buttons hidden",
            "2 scripts, 0 images",
            "11 cases in the data",
            "style flex",
        ]
    );
}

#[test]
fn hostile_responses_stay_text_in_a_browser() {
    let hostile = format!("{}<img src=x onerror=\"document.title='taken'\">", sample::HOSTILE);
    let report = map_texts(&sample::report(), &|text| format!("{text}{hostile}"));
    let Some(elements) = headless::elements(&page(&report)) else {
        return;
    };
    assert!(elements.contains("11 of 11 cases shown"), "the script ran");
    assert_eq!(elements.matches("<script").count(), 2);
    assert!(!elements.contains("<img"));
    assert!(!elements.contains("<title>taken"));
}
