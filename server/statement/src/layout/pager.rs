//! Fills pages from top to bottom; the footer's space is reserved on every page.

use super::{
    block::{Align, StyledLine, paragraph, paragraphs},
    columns::Column,
    dimensions::{
        BOTTOM_MARGIN, CONTENT_WIDTH, GUTTER, HAIRLINE, PAGE_HEIGHT, RIGHT_EDGE, SIDE_MARGIN,
        SMALL, TOP_MARGIN,
    },
    page::{Element, Page, Rectangle},
};
use crate::{colour::Colour, data::Statement, text::Shaper};

/// Lines of the footer that every page repeats; a longer footer is printed once, after the total.
pub(super) const REPEATED_FOOTER_LINES_LIMIT: usize = 6;
/// Reserved for "Page x of y".
const PAGE_NUMBER_WIDTH: i32 = 90_000;
const PAGE_NUMBER: Column = Column { x: RIGHT_EDGE - PAGE_NUMBER_WIDTH, width: PAGE_NUMBER_WIDTH };
const WHOLE_WIDTH: Column = Column { x: SIDE_MARGIN, width: CONTENT_WIDTH };
/// Between the body and the footer's rule, and between the rule and its text.
const FOOTER_AIR: i32 = 14_000;
const FOOTER_PADDING: i32 = 7_000;
const RULE_HEIGHT: i32 = 500;
const RUNNING_HEAD_RULE: i32 = TOP_MARGIN + 4_000;
/// The top of the body on a later page.
const RUNNING_HEAD_END: i32 = TOP_MARGIN + 16_000;

pub(super) struct Pager<'shaper, 'fonts> {
    pub(super) shaper: &'shaper mut Shaper<'fonts>,
    pub(super) pages: Vec<Page>,
    /// The top of the next element.
    pub(super) y: i32,
    /// The end of the body.
    pub(super) bottom: i32,
    running_head: Vec<StyledLine>,
    running_id: Vec<StyledLine>,
    footer: Vec<StyledLine>,
    /// The footer, when it is too long to be repeated.
    pub(super) closing_text: Vec<StyledLine>,
}

impl<'shaper, 'fonts> Pager<'shaper, 'fonts> {
    /// Begins with one empty page.
    pub(super) fn new(shaper: &'shaper mut Shaper<'fonts>, statement: &Statement) -> Self {
        let template = &statement.template;
        let half = (CONTENT_WIDTH - GUTTER) / 2;
        let mut first_line = |content: &str| {
            let mut lines = paragraph(shaper, content, SMALL, half);
            lines.truncate(1);
            lines
        };
        let running_head = first_line(&format!("{} · {}", template.title, statement.partner_name));
        let running_id = first_line(&statement.payout_id);
        let content = template.footer.as_deref().unwrap_or_default();
        let width = CONTENT_WIDTH - PAGE_NUMBER_WIDTH - GUTTER;
        let mut footer = paragraphs(shaper, content, SMALL, width);
        let mut closing_text = Vec::new();
        if footer.len() > REPEATED_FOOTER_LINES_LIMIT {
            footer.clear();
            closing_text = paragraphs(shaper, content, SMALL, CONTENT_WIDTH);
        }
        Self {
            shaper,
            pages: vec![Page::default()],
            y: TOP_MARGIN,
            bottom: footer_rule(&footer) - FOOTER_AIR,
            running_head,
            running_id,
            footer,
            closing_text,
        }
    }

    /// Begins the next page with its running head.
    pub(super) fn new_page(&mut self) {
        self.pages.push(Page::default());
        let top = TOP_MARGIN - SMALL.leading;
        for line in self.running_head.clone() {
            self.text(&line, WHOLE_WIDTH, top, Align::Left);
        }
        for line in self.running_id.clone() {
            self.text(&line, WHOLE_WIDTH, top, Align::Right);
        }
        self.rule(RUNNING_HEAD_RULE, RULE_HEIGHT, HAIRLINE);
        self.y = RUNNING_HEAD_END;
    }

    /// Returns true if the page has only its running head.
    pub(super) fn is_fresh(&self) -> bool {
        self.pages.len() > 1 && self.y == RUNNING_HEAD_END
    }

    pub(super) fn add(&mut self, element: Element) {
        let page = self.pages.last_mut().expect("there is always a page");
        page.elements.push(element);
    }

    pub(super) fn text(&mut self, line: &StyledLine, column: Column, top: i32, align: Align) {
        let text = line.place(column.x, column.width, top, align);
        self.add(Element::Text(text));
    }

    /// Draws a rule over the whole width.
    pub(super) fn rule(&mut self, y: i32, height: i32, colour: Colour) {
        self.add(Element::Rectangle(Rectangle {
            x: SIDE_MARGIN,
            y,
            width: CONTENT_WIDTH,
            height,
            colour,
        }));
    }

    /// Lines below each other, onto as many pages as they need.
    pub(super) fn flow(&mut self, lines: &[StyledLine], x: i32, width: i32) {
        for line in lines {
            if self.y + line.style.leading > self.bottom {
                self.new_page();
            }
            self.text(line, Column { x, width }, self.y, Align::Start);
            self.y += line.style.leading;
        }
    }

    pub(super) fn space(&self) -> i32 {
        self.bottom - self.y
    }

    /// Writes the footers, once the number of pages is known.
    pub(super) fn finish(mut self) -> Vec<Page> {
        let footer = std::mem::take(&mut self.footer);
        let rule = footer_rule(&footer);
        let count = self.pages.len();
        let pages = std::mem::take(&mut self.pages);
        for (index, page) in pages.into_iter().enumerate() {
            self.pages.push(page);
            self.rule(rule, RULE_HEIGHT, HAIRLINE);
            let mut top = rule + FOOTER_PADDING;
            let number = format!("Page {} of {count}", index + 1);
            let number = paragraph(self.shaper, &number, SMALL, PAGE_NUMBER_WIDTH);
            for line in &footer {
                self.text(line, WHOLE_WIDTH, top, Align::Left);
                top += line.style.leading;
            }
            for line in number {
                self.text(&line, PAGE_NUMBER, rule + FOOTER_PADDING, Align::Right);
            }
        }
        self.pages
    }
}

fn footer_rule(footer: &[StyledLine]) -> i32 {
    let footer_lines = i32::try_from(footer.len().max(1)).expect("at most the limit");
    PAGE_HEIGHT - BOTTOM_MARGIN - footer_lines * SMALL.leading - FOOTER_PADDING
}
