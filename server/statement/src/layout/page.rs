//! A layout: pages of positioned elements.

use std::sync::Arc;

use crate::{colour::Colour, fonts::Weight, logo::Logo, text::Run};

/// A statement, laid out.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) pages: Vec<Page>,
    pub(crate) logo: Option<Logo>,
}

/// One page; text is in reading order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Page {
    pub(crate) elements: Vec<Element>,
}

/// Lengths are thousandths of a point from the top left corner.
#[derive(Clone, Debug)]
pub(crate) enum Element {
    Text(Text),
    Rectangle(Rectangle),
    /// The layout's logo.
    Image(Image),
}

/// One line of text.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) x: i32,
    pub(crate) y: i32,
    #[cfg_attr(not(test), expect(dead_code, reason = "for tests"))]
    pub(crate) width: i32,
    pub(crate) size: i32,
    #[cfg_attr(not(test), expect(dead_code, reason = "for tests"))]
    pub(crate) weight: Weight,
    pub(crate) colour: Colour,
    /// Runs from left to right.
    pub(crate) runs: Vec<Arc<Run>>,
    /// The text in logical order, if the runs have both directions.
    pub(crate) logical_text: Option<Box<str>>,
}

/// A filled rectangle; a rule is a low one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rectangle {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
    pub(crate) colour: Colour,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Image {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

#[cfg(test)]
mod tests;
