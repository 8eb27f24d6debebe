//! Statement to PDF. Fonts are parsed once, and shared by all threads.

use super::{
    data::Statement,
    fonts::{FontSource, Fonts, FontsError},
    layout::{LayoutError, layout},
    render::{RenderError, SubsetCache, render},
    text::ShapeCache,
};

pub struct Typesetter {
    fonts: Fonts,
    subset_cache: SubsetCache,
    shape_cache: ShapeCache,
}

#[derive(Debug, thiserror::Error)]
pub enum TypesetError {
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error(transparent)]
    Render(#[from] RenderError),
}

impl Typesetter {
    pub fn new(source: &FontSource) -> Result<Self, FontsError> {
        let fonts = Fonts::load(source)?;
        let subset_cache = SubsetCache::new(&fonts);
        Ok(Self { fonts, subset_cache, shape_cache: ShapeCache::default() })
    }

    /// Writes the statement as a PDF (§4.7). It blocks: a millisecond for 25 lines, more for
    /// thousands.
    pub fn typeset(&self, statement: &Statement) -> Result<Vec<u8>, TypesetError> {
        let layout = layout(statement, &self.fonts, &self.shape_cache)?;
        Ok(render(&layout, &self.fonts, &self.subset_cache)?)
    }
}
