//! A statement to pages of positioned elements.
//!
//! | file | owns |
//! |---|---|
//! | [`page`] | what a layout is: pages, elements, and both as text |
//! | [`dimensions`] | the paper: lengths, sizes, greys |
//! | [`block`] | paragraphs in a box of a width |
//! | [`pager`] | pages being filled from top to bottom, with header and footer |
//! | [`head`] | title, logo, the three columns, the note |
//! | [`columns`] | how wide the table's columns are |
//! | [`table`] | the lines, carried over from page to page, and the total |
//! | [`compose`] | [`layout`] itself: the order of all this |
//!
//! It refuses to know PDF, and it refuses fractions: lengths are whole thousandths of a point, measured from the top
//! left corner.

mod block;
mod columns;
mod compose;
mod head;
mod page;
mod pager;
mod dimensions;
mod table;
#[cfg(test)]
mod tests;

pub use compose::{LayoutError, layout};
pub use page::Layout;
pub(crate) use page::{Element, Image, Page, Rectangle, Text};
pub(crate) use dimensions::PAGE_HEIGHT;
