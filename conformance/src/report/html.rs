//! The report as one HTML page, which works from a file without network and says the same without its script.
//!
//! It refuses trust in what was answered: every text is escaped, and the page's policy runs no script but its own, by hash.
//!
//! | file | owns |
//! |---|---|
//! | `markup` | escaping, and what stands in many places |
//! | `cases` | the cases, by verdict |
//! | `exchange` | one request and its response |
//! | `sections` | what stands above and below the cases |
//! | `coverage` | operations × documented statuses |
//! | `../page/` | the page around it: HTML, CSS, script |

mod cases;
mod coverage;
mod exchange;
mod markup;
mod sections;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use sha2::{Digest as _, Sha256};

use super::model::Report;
use markup::escaped;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");

/// The whole page.
#[must_use]
pub fn page(report: &Report) -> String {
    page_with(report, SCRIPT)
}

fn page_with(report: &Report, script: &str) -> String {
    // A browser reads each line end as a line feed, and takes the hash of that.
    let (style, script) = (STYLE.replace("\r\n", "\n"), script.replace("\r\n", "\n"));
    let title = escaped(&format!("Conformance of {}", report.target.name));
    let slots = [
        ("title", title),
        ("style-hash", hash(&style)),
        ("script-hash", hash(&script)),
        ("style", style),
        ("script", script),
        ("headline", sections::headline(report)),
        ("counts", sections::counts(report)),
        ("facts", sections::facts(report)),
        ("links", sections::links(report)),
        ("filters", sections::filters(report)),
        ("cases", cases::all(report)),
        ("gaps", sections::gaps(report)),
        ("coverage", coverage::section(report)),
        ("remains", sections::remains(report)),
        ("cost", sections::cost(report)),
        ("made", sections::made(report)),
        ("data", data(report)),
    ];
    fill(PAGE, &slots)
}

/// The report for a script element: `<` stands only within JSON's strings, where it may be escaped, and nothing can then
/// end the element or open a comment.
fn data(report: &Report) -> String {
    let json = serde_json::to_string(report).expect("the model is JSON by its types");
    json.replace('<', "\\u003c")
}

fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// Fills each `{{slot}}` of the template once, from left to right: what was filled in is not looked at again.
fn fill(template: &str, slots: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, opened)) = rest.split_once("{{") {
        let (name, behind) = opened
            .split_once("}}")
            .expect("the template closes its slots");
        let (_, text) = slots
            .iter()
            .find(|(slot, _)| *slot == name)
            .expect("the template names slots that exist");
        page.push_str(before);
        page.push_str(text);
        rest = behind;
    }
    page.push_str(rest);
    page
}

#[cfg(test)]
mod browser;
#[cfg(test)]
mod tests;
