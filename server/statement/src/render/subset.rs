//! Subsets of fonts: only the glyphs that a document needs, deflated.
//!
//! Subsets of the embedded faces have whole blocks of characters, so that most documents share a
//! few subsets, which are cached. A subset depends on the glyphs only, not on the cache. Subsets of
//! installed fonts are large and rarely equal, so they are not cached.

use std::{
    collections::{BTreeSet, HashMap},
    ops::RangeInclusive,
    sync::Arc,
};

use parking_lot::Mutex;
use rustybuzz::ttf_parser::{RawFace, Tag};
use sha2::{Digest, Sha256};
use subsetter::GlyphRemapper;

use crate::{
    deflate::deflate,
    fonts::{FaceId, Fonts, Weight},
};

/// Above it, all subsets are dropped and made again.
const ENTRIES_LIMIT: usize = 64;
/// Characters that are embedded together if one of them is needed.
const BLOCKS: [&[RangeInclusive<char>]; 5] = [
    // What nearly every statement has: ASCII, the usual punctuation, ligatures of f.
    &[
        ' '..='~',
        '·'..='·',
        '–'..='—',
        '‘'..='’',
        '“'..='”',
        '…'..='…',
        '€'..='€',
        '−'..='−',
        'ﬀ'..='ﬄ',
    ],
    &['\u{a0}'..='¶', '¸'..='ÿ'],
    &['Ā'..='ſ'],
    &['Ͱ'..='Ͽ'],
    &['Ѐ'..='џ'],
];

/// A subset of a face as a PDF contains it.
pub(super) struct Subset {
    pub(super) outlines: Outlines,
    pub(super) deflated: Vec<u8>,
    /// Bytes before deflation.
    pub(super) length: usize,
    /// Six letters that distinguish subsets of one face.
    pub(super) tag: String,
    /// Codes from here on are free.
    pub(super) first_free_code: u16,
    /// Glyph of the face to glyph of the subset.
    codes: GlyphRemapper,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outlines {
    TrueType,
    Cff,
}

impl Subset {
    /// Returns the glyph's number in the subset, which is its code.
    pub(super) fn code(&self, glyph: u16) -> u16 {
        self.codes.get(glyph).unwrap_or(0)
    }
}

/// Makes subsets, and caches those that most documents need.
pub(crate) struct SubsetCache {
    blocks: HashMap<FaceId, Blocks>,
    entries: Mutex<Entries>,
}

/// Subsets by face and sorted glyphs.
type Entries = HashMap<(FaceId, Vec<u16>), Arc<Subset>>;

#[derive(Default)]
struct Blocks {
    glyphs: Vec<Vec<u16>>,
    block_of: HashMap<u16, usize>,
}

impl SubsetCache {
    pub(crate) fn new(fonts: &Fonts) -> Self {
        let faces = [Weight::Regular, Weight::Bold].map(FaceId::text);
        Self {
            blocks: faces.map(|face| (face, Blocks::of(fonts, face))).into(),
            entries: Mutex::default(),
        }
    }

    /// Returns a subset with these glyphs; `None` if the font is broken or was removed.
    pub(super) fn subset(
        &self,
        fonts: &Fonts,
        face: FaceId,
        glyphs: impl Iterator<Item = u16>,
    ) -> Option<Arc<Subset>> {
        let glyphs = match self.blocks.get(&face) {
            Some(blocks) => blocks.rounded_up(glyphs),
            None => glyphs.collect::<BTreeSet<u16>>().into_iter().collect(),
        };
        if !face.is_embedded() {
            return make(fonts, face, &glyphs).map(Arc::new);
        }
        let key = (face, glyphs);
        let known = self.entries.lock().get(&key).cloned();
        if known.is_some() {
            return known;
        }
        let subset = Arc::new(make(fonts, face, &key.1)?);
        let mut entries = self.entries.lock();
        if entries.len() >= ENTRIES_LIMIT {
            entries.clear();
        }
        entries.insert(key, Arc::clone(&subset));
        Some(subset)
    }
}

impl Blocks {
    fn of(fonts: &Fonts, face: FaceId) -> Self {
        let Some(face) = fonts.face(face) else {
            return Self::default();
        };
        let mut blocks = Self::default();
        for (place, ranges) in BLOCKS.iter().enumerate() {
            let characters = ranges.iter().cloned().flatten();
            let glyphs: Vec<u16> = characters
                .filter_map(|character| face.glyph_index(character))
                .map(|glyph| glyph.0)
                .filter(|glyph| !blocks.block_of.contains_key(glyph))
                .collect();
            blocks.block_of.extend(glyphs.iter().map(|glyph| (*glyph, place)));
            blocks.glyphs.push(glyphs);
        }
        blocks
    }

    fn rounded_up(&self, glyphs: impl Iterator<Item = u16>) -> Vec<u16> {
        let mut places = BTreeSet::new();
        let mut rounded = Vec::new();
        for glyph in glyphs {
            match self.block_of.get(&glyph) {
                Some(place) => {
                    places.insert(*place);
                }
                None => rounded.push(glyph),
            }
        }
        rounded.extend(places.iter().flat_map(|place| &self.glyphs[*place]));
        rounded.sort_unstable();
        rounded.dedup();
        rounded
    }
}

/// `glyphs` are sorted: the same set gives the same bytes.
fn make(fonts: &Fonts, face: FaceId, glyphs: &[u16]) -> Option<Subset> {
    let (bytes, index) = fonts.font_data(face)?;
    let mut codes = GlyphRemapper::new();
    for glyph in glyphs {
        codes.remap(*glyph);
    }
    let subset = subsetter::subset(bytes, index, &codes).ok()?;
    // A PDF embeds only the table of a font with cubic outlines, and the whole file of one with
    // quadratic outlines.
    let cff = RawFace::parse(&subset, 0).ok()?.table(Tag::from_bytes(b"CFF "));
    let (outlines, program) = match cff {
        Some(table) => (Outlines::Cff, table),
        None => (Outlines::TrueType, subset.as_slice()),
    };
    let digest = Sha256::digest(program);
    let letter = |byte: &u8| char::from(b'A' + byte % 26);
    Some(Subset {
        outlines,
        deflated: deflate(program),
        length: program.len(),
        tag: digest.iter().take(6).map(letter).collect(),
        first_free_code: codes.num_gids(),
        codes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::fonts;

    fn glyphs(fonts: &Fonts, text: &str) -> Vec<u16> {
        let face = fonts.face(FaceId::text(Weight::Regular)).unwrap();
        text.chars().map(|one| face.glyph_index(one).unwrap().0).collect()
    }

    #[test]
    fn documents_of_one_alphabet_share_a_subset() {
        let fonts = fonts();
        let subset_cache = SubsetCache::new(fonts);
        let face = FaceId::text(Weight::Regular);
        let subset = |text: &str| {
            let glyphs = glyphs(fonts, text).into_iter();
            subset_cache.subset(fonts, face, glyphs).unwrap()
        };
        let (one, two, greek) = (subset("abc"), subset("xyz, 12"), subset("αβ"));
        assert!(Arc::ptr_eq(&one, &two));
        assert_ne!(one.tag, greek.tag);
        assert_ne!(two.code(glyphs(fonts, "z")[0]), 0);
        assert_eq!(greek.code(glyphs(fonts, "z")[0]), 0);
    }

    #[test]
    fn a_subset_is_the_same_however_many_were_made_before() {
        let fonts = fonts();
        let face = FaceId::text(Weight::Bold);
        let fresh = SubsetCache::new(fonts);
        let used = SubsetCache::new(fonts);
        for glyph in 600..600 + u16::try_from(ENTRIES_LIMIT).unwrap() + 3 {
            assert!(used.subset(fonts, face, std::iter::once(glyph)).is_some());
        }
        assert!(used.entries.lock().len() <= ENTRIES_LIMIT);
        let wanted = || glyphs(fonts, "Σ Total").into_iter();
        let (one, two) = (
            fresh.subset(fonts, face, wanted()).unwrap(),
            used.subset(fonts, face, wanted()).unwrap(),
        );
        assert_eq!(one.deflated, two.deflated);
        assert_eq!(one.tag, two.tag);
    }
}
