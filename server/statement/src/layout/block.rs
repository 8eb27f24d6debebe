//! Paragraphs in a box of a width, and text at a position.

use std::sync::Arc;

use super::{dimensions::Style, page::Text};
use crate::text::{Run, Shaper, TextLine, break_lines, clean, shape_figure};

/// The alignment of a line within its box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
    /// The side on which its paragraph begins.
    Start,
}

#[derive(Clone, Debug)]
pub(super) struct StyledLine {
    pub(super) line: TextLine,
    pub(super) style: Style,
}

impl StyledLine {
    /// Places it in a box that begins at `x` and is `width` wide; `top` is the upper end of the
    /// line.
    pub(super) fn place(&self, x: i32, width: i32, top: i32, align: Align) -> Text {
        let own_width = self.width();
        let at_right = match align {
            Align::Left => false,
            Align::Right => true,
            Align::Start => self.line.right_to_left,
        };
        let x = if at_right { x + width - own_width } else { x };
        let logical_text = self.line.logical_text.clone();
        Text { logical_text, ..text(x, top, own_width, self.style, self.line.runs.clone()) }
    }

    pub(super) fn width(&self) -> i32 {
        scaled(self.line.advance, self.style.size)
    }
}

/// Writes a text as one paragraph.
pub(super) fn paragraph(
    shaper: &mut Shaper<'_>,
    content: &str,
    style: Style,
    width: i32,
) -> Vec<StyledLine> {
    styled(shaper, &clean::one_line(content), style, width)
}

/// Writes a text as paragraphs, its line breaks kept.
pub(super) fn paragraphs(
    shaper: &mut Shaper<'_>,
    content: &str,
    style: Style,
    width: i32,
) -> Vec<StyledLine> {
    let paragraphs = clean::paragraphs(content);
    paragraphs.iter().flat_map(|content| styled(shaper, content, style, width)).collect()
}

/// Writes an amount that ends at `right`.
pub(super) fn figure(
    shaper: &mut Shaper<'_>,
    content: &str,
    style: Style,
    right: i32,
    top: i32,
) -> Text {
    let run = shape_figure(shaper, content, style.weight);
    let width = scaled(run.advance, style.size);
    text(right - width, top, width, style, vec![run])
}

pub(super) fn figure_width(shaper: &mut Shaper<'_>, content: &str, style: Style) -> i32 {
    scaled(shape_figure(shaper, content, style.weight).advance, style.size)
}

fn styled(shaper: &mut Shaper<'_>, content: &str, style: Style, width: i32) -> Vec<StyledLine> {
    // Rounded down: a line may be narrower than its box, never wider.
    let width = i64::from(width) * 1000 / i64::from(style.size);
    let width = i32::try_from(width).unwrap_or(i32::MAX);
    let lines = break_lines(shaper, content, style.weight, width);
    lines.into_iter().map(|line| StyledLine { line, style }).collect()
}

fn text(x: i32, top: i32, width: i32, style: Style, runs: Vec<Arc<Run>>) -> Text {
    // Half of the space between lines, then the height of capitals: capitals are centred in their
    // line.
    let capitals = style.size * CAPITALS_PERCENT / 100;
    Text {
        x,
        y: top + (style.leading + capitals) / 2,
        width,
        size: style.size,
        weight: style.weight,
        colour: style.colour,
        runs,
        logical_text: None,
    }
}

/// Height of capitals of Noto Sans.
const CAPITALS_PERCENT: i32 = 71;

fn scaled(advance: i32, size: i32) -> i32 {
    let scaled = i64::from(advance) * i64::from(size) / 1000;
    i32::try_from(scaled).unwrap_or(i32::MAX)
}

/// Returns true if nothing would be drawn.
pub(super) fn is_blank(content: &str) -> bool {
    clean::one_line(content).is_empty()
}

/// Returns the width of one line of plain text.
pub(super) fn natural_width(shaper: &mut Shaper<'_>, content: &str, style: Style) -> i32 {
    let lines = paragraph(shaper, content, style, i32::MAX / 2);
    lines.iter().map(StyledLine::width).max().unwrap_or(0)
}
