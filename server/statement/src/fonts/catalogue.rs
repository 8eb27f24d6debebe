//! All faces behind one id, and which of them draws a character. A character that no face draws is
//! shown as missing, never as one that looks alike.

use std::{borrow::Cow, collections::HashMap, path::PathBuf};

use parking_lot::Mutex;
use rustybuzz::Face;

use super::{
    embedded::{self, Embedded},
    installed::Installed,
    metrics::Metrics,
    missing::MissingScripts,
};

/// Which fonts draw what the embedded faces lack (Chinese, emoji, …).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FontSource {
    System,
    /// One folder with all folders below it.
    Folder(PathBuf),
    /// Draws characters that the embedded faces lack as missing.
    EmbeddedOnly,
}

#[derive(Debug, thiserror::Error)]
pub enum FontsError {
    /// The folder of [`FontSource::Folder`] cannot be listed.
    #[error(
        "the font folder {folder} cannot be read: {reason}. Name one that this user may list with \
         --font-folder"
    )]
    Folder { folder: PathBuf, reason: std::io::Error },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// Which regional shapes of Han characters a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum HanVariant {
    Chinese,
    Japanese,
    Korean,
}

impl HanVariant {
    /// Chooses by a script that only one of them has; Chinese otherwise.
    pub(crate) fn of(text: &str) -> Self {
        let found = text.chars().find_map(|character| match character {
            '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9d}' => {
                Some(Self::Japanese)
            }
            '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{ac00}'..='\u{d7a3}' => {
                Some(Self::Korean)
            }
            _ => None,
        });
        found.unwrap_or(Self::Chinese)
    }
}

/// One face; the embedded ones come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FaceId(u32);

impl FaceId {
    /// Returns the embedded face that Latin text is set in.
    pub(crate) fn text(weight: Weight) -> Self {
        Self(weight as u32)
    }

    /// Returns true if the face is compiled in.
    pub(crate) fn is_embedded(self) -> bool {
        (self.0 as usize) < embedded::COUNT
    }

    pub(crate) fn embedded_index(self) -> Option<usize> {
        self.is_embedded().then_some(self.0 as usize)
    }

    /// Unique in a process; the same for the same fonts.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    fn installed_index(self) -> Option<usize> {
        (self.0 as usize).checked_sub(embedded::COUNT)
    }
}

/// Above it, the cache is emptied.
const CACHED_CHARACTERS_LIMIT: usize = 16_384;

type FaceQuery = (char, Weight, HanVariant);

/// The typefaces, loaded once and shared by all documents.
pub(crate) struct Fonts {
    embedded: [Embedded; embedded::COUNT],
    installed: Installed,
    cached: Mutex<HashMap<FaceQuery, Option<FaceId>>>,
    missing: MissingScripts,
}

impl Fonts {
    /// Parses the embedded faces and lists the others, which are read when first needed.
    pub(crate) fn load(source: &FontSource) -> Result<Self, FontsError> {
        Ok(Self {
            embedded: embedded::load(),
            installed: Installed::list(source)?,
            cached: Mutex::default(),
            missing: MissingScripts::default(),
        })
    }

    /// Returns the face that draws this character.
    pub(crate) fn face_of(
        &self,
        character: char,
        weight: Weight,
        han_variant: HanVariant,
    ) -> Option<FaceId> {
        let embedded = (0_u32..)
            .zip(&self.embedded)
            .filter(|(_, face)| face.weight == weight)
            .find(|(_, face)| face.face.glyph_index(character).is_some());
        if let Some((index, _)) = embedded {
            return Some(FaceId(index));
        }
        let query = (character, weight, han_variant);
        let known = self.cached.lock().get(&query).copied();
        if let Some(known) = known {
            return known;
        }
        // Concurrent threads find the same: it depends on the listed fonts only.
        let index = self.installed.face_of(character, weight, han_variant);
        let found = index.map(|index| FaceId(index + embedded::COUNT as u32));
        if found.is_none() {
            self.missing.report(character);
        }
        let mut cached = self.cached.lock();
        if cached.len() >= CACHED_CHARACTERS_LIMIT {
            cached.clear();
        }
        cached.insert(query, found);
        found
    }

    /// Returns the face, ready to shape text; `None` if an installed font was removed since it was
    /// listed.
    pub(crate) fn face(&self, id: FaceId) -> Option<Cow<'_, Face<'_>>> {
        match self.embedded_face(id) {
            Some(embedded) => Some(Cow::Borrowed(&embedded.face)),
            None => {
                let (bytes, index) = self.font_data(id)?;
                Face::from_slice(bytes, index).map(Cow::Owned)
            }
        }
    }

    /// Returns the font's file and the face's index in it.
    pub(crate) fn font_data(&self, id: FaceId) -> Option<(&[u8], u32)> {
        match self.embedded_face(id) {
            Some(embedded) => Some((embedded.bytes, 0)),
            None => self.installed.font_data(id.installed_index()?),
        }
    }

    pub(crate) fn metrics(&self, id: FaceId) -> Option<Cow<'_, Metrics>> {
        match self.embedded_face(id) {
            Some(embedded) => Some(Cow::Borrowed(&embedded.metrics)),
            None => Some(Cow::Owned(Metrics::of(&*self.face(id)?))),
        }
    }

    fn embedded_face(&self, id: FaceId) -> Option<&Embedded> {
        self.embedded.get(id.embedded_index()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_greek_cyrillic_euro_and_arabic_need_no_other_font() {
        let fonts = Fonts::load(&FontSource::EmbeddedOnly).unwrap();
        for weight in [Weight::Regular, Weight::Bold] {
            for character in "AzÀßŁőđαΩЖяіўẾ€£–—’„«…·ابتيگپچ،؟٣۵".chars()
            {
                let face = fonts.face_of(character, weight, HanVariant::Chinese);
                assert!(face.is_some(), "{character} {weight:?}");
            }
        }
        let bold = fonts.face_of('A', Weight::Bold, HanVariant::Chinese);
        assert_eq!(bold, Some(FaceId::text(Weight::Bold)));
    }

    #[test]
    fn kana_and_hangul_tell_whose_han_shapes_are_meant() {
        assert_eq!(HanVariant::of("株式会社ノルド"), HanVariant::Japanese);
        assert_eq!(HanVariant::of("韓國 회사"), HanVariant::Korean);
        assert_eq!(HanVariant::of("上海贸易有限公司"), HanVariant::Chinese);
    }

    #[test]
    fn folder_that_is_not_there_is_named() {
        let source = FontSource::Folder("no/such/folder".into());
        let error = Fonts::load(&source).err().unwrap().to_string();
        assert!(error.starts_with("the font folder no/such/folder cannot be read"), "{error}");
    }
}
