//! Selectors of PromQL, such as `payout_requests_total{status="500"}`, and the series of a scrape
//! that they select. Whether a query is well-formed, promtool says.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::Regex;

/// Known to every Prometheus, whatever the server shows.
const OWN_METRIC: &str = "up";
/// Added by Prometheus to every series.
const OWN_LABELS: [&str; 2] = ["instance", "job"];
const KEYWORDS: [&str; 5] = ["and", "bool", "offset", "or", "unless"];
/// A variable of the dashboard stands for any value.
const ANY: &str = "$";

static GROUPING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)"));
static RANGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[(?:\d+[smhdw]|\$)[^\]]*\]"));
/// A name, with labels, or with the parenthesis of a function.
static SELECTOR: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{([^}]*)\}|(\())?"));
static LABEL: LazyLock<Regex> = LazyLock::new(|| pattern(r#"(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)""#));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

pub(super) struct Series {
    name: String,
    labels: BTreeMap<String, String>,
}

/// The series of a text in Prometheus's format.
pub(super) fn series(scraped: &str) -> Vec<Series> {
    let lines = scraped.lines().filter(|line| !line.starts_with('#'));
    let series = lines.map(|line| {
        let (selector, _) = line.rsplit_once(' ').expect("a value");
        let (name, labels) = selector.split_once('{').unwrap_or((selector, ""));
        let labels = LABEL.captures_iter(labels);
        let labels = labels.map(|label| (label[1].to_owned(), label[3].to_owned())).collect();
        Series { name: name.to_owned(), labels }
    });
    series.collect()
}

/// Returns what a query names that no series has: metrics, labels, values of labels.
pub(super) fn faults(query: &str, series: &[Series]) -> Vec<String> {
    let plain = RANGE.replace_all(query, "");
    let mut faults = Vec::new();
    let mut selected = Vec::new();
    for selector in SELECTOR.captures_iter(&GROUPING.replace_all(&plain, "")) {
        let name = &selector[1];
        if selector.get(3).is_some() || KEYWORDS.contains(&name) || name == OWN_METRIC {
            continue;
        }
        let named: Vec<&Series> = series.iter().filter(|series| series.name == name).collect();
        if named.is_empty() {
            faults.push(format!("the server has no metric {name}"));
        }
        let labels = selector.get(2).map_or("", |labels| labels.as_str());
        for label in LABEL.captures_iter(labels) {
            faults.extend(values(&label[3], &label[2]).filter_map(|value| {
                let (label, is_known) = (&label[1], has(&named, &label[1], value));
                (!is_known).then(|| format!("{name} has no series with {label} {value}"))
            }));
        }
        selected.extend(named);
    }
    for labels in GROUPING.captures_iter(&plain) {
        let labels = labels[1].split(',').map(str::trim).filter(|label| !label.is_empty());
        let is_unknown = |label: &&str| {
            !OWN_LABELS.contains(label)
                && !selected.iter().any(|series| series.labels.contains_key(*label))
        };
        let unknown = labels.filter(is_unknown);
        faults.extend(unknown.map(|label| format!("no selected metric has the label {label}")));
    }
    faults
}

/// The values that a label is compared with; each part of `a|b` has to exist.
fn values<'a>(value: &'a str, operator: &str) -> impl Iterator<Item = &'a str> {
    let separator = if operator.contains('~') { '|' } else { '\0' };
    value.split(separator)
}

fn has(named: &[&Series], label: &str, value: &str) -> bool {
    let whole = pattern(&format!("^(?:{value})$"));
    let is_own = OWN_LABELS.contains(&label);
    is_own
        || named
            .iter()
            .filter_map(|series| series.labels.get(label))
            .any(|known| value.starts_with(ANY) || whole.is_match(known))
}

#[test]
fn unknown_names_labels_and_values_are_found() {
    let series =
        series("# TYPE a_total counter\na_total{status=\"500\",operation=\"x\"} 0\nb 1\n# EOF\n");
    let found = |query| faults(query, &series).join("; ");
    for right in [
        "sum by (operation) (rate(a_total{status=~\"[45]..\",job=\"any\"}[5m])) > 0.5 and on () b",
        "a_total{operation=~\"$operation\"} unless up == 0",
    ] {
        assert_eq!(found(right), "", "{right}");
    }
    for (wrong, fault) in [
        ("rate(c_total[5m])", "the server has no metric c_total"),
        ("a_total{status=\"400\"}", "a_total has no series with status 400"),
        ("a_total{operation!~\"x|y\"}", "a_total has no series with operation y"),
        ("b{status=\"500\"}", "b has no series with status 500"),
        ("sum by (pool) (a_total)", "no selected metric has the label pool"),
    ] {
        assert_eq!(found(wrong), fault, "{wrong}");
    }
}
