//! Characters to glyphs, each word once in a document.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use rustybuzz::{BufferFlags, Direction, Face, Script, ShapePlan, UnicodeBuffer, shape_with_plan};

use super::{
    clean::is_invisible,
    run::{Glyph, Run, Shape},
    shape_cache::ShapeCache,
};
use crate::fonts::{FaceId, Fonts, HanVariant, Metrics, Weight};

/// Characters that the embedded faces lack, drawn as others of the same look, and copied as
/// themselves.
const DRAWN_AS: [(char, char); 1] = [('\u{2212}', '\u{2013}')];
/// Longest shift of a mark: many marks on one letter would cover other lines.
const SHIFT_LIMIT: i32 = 400;
/// Width of the box of a missing character.
const MISSING_ADVANCE: i32 = 900;

/// Everything but its characters that decides how a word is shaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ShapeKey {
    pub(crate) weight: Weight,
    pub(crate) right_to_left: bool,
    pub(crate) han_variant: HanVariant,
}

/// Runs from left to right on paper.
pub(crate) type Shaped = Arc<[Arc<Run>]>;

pub(crate) struct Shaper<'fonts> {
    fonts: &'fonts Fonts,
    shape_cache: &'fonts ShapeCache,
    faces: HashMap<FaceId, Option<Typeface<'fonts>>>,
    words: HashMap<ShapeKey, HashMap<Box<str>, Shaped>>,
    buffer: Option<UnicodeBuffer>,
}

struct Typeface<'fonts> {
    face: Cow<'fonts, Face<'fonts>>,
    metrics: Cow<'fonts, Metrics>,
    plans: HashMap<(Direction, Script), ShapePlan>,
}

impl<'fonts> Shaper<'fonts> {
    pub(crate) fn new(fonts: &'fonts Fonts, shape_cache: &'fonts ShapeCache) -> Self {
        Self { fonts, shape_cache, faces: HashMap::new(), words: HashMap::new(), buffer: None }
    }

    /// Shapes a word, or any text of one direction without line breaks.
    pub(crate) fn shape(&mut self, text: &str, key: ShapeKey) -> Shaped {
        if let Some(known) = self.words.get(&key).and_then(|words| words.get(text)) {
            return Arc::clone(known);
        }
        if let Some(shared) = self.shape_cache.get(text, key) {
            return self.remember(text, key, shared);
        }
        let mut runs: Vec<Arc<Run>> = self
            .faces_of(text, key)
            .into_iter()
            .map(|(face, start, end)| Arc::new(self.run(text, start, end, face, key)))
            .collect();
        if key.right_to_left {
            runs.reverse();
        }
        let shaped: Shaped = runs.into();
        self.shape_cache.insert(text, key, &shaped);
        self.remember(text, key, shaped)
    }

    fn remember(&mut self, text: &str, key: ShapeKey, shaped: Shaped) -> Shaped {
        let words = self.words.entry(key).or_default();
        words.insert(text.into(), Arc::clone(&shaped));
        shaped
    }

    /// Returns a box instead of a character that is wider than its line.
    pub(crate) fn boxed(text: &str) -> Shaped {
        let character = text.chars().find(|character| !is_invisible(*character));
        Arc::new([Arc::new(Run {
            text: text.into(),
            start: 0,
            right_to_left: false,
            shape: Shape::Missing(character.unwrap_or(char::REPLACEMENT_CHARACTER)),
            advance: MISSING_ADVANCE,
        })])
    }

    /// Returns the glyph of a character and its advance in a face that has it.
    pub(crate) fn nominal(&mut self, face: FaceId, character: char) -> Option<(u16, i32)> {
        let typeface = self.typeface(face)?;
        let glyph = typeface.face.glyph_index(character)?.0;
        Some((glyph, typeface.metrics.width(&typeface.face, glyph)))
    }

    /// Cuts the text where the face changes. A mark, a joiner or a space has the face before it.
    fn faces_of(&self, text: &str, key: ShapeKey) -> Vec<(Option<FaceId>, usize, usize)> {
        let mut pieces: Vec<(Option<FaceId>, usize, usize)> = Vec::new();
        let mut invisible_from = None;
        for (start, character) in text.char_indices() {
            let end = start + character.len_utf8();
            if is_invisible(character) {
                match pieces.last_mut() {
                    Some(piece) => piece.2 = end,
                    None => invisible_from = invisible_from.or(Some(start)),
                }
                continue;
            }
            let drawn = drawn_as(character);
            let face = self.fonts.face_of(drawn, key.weight, key.han_variant);
            match pieces.last_mut() {
                // Each missing character has its own box.
                Some(piece) if piece.0 == face && face.is_some() => piece.2 = end,
                _ => {
                    let start = invisible_from.take().unwrap_or(start);
                    pieces.push((face, start, end));
                }
            }
        }
        pieces
    }

    fn run(
        &mut self,
        text: &str,
        start: usize,
        end: usize,
        face: Option<FaceId>,
        key: ShapeKey,
    ) -> Run {
        let piece = &text[start..end];
        let glyphs = face.and_then(|face| Some((face, self.glyphs(piece, face, key)?)));
        let (shape, advance) = match glyphs {
            Some((face, glyphs)) => {
                let advance = glyphs.iter().map(|glyph| glyph.advance).sum();
                (Shape::Glyphs(face, glyphs), advance)
            }
            None => {
                let drawn = piece.chars().find(|character| !is_invisible(*character));
                let character = drawn.unwrap_or(char::REPLACEMENT_CHARACTER);
                (Shape::Missing(character), MISSING_ADVANCE)
            }
        };
        Run {
            text: piece.into(),
            start: u32::try_from(start).expect("printed texts are bounded"),
            right_to_left: key.right_to_left,
            shape,
            advance,
        }
    }

    fn glyphs(&mut self, text: &str, face: FaceId, key: ShapeKey) -> Option<Vec<Glyph>> {
        let mut buffer = self.buffer.take().unwrap_or_default();
        for (start, character) in text.char_indices() {
            let start = u32::try_from(start).expect("printed texts are bounded");
            buffer.add(drawn_as(character), start);
        }
        buffer.set_direction(if key.right_to_left {
            Direction::RightToLeft
        } else {
            Direction::LeftToRight
        });
        buffer.set_flags(BufferFlags::REMOVE_DEFAULT_IGNORABLES);
        buffer.guess_segment_properties();
        let Typeface { face, metrics, plans } = self.typeface(face)?;
        let (direction, script) = (buffer.direction(), buffer.script());
        // A plan costs as much as shaping twenty words.
        let new_plan = || ShapePlan::new(face, direction, Some(script), None, &[]);
        let plan = plans.entry((direction, script)).or_insert_with(new_plan);
        let shaped = shape_with_plan(face, plan, buffer);
        let glyphs = shaped
            .glyph_infos()
            .iter()
            .zip(shaped.glyph_positions())
            .map(|(info, position)| Glyph {
                id: u16::try_from(info.glyph_id).unwrap_or(0),
                advance: metrics.thousandths(position.x_advance),
                x_offset: metrics.thousandths(position.x_offset),
                y_offset: metrics.thousandths(position.y_offset).clamp(-SHIFT_LIMIT, SHIFT_LIMIT),
                cluster: info.cluster,
            })
            .collect();
        self.buffer = Some(shaped.clear());
        Some(glyphs)
    }

    fn typeface(&mut self, id: FaceId) -> Option<&mut Typeface<'fonts>> {
        let fonts = self.fonts;
        let load = || {
            Some(Typeface {
                face: fonts.face(id)?,
                metrics: fonts.metrics(id)?,
                plans: HashMap::new(),
            })
        };
        self.faces.entry(id).or_insert_with(load).as_mut()
    }
}

fn drawn_as(character: char) -> char {
    let found = DRAWN_AS.iter().find(|(from, _)| *from == character);
    found.map_or(character, |(_, to)| *to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::shaper;

    const KEY: ShapeKey = ShapeKey {
        weight: Weight::Regular,
        right_to_left: false,
        han_variant: HanVariant::Chinese,
    };
    const RIGHT_TO_LEFT: ShapeKey = ShapeKey { right_to_left: true, ..KEY };

    fn glyph_ids(run: &Run) -> Vec<u16> {
        match &run.shape {
            Shape::Glyphs(_, glyphs) => glyphs.iter().map(|glyph| glyph.id).collect(),
            Shape::Missing(_) => Vec::new(),
        }
    }

    #[test]
    fn arabic_letters_join_and_stand_from_right_to_left() {
        let mut shaper = shaper();
        let word = shaper.shape("بيت", RIGHT_TO_LEFT);
        let alone: Vec<u16> = "بيت"
            .chars()
            .flat_map(|letter| {
                let mut text = [0; 4];
                glyph_ids(&shaper.shape(letter.encode_utf8(&mut text), RIGHT_TO_LEFT)[0])
            })
            .collect();
        let joined = glyph_ids(&word[0]);
        assert!(joined.iter().all(|glyph| !alone.contains(glyph)), "{joined:?} {alone:?}");
        let texts: Vec<&str> = word[0].spans().iter().map(|span| span.text).collect();
        assert_eq!(texts, ["ت", "ي", "ب"]);
    }

    #[test]
    fn text_is_cut_where_the_face_changes() {
        let mut shaper = shaper();
        let texts = |shaped: &Shaped| -> Vec<String> {
            shaped.iter().map(|run| run.text.to_string()).collect()
        };
        assert_eq!(texts(&shaper.shape("aαя€", KEY)), ["aαя€"]);
        assert_eq!(texts(&shaper.shape("aب中国b", KEY)), ["a", "ب", "中", "国", "b"]);
        assert_eq!(texts(&shaper.shape("aب", RIGHT_TO_LEFT)), ["ب", "a"]);
    }

    #[test]
    fn invisible_characters_are_not_drawn() {
        let mut shaper = shaper();
        for text in ["\u{200f}a\u{200d}\u{2067}\u{fe0f}b\u{200b}", "a\u{2060}b"] {
            let shaped = shaper.shape(text, KEY);
            assert_eq!(shaped.len(), 1, "{text:?}");
            assert_eq!(glyph_ids(&shaped[0]).len(), 2, "{text:?}");
        }
        assert!(shaper.shape("\u{200f}\u{200d}", KEY).is_empty());
    }

    #[test]
    fn piled_marks_do_not_climb() {
        let mut shaper = shaper();
        let shaped = shaper.shape(&format!("a{}", "\u{30a}".repeat(200)), KEY);
        let Shape::Glyphs(_, glyphs) = &shaped[0].shape else {
            panic!("the face has the mark");
        };
        assert!(glyphs.iter().any(|glyph| glyph.y_offset == SHIFT_LIMIT));
        assert!(glyphs.iter().all(|glyph| glyph.y_offset.abs() <= SHIFT_LIMIT));
    }
}
