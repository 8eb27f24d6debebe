//! Words that many documents share, shaped once in a process. Only words in the embedded faces are
//! cached: so shaping them again gives the same.

use std::collections::HashMap;

use parking_lot::RwLock;

use super::{
    run::{Run, Shape},
    shaper::{ShapeKey, Shaped},
};
use crate::fonts::Weight;

/// Above it, all words are dropped and cached again. About 4 MiB.
const WORDS_LIMIT: usize = 8_192;
/// Longer words are mostly ids, which are not repeated.
const WORD_BYTES_LIMIT: usize = 32;

#[derive(Default)]
pub(crate) struct ShapeCache {
    words: [RwLock<HashMap<Box<str>, Shaped>>; 2],
}

impl ShapeCache {
    pub(super) fn get(&self, word: &str, key: ShapeKey) -> Option<Shaped> {
        let words = self.words(key.weight).read();
        words.get(word).filter(|_| !key.right_to_left).cloned()
    }

    pub(super) fn insert(&self, word: &str, key: ShapeKey, shaped: &Shaped) {
        let is_kept = !key.right_to_left
            && word.len() <= WORD_BYTES_LIMIT
            && shaped.iter().all(|run| is_embedded(run));
        if is_kept {
            let mut words = self.words(key.weight).write();
            if words.len() >= WORDS_LIMIT {
                words.clear();
            }
            words.insert(word.into(), Shaped::clone(shaped));
        }
    }

    fn words(&self, weight: Weight) -> &RwLock<HashMap<Box<str>, Shaped>> {
        &self.words[weight as usize]
    }
}

fn is_embedded(run: &Run) -> bool {
    matches!(run.shape, Shape::Glyphs(face, _) if face.is_embedded())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Shaper;
    use crate::{fixtures::fonts, fonts::HanVariant};

    const KEY: ShapeKey = ShapeKey {
        weight: Weight::Regular,
        right_to_left: false,
        han_variant: HanVariant::Chinese,
    };

    #[test]
    fn only_words_of_the_embedded_faces_are_kept() {
        let fonts = fonts();
        let shape_cache = ShapeCache::default();
        let bold = ShapeKey { weight: Weight::Bold, ..KEY };
        let right_to_left = ShapeKey { right_to_left: true, ..KEY };
        let mut shaper = Shaper::new(fonts, &shape_cache);
        let long = "x".repeat(WORD_BYTES_LIMIT + 1);
        for word in ["Renewal", "中", &long] {
            shaper.shape(word, KEY);
        }
        shaper.shape("بيت", right_to_left);
        assert!(shape_cache.get("Renewal", KEY).is_some());
        assert!(shape_cache.get("Renewal", bold).is_none());
        for word in ["中", &long, "بيت"] {
            assert!(shape_cache.get(word, KEY).is_none(), "{word}");
        }
        assert!(shape_cache.get("بيت", right_to_left).is_none());
    }

    #[test]
    fn a_kept_word_is_what_shaping_it_gives_and_their_number_is_bounded() {
        let fonts = fonts();
        let shape_cache = ShapeCache::default();
        for index in 0..WORDS_LIMIT + 10 {
            Shaper::new(fonts, &shape_cache).shape(&format!("AV{index}"), KEY);
        }
        assert!(shape_cache.words(Weight::Regular).read().len() <= WORDS_LIMIT);
        let last = format!("AV{}", WORDS_LIMIT + 9);
        let nothing = ShapeCache::default();
        let anew = Shaper::new(fonts, &nothing).shape(&last, KEY);
        assert_eq!(shape_cache.get(&last, KEY), Some(anew));
    }
}
