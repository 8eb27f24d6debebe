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

/// Returns an annotation of GitHub Actions; `level` is `error`, `warning` or `notice`.
#[must_use]
pub fn annotation(level: &str, place: (&str, u32, u32), title: &str, message: &str) -> String {
    let (file, line, column) = place;
    let (file, title) = (property(file), property(title));
    format!("::{level} file={file},line={line},col={column},title={title}::{}", data(message))
}

fn data(text: &str) -> String {
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
            annotation("error", ("a,b.yaml", 3, 7), "rule", "50 %: one\ntwo"),
            "::error file=a%2Cb.yaml,line=3,col=7,title=rule::50 %25: one%0Atwo"
        );
    }
}
