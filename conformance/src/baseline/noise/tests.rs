//! Tests of what two recordings show to vary.

use super::*;
use crate::{
    baseline::model::{Baseline, Header},
    document::DOCUMENT,
    snapshot::recording::tests::{case, recording},
};

fn merge(recordings: Vec<Recording>) -> (Recording, Vec<String>) {
    let places = Places::of(&DOCUMENT).unwrap();
    let (merged, noise) = merged(&places, recordings);
    let noise = noise.iter();
    (merged, noise.map(|one| format!("{} {} {}", one.response, one.at, one.count)).collect())
}

#[test]
fn value_that_differs_between_recordings_is_masked_and_listed() {
    let one = |data: &str, message: &str| {
        let success = format!("200 success {{\"data\": {data}}}");
        let error = format!("404 NOT_FOUND {message}");
        recording([case("a.case", true, &[&success, &error])])
    };
    let recordings = vec![
        one(r#"{"a": 1, "b": [1, 2]}"#, "No."),
        one(r#"{"a": 2, "b": [1]}"#, "No."),
        one(r#"{"a": 1, "b": [1, 2], "c": 1}"#, "No."),
    ];
    let (merged, noise) = merge(recordings);
    assert_eq!(
        noise,
        ["getPayout 200 /data/a 1", "getPayout 200 /data/b 1", "getPayout 200 /data/c 1"]
    );
    let Body::Json(json) = &merged.cases["a.case"].observations[0].snapshot.body else {
        panic!("it is JSON")
    };
    assert_eq!(json["data"].to_string(), r#"{"a":"[varies]","b":"[varies]","c":"[varies]"}"#);
    let baseline = Baseline::of(Header::default(), &merged);
    assert!(baseline.files["getPayout/404_NOT_FOUND"].text.contains("No."));
}

#[test]
fn header_that_differs_between_recordings_is_masked_and_one_that_is_missing_too() {
    let with = |header: &str| {
        let mut recording = recording([case("a.case", true, &["404 NOT_FOUND No."])]);
        let case = recording.cases.get_mut("a.case").unwrap();
        let snapshot = &mut case.observations[0].snapshot;
        let header = header.split_once(": ").map(|(name, value)| (name.into(), value.into()));
        snapshot.headers.extend(header);
        recording
    };
    for pair in [["cf-ray: 1", "cf-ray: 2"], ["cf-ray: 1", ""], ["", "cf-ray: 2"]] {
        let (merged, noise) = merge(pair.map(with).into());
        assert_eq!(noise, ["getPayout 404 cf-ray 1"]);
        let snapshot = &merged.cases["a.case"].observations[0].snapshot;
        assert!(snapshot.headers.contains(&("cf-ray".to_owned(), kind::VARIES.to_owned())));
    }
}

#[test]
fn case_with_other_responses_each_time_is_left_out() {
    let (merged, noise) = merge(vec![
        recording([
            case("race", true, &["404 NOT_FOUND No."]),
            case("once", true, &["404 NOT_FOUND No."]),
            case("sound", true, &["404 NOT_FOUND No."]),
        ]),
        recording([
            case("race", true, &["409 BUSY Wait."]),
            case("sound", true, &["404 NOT_FOUND No."]),
            case("later", true, &["404 NOT_FOUND No."]),
        ]),
    ]);
    assert_eq!(merged.cases.keys().collect::<Vec<_>>(), ["sound"]);
    let cases = ["later", "once", "race"].map(|id| format!("case {id} the whole response 1"));
    assert_eq!(noise, cases);
}
