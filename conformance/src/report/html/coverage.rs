//! Operations × documented statuses: how many responses of each were seen, and what is missing.
//!
//! It refuses an empty cell that could mean two things: `·` is not documented, 0 was not seen.

use std::{collections::BTreeSet, fmt::Write as _};

use super::markup::escaped;
use crate::report::{
    model::{CoverageReport, Report},
    words,
};

/// The section; nothing where the run looked at no document.
pub(super) fn section(report: &Report) -> String {
    if report.coverage.is_empty() {
        return String::new();
    }
    let mut out = String::from(
        "<section aria-labelledby=\"coverage\">\n<h2 id=\"coverage\">What of the document was seen</h2>\n\
         <div class=\"wide\" role=\"region\" aria-labelledby=\"coverage\" tabindex=\"0\">\n",
    );
    out.push_str(&table(&report.coverage));
    out.push_str("</div>\n");
    out.push_str(&missing(&report.coverage));
    out.push_str("</section>\n");
    out
}

fn table(coverage: &[CoverageReport]) -> String {
    let statuses: BTreeSet<u16> = coverage
        .iter()
        .map(|documented| documented.status)
        .collect();
    let mut operations: Vec<&str> = Vec::new();
    for documented in coverage {
        if !operations.contains(&documented.operation.as_str()) {
            operations.push(&documented.operation);
        }
    }
    let mut out = String::from(
        "<table>\n<caption>Answers by operation and documented status. · is not documented, \
         * cannot be provoked by a client, a framed cell lacks something.</caption>\n\
         <thead><tr><th scope=\"col\">Operation</th>",
    );
    for status in &statuses {
        let _ = write!(out, "<th scope=\"col\">{status}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for operation in operations {
        let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escaped(operation));
        for &status in &statuses {
            let documented = coverage.iter().find(|documented| {
                documented.operation == operation && documented.status == status
            });
            out.push_str(&cell(documented));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table>\n");
    out
}

fn cell(documented: Option<&CoverageReport>) -> String {
    let Some(documented) = documented else {
        return "<td class=\"count\">·</td>".to_owned();
    };
    let count = documented.responses;
    if words::lack(documented).is_some() {
        format!("<td class=\"count missing\">{count}</td>")
    } else if documented.exempt.is_some() {
        format!("<td class=\"count\">{count}*</td>")
    } else {
        format!("<td class=\"count\">{count}</td>")
    }
}

fn missing(coverage: &[CoverageReport]) -> String {
    let lacks: Vec<(&CoverageReport, String)> = coverage
        .iter()
        .filter_map(|documented| Some((documented, words::lack(documented)?)))
        .collect();
    let mut out = String::new();
    if lacks.is_empty() {
        out.push_str("<p>Nothing is missing.</p>\n");
    } else {
        let _ = writeln!(out, "<h3>Missing ({})</h3>\n<ul>", lacks.len());
        for (documented, lack) in lacks {
            let _ = writeln!(
                out,
                "<li>{} {}: {}</li>",
                escaped(&documented.operation),
                documented.status,
                escaped(&lack)
            );
        }
        out.push_str("</ul>\n");
    }
    let reasons: BTreeSet<&str> = coverage
        .iter()
        .filter_map(|documented| documented.exempt.as_deref())
        .collect();
    for reason in reasons {
        let _ = writeln!(out, "<p class=\"soft\">* {}</p>", escaped(reason));
    }
    out
}
