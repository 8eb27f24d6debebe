//! Which glyphs a document uses, and how each of them represents its text.
//!
//! Readers of PDFs map codes back to characters one by one, from left to right. So a code has one
//! text. Where that is not enough (a ligature read from right to left, a mark above a letter, a
//! second meaning of a glyph, a character that no font has), the glyphs are drawn as pictures, and
//! invisible text in their place has the characters.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::Arc,
};

use crate::{
    fonts::{FaceId, Fonts, Weight},
    layout::{Element, Layout},
    text::{Run, Shape, Span},
};

/// The digits of the codes of missing characters.
const HEXADECIMAL: &str = "0123456789ABCDEF";
/// Missing characters whose codes are drawn. With more of them a whole font is missing, which
/// frames show as well, and the file remains small.
pub(super) const DRAWN_CODES_LIMIT: usize = 2_000;

#[derive(Debug, Default)]
pub(super) struct Usage {
    /// Glyphs that are written, with the one text that each represents.
    pub(super) faces: BTreeMap<FaceId, BTreeMap<u16, Box<str>>>,
    /// Blank glyphs of [`plain_face`].
    pub(super) invisible_texts: BTreeSet<InvisibleText>,
    /// Glyphs that are drawn as pictures.
    pub(super) pictures: BTreeSet<(FaceId, u16)>,
    /// Lines of both directions.
    pub(super) logical_texts: LogicalTexts,
    /// Characters that no font has.
    missing: usize,
}

/// Texts in logical order, each with its number.
pub(super) type LogicalTexts = BTreeMap<Box<str>, usize>;

/// A blank glyph that represents a text, so many thousandths of an em wide.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct InvisibleText {
    pub(super) width: i32,
    pub(super) text: Box<str>,
}

impl Usage {
    pub(super) fn of(layout: &Layout, fonts: &Fonts) -> Self {
        let mut usage = Self::default();
        let mut seen = HashSet::new();
        let elements = layout.pages.iter().flat_map(|page| &page.elements);
        for element in elements {
            let Element::Text(text) = element else {
                continue;
            };
            if let Some(logical_text) = &text.logical_text {
                let number = usage.logical_texts.len();
                usage.logical_texts.entry(logical_text.clone()).or_insert(number);
            }
            for run in &text.runs {
                if matches!(run.shape, Shape::Missing(_)) {
                    usage.missing += 1;
                }
                // Words are shared: each is visited once.
                if seen.insert(Arc::as_ptr(run)) {
                    usage.add(run, fonts);
                }
            }
        }
        if !usage.invisible_texts.is_empty() {
            // Invisible texts need their font, even if nothing else is written with it.
            let space = glyphs_of(" ", fonts).into_iter().map(|glyph| (glyph, " ".into()));
            let plain = usage.faces.entry(plain_face()).or_default();
            for (glyph, text) in space {
                plain.entry(glyph).or_insert(text);
            }
        }
        usage
    }

    /// Returns true if frames of missing characters contain the character's code.
    pub(super) fn draws_codes(&self) -> bool {
        self.missing <= DRAWN_CODES_LIMIT
    }

    fn add(&mut self, run: &Run, fonts: &Fonts) {
        match &run.shape {
            Shape::Glyphs(face, _) => {
                for span in run.spans() {
                    self.add_span(&span, *face, run.right_to_left);
                }
            }
            Shape::Missing(_) => {
                let digits = glyphs_of(HEXADECIMAL, fonts).into_iter();
                self.pictures.extend(digits.map(|glyph| (plain_face(), glyph)));
                self.invisible_texts.insert(invisible_text_of(run));
            }
        }
    }

    fn add_span(&mut self, span: &Span<'_>, face: FaceId, right_to_left: bool) {
        if let [glyph] = span.glyphs
            && is_one_code(span.text, right_to_left)
        {
            let known = self.faces.entry(face).or_default();
            known.entry(glyph.id).or_insert_with(|| span.text.into());
        }
        if !self.is_plain(span, face, right_to_left) {
            let glyphs = span.glyphs.iter().map(|glyph| (face, glyph.id));
            self.pictures.extend(glyphs);
            self.invisible_texts.extend(invisible_texts(span, right_to_left));
        }
    }

    /// Returns true if the span's glyph represents its text; the whole document must be known.
    pub(super) fn is_plain(&self, span: &Span<'_>, face: FaceId, right_to_left: bool) -> bool {
        let [glyph] = span.glyphs else {
            return false;
        };
        let known = self.faces.get(&face).and_then(|face| face.get(&glyph.id));
        is_one_code(span.text, right_to_left) && known.is_some_and(|known| **known == *span.text)
    }
}

/// Returns true if one code can represent it: readers garble several characters of one code where
/// they read from right to left.
fn is_one_code(text: &str, right_to_left: bool) -> bool {
    !right_to_left || text.chars().nth(1).is_none()
}

/// Returns the characters of a span, from left to right, sharing its width.
pub(super) fn invisible_texts(span: &Span<'_>, right_to_left: bool) -> Vec<InvisibleText> {
    let width: i32 = span.glyphs.iter().map(|glyph| glyph.advance).sum();
    let mut characters: Vec<char> = span.text.chars().collect();
    if right_to_left {
        characters.reverse();
    }
    let count = i32::try_from(characters.len()).expect("a cluster is short");
    let end = |place: i32| width.max(0) * place / count;
    (0..count)
        .zip(characters)
        .map(|(place, character)| InvisibleText {
            width: end(place + 1) - end(place),
            text: character.to_string().into(),
        })
        .collect()
}

/// Represents a character that no font has.
pub(super) fn invisible_text_of(missing: &Run) -> InvisibleText {
    InvisibleText { width: missing.advance, text: missing.text.clone() }
}

/// Returns the face of invisible texts, and of the codes of missing characters.
pub(super) fn plain_face() -> FaceId {
    FaceId::text(Weight::Regular)
}

/// Returns the glyphs of characters that [`plain_face`] has.
pub(super) fn glyphs_of(text: &str, fonts: &Fonts) -> Vec<u16> {
    let face = fonts.face(plain_face()).expect("the embedded faces are always there");
    text.chars().filter_map(|character| face.glyph_index(character)).map(|glyph| glyph.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Glyph;

    fn glyphs(ids: &[u16]) -> Vec<Glyph> {
        let glyph =
            |id: &u16| Glyph { id: *id, advance: 250, x_offset: 0, y_offset: 0, cluster: 0 };
        ids.iter().map(glyph).collect()
    }

    fn invisible(width: i32, text: &str) -> InvisibleText {
        InvisibleText { width, text: text.into() }
    }

    #[test]
    fn a_glyph_maps_to_its_first_text_and_an_invisible_one_to_the_second() {
        let one = glyphs(&[7]);
        let hyphen = Span { glyphs: &one, text: "-" };
        let minus = Span { glyphs: &one, text: "\u{2212}" };
        let mut usage = Usage::default();
        usage.add_span(&hyphen, plain_face(), false);
        usage.add_span(&minus, plain_face(), false);
        assert!(usage.is_plain(&hyphen, plain_face(), false));
        assert!(!usage.is_plain(&minus, plain_face(), false));
        assert_eq!(usage.invisible_texts, [invisible(250, "\u{2212}")].into());
    }

    #[test]
    fn ligature_is_plain_from_left_to_right_and_a_picture_from_right_to_left() {
        let one = glyphs(&[7]);
        let latin = Span { glyphs: &one, text: "ffi" };
        let arabic = Span { glyphs: &one, text: "لا" };
        let mut usage = Usage::default();
        usage.add_span(&latin, plain_face(), false);
        assert!(usage.is_plain(&latin, plain_face(), false) && usage.pictures.is_empty());
        usage.add_span(&arabic, plain_face(), true);
        assert!(!usage.is_plain(&arabic, plain_face(), true));
        assert_eq!(invisible_texts(&arabic, true), [invisible(125, "ا"), invisible(125, "ل")]);
        assert_eq!(usage.pictures, [(plain_face(), 7)].into());
    }

    #[test]
    fn invisible_texts_share_the_whole_width() {
        let three = glyphs(&[7, 8, 9]);
        let span = Span { glyphs: &three, text: "a\u{301}\u{302}b" };
        let texts = invisible_texts(&span, false);
        let widths: i32 = texts.iter().map(|text| text.width).sum();
        assert_eq!(widths, 750);
    }
}
