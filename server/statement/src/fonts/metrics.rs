//! The numbers of a face that a PDF contains, in thousandths of an em. Widths are rounded once,
//! here, for layout and document.

use rustybuzz::ttf_parser::{self, GlyphId};

/// Lengths are thousandths of an em.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Metrics {
    /// PostScript name, fit for a PDF name.
    pub(crate) name: String,
    pub(crate) ascent: i32,
    pub(crate) descent: i32,
    pub(crate) cap_height: i32,
    pub(crate) bounding_box: [i32; 4],
    /// Degrees; negative leans to the right.
    pub(crate) italic_angle: i32,
    /// 100 to 900.
    pub(crate) weight: u16,
    units_per_em: i32,
}

impl Metrics {
    pub(crate) fn of(face: &ttf_parser::Face<'_>) -> Self {
        let units_per_em = i32::from(face.units_per_em());
        let scale = |units: i16| to_thousandths(i32::from(units), units_per_em);
        let bounds = face.global_bounding_box();
        Self {
            name: name_of(face),
            ascent: scale(face.ascender()),
            descent: scale(face.descender()),
            cap_height: scale(face.capital_height().unwrap_or_else(|| face.ascender())),
            bounding_box: [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max].map(scale),
            italic_angle: italic_angle(face),
            weight: face.weight().to_number(),
            units_per_em,
        }
    }

    /// Font units in thousandths of an em, rounded to the nearest.
    pub(crate) fn thousandths(&self, units: i32) -> i32 {
        to_thousandths(units, self.units_per_em)
    }

    /// Returns the advance of this glyph, without kerning.
    pub(crate) fn width(&self, face: &ttf_parser::Face<'_>, glyph: u16) -> i32 {
        let units = face.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0);
        self.thousandths(i32::from(units))
    }
}

fn to_thousandths(units: i32, units_per_em: i32) -> i32 {
    // ttf-parser rejects a face with fewer than 16 units.
    let doubled = i64::from(units) * 2_000 + i64::from(units_per_em);
    let rounded = doubled.div_euclid(i64::from(units_per_em) * 2);
    i32::try_from(rounded).unwrap_or(0)
}

#[expect(
    clippy::disallowed_types,
    reason = "the table holds degrees as a fraction; they are rounded here"
)]
fn italic_angle(face: &ttf_parser::Face<'_>) -> i32 {
    let degrees: f32 = face.italic_angle();
    degrees.round() as i32
}

fn name_of(face: &ttf_parser::Face<'_>) -> String {
    const POST_SCRIPT_NAME: u16 = 6;
    /// PDF names have at most 127 bytes, and a subset's tag needs seven.
    const LENGTH_LIMIT: usize = 100;
    let names = face.names().into_iter();
    let name = names
        .filter(|name| name.name_id == POST_SCRIPT_NAME)
        .find_map(|name| name.to_string())
        .unwrap_or_default();
    let safe = |character: &char| character.is_ascii_alphanumeric() || *character == '-';
    let name: String = name.chars().filter(safe).take(LENGTH_LIMIT).collect();
    if name.is_empty() { "Unnamed".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_rounded_to_the_nearest_thousandth() {
        assert_eq!(to_thousandths(572, 1000), 572);
        assert_eq!(to_thousandths(1, 2048), 0);
        assert_eq!(to_thousandths(1024, 2048), 500);
        assert_eq!(to_thousandths(2047, 2048), 1000);
        assert_eq!(to_thousandths(-1024, 2048), -500);
    }
}
