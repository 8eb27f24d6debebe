//! Writes a report into `server/BENCH.md`: one section per subject, between HTML comments. The
//! text outside these comments is left as it is.

use std::{fs, io, path::Path};

use super::report::Report;

pub(crate) const FILE: &str = "server/BENCH.md";

/// Replaces the subject's previous report, or appends the first one.
pub(crate) fn write(root: &Path, report: &Report) -> io::Result<()> {
    let path = root.join(FILE);
    let text = fs::read_to_string(&path)?;
    fs::write(path, with_section(&text, report.subject, &report.markdown()))
}

fn with_section(text: &str, subject: &str, section: &str) -> String {
    let (begin, end) = (format!("<!-- begin: {subject} -->"), format!("<!-- end: {subject} -->"));
    let section = format!("{begin}\n{}\n{end}", section.trim_end());
    let around = text.split_once(&begin).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(&end)?;
        Some((before, after))
    });
    match around {
        Some((before, after)) => format!("{before}{section}{after}"),
        None => format!("{}\n\n{section}\n", text.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# Bench\n\n<!-- begin: a -->\nold\n<!-- end: a -->\n\nBy hand.\n";

    #[test]
    fn section_replaces_the_previous_one() {
        let expected = "# Bench\n\n<!-- begin: a -->\nnew\n<!-- end: a -->\n\nBy hand.\n";
        assert_eq!(with_section(FILE, "a", "new\n"), expected);
        assert_eq!(with_section(expected, "a", "new\n"), expected);
    }

    #[test]
    fn new_section_is_appended() {
        let expected = format!("{FILE}\n<!-- begin: b -->\nnew\n<!-- end: b -->\n");
        assert_eq!(with_section(FILE, "b", "new"), expected);
    }
}
