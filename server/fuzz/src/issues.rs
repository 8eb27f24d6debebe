//! Checks every form error: its status fits its code, and a 422 has issues with place, code and
//! message.

use payout_server::contract::Problem;

/// The issues of a 422 as `(in, path)`; none for another status.
pub(super) fn places(problem: &Problem) -> Vec<(String, String)> {
    assert!(!problem.message.is_empty());
    let issues = problem.details.as_ref().and_then(|details| details.get("issues"));
    let Some(issues) = issues else {
        assert_ne!(problem.status(), 422, "{problem:?}");
        return Vec::new();
    };
    let issues = issues.as_array().expect("a list of issues");
    assert!((1..=100).contains(&issues.len()), "{problem:?}");
    let text = |issue: &serde_json::Value, name: &str| {
        issue.get(name).and_then(serde_json::Value::as_str).expect("a text").to_owned()
    };
    for issue in issues {
        let (place, path) = (text(issue, "in"), text(issue, "path"));
        assert!(["body", "query", "path", "header"].contains(&place.as_str()), "{issue}");
        assert!(path.starts_with('/') || (path.is_empty() && place == "body"), "{issue}");
        assert!(!text(issue, "code").is_empty() && !text(issue, "message").is_empty(), "{issue}");
    }
    issues.iter().map(|issue| (text(issue, "in"), text(issue, "path"))).collect()
}
