//! Runs of glyphs to text operations. Lengths are whole thousandths until they become PDF's
//! decimals here.

#![expect(
    clippy::disallowed_types,
    clippy::float_arithmetic,
    reason = "printpdf takes lengths and colours as floats; no amount of money comes here"
)]

use std::collections::BTreeMap;

use printpdf::{Color, DictItem, FontId, Op, PdfFontHandle, Point, Pt, Rgb};

use super::{
    marked_text,
    resources::{DocumentFont, resource_name},
    usage::{InvisibleText, Usage, glyphs_of, invisible_text_of, invisible_texts, plain_face},
};
use crate::{
    colour::Colour,
    fonts::{FaceId, Fonts},
    layout::{PAGE_HEIGHT, Rectangle, Text},
    text::{Glyph, Run, Shape, Span},
};

/// The frame of a missing character, in thousandths of an em: left, bottom, width, height, stroke.
const FRAME: [i32; 5] = [50, -140, 800, 860, 40];
/// Size of the digits in it, their distance, and the baselines of their two rows.
const CODE_SIZE: i32 = 380;
const CODE_ADVANCE: i32 = 235;
const CODE_BASELINES: [i32; 2] = [330, -70];

pub(super) fn points(thousandths: i32) -> f32 {
    // In doubles first: the nearest single then prints with the fewest digits.
    (f64::from(thousandths) / 1000.0) as f32
}

/// Returns the length of a step of a picture, in points.
pub(super) fn points_per_step(size: i32, steps_per_em: i32) -> f32 {
    (f64::from(size) / 1000.0 / f64::from(steps_per_em)) as f32
}

pub(super) fn colour(colour: Colour) -> Color {
    let part = |part: u8| ((f64::from(part) / 255.0 * 1000.0).round() / 1000.0) as f32;
    Color::Rgb(Rgb {
        r: part(colour.red),
        g: part(colour.green),
        b: part(colour.blue),
        icc_profile: None,
    })
}

/// Writes one page's texts.
pub(super) struct Pen<'a> {
    fonts: &'a Fonts,
    usage: &'a Usage,
    document_fonts: &'a BTreeMap<FaceId, DocumentFont<'a>>,
    pub(super) operations: Vec<Op>,
    /// Frames of missing characters; PDF has them outside of the text, and pictures too.
    pub(super) frames: Vec<Frame>,
    pub(super) pictures: Vec<Picture>,
    font: Option<(FaceId, i32)>,
    colour: Option<Colour>,
    rise: i32,
    origin: (i32, i32),
    line: Line,
}

/// The frame of a missing character, from the lower left corner of the page.
pub(super) struct Frame {
    pub(super) area: Rectangle,
    pub(super) stroke: i32,
}

/// A glyph that is drawn as a picture, from the lower left corner of the page.
pub(super) struct Picture {
    pub(super) face: FaceId,
    pub(super) glyph: u16,
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) size: i32,
    pub(super) colour: Colour,
}

/// The operands of one `TJ`.
#[derive(Default)]
struct Line {
    items: Vec<DictItem>,
    codes: Vec<u8>,
    /// The move to the right before the next code, in thousandths of an em.
    gap: i32,
}

impl<'a> Pen<'a> {
    pub(super) fn new(
        fonts: &'a Fonts,
        usage: &'a Usage,
        document_fonts: &'a BTreeMap<FaceId, DocumentFont<'a>>,
    ) -> Self {
        Self {
            fonts,
            usage,
            document_fonts,
            operations: Vec::new(),
            frames: Vec::new(),
            pictures: Vec::new(),
            font: None,
            colour: None,
            rise: 0,
            origin: (0, 0),
            line: Line::default(),
        }
    }

    pub(super) fn text(&mut self, text: &Text) {
        if self.colour != Some(text.colour) {
            self.colour = Some(text.colour);
            let col = colour(text.colour);
            self.operations.push(Op::SetFillColor { col });
        }
        let mut origin =
            TextOrigin { x: text.x, y: PAGE_HEIGHT - text.y, size: text.size, colour: text.colour };
        let mut is_placed = false;
        if let Some(logical_text) = &text.logical_text {
            let number = self.usage.logical_texts[logical_text];
            self.operations.extend(marked_text::begin(logical_text, number));
        }
        for run in &text.runs {
            let face = match &run.shape {
                Shape::Glyphs(face, _) => *face,
                Shape::Missing(_) => plain_face(),
            };
            self.select(face, text.size);
            if !is_placed {
                self.move_to(origin.x, origin.y);
                is_placed = true;
            }
            match &run.shape {
                Shape::Glyphs(face, glyphs) => self.run(run, *face, glyphs, origin),
                Shape::Missing(character) => self.missing(run, *character, origin),
            }
            origin.x += scaled(run.advance, text.size);
        }
        self.show();
        if text.logical_text.is_some() {
            self.operations.extend(marked_text::end());
        }
        self.raise(0, text.size);
    }

    fn select(&mut self, face: FaceId, size: i32) {
        // A face that only gives pictures is no font of the document.
        if self.font != Some((face, size)) && self.document_fonts.contains_key(&face) {
            self.show();
            self.font = Some((face, size));
            self.operations.push(Op::SetFont {
                font: PdfFontHandle::External(FontId(resource_name(face, self.document_fonts))),
                size: Pt(points(size)),
            });
        }
    }

    fn move_to(&mut self, x: i32, y: i32) {
        self.line.gap = 0;
        // Relative to the beginning of the previous text.
        let (from_x, from_y) = std::mem::replace(&mut self.origin, (x, y));
        self.operations.push(Op::SetTextCursor {
            pos: Point { x: Pt(points(x - from_x)), y: Pt(points(y - from_y)) },
        });
    }

    fn run(&mut self, run: &Run, face: FaceId, glyphs: &[Glyph], mut origin: TextOrigin) {
        let font = self.document_fonts.get(&face);
        if let Some(font) = font.filter(|font| font.maps_all(run)) {
            for glyph in glyphs {
                self.glyph(*glyph, font, origin.size);
            }
            return;
        }
        for span in run.spans() {
            let is_plain = self.usage.is_plain(&span, face, run.right_to_left);
            match font.filter(|_| is_plain) {
                Some(font) => {
                    self.select(face, origin.size);
                    for glyph in span.glyphs {
                        self.glyph(*glyph, font, origin.size);
                    }
                }
                None => {
                    self.picture(&span, face, origin);
                    self.invisible_span(&span, run.right_to_left, origin.size);
                }
            }
            let advance = span.glyphs.iter().map(|glyph| glyph.advance).sum();
            origin.x += scaled(advance, origin.size);
        }
    }

    fn glyph(&mut self, glyph: Glyph, font: &DocumentFont<'_>, size: i32) {
        if glyph.y_offset != self.rise {
            self.raise(glyph.y_offset, size);
        }
        let (code, width) = font.code_and_width(glyph.id);
        self.line.gap += glyph.x_offset;
        self.line.code(code);
        self.line.gap += glyph.advance - width - glyph.x_offset;
    }

    fn picture(&mut self, span: &Span<'_>, face: FaceId, origin: TextOrigin) {
        let mut pen = 0;
        for glyph in span.glyphs {
            self.pictures.push(Picture {
                face,
                glyph: glyph.id,
                x: origin.x + scaled(pen + glyph.x_offset, origin.size),
                y: origin.y + scaled(glyph.y_offset, origin.size),
                size: origin.size,
                colour: origin.colour,
            });
            pen += glyph.advance;
        }
    }

    /// Writes the characters of a span as invisible text.
    fn invisible_span(&mut self, span: &Span<'_>, right_to_left: bool, size: i32) {
        self.raise(0, size);
        let mut written = 0;
        for text in invisible_texts(span, right_to_left) {
            self.invisible(&text, size);
            written += text.width;
        }
        let drawn: i32 = span.glyphs.iter().map(|glyph| glyph.advance).sum();
        self.line.gap += drawn - written;
    }

    fn invisible(&mut self, text: &InvisibleText, size: i32) {
        self.select(plain_face(), size);
        if let Some(font) = self.document_fonts.get(&plain_face()) {
            self.line.code(font.invisible_code(text));
        }
    }

    fn raise(&mut self, rise: i32, size: i32) {
        if rise != self.rise {
            self.show();
            self.rise = rise;
            self.operations.push(Op::SetLineOffset { multiplier: points(scaled(rise, size)) });
        }
    }

    fn show(&mut self) {
        self.line.end_codes();
        if !self.line.items.is_empty() {
            let items = std::mem::take(&mut self.line.items);
            self.operations
                .push(Op::Unknown { key: "TJ".to_owned(), value: vec![DictItem::Array(items)] });
        }
    }

    /// Draws a frame with the character's code in two rows; its copied text is the character.
    fn missing(&mut self, run: &Run, character: char, origin: TextOrigin) {
        let em = |thousandths: i32| scaled(thousandths, origin.size);
        let [left, bottom, width, height, stroke] = FRAME.map(em);
        self.frames.push(Frame {
            area: Rectangle {
                x: origin.x + left,
                y: origin.y + bottom,
                width,
                height,
                colour: origin.colour,
            },
            stroke,
        });
        if self.usage.draws_codes() {
            self.code(character, [origin.x + left, origin.y], width, origin);
        }
        self.raise(0, origin.size);
        self.invisible(&invisible_text_of(run), origin.size);
    }

    fn code(&mut self, character: char, [left, y]: [i32; 2], width: i32, origin: TextOrigin) {
        let em = |thousandths: i32| scaled(thousandths, origin.size);
        let code = format!("{:04X}", u32::from(character));
        let (upper, lower) = code.split_at(code.len() / 2);
        for (row, baseline) in [upper, lower].into_iter().zip(CODE_BASELINES) {
            let digits = glyphs_of(row, self.fonts);
            let count = i32::try_from(digits.len()).expect("a code has six digits at most");
            let mut x = left + (width - count * em(CODE_ADVANCE)) / 2;
            for glyph in digits {
                self.pictures.push(Picture {
                    face: plain_face(),
                    glyph,
                    x,
                    y: y + em(baseline),
                    size: em(CODE_SIZE),
                    colour: origin.colour,
                });
                x += em(CODE_ADVANCE);
            }
        }
    }
}

/// The begin of a run, from the lower left corner of the page, and its look.
#[derive(Clone, Copy)]
struct TextOrigin {
    x: i32,
    y: i32,
    size: i32,
    colour: Colour,
}

impl Line {
    fn code(&mut self, code: u16) {
        if self.gap != 0 {
            self.end_codes();
            // `TJ` counts to the left.
            self.items.push(DictItem::Int(i64::from(-self.gap)));
            self.gap = 0;
        }
        self.codes.extend(code.to_be_bytes());
    }

    fn end_codes(&mut self) {
        if !self.codes.is_empty() {
            self.items
                .push(DictItem::String { data: std::mem::take(&mut self.codes), literal: true });
        }
    }
}

fn scaled(thousandths: i32, size: i32) -> i32 {
    let scaled = i64::from(thousandths) * i64::from(size) / 1000;
    i32::try_from(scaled).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_colours_print_with_three_digits_at_most() {
        assert_eq!(points(51_024).to_string(), "51.024");
        assert_eq!(points(841_890).to_string(), "841.89");
        assert_eq!(points(-140).to_string(), "-0.14");
        let Color::Rgb(rgb) = colour(Colour::new(0x0f, 0xff, 0)) else {
            panic!("colours are RGB");
        };
        assert_eq!((rgb.r, rgb.g, rgb.b), (0.059, 1.0, 0.0));
    }
}
