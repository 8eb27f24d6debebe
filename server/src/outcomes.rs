//! A table of a test: its inputs are the lines of a file, and a snapshot has what each one gives.

/// Returns each line, and the outcome of it.
pub(crate) fn outcomes(inputs: &str, outcome: impl Fn(&str) -> String) -> String {
    let rows = inputs.lines().map(|input| format!("{input}\n    {}\n", outcome(input)));
    rows.collect()
}
