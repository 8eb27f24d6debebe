//! The lines, from page to page, and the total. Each page can be checked by itself: where the table
//! continues, the sum so far is printed at its foot and at the head of the next page. The total
//! always follows a line on the same page.

use std::ops::Range;

use rust_decimal::Decimal;

use super::{
    block::{Align, StyledLine, figure, paragraph},
    columns::{Column, Columns, LABELS},
    dimensions::{
        CELL, CONTENT_WIDTH, HAIRLINE, LABEL, RIGHT_EDGE, SIDE_MARGIN, SUBTOTAL, Style, TINT, TOTAL,
    },
    head::date,
    page::{Element, Rectangle},
    pager::Pager,
};
use crate::data::{Line, Statement, amount_text};

/// Above and below the text of a line.
const PADDING: i32 = 4_500;
const HEADER_PADDING: i32 = 5_000;
const HEADER_HEIGHT: i32 = LABEL.leading + 2 * HEADER_PADDING;
/// Height of "Carried forward" and "Brought forward".
const SUBTOTAL_HEIGHT: i32 = SUBTOTAL.leading + 2 * PADDING;
const TOTAL_PADDING: i32 = 7_000;
const TOTAL_HEIGHT: i32 = TOTAL.leading + 2 * TOTAL_PADDING;
const RULE_HEIGHT: i32 = 400;
const TOTAL_RULE_HEIGHT: i32 = 1_200;
/// A line with more rows of text may be split between two pages.
const KEPT_TOGETHER_LIMIT: usize = 6;
/// Rows that stay together at both ends of a split line.
const PARTED_LEAST: usize = 2;
/// Between the total and what follows.
pub(super) const CLOSING_AIR: i32 = 16_000;

pub(super) fn write(
    pager: &mut Pager<'_, '_>,
    statement: &Statement,
    columns: &Columns,
    sums: &[Decimal],
) {
    let mut table = Table { pager, statement, columns, printed: None, is_open: false };
    let last = statement.lines.len() - 1;
    for (index, (line, sum)) in statement.lines.iter().zip(sums).enumerate() {
        table.line(line, *sum, index == last);
    }
    table.total();
}

struct Table<'pager, 'shaper, 'fonts> {
    pager: &'pager mut Pager<'shaper, 'fonts>,
    statement: &'pager Statement,
    columns: &'pager Columns,
    /// The sum of what is printed; `None` before the first line.
    printed: Option<Decimal>,
    /// True if the page has its header.
    is_open: bool,
}

/// The texts of a line that may take several lines.
struct Cells {
    description: Vec<StyledLine>,
    plan: Vec<StyledLine>,
    currency: Vec<StyledLine>,
}

impl Cells {
    fn rows(&self) -> usize {
        let rows = self.description.len().max(self.plan.len());
        rows.max(self.currency.len())
    }
}

impl Table<'_, '_, '_> {
    fn line(&mut self, line: &Line, sum: Decimal, is_last: bool) {
        let columns = self.columns;
        let mut cell = |content: &str, column: Column| {
            paragraph(self.pager.shaper, content, CELL, column.width)
        };
        let cells = Cells {
            description: cell(&line.description, columns.description),
            plan: cell(&line.plan_name, columns.plan),
            currency: cell(&line.currency, columns.currency),
        };
        let rows = cells.rows();
        let mut done = 0;
        while done < rows {
            let count = self.rows_that_fit(rows, done, is_last);
            if count == 0 {
                self.next_page();
                continue;
            }
            self.open();
            let figures = (done == 0).then_some(line);
            self.rows(&cells, figures, done..done + count);
            self.printed = Some(sum);
            done += count;
        }
    }

    /// Returns the number of the line's rows that fit onto the page.
    fn rows_that_fit(&self, rows: usize, done: usize, is_last: bool) -> usize {
        let left = rows - done;
        let space = self.pager.space() - if self.is_open { 0 } else { self.opening_height() };
        let end = if is_last { TOTAL_HEIGHT } else { SUBTOTAL_HEIGHT };
        if height_of(left) + end <= space {
            return left;
        }
        let is_fresh = !self.is_open && self.pager.is_fresh();
        if rows <= KEPT_TOGETHER_LIMIT && !is_fresh {
            return 0;
        }
        let free = (space - SUBTOTAL_HEIGHT - 2 * PADDING - RULE_HEIGHT).max(0) / CELL.leading;
        let free = usize::try_from(free).expect("not negative");
        // The next page gets some rows, so that no total is alone on it.
        let count = free.min(left.saturating_sub(PARTED_LEAST));
        match count {
            _ if count >= PARTED_LEAST => count,
            _ if is_fresh => count.max(1),
            _ => 0,
        }
    }

    /// Writes some rows of a line, in reading order; its figures are in the first of them.
    fn rows(&mut self, cells: &Cells, figures: Option<&Line>, rows: Range<usize>) {
        let columns = self.columns;
        let (first, is_end) = (rows.start, rows.end == cells.rows());
        self.pager.y += PADDING;
        for row in rows {
            self.cell(cells.description.get(row), columns.description);
            self.cell(cells.plan.get(row), columns.plan);
            if let Some(line) = figures.filter(|_| row == first) {
                self.figures(line);
            }
            self.cell(cells.currency.get(row), columns.currency);
            self.pager.y += CELL.leading;
        }
        self.pager.y += PADDING;
        if is_end {
            self.pager.rule(self.pager.y, RULE_HEIGHT, HAIRLINE);
        }
        self.pager.y += RULE_HEIGHT;
    }

    fn cell(&mut self, text: Option<&StyledLine>, column: Column) {
        if let Some(text) = text {
            self.pager.text(text, column, self.pager.y, Align::Start);
        }
    }

    fn figures(&mut self, line: &Line) {
        let (columns, top) = (self.columns, self.pager.y);
        let column = columns.period_end;
        let period_end = date(line.period_end);
        for text in paragraph(self.pager.shaper, &period_end, CELL, column.width) {
            self.pager.text(&text, column, top, Align::Left);
        }
        self.figure(line.source_amount, columns.source_amount, CELL, top);
        self.figure(line.amount, columns.amount, CELL, top);
    }

    fn figure(&mut self, amount: Decimal, column: Column, style: Style, top: i32) {
        let text = figure(self.pager.shaper, &amount_text(amount), style, column.right(), top);
        self.pager.add(Element::Text(text));
    }

    fn opening_height(&self) -> i32 {
        let brought = self.printed.map_or(0, |_| SUBTOTAL_HEIGHT + RULE_HEIGHT);
        HEADER_HEIGHT + brought
    }

    fn open(&mut self) {
        if self.is_open {
            return;
        }
        self.is_open = true;
        self.header();
        if let Some(sum) = self.printed {
            self.subtotal("Brought forward", sum);
            self.pager.rule(self.pager.y, RULE_HEIGHT, HAIRLINE);
            self.pager.y += RULE_HEIGHT;
        }
    }

    fn next_page(&mut self) {
        if let Some(sum) = self.printed.filter(|_| self.is_open) {
            self.subtotal("Carried forward", sum);
        }
        self.pager.new_page();
        self.is_open = false;
    }

    fn header(&mut self) {
        let top = self.pager.y;
        self.pager.add(Element::Rectangle(Rectangle {
            x: SIDE_MARGIN,
            y: top,
            width: CONTENT_WIDTH,
            height: HEADER_HEIGHT,
            colour: TINT,
        }));
        let columns = self.columns;
        let places = [
            (columns.description, Align::Left),
            (columns.plan, Align::Left),
            (columns.period_end, Align::Left),
            (columns.source_amount, Align::Right),
            (columns.amount, Align::Right),
            (columns.currency, Align::Left),
        ];
        for (label, (column, align)) in LABELS.into_iter().zip(places) {
            let lines = paragraph(self.pager.shaper, label, LABEL, column.width);
            for line in lines.iter().take(1) {
                self.pager.text(line, column, top + HEADER_PADDING, align);
            }
        }
        self.pager.y = top + HEADER_HEIGHT;
    }

    fn subtotal(&mut self, label: &str, sum: Decimal) {
        self.labelled(label, sum, SUBTOTAL, PADDING);
        self.pager.y += SUBTOTAL_HEIGHT;
    }

    fn total(&mut self) {
        let accent = self.statement.template.accent_colour;
        // The total's rule replaces the last line's.
        let top = self.pager.y - RULE_HEIGHT;
        self.pager.rule(top, TOTAL_RULE_HEIGHT, accent);
        self.labelled("Total", self.statement.total, TOTAL, TOTAL_PADDING);
        self.pager.y += TOTAL_HEIGHT;
    }

    /// Writes a label, an amount in the column of amounts, the payout's currency.
    fn labelled(&mut self, label: &str, amount: Decimal, style: Style, padding: i32) {
        let (columns, top) = (self.columns, self.pager.y + padding);
        let x = columns.description.x;
        let width = columns.amount.x - x;
        for line in paragraph(self.pager.shaper, label, style, width) {
            self.pager.text(&line, Column { x, width }, top, Align::Left);
        }
        self.figure(amount, columns.amount, style, top);
        let x = columns.currency.x;
        let width = RIGHT_EDGE - x;
        let currency = paragraph(self.pager.shaper, &self.statement.currency, style, width);
        for line in currency.iter().take(1) {
            self.pager.text(line, Column { x, width }, top, Align::Left);
        }
    }
}

fn height_of(rows: usize) -> i32 {
    let rows = i32::try_from(rows).expect("texts are bounded");
    rows * CELL.leading + 2 * PADDING + RULE_HEIGHT
}
