//! Statement to PDF: the one door.
//!
//! It refuses to be made per document: fonts are parsed once, and it is shared by all threads.

use super::{
    data::Statement,
    fonts::{FontSource, Fonts, FontsError},
    layout::{LayoutError, layout},
    render::{SubsetCache, RenderError, render},
    text::ShapeCache,
};

/// Turns statements into PDFs.
#[derive(Debug)]
pub struct Typesetter {
    fonts: Fonts,
    subset_cache: SubsetCache,
    shape_cache: ShapeCache,
}

/// Why a statement cannot be typeset.
#[derive(Debug, thiserror::Error)]
pub enum TypesetError {
    /// The statement is at fault.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A font is at fault, or we are.
    #[error(transparent)]
    Render(#[from] RenderError),
}

impl Typesetter {
    /// Loads the fonts.
    ///
    /// # Errors
    /// The given folder cannot be listed.
    pub fn new(source: &FontSource) -> Result<Self, FontsError> {
        let fonts = Fonts::load(source)?;
        let subset_cache = SubsetCache::new(&fonts);
        Ok(Self {
            fonts,
            subset_cache,
            shape_cache: ShapeCache::default(),
        })
    }

    /// The statement as a PDF (§4.7). It takes processor time, a millisecond for 25 lines and more for thousands:
    /// call it where blocking is allowed.
    ///
    /// # Errors
    /// The statement contradicts itself, or an installed font cannot be embedded.
    pub fn typeset(&self, statement: &Statement) -> Result<Vec<u8>, TypesetError> {
        let layout = layout(statement, &self.fonts, &self.shape_cache)?;
        Ok(render(&layout, &self.fonts, &self.subset_cache)?)
    }
}
