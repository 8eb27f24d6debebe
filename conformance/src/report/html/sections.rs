//! What stands above and below the cases: the sentence, the counts, the filters, gaps, what remains, cost.
//!
//! It refuses cases themselves.

use std::{collections::BTreeSet, fmt::Write as _};

use super::markup::{anchor, badge, escaped, facts as list_of_facts};
use crate::report::{
    gap,
    model::{ClauseReport, Report},
    words,
};

/// The sentence above all.
pub(super) fn headline(report: &Report) -> String {
    let class = words::worst(report).name();
    format!(
        "<p class=\"headline {class}\">{}</p>",
        escaped(&words::headline(report))
    )
}

/// How many cases ended how, each a link to them.
pub(super) fn counts(report: &Report) -> String {
    let mut out = String::from("<ul class=\"counts\" aria-label=\"Cases by verdict\">\n");
    for verdict in words::VERDICTS {
        let count = words::of(report, verdict).count();
        let (badge, name) = (badge(verdict), verdict.name());
        let item = if count == 0 {
            format!("{badge} 0")
        } else {
            format!("<a href=\"#{name}\">{badge} {count}</a>")
        };
        let _ = writeln!(out, "<li>{item}</li>");
    }
    out.push_str("</ul>");
    out
}

/// Links to what stands below the cases, which may be many.
pub(super) fn links(report: &Report) -> String {
    let mut links = Vec::new();
    if report.summary.skipped > 0 {
        links.push(("gaps", "What is left unproved"));
    }
    if !report.coverage.is_empty() {
        links.push(("coverage", "What of the document was seen"));
    }
    links.extend([
        ("remains", "What remains changed"),
        ("cost", "What the run cost"),
    ]);
    let links: Vec<String> = links
        .iter()
        .map(|(id, text)| format!("<a href=\"#{id}\">{text}</a>"))
        .collect();
    format!(
        "<nav aria-label=\"Below the cases\">{}</nav>",
        links.join(" · ")
    )
}

/// What was judged, by what, and when.
pub(super) fn facts(report: &Report) -> String {
    let target = &report.target;
    let yes_no = |yes: bool, when_yes: &str, when_no: &str| {
        (if yes { when_yes } else { when_no }).to_owned()
    };
    list_of_facts(&[
        (
            "Target",
            escaped(&format!("{} ({})", target.name, target.file)),
        ),
        ("Address", escaped(&target.base_url)),
        ("Profile", escaped(&target.profile)),
        (
            "Decisions",
            yes_no(
                target.with_decisions,
                "judged too, where the specification is silent",
                "off: judged by the specification alone",
            ),
        ),
        (
            "Changes",
            yes_no(
                target.read_only,
                "none: read-only",
                "allowed; what stayed is listed below",
            ),
        ),
        ("Document", escaped(&report.document_version)),
        ("Began", escaped(&report.began_at)),
        ("Took", words::seconds(report.elapsed_milliseconds)),
        (
            "Not foreseen",
            words::counted(report.summary.unexpected, "case", "cases"),
        ),
    ])
}

/// The filters, which only the script shows: without it they would do nothing.
pub(super) fn filters(report: &Report) -> String {
    let operations: BTreeSet<&str> = report
        .cases
        .iter()
        .filter_map(|case| case.operation.as_deref())
        .collect();
    let mut clauses: Vec<&str> = Vec::new();
    for case in &report.cases {
        if !clauses.contains(&case.clause.id.as_str()) {
            clauses.push(&case.clause.id);
        }
    }
    clauses.sort_unstable();
    let mut out = String::from(
        "<form id=\"filters\" role=\"search\" aria-label=\"Filter the cases\" hidden>\n<fieldset><legend>Verdict</legend>\n",
    );
    for verdict in words::VERDICTS {
        let name = verdict.name();
        let _ = writeln!(
            out,
            "<label><input type=\"checkbox\" name=\"verdict\" value=\"{name}\" checked> {name} ({})</label>",
            words::of(report, verdict).count()
        );
    }
    out.push_str("</fieldset>\n");
    out.push_str(&select(
        "operation",
        "Operation",
        "all operations",
        operations,
    ));
    out.push_str(&select("clause", "Clause", "all clauses", clauses));
    out.push_str(
        "<label class=\"field\">Text <input type=\"search\" name=\"search\" autocomplete=\"off\" placeholder=\"in cases and exchanges\"></label>\n\
         <button type=\"reset\">All cases</button>\n\
         <button type=\"button\" id=\"open\">Unfold</button>\n\
         <button type=\"button\" id=\"close\">Fold</button>\n\
         <p id=\"shown\" role=\"status\"></p>\n</form>",
    );
    out
}

fn select<'a>(
    name: &str,
    label: &str,
    all: &str,
    values: impl IntoIterator<Item = &'a str>,
) -> String {
    let mut out = format!(
        "<label class=\"field\">{label} <select name=\"{name}\">\n<option value=\"\">{all}</option>\n"
    );
    for value in values {
        let value = escaped(value);
        let _ = writeln!(out, "<option value=\"{value}\">{value}</option>");
    }
    out.push_str("</select></label>\n");
    out
}

/// What was missing, and which clauses that left unproved.
pub(super) fn gaps(report: &Report) -> String {
    let gaps = gap::gaps(report);
    if gaps.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<section aria-labelledby=\"gaps\">\n<h2 id=\"gaps\">What is left unproved</h2>\n",
    );
    for gap in gaps {
        let cases = words::counted(gap.cases.len(), "case", "cases");
        let _ = writeln!(
            out,
            "<h3>Missing: {} ({cases})</h3>\n<ul>",
            escaped(&gap.missing)
        );
        for clause in gap.unproved {
            let _ = writeln!(out, "<li>{}</li>", clause_sentence(clause));
        }
        for clause in gap.proved_in_part {
            let _ = writeln!(out, "<li>In part: {}</li>", clause_sentence(clause));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>\n");
    out
}

fn clause_sentence(clause: &ClauseReport) -> String {
    format!(
        "<strong>{}</strong> {}",
        escaped(&clause.id),
        escaped(&clause.sentence)
    )
}

/// What stayed changed.
pub(super) fn remains(report: &Report) -> String {
    let mut out = String::from(
        "<section aria-labelledby=\"remains\">\n<h2 id=\"remains\">What remains changed</h2>\n",
    );
    if report.remains.is_empty() {
        out.push_str("<p>Nothing: the deployment is as it was before the run.</p>\n");
    } else {
        out.push_str("<ul>\n");
        for remains in &report.remains {
            let case = escaped(&remains.case);
            let is_told = report.cases.iter().any(|told| told.id == remains.case);
            let case = if is_told {
                format!("<a href=\"#{}\">{case}</a>", anchor(&remains.case))
            } else {
                case
            };
            let _ = writeln!(out, "<li>{case}: {}</li>", escaped(&remains.what));
        }
        out.push_str("</ul>\n");
    }
    out.push_str("</section>");
    out
}

/// What the run cost.
pub(super) fn cost(report: &Report) -> String {
    let cost = &report.cost;
    let credits: Vec<String> = cost
        .credits
        .iter()
        .map(|(role, spent)| format!("{spent} of {role}"))
        .collect();
    let or_none = |texts: &[String]| {
        if texts.is_empty() {
            "none".to_owned()
        } else {
            escaped(&texts.join(", "))
        }
    };
    let facts = list_of_facts(&[
        ("Requests", cost.requests.to_string()),
        ("Credits", or_none(&credits)),
        ("Cannot be undone", or_none(&cost.irreversible)),
        (
            "Waited to keep within rate limits",
            words::seconds(cost.paced_milliseconds),
        ),
    ]);
    format!(
        "<section aria-labelledby=\"cost\">\n<h2 id=\"cost\">What the run cost</h2>\n{facts}</section>"
    )
}

/// What made the page.
pub(super) fn made(report: &Report) -> String {
    escaped(&format!(
        "Made by payout-conformance {}.",
        report.suite_version
    ))
}
