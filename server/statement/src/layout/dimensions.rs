//! Lengths in thousandths of a point, type sizes, greys.

use crate::{colour::Colour, fonts::Weight};

/// A4.
pub(crate) const PAGE_WIDTH: i32 = 595_276;
/// A4.
pub(crate) const PAGE_HEIGHT: i32 = 841_890;

/// Left and right: 18 mm.
pub(super) const SIDE_MARGIN: i32 = 51_024;
pub(super) const TOP_MARGIN: i32 = 51_024;
pub(super) const BOTTOM_MARGIN: i32 = 39_685;
/// Between both margins.
pub(super) const CONTENT_WIDTH: i32 = PAGE_WIDTH - 2 * SIDE_MARGIN;
/// Right end of the content.
pub(super) const RIGHT_EDGE: i32 = PAGE_WIDTH - SIDE_MARGIN;

/// Between the columns of the head, and between title and logo.
pub(super) const GUTTER: i32 = 24_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    pub(super) weight: Weight,
    /// Thousandths of a point.
    pub(super) size: i32,
    /// The distance from one baseline to the next.
    pub(super) leading: i32,
    pub(super) colour: Colour,
}

pub(super) const INK: Colour = Colour::new(0x1a, 0x1d, 0x21);
/// Labels; 7 to 1 against white.
pub(super) const GREY: Colour = Colour::new(0x55, 0x5b, 0x64);
/// Rules between lines.
pub(super) const HAIRLINE: Colour = Colour::new(0xd9, 0xdc, 0xe1);
/// Behind the table's header.
pub(super) const TINT: Colour = Colour::new(0xf2, 0xf4, 0xf6);

const fn style(weight: Weight, size: i32, leading: i32, colour: Colour) -> Style {
    Style { weight, size, leading, colour }
}

pub(super) const TITLE: Style = style(Weight::Bold, 21_000, 26_000, INK);
/// A title of several lines.
pub(super) const LONG_TITLE: Style = style(Weight::Bold, 14_000, 18_000, INK);
pub(super) const LABEL: Style = style(Weight::Bold, 7_000, 10_000, GREY);
pub(super) const BODY: Style = style(Weight::Regular, 9_000, 13_000, INK);
pub(super) const NAME: Style = style(Weight::Bold, 9_000, 13_000, INK);
pub(super) const CELL: Style = style(Weight::Regular, 8_500, 12_000, INK);
pub(super) const SUBTOTAL: Style = style(Weight::Regular, 8_500, 12_000, GREY);
pub(super) const TOTAL: Style = style(Weight::Bold, 10_500, 14_000, INK);
pub(super) const SMALL: Style = style(Weight::Regular, 7_000, 9_500, GREY);
