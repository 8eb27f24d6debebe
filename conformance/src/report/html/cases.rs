//! The cases, by verdict, what to look at in front.
//!
//! It refuses to need a script: each case folds by itself, and carries what the filters read.

use std::fmt::Write as _;

use super::{
    exchange,
    markup::{anchor, badge, command, comparison, escaped},
};
use crate::report::{
    model::{CaseReport, Report, Verdict},
    words,
};

/// Failures that are open at first: enough to read at once, few enough to see how many there are.
const OPEN_LIMIT: usize = 3;

/// A section for each verdict that occurred.
pub(super) fn all(report: &Report) -> String {
    let ranked = words::ranked(report);
    let mut out = String::new();
    for verdict in words::VERDICTS {
        let ended: Vec<&CaseReport> = ranked
            .iter()
            .copied()
            .filter(|case| case.verdict == verdict)
            .collect();
        if ended.is_empty() {
            continue;
        }
        let (title, meaning) = words::group(verdict);
        let name = verdict.name();
        let _ = writeln!(
            out,
            "<section class=\"group\" aria-labelledby=\"{name}\">\n<h2 id=\"{name}\">{title} ({})</h2>\n<p class=\"soft\">{meaning}</p>",
            ended.len()
        );
        for (index, case) in ended.iter().enumerate() {
            let is_open = verdict == Verdict::Fail && index < OPEN_LIMIT;
            out.push_str(&folded(report, case, is_open));
        }
        out.push_str("</section>\n");
    }
    out
}

fn folded(report: &Report, case: &CaseReport, is_open: bool) -> String {
    let mut out = format!(
        "<details class=\"case {verdict}\" id=\"{anchor}\" data-verdict=\"{verdict}\" data-operation=\"{operation}\" data-clause=\"{clause}\"{open}>\n",
        verdict = case.verdict.name(),
        anchor = anchor(&case.id),
        operation = escaped(case.operation.as_deref().unwrap_or_default()),
        clause = escaped(&case.clause.id),
        open = if is_open { " open" } else { "" },
    );
    let _ = writeln!(
        out,
        "<summary>{} <h3>{}</h3>{} <span class=\"sentence\">{}</span></summary>\n<div class=\"inside\">",
        badge(case.verdict),
        escaped(&case.id),
        foreseen(case),
        escaped(&case.sentence)
    );
    if let Some(because) = &case.because {
        let _ = writeln!(out, "<p><strong>{}</strong></p>", escaped(&because.what));
        if !because.missing.is_empty() {
            let _ = writeln!(
                out,
                "<p>Missing: {}</p>",
                escaped(&because.missing.join(", "))
            );
        }
    }
    if let Some(expectation) = words::expectation(case) {
        let _ = writeln!(out, "<p>{}</p>", escaped(&expectation));
    }
    let _ = writeln!(
        out,
        "<h4>Why it matters</h4>\n<blockquote><p>{}</p></blockquote>\n<p class=\"soft\">{}, {}; {} profile</p>",
        escaped(&case.clause.sentence),
        escaped(&case.clause.id),
        words::said_by(case.clause.source),
        escaped(&case.profile)
    );
    if let Some(because) = &case.because {
        out.push_str(&comparison(
            because.expected.as_deref(),
            because.actual.as_deref(),
        ));
    }
    let telling = words::telling_exchange(case);
    if let Some((_, exchange)) = telling {
        out.push_str("<h4>Ask it yourself</h4>\n");
        out.push_str(&command(&exchange.curl));
    }
    out.push_str("<h4>Run it alone</h4>\n");
    out.push_str(&command(&words::run_alone(report, case)));
    if !case.exchanges.is_empty() {
        let _ = writeln!(out, "<h4>Exchanges ({})</h4>", case.exchanges.len());
    }
    for (index, exchange) in case.exchanges.iter().enumerate() {
        let is_telling = telling.is_some_and(|(told, _)| told == index);
        out.push_str(&exchange::folded(index, exchange, is_telling));
    }
    let _ = writeln!(
        out,
        "<p class=\"soft\">Took {}.</p>\n</div>\n</details>",
        words::seconds(case.elapsed_milliseconds)
    );
    out
}

/// Told beside the id where it would surprise: a failure that is known, a pass that should not have come.
fn foreseen(case: &CaseReport) -> &'static str {
    if words::is_surprise(case) {
        " <span class=\"soft\">not foreseen</span>"
    } else if case.expected && case.expectation.is_some() {
        " <span class=\"soft\">foreseen</span>"
    } else {
        ""
    }
}
