//! Tests of comparisons: pairs, groups, additions, and what the document says.

use super::*;
use crate::{
    baseline::{model::Header, says::Stance},
    document::DOCUMENT,
    snapshot::{recording::tests::case, text::Snapshot},
};

type Cases = Vec<(String, CaseRecording)>;

fn recorded(cases: Cases) -> Recording {
    Recording { cases: cases.into_iter().collect() }
}

fn report(old: Cases, new: Cases, comparing: Comparing) -> ComparisonReport {
    let baseline = Baseline::of(Header::default(), &recorded(old));
    compare(&Places::of(&DOCUMENT).unwrap(), &baseline, &recorded(new), comparing)
}

/// Each group as `stance, places: what`.
fn groups(groups: &[DifferenceGroup]) -> Vec<String> {
    let groups = groups.iter();
    groups.map(|one| format!("{:?}, {}: {}", one.stance, one.places.len(), one.what)).collect()
}

fn by(compare: Compare) -> Comparing {
    Comparing { compare, is_strict: false }
}

#[test]
fn code_that_was_renamed_in_many_places_is_one_line() {
    let cases = |code: &str| -> Cases {
        let response = format!("404 {code} No.");
        (0..14).map(|number| case(&format!("case.{number}"), true, &[&response])).collect()
    };
    for compare in [Compare::Form, Compare::Stable, Compare::Values] {
        let report = report(cases("NOT_FOUND"), cases("MISSING"), by(compare));
        assert_eq!(
            groups(&report.differences),
            ["NotAllowed, 14: The error code is MISSING instead of NOT_FOUND."]
        );
        let place = &report.differences[0].places[3];
        assert_eq!(place.snapshot, "getPayout/404_NOT_FOUND");
        assert_eq!((place.at.as_str(), place.curl.as_str()), ("/error/code", "curl"));
        assert!(place.baseline.as_ref().unwrap().contains("NOT_FOUND"));
        assert!(place.response.as_ref().unwrap().contains("MISSING"));
        assert!(!report.holds() && report.places() == 14);
    }
}

#[test]
fn code_or_body_that_is_missing_is_said_to_be_missing() {
    let old = || vec![case("a", true, &["404 NOT_FOUND No."])];
    let edited = |text: &str| {
        let mut one = case("a", true, &["404 NOT_FOUND No."]);
        let observation = &mut one.1.observations[0];
        observation.snapshot = Snapshot::parse(text);
        observation.key.code = "NO_CODE".to_owned();
        let found = report(old(), vec![one], by(Compare::Form));
        groups(&found.differences)
    };
    let head = "404 Status\ncontent-type: application/json";
    let missing = |what: &str| [format!("NotAllowed, 1: {what} is missing.")];
    assert_eq!(edited(&format!("{head}\n\n[]")), missing("The error code NOT_FOUND"));
    assert_eq!(edited(head), missing("The body"));
}

#[test]
fn status_that_changed_is_named_for_its_place_and_not_as_a_response_more_and_one_less() {
    let old = vec![case("a", true, &["404 NOT_FOUND No.", "401 UNAUTHORIZED No."])];
    let new = vec![case("a", true, &["410 NOT_FOUND No.", "401 UNAUTHORIZED No."])];
    let report = report(old, new, by(Compare::Stable));
    let status = "NotAllowed, 1: The status is 410 Status instead of 404 Status.";
    assert_eq!(groups(&report.differences), [status]);
    assert!(report.additions.is_empty());
    assert_eq!(report.responses, 2);
}

#[test]
fn values_of_data_are_one_line_for_each_member_and_messages_one_for_each_text() {
    let payout = |amount: &str| format!("200 success {{\"data\": {{\"note\": \"{amount}\"}}}}");
    let side = |amounts: [&str; 2], messages: [&str; 2]| -> Cases {
        let [one, other] = amounts.map(payout);
        let [first, second] = messages.map(|message| format!("404 NOT_FOUND {message}"));
        vec![case("a", false, &[&one, &other, &first, &second])]
    };
    let old = side(["12.50", "1.00"], ["No.", "No."]);
    let new = side(["12.51", "1.01"], ["None.", "Nothing."]);
    let values = report(old.clone(), new.clone(), by(Compare::Values));
    let mut found = groups(&values.differences);
    found.sort_unstable();
    assert_eq!(
        found,
        [
            "Allowed, 1: error.message is \"None.\" instead of \"No.\".",
            "Allowed, 1: error.message is \"Nothing.\" instead of \"No.\".",
            "Silent, 2: note is \"12.51\" instead of \"12.50\".",
        ]
    );
    assert_eq!(report(old, new, by(Compare::Stable)).differences.len(), 2);
}

#[test]
fn addition_is_reported_and_fails_only_a_strict_comparison() {
    let old = vec![case("a", true, &["200 success {\"data\": {\"id\": \"1\"}}"])];
    let new = vec![case("a", true, &["200 success {\"data\": {\"id\": \"1\", \"more\": 1}}"])];
    for compare in [Compare::Form, Compare::Stable, Compare::Values] {
        let mut comparing = by(compare);
        let lenient = report(old.clone(), new.clone(), comparing);
        assert_eq!(groups(&lenient.additions), ["Allowed, 1: The member more is new."]);
        assert!(lenient.differences.is_empty() && lenient.holds());
        comparing.is_strict = true;
        assert!(!report(old.clone(), new.clone(), comparing).holds());
    }
}

#[test]
fn response_that_no_longer_comes_is_a_difference_unless_its_case_ended_early() {
    let old = vec![case("a", true, &["404 NOT_FOUND No.", "409 BUSY Wait."])];
    let mut new = case("a", true, &["404 NOT_FOUND No."]);
    let found = report(old.clone(), vec![new.clone()], by(Compare::Stable));
    let gone = "Silent, 1: The response 409 BUSY no longer comes.";
    assert_eq!(groups(&found.differences), [gone]);
    new.1.has_passed = false;
    let found = report(old, vec![new], by(Compare::Stable));
    assert!(found.differences.is_empty());
    assert_eq!(found.not_compared[0].cases, ["a"]);
}

#[test]
fn operation_that_one_side_lacks_is_one_line() {
    let cases = |response: &str| -> Cases {
        (0..MANY).map(|number| case(&format!("case.{number}"), true, &[response])).collect()
    };
    let (lacks, has) = (cases("404 NOT_FOUND No."), cases("401 UNAUTHORIZED No."));
    let found = report(lacks.clone(), has.clone(), by(Compare::Stable));
    let new = "Allowed, 1: The operation getPayout is new: each of its requests got a 404.";
    assert_eq!(groups(&found.additions), [new]);
    assert!(found.differences.is_empty());
    let found = report(has.clone(), lacks.clone(), by(Compare::Form));
    let gone =
        "NotAllowed, 1: The operation getPayout is missing: each of its requests gets a 404.";
    assert_eq!(groups(&found.differences), [gone]);
    let few = |cases: Cases| cases.into_iter().skip(1).collect::<Cases>();
    let found = report(few(lacks), few(has), by(Compare::Stable));
    assert!(groups(&found.differences)[0].contains("The status is 401"), "{found:?}");
}

#[test]
fn error_that_never_came_before_is_a_difference() {
    let old = vec![case("a", true, &["404 NOT_FOUND No."])];
    let new = |error: &str| vec![case("a", true, &["404 NOT_FOUND No.", error])];
    let found = report(old.clone(), new("500 INTERNAL Oh."), by(Compare::Form));
    assert_eq!(found.differences.len(), 1, "{found:?}");
}

#[test]
fn repeated_request_is_no_difference_and_its_response_is_compared() {
    let responses = |messages: &[&str]| {
        let responses: Vec<String> =
            messages.iter().map(|message| format!("404 NOT_FOUND {message}")).collect();
        let responses: Vec<&str> = responses.iter().map(String::as_str).collect();
        vec![case("a", true, &responses)]
    };
    let found = |old: &[&str], new: &[&str]| {
        let report = report(responses(old), responses(new), by(Compare::Values));
        assert!(report.additions.is_empty());
        groups(&report.differences)
    };
    let none: [String; 0] = [];
    assert_eq!(found(&["No."], &["No.", "No."]), none);
    assert_eq!(found(&["No.", "No."], &["No."]), none);
    assert_eq!(found(&["Not.", "No."], &["Not.", "No.", "Not."]), none);
    assert_eq!(found(&["No."], &["No.", "None."]).len(), 1);
}

#[test]
fn case_that_only_one_side_has_is_not_compared_and_named() {
    let one = || case("one", true, &["404 NOT_FOUND No."]);
    let two = || case("two", true, &["404 NOT_FOUND None."]);
    let found = report(vec![one()], vec![two()], by(Compare::Stable));
    assert!(found.holds() && found.responses == 0);
    let reasons: Vec<(&str, &str)> =
        found.not_compared.iter().map(|one| (one.reason.as_str(), one.cases[0].as_str())).collect();
    assert_eq!(
        reasons,
        [("the baseline does not have the case", "two"), ("the case did not run this time", "one")]
    );
}

#[test]
fn document_is_quoted_for_each_difference() {
    let payout =
        |body: &str| vec![case("a", false, &[&format!("200 success {{\"data\": {body}}}")])];
    let found = report(
        payout(r#"{"id": "[payout.1]", "stage": "DRAFT", "metadata": {}, "amount": 1}"#),
        payout(r#"{"id": "[payout.1]", "stage": "NEW", "amount": 1}"#),
        by(Compare::Stable),
    );
    let mut stances: Vec<(Stance, &str)> =
        found.differences.iter().map(|one| (one.stance, one.document.as_str())).collect();
    stances.sort_unstable();
    assert_eq!(
        stances,
        [
            (Stance::Allowed, "The member is optional in the document."),
            (Stance::Allowed, "The value keeps the document's schema."),
        ]
    );
}

#[test]
fn document_is_quoted_for_the_details_that_depend_on_the_code() {
    let error = |details: &str| {
        let error = format!(r#""code": "VALIDATION_FAILED", "message": "M", {details}"#);
        let body = format!(r#"{{"error": {{{error}}}}}"#);
        let mut one = case("a", true, &["422 VALIDATION_FAILED M"]);
        let observation = &mut one.1.observations[0];
        let text = format!("422 Status\ncontent-type: application/json\n\n{body}");
        observation.snapshot = Snapshot::parse(&text);
        observation.json = serde_json::from_str(&body).ok();
        vec![one]
    };
    let issue = r#"{"in": "query", "path": "/a", "code": "ENUM", "message": "No"}"#;
    let issue = &format!(r#""details": {{"issues": [{issue}]}}"#);
    let stance = |details: &str| {
        let found = report(error(issue), error(details), by(Compare::Stable));
        let mut all = found.differences.iter().chain(&found.additions);
        all.next().map(|one| one.stance)
    };
    assert_eq!(stance(&issue.replace("No", "None")), Some(Stance::Allowed));
    assert_eq!(stance(&issue.replace("\"No\"", "7")), Some(Stance::NotAllowed));
    assert_eq!(stance(r#""details": {}"#), Some(Stance::NotAllowed));
    assert_eq!(stance(issue), None);
}
