//! The formats in which commands print findings.

/// For whom the findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// For people: one line with `file:line:column` for each finding.
    #[default]
    Text,
    /// For programs.
    Json,
    /// Annotations of GitHub Actions.
    Github,
}

/// Returns an annotation of GitHub Actions at a file, a line and a column; `level` is `error`,
/// `warning` or `notice`.
pub fn annotation(
    level: &str,
    (file, line, column): (&str, u32, Option<u32>),
    title: &str,
    message: &str,
) -> String {
    let column = column.map(|column| format!(",col={column}")).unwrap_or_default();
    let (file, title, message) = (property(file), property(title), data(message));
    format!("::{level} file={file},line={line}{column},title={title}::{message}")
}

/// Escapes the characters with a meaning in a command of GitHub Actions.
pub(crate) fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotation_escapes_what_would_end_a_property() {
        assert_eq!(
            annotation("error", ("a,b.yaml", 3, Some(7)), "rule", "50 %: one\ntwo"),
            "::error file=a%2Cb.yaml,line=3,col=7,title=rule::50 %25: one%0Atwo"
        );
    }
}
