//! Composes the pages of a statement. It prints no total that is not the sum of its lines.

use rust_decimal::Decimal;

use super::{
    columns::Columns,
    dimensions::{CONTENT_WIDTH, SIDE_MARGIN},
    head,
    page::Layout,
    pager::Pager,
    table,
};
use crate::{
    data::{LINES_LIMIT, Statement, amount_text},
    fonts::Fonts,
    text::{ShapeCache, Shaper},
};

/// A statement cannot be laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Nothing to print (422 `NO_COMMISSION_LINES`).
    #[error("The statement has no lines. Attach at least one commission line to the payout.")]
    NoLines,
    /// More than [`LINES_LIMIT`] (422 `STATEMENT_TOO_LARGE`).
    #[error(
        "The statement has {0} lines, and at most {LINES_LIMIT} can be printed. Split the payout."
    )]
    TooManyLines(usize),
    /// The data is broken.
    #[error("The payout's amount is {total}, but its lines add up to {sum}. Correct the amount.")]
    WrongTotal { total: Decimal, sum: Decimal },
    #[error(
        "The amounts of the lines are too large to be added. Each may have 18 digits before the \
         point."
    )]
    TooLarge,
}

/// Lays a statement out. The same statement and fonts give the same layout, whatever is cached.
pub(crate) fn layout(
    statement: &Statement,
    fonts: &Fonts,
    shape_cache: &ShapeCache,
) -> Result<Layout, LayoutError> {
    let sums = sums(statement)?;
    let mut shaper = Shaper::new(fonts, shape_cache);
    let columns = Columns::of(&mut shaper, statement, &widest(&sums));
    let mut pager = Pager::new(&mut shaper, statement);
    head::write(&mut pager, statement);
    table::write(&mut pager, statement, &columns, &sums);
    let closing_text = std::mem::take(&mut pager.closing_text);
    if !closing_text.is_empty() {
        pager.y += table::CLOSING_AIR;
        pager.flow(&closing_text, SIDE_MARGIN, CONTENT_WIDTH);
    }
    Ok(Layout { pages: pager.finish(), logo: statement.template.logo.clone() })
}

/// Returns the sum of all lines up to each of them, itself included.
fn sums(statement: &Statement) -> Result<Vec<Decimal>, LayoutError> {
    let count = statement.lines.len();
    if count == 0 {
        return Err(LayoutError::NoLines);
    }
    if count > LINES_LIMIT {
        return Err(LayoutError::TooManyLines(count));
    }
    let mut sum = Decimal::ZERO;
    let mut sums = Vec::with_capacity(count);
    for line in &statement.lines {
        sum = sum.checked_add(line.amount).ok_or(LayoutError::TooLarge)?;
        sums.push(sum);
    }
    if sum != statement.total {
        return Err(LayoutError::WrongTotal { total: statement.total, sum });
    }
    Ok(sums)
}

/// The least and the greatest: one of them is the longest.
fn widest(sums: &[Decimal]) -> Vec<String> {
    let ends = [sums.iter().min(), sums.iter().max()];
    ends.into_iter().flatten().copied().map(amount_text).collect()
}
