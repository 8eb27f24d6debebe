//! A statement to pages of positioned elements, independent of PDF. Lengths are whole thousandths of a
//! point from the top left corner.
//!
//! | module | owns |
//! |---|---|
//! | [`page`] | what a layout is: pages, elements, and both as text |
//! | [`dimensions`] | lengths, type sizes, greys |
//! | [`block`] | paragraphs in a box of a width |
//! | [`pager`] | pages being filled from top to bottom, with header and footer |
//! | [`head`] | title, logo, the three columns, the note |
//! | [`columns`] | how wide the table's columns are |
//! | [`table`] | the lines, carried over from page to page, and the total |
//! | [`compose`] | [`layout`] itself: the order of all this |

mod block;
mod columns;
mod compose;
mod dimensions;
mod head;
mod page;
mod pager;
mod table;
#[cfg(test)]
mod tests;

pub use compose::LayoutError;
pub(crate) use compose::layout;
pub(crate) use dimensions::PAGE_HEIGHT;
pub(crate) use page::Layout;
pub(crate) use page::{Element, Image, Page, Rectangle, Text};
