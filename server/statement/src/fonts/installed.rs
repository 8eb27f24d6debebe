//! The fonts of the system or of a folder: an index, an order of preference, and what each face can
//! draw. Faces without outlines, or whose licence forbids embedding, are skipped.

use std::{collections::HashMap, fs, path::PathBuf, sync::OnceLock};

use fontdb::{Database, Source, Stretch, Style};
use rustybuzz::ttf_parser::{self, GlyphId, Permissions, Tag};

use super::catalogue::{FontSource, FontsError, HanVariant, Weight};

/// Preferred families by Han variant; others follow by their name.
const CHINESE: &str = include_str!("families/chinese.txt");
const JAPANESE: &str = include_str!("families/japanese.txt");
const KOREAN: &str = include_str!("families/korean.txt");
/// One-coloured emoji and symbols.
const SYMBOLS: &str = include_str!("families/symbols.txt");

/// A face of an installed font.
struct Candidate {
    family: String,
    is_bold: bool,
    file: usize,
    index: u32,
    coverage: OnceLock<Vec<(u32, u32)>>,
}

/// All installed faces, in one order for each [`HanVariant`].
pub(super) struct Installed {
    candidates: Vec<Candidate>,
    files: Vec<File>,
    /// Indexes in `candidates`.
    orders: [Vec<usize>; 3],
}

struct File {
    path: PathBuf,
    /// Read at its first use.
    bytes: OnceLock<Option<Vec<u8>>>,
}

impl Installed {
    /// Lists the faces; of each font only the names are parsed.
    pub(super) fn list(source: &FontSource) -> Result<Self, FontsError> {
        let mut database = Database::new();
        match source {
            FontSource::EmbeddedOnly => {}
            FontSource::System => database.load_system_fonts(),
            FontSource::Folder(folder) => {
                fs::read_dir(folder)
                    .map_err(|reason| FontsError::Folder { folder: folder.clone(), reason })?;
                database.load_fonts_dir(folder);
            }
        }
        Ok(Self::of(&database))
    }

    fn of(database: &Database) -> Self {
        let mut rows: Vec<_> = database.faces().filter_map(Row::of).collect();
        rows.sort();
        rows.dedup();
        let mut places = HashMap::new();
        let mut files = Vec::new();
        let mut candidates = Vec::new();
        for row in rows {
            let file = *places.entry(row.path.clone()).or_insert_with(|| {
                files.push(File { path: row.path, bytes: OnceLock::new() });
                files.len() - 1
            });
            candidates.push(Candidate {
                family: row.family,
                is_bold: row.is_bold,
                file,
                index: row.index,
                coverage: OnceLock::new(),
            });
        }
        let orders = [CHINESE, JAPANESE, KOREAN].map(|preferred| {
            let mut order: Vec<usize> = (0..candidates.len()).collect();
            // A stable sort: equals keep the order of the rows.
            order.sort_by_cached_key(|place| rank(&candidates[*place].family, preferred));
            order
        });
        Self { candidates, files, orders }
    }

    /// Returns the first face that draws the character; for bold text the bold one of its family,
    /// if any.
    pub(super) fn face_of(
        &self,
        character: char,
        weight: Weight,
        han_variant: HanVariant,
    ) -> Option<u32> {
        let order = &self.orders[han_variant as usize];
        let draws = |place: &&usize| self.draws(**place, character);
        let regular = order.iter().filter(|place| !self.candidates[**place].is_bold).find(draws);
        let bold = || {
            let family = regular.map(|place| self.candidates[*place].family.as_str());
            order
                .iter()
                .filter(|place| {
                    let candidate = &self.candidates[**place];
                    candidate.is_bold && family.is_none_or(|family| family == candidate.family)
                })
                .find(draws)
        };
        let found = match weight {
            Weight::Regular => regular.or_else(bold),
            Weight::Bold => bold().or(regular),
        };
        found.and_then(|place| u32::try_from(*place).ok())
    }

    /// Returns the file of a face, and its index in it; `None` if it can no longer be read.
    pub(super) fn font_data(&self, place: usize) -> Option<(&[u8], u32)> {
        let candidate = self.candidates.get(place)?;
        let file = &self.files[candidate.file];
        let bytes = file.bytes.get_or_init(|| fs::read(&file.path).ok());
        Some((bytes.as_deref()?, candidate.index))
    }

    fn draws(&self, place: usize, character: char) -> bool {
        let candidate = &self.candidates[place];
        let coverage = candidate.coverage.get_or_init(|| {
            let file = &self.files[candidate.file];
            match file.bytes.get() {
                Some(bytes) => bytes.as_deref().map(|bytes| coverage_of(bytes, candidate.index)),
                // Read for its coverage only and dropped: a folder may contain hundreds.
                None => fs::read(&file.path).ok().map(|bytes| coverage_of(&bytes, candidate.index)),
            }
            .unwrap_or_default()
        });
        let code = u32::from(character);
        let after = coverage.partition_point(|(first, _)| *first <= code);
        let covered = after > 0 && code <= coverage[after - 1].1;
        covered && self.has_outline(place, character)
    }

    /// A colour font also lists characters that it draws with pictures only.
    fn has_outline(&self, place: usize, character: char) -> bool {
        if character.is_whitespace() {
            return true;
        }
        let face = self
            .font_data(place)
            .and_then(|(bytes, index)| ttf_parser::Face::parse(bytes, index).ok());
        face.is_some_and(|face| {
            let glyph = face.glyph_index(character).filter(|glyph| glyph.0 != 0);
            glyph.is_some_and(|glyph| is_drawn(&face, glyph))
        })
    }
}

/// Sorts faces, by its fields in this order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    family: String,
    is_bold: bool,
    /// Distance from the normal width.
    stretch: u16,
    /// Distance from 400, or from 700 for a bold one.
    distance: u16,
    path: PathBuf,
    index: u32,
}

impl Row {
    fn of(face: &fontdb::FaceInfo) -> Option<Self> {
        let Source::File(path) = &face.source else {
            return None;
        };
        if face.style != Style::Normal {
            return None;
        }
        let is_bold = face.weight.0 >= 600;
        Some(Self {
            family: face.families.first()?.0.clone(),
            is_bold,
            stretch: face.stretch.to_number().abs_diff(Stretch::Normal.to_number()),
            distance: face.weight.0.abs_diff(if is_bold { 700 } else { 400 }),
            path: path.clone(),
            index: face.index,
        })
    }
}

/// Lower is preferred.
fn rank(family: &str, preferred: &str) -> usize {
    let plain_sans = !["Mono", "Serif", "Color", "Colour", "Naskh", "Nastaliq", "Display"]
        .iter()
        .any(|part| family.contains(part));
    let lists = [preferred, CHINESE, JAPANESE, KOREAN, SYMBOLS];
    let mut listed = lists.iter().flat_map(|list| list.lines());
    let after_lists = listed.clone().count();
    match listed.position(|name| name == family) {
        Some(place) => place,
        None if plain_sans && family.starts_with("Noto Sans") => after_lists,
        None if plain_sans => after_lists + 1,
        None => after_lists + 2,
    }
}

/// Returns the characters a face maps, as sorted ranges; empty if the face cannot be embedded.
fn coverage_of(bytes: &[u8], index: u32) -> Vec<(u32, u32)> {
    let Ok(face) = ttf_parser::Face::parse(bytes, index) else {
        return Vec::new();
    };
    let raw = face.raw_face();
    let has_outlines =
        [b"glyf", b"CFF "].iter().any(|tag| raw.table(Tag::from_bytes(tag)).is_some());
    let is_forbidden = face.permissions() == Some(Permissions::Restricted)
        || !face.is_subsetting_allowed() && face.tables().os2.is_some();
    let Some(map) = face.tables().cmap else {
        return Vec::new();
    };
    if !has_outlines || is_forbidden {
        return Vec::new();
    }
    let mut codes = Vec::new();
    for table in map.subtables.into_iter().filter(|table| table.is_unicode()) {
        table.codepoints(|code| codes.push(code));
    }
    codes.sort_unstable();
    codes.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for code in codes {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => ranges.push((code, code)),
        }
    }
    ranges
}

fn is_drawn(face: &ttf_parser::Face<'_>, glyph: GlyphId) -> bool {
    face.glyph_bounding_box(glyph).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferred_families_come_first_and_mono_and_serif_last() {
        let mut families = [
            "Noto Serif CJK SC",
            "Zebra Sans",
            "Noto Sans CJK JP",
            "Noto Sans Thai",
            "Noto Sans Mono CJK SC",
            "Noto Sans CJK SC",
            "Symbola",
        ];
        families.sort_by_key(|family| rank(family, CHINESE));
        assert_eq!(
            families,
            [
                "Noto Sans CJK SC",
                "Noto Sans CJK JP",
                "Symbola",
                "Noto Sans Thai",
                "Zebra Sans",
                "Noto Serif CJK SC",
                "Noto Sans Mono CJK SC",
            ]
        );
        assert!(rank("Noto Sans CJK JP", JAPANESE) < rank("Noto Sans CJK SC", JAPANESE));
        assert!(rank("Noto Sans CJK KR", KOREAN) < rank("Noto Sans CJK SC", KOREAN));
    }

    #[test]
    fn coverage_is_what_the_face_maps() {
        let bytes = include_bytes!("files/NotoSansArabic-Regular.ttf");
        let ranges = coverage_of(bytes, 0);
        let covers = |character: char| {
            let code = u32::from(character);
            ranges.iter().any(|(first, last)| (*first..=*last).contains(&code))
        };
        assert!(covers('ع'));
        assert!(!covers('中'));
        assert!(ranges.windows(2).all(|pair| pair[0].1 + 1 < pair[1].0));
        assert!(coverage_of(b"no font", 0).is_empty());
    }

    #[test]
    fn a_folder_gives_the_same_order_however_it_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/fonts/files");
        let names = ["NotoSans-Bold.ttf", "NotoSansArabic-Regular.ttf", "NotoSans-Regular.ttf"];
        let order = |names: &[&str]| {
            let mut database = Database::new();
            for name in names {
                database.load_font_file(format!("{folder}/{name}")).unwrap();
            }
            let installed = Installed::of(&database);
            let files = installed.candidates.iter();
            files.map(|candidate| installed.files[candidate.file].path.clone()).collect::<Vec<_>>()
        };
        let mut reversed = names;
        reversed.reverse();
        assert_eq!(order(&names), order(&reversed));
        assert_eq!(order(&names).len(), 3);
    }
}
