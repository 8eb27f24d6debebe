//! The head of the first page: title and logo, issuer, partner and payout, the note. What does not
//! fit is continued on the next page.

use chrono::{DateTime, Utc};

use super::{
    block::{Align, StyledLine, is_blank, natural_width, paragraph, paragraphs},
    columns::Column,
    dimensions::{
        BODY, CONTENT_WIDTH, GUTTER, LABEL, LONG_TITLE, NAME, RIGHT_EDGE, SIDE_MARGIN, Style, TITLE,
    },
    page::{Element, Image, Rectangle},
    pager::Pager,
};
use crate::{
    data::{Issuer, Statement},
    logo::Logo,
    text::Shaper,
};

/// The box the logo is fitted into.
const LOGO_WIDTH: i32 = 150_000;
const LOGO_HEIGHT: i32 = 44_000;
const ACCENT_HEIGHT: i32 = 2_000;
/// The column of details is as wide as the payout's id, within these bounds.
const LEAST_DETAILS: i32 = 120_000;
const GREATEST_DETAILS: i32 = 190_000;
/// Between a label and its value.
const LABEL_AIR: i32 = 2_000;
/// Between two labelled values below each other.
const VALUE_AIR: i32 = 5_000;
/// Between the parts of the head.
const PART_AIR: i32 = 22_000;
/// The accent at the note's left, and the indentation.
const NOTE_BAR: i32 = 2_000;
const NOTE_INDENT: i32 = 12_000;

/// Writes a UTC date as ISO 8601.
pub(super) fn date(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%d").to_string()
}

pub(super) fn write(pager: &mut Pager<'_, '_>, statement: &Statement) {
    title(pager, statement);
    pager.rule(pager.y, ACCENT_HEIGHT, statement.template.accent_colour);
    pager.y += ACCENT_HEIGHT + PART_AIR;
    parties(pager, statement);
    if let Some(note) = statement.note.as_deref().filter(|note| !is_blank(note)) {
        write_note(pager, statement, note);
    }
}

fn title(pager: &mut Pager<'_, '_>, statement: &Statement) {
    let template = &statement.template;
    let logo = template.logo.as_ref().map(fitted);
    let logo_width = logo.map_or(0, |(width, _)| width + GUTTER);
    let width = CONTENT_WIDTH - logo_width;
    let mut lines = paragraph(pager.shaper, &template.title, TITLE, width);
    if lines.len() > 1 {
        lines = paragraph(pager.shaper, &template.title, LONG_TITLE, width);
    }
    let lines_height: i32 = lines.iter().map(|line| line.style.leading).sum();
    let top = pager.y;
    let logo_height = logo.map_or(0, |(_, height)| height);
    // Both end at the same height, a little above the accent.
    let height = lines_height.max(logo_height);
    if let Some((width, height_of_logo)) = logo {
        pager.add(Element::Image(Image {
            x: RIGHT_EDGE - width,
            y: top + (height - height_of_logo).min(LOGO_HEIGHT),
            width,
            height: height_of_logo,
        }));
    }
    pager.y = top + height - lines_height;
    pager.flow(&lines, SIDE_MARGIN, width);
    pager.y += 10_000;
}

/// Returns the logo's size on paper: as large as its box allows, in proportion.
fn fitted(logo: &Logo) -> (i32, i32) {
    let (width, height) = (i64::from(logo.width_pixels), i64::from(logo.height_pixels));
    let (box_width, box_height) = (i64::from(LOGO_WIDTH), i64::from(LOGO_HEIGHT));
    let fitted = if width * box_height > height * box_width {
        (box_width, (height * box_width / width).max(1))
    } else {
        ((width * box_height / height).max(1), box_height)
    };
    let narrow = |length: i64| i32::try_from(length).expect("no longer than the box");
    (narrow(fitted.0), narrow(fitted.1))
}

/// Three columns side by side, continued together on the next page.
fn parties(pager: &mut Pager<'_, '_>, statement: &Statement) {
    let id_width = natural_width(pager.shaper, &statement.payout_id, BODY);
    let details_width = id_width.clamp(LEAST_DETAILS, GREATEST_DETAILS);
    let party_width = (CONTENT_WIDTH - 2 * GUTTER - details_width) / 2;
    let widths = [party_width, party_width, details_width];
    let shaper = &mut *pager.shaper;
    let columns = [
        issuer(TextColumn::new(shaper, party_width), &statement.issuer),
        recipient(TextColumn::new(shaper, party_width), statement),
        details(TextColumn::new(shaper, details_width), statement),
    ];
    let mut rests: [&[Row]; 3] = [&columns[0], &columns[1], &columns[2]];
    let mut lowest = pager.y;
    while rests.iter().any(|rest| !rest.is_empty()) {
        let top = pager.y;
        let mut x = SIDE_MARGIN;
        for (rest, width) in rests.iter_mut().zip(widths) {
            let mut y = top;
            while let Some((row, next)) = rest.split_first() {
                let is_first = y == top;
                let above = if is_first { 0 } else { row.above };
                if y + above + row.line.style.leading > pager.bottom {
                    break;
                }
                pager.text(&row.line, Column { x, width }, y + above, Align::Left);
                y += above + row.line.style.leading;
                *rest = next;
            }
            lowest = lowest.max(y);
            x += width + GUTTER;
        }
        if rests.iter().any(|rest| !rest.is_empty()) {
            pager.new_page();
            lowest = pager.y;
        }
    }
    pager.y = lowest + PART_AIR;
}

/// A line of a column, with the space above it.
struct Row {
    above: i32,
    line: StyledLine,
}

fn rows(lines: Vec<StyledLine>, above: i32) -> impl Iterator<Item = Row> {
    let above = std::iter::once(above).chain(std::iter::repeat(0));
    lines.into_iter().zip(above).map(|(line, above)| Row { above, line })
}

struct TextColumn<'shaper, 'fonts> {
    shaper: &'shaper mut Shaper<'fonts>,
    width: i32,
    rows: Vec<Row>,
}

impl<'shaper, 'fonts> TextColumn<'shaper, 'fonts> {
    fn new(shaper: &'shaper mut Shaper<'fonts>, width: i32) -> Self {
        Self { shaper, width, rows: Vec::new() }
    }

    fn add(&mut self, content: &str, style: Style, above: i32) {
        if !is_blank(content) {
            let lines = paragraph(self.shaper, content, style, self.width);
            self.rows.extend(rows(lines, above));
        }
    }

    fn add_labelled(&mut self, label: &str, content: &str) {
        if !is_blank(content) {
            self.add(label, LABEL, VALUE_AIR);
            self.add(content, BODY, LABEL_AIR);
        }
    }
}

fn issuer(mut column: TextColumn<'_, '_>, issuer: &Issuer) -> Vec<Row> {
    column.add("From", LABEL, 0);
    column.add(&issuer.legal_name, NAME, LABEL_AIR);
    column.add(&issuer.address_line_1, BODY, 0);
    column.add(issuer.address_line_2.as_deref().unwrap_or_default(), BODY, 0);
    column.add(&format!("{} {}", issuer.postal_code, issuer.city), BODY, 0);
    column.add(&issuer.country, BODY, 0);
    column.add(&issuer.finance_email, BODY, VALUE_AIR);
    for (label, number) in
        [("Company no.", &issuer.company_number), ("VAT no.", &issuer.vat_number)]
    {
        if let Some(number) = number.as_deref().filter(|number| !is_blank(number)) {
            column.add(&format!("{label} {number}"), BODY, 0);
        }
    }
    column.rows
}

fn recipient(mut column: TextColumn<'_, '_>, statement: &Statement) -> Vec<Row> {
    column.add("To", LABEL, 0);
    column.add(&statement.partner_name, NAME, LABEL_AIR);
    column.rows
}

fn details(mut column: TextColumn<'_, '_>, statement: &Statement) -> Vec<Row> {
    let period = format!("{} to {}", date(statement.period_start), date(statement.period_end));
    column.add_labelled("Period", &period);
    column.add_labelled("Payout", &statement.payout_id);
    column.add_labelled("PO number", statement.po_number.as_deref().unwrap_or_default());
    column.rows
}

fn write_note(pager: &mut Pager<'_, '_>, statement: &Statement, note: &str) {
    let width = CONTENT_WIDTH - NOTE_INDENT;
    let mut lines = paragraph(pager.shaper, "Note", LABEL, width);
    lines.extend(paragraphs(pager.shaper, note, BODY, width));
    let mut top = pager.y;
    let bar = |pager: &mut Pager<'_, '_>, top: i32| {
        let bar = Rectangle {
            x: SIDE_MARGIN,
            y: top,
            width: NOTE_BAR,
            height: pager.y - top,
            colour: statement.template.accent_colour,
        };
        pager.add(Element::Rectangle(bar));
    };
    for line in &lines {
        if line.style.leading > pager.space() {
            if pager.y > top {
                bar(pager, top);
            }
            pager.new_page();
            top = pager.y;
        }
        pager.flow(std::slice::from_ref(line), SIDE_MARGIN + NOTE_INDENT, width);
    }
    bar(pager, top);
    pager.y += PART_AIR;
}
