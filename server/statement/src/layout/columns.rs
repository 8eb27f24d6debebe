//! Widths of the table's columns. A column of amounts is as wide as the widest of them, and
//! descriptions get the rest.

use super::{
    block::{figure_width, natural_width},
    dimensions::{CELL, CONTENT_WIDTH, LABEL, RIGHT_EDGE, SIDE_MARGIN, TOTAL},
};
use crate::{
    data::{Statement, amount_text},
    text::Shaper,
};

/// Between two columns.
const GAP: i32 = 12_000;
/// Between the table's edge and its text.
const PADDING: i32 = 6_000;
/// Least width of a column of amounts, so that labels fit.
const LEAST_FIGURE: i32 = 54_000;
const LEAST_PLAN: i32 = 36_000;
const GREATEST_PLAN: i32 = 96_000;

pub(super) const LABELS: [&str; 6] =
    ["Description", "Plan", "Period end", "Source amount", "Amount", "Currency"];

/// A column's left end and width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) x: i32,
    pub(super) width: i32,
}

impl Column {
    pub(super) fn right(self) -> i32 {
        self.x + self.width
    }
}

/// The columns from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) description: Column,
    pub(super) plan: Column,
    pub(super) period_end: Column,
    pub(super) source_amount: Column,
    pub(super) amount: Column,
    pub(super) currency: Column,
}

impl Columns {
    /// Computes the widths that this statement needs. `subtotals` are the other amounts in the
    /// column of amounts.
    pub(super) fn of(shaper: &mut Shaper<'_>, statement: &Statement, subtotals: &[String]) -> Self {
        let label =
            |shaper: &mut Shaper<'_>, index: usize| natural_width(shaper, LABELS[index], LABEL);
        let lines = &statement.lines;
        let sources = widest(lines.iter().map(|line| amount_text(line.source_amount)));
        let amounts = widest(lines.iter().map(|line| amount_text(line.amount)));
        let subtotals = widest(subtotals.iter().cloned());
        let source_amount =
            figure_width(shaper, &sources, CELL).max(label(shaper, 3)).max(LEAST_FIGURE);
        let amount = figure_width(shaper, &amounts, CELL)
            .max(figure_width(shaper, &subtotals, CELL))
            .max(figure_width(shaper, &amount_text(statement.total), TOTAL))
            .max(label(shaper, 4))
            .max(LEAST_FIGURE);
        let period_end = natural_width(shaper, "0000-00-00", CELL).max(label(shaper, 2));
        // A currency has three letters; a longer one is wrapped.
        let currency = natural_width(shaper, "MMM", CELL).max(label(shaper, 5));
        let gaps = 5 * GAP + 2 * PADDING;
        let free = CONTENT_WIDTH - gaps - source_amount - amount - period_end - currency;
        let plan_needs = widest_plan(shaper, statement).max(label(shaper, 1));
        let plan = plan_needs.min(GREATEST_PLAN).min(free / 3).max(LEAST_PLAN);
        let mut x = SIDE_MARGIN + PADDING;
        let mut next = |width| {
            let column = Column { x, width };
            x += width + GAP;
            column
        };
        let columns = Self {
            description: next(free - plan),
            plan: next(plan),
            period_end: next(period_end),
            source_amount: next(source_amount),
            amount: next(amount),
            currency: next(currency),
        };
        debug_assert_eq!(columns.currency.right() + PADDING, RIGHT_EDGE);
        columns
    }
}

/// The longest amount: digits have one width, so the longest is the widest, up to a sign and a gap.
fn widest(amounts: impl Iterator<Item = String>) -> String {
    let longest = amounts.max_by_key(|amount| (amount.len(), amount.starts_with('-')));
    // A sign is as wide as a digit and a gap is narrower: one more digit covers both.
    longest.map_or_else(String::new, |amount| format!("0{}", amount.replace('-', "0")))
}

fn widest_plan(shaper: &mut Shaper<'_>, statement: &Statement) -> i32 {
    let mut widest = 0;
    let mut last = "";
    for line in &statement.lines {
        // Lines of one plan are mostly consecutive.
        if line.plan_name != last && widest < GREATEST_PLAN {
            widest = widest.max(natural_width(shaper, &line.plan_name, CELL));
            last = &line.plan_name;
        }
    }
    widest
}
