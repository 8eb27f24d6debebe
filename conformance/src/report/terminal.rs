//! The text on the terminal at the end of a run: failures first, the summary last. Cases that
//! passed are listed in the other reports only.
//!
//! The template is `page/terminal.txt`. The text is always coloured; `anstream` removes the colours
//! where the terminal or `NO_COLOR` does not want them. No meaning depends on a colour.

use anstyle::{AnsiColor, Style};
use minijinja::{Value, context};

use super::{model::Report, view};
use crate::visible::visible;

/// Cases printed in full for each verdict; the other reports hold all.
pub(super) const CASE_LIMIT: usize = 40;
const LIST_LIMIT: usize = 60;
/// Places printed for each difference.
const PLACE_LIMIT: usize = 5;

pub(crate) fn text(report: &Report) -> String {
    let mut environment = view::environment(|out, text| Ok(out.write_str(&visible(text))?));
    environment.add_filter("paint", |text: String, style: &str| {
        Value::from_safe_string(painted(style, &visible(&text)))
    });
    let limits = context! {
        case_limit => CASE_LIMIT,
        list_limit => LIST_LIMIT,
        place_limit => PLACE_LIMIT,
    };
    view::render(environment, "terminal.txt", context! { ..limits, ..view::context(report) })
}

/// A text in the style of a verdict, of a side of a comparison, or of this name.
pub(super) fn painted(name: &str, text: &str) -> String {
    let style = match name {
        "fail" => AnsiColor::Red.on_default().bold(),
        "error" => AnsiColor::Magenta.on_default().bold(),
        "inconclusive" => AnsiColor::Yellow.on_default().bold(),
        "skipped" => AnsiColor::Cyan.on_default(),
        "pass" | "actual" => AnsiColor::Green.on_default(),
        "expected" => AnsiColor::Red.on_default(),
        "bold" => Style::new().bold(),
        "faint" | "leftout" => Style::new().dimmed(),
        _ => Style::new(),
    };
    format!("{style}{text}{style:#}")
}
