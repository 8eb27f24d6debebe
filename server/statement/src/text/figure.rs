//! Amounts: digits of one width, thousands separated by a small gap. The gap is a position, not a
//! character, and the minus is drawn as a dash: a copied amount is as the API writes it.

use std::sync::Arc;

use super::{
    run::{Glyph, Run, Shape},
    shaper::Shaper,
};
use crate::fonts::{FaceId, Weight};

/// Between thousands. Readers of PDFs take a gap of a tenth of an em as a space.
const GAP: i32 = 80;
/// The figure dash: of the width of a digit, and at the height of a minus.
const MINUS: char = '\u{2012}';

/// Shapes an amount such as `-1234567.89`. The gaps are counted from the point, so that they align
/// in a column.
pub(crate) fn shape_figure(shaper: &mut Shaper<'_>, text: &str, weight: Weight) -> Arc<Run> {
    let face = FaceId::text(weight);
    let point = text.find('.').unwrap_or(text.len());
    let mut glyphs = Vec::with_capacity(text.len());
    for (place, character) in text.char_indices() {
        let drawn = if character == '-' { MINUS } else { character };
        let (id, width) =
            shaper.nominal(face, drawn).expect("the embedded faces have digits, point and minus");
        let digits_left = point.saturating_sub(place + 1);
        let is_thousand =
            character.is_ascii_digit() && digits_left > 0 && digits_left.is_multiple_of(3);
        glyphs.push(Glyph {
            id,
            advance: width + if is_thousand { GAP } else { 0 },
            x_offset: 0,
            y_offset: 0,
            cluster: u32::try_from(place).expect("an amount is short"),
        });
    }
    Arc::new(Run {
        text: text.into(),
        start: 0,
        right_to_left: false,
        advance: glyphs.iter().map(|glyph| glyph.advance).sum(),
        shape: Shape::Glyphs(face, glyphs),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::shaper;

    #[test]
    fn thousands_are_set_apart_from_the_point_without_a_character() {
        let mut shaper = shaper();
        let run = shape_figure(&mut shaper, "-1234567.89", Weight::Regular);
        let Shape::Glyphs(_, glyphs) = &run.shape else {
            panic!("digits are never missing");
        };
        let digit = glyphs[2].advance;
        let apart: Vec<usize> =
            (0..glyphs.len()).filter(|place| glyphs[*place].advance == digit + GAP).collect();
        assert_eq!(apart, [1, 4]);
        assert_eq!(&*run.text, "-1234567.89");
    }
}
