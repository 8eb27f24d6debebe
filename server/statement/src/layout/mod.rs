//! A statement to pages of positioned elements, independent of PDF. Lengths are whole thousandths
//! of a point from the top left corner.

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
