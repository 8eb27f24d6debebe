//! Prints all commission lines as CSV, in constant memory however many there are:
//! `export_commission_lines [cursor] >> lines.csv`.
//!
//! Progress goes to standard error. If the program ends early, run it again with the last cursor
//! that it printed: no line is lost or doubled.

use std::io::{self, Write};

use payout_client::Client;

use super::{Arguments, Outcome};

pub(crate) async fn export_commission_lines(client: Client, mut arguments: Arguments) -> Outcome {
    let list = client.list_commission_lines().limit(100).resume(arguments.next());

    let mut out = io::BufWriter::new(io::stdout());
    let mut count = 0;
    let mut pages = list.pages();
    while let Some(page) = pages.next().await.transpose()? {
        for line in &page.data {
            let (id, end, amount, currency) =
                (&line.id, line.period_end, line.amount, &line.currency);
            writeln!(out, "{id},{end},{amount},{currency},{}", line.status)?;
        }
        // Before the cursor is shown, so that a run that resumes there does not miss these lines.
        out.flush()?;
        count += page.data.len();
        if let Some(next) = &page.pagination.next_cursor {
            eprintln!("{count} lines; resume from {next}");
        }
    }
    eprintln!("{count} lines; complete");
    Ok(())
}
