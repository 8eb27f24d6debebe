//! Glyphs as pictures: their outlines, each once in a document. PDF has no quadratic curves, so
//! they become cubic, exactly.

#![expect(
    clippy::disallowed_types,
    clippy::float_arithmetic,
    reason = "fonts give outlines in floats; no amount of money comes here"
)]

use std::fmt::Write;

use printpdf::{DictItem, ExternalStream, ExternalXObject, XObjectId};
use rustybuzz::ttf_parser::{Face, GlyphId, OutlineBuilder};

use crate::{deflate::deflate, fonts::FaceId};

/// Steps of a font unit: points between two others are on halves, cubic curves on thirds of those.
const STEPS: i32 = 6;

pub(super) fn picture_name(face: FaceId, glyph: u16) -> XObjectId {
    XObjectId(format!("G{}-{glyph}", face.number()))
}

pub(super) fn steps_per_em(face: &Face<'_>) -> i32 {
    i32::from(face.units_per_em()) * STEPS
}

/// Returns the outline of a glyph, filled, at its origin, in [`steps_per_em`].
pub(super) fn picture_of(face: &Face<'_>, glyph: u16) -> ExternalXObject {
    let mut path = Path::default();
    let bounds = face.outline_glyph(GlyphId(glyph), &mut path);
    path.commands.push_str("f\n");
    let bounds = bounds.map_or([0; 4], |bounds| {
        // A little larger: the box of cubic outlines is rounded.
        let [x, y] = [bounds.x_min, bounds.y_min].map(|least| i32::from(least) - 1);
        let [right, top] = [bounds.x_max, bounds.y_max].map(|most| i32::from(most) + 1);
        [x, y, right, top].map(|bound| bound * STEPS)
    });
    let bounds = bounds.map(|bound| DictItem::Int(bound.into()));
    let dictionary =
        [("Subtype", DictItem::Name("Form".into())), ("BBox", DictItem::Array(bounds.into()))];
    let content = deflate(path.commands.as_bytes());
    deflated_object(dictionary, content)
}

/// Returns an object that pages refer to, with its content deflated.
pub(super) fn deflated_object<const ENTRIES: usize>(
    dictionary: [(&str, DictItem); ENTRIES],
    content: Vec<u8>,
) -> ExternalXObject {
    let name = |name: &str| DictItem::Name(name.into());
    let common = [("Type", name("XObject")), ("Filter", name("FlateDecode"))];
    let entries = common.into_iter().chain(dictionary);
    ExternalXObject {
        stream: ExternalStream {
            dict: entries.map(|(key, value)| (key.to_owned(), value)).collect(),
            content,
            compress: false,
        },
        width: None,
        height: None,
        dpi: None,
    }
}

#[derive(Default)]
struct Path {
    commands: String,
    x: f32,
    y: f32,
}

impl Path {
    fn command(&mut self, points: &[(f32, f32)], operator: char) {
        let step = |length: f32| (f64::from(length) * f64::from(STEPS)).round() as i64;
        for (x, y) in points {
            write!(self.commands, "{} {} ", step(*x), step(*y)).expect("a string takes every text");
            (self.x, self.y) = (*x, *y);
        }
        self.commands.push(operator);
        self.commands.push('\n');
    }
}

impl OutlineBuilder for Path {
    fn move_to(&mut self, x: f32, y: f32) {
        self.command(&[(x, y)], 'm');
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.command(&[(x, y)], 'l');
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let towards = |from: f32, to: f32| (from + 2.0 * to) / 3.0;
        let (from_x, from_y) = (self.x, self.y);
        self.command(
            &[(towards(from_x, x1), towards(from_y, y1)), (towards(x, x1), towards(y, y1)), (x, y)],
            'c',
        );
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.command(&[(x1, y1), (x2, y2), (x, y)], 'c');
    }

    fn close(&mut self) {
        self.commands.push_str("h\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outlines_are_whole_numbers_and_quadratic_curves_cubic() {
        let mut path = Path::default();
        path.move_to(0.0, 0.0);
        path.line_to(10.5, -3.0);
        path.quad_to(20.0, 0.0, 30.5, 7.0);
        path.curve_to(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
        path.close();
        assert_eq!(
            path.commands,
            "0 0 m\n63 -18 l\n101 -6 141 14 183 42 c\n6 12 18 24 30 36 c\nh\n"
        );
    }
}
