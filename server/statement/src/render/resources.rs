//! Fonts as objects of the PDF: the subset, its widths, and the text that its glyphs represent.

use std::collections::BTreeMap;
use std::fmt::Write;

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, StringFormat, dictionary};

use super::{
    subset::{Outlines, Subset},
    usage::InvisibleText,
};
use crate::{
    fonts::{FaceId, Metrics},
    text::{Run, Shape},
};

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Code {
    pub(super) code: u16,
    /// Thousandths of an em.
    pub(super) width: i32,
    /// The text it represents, if that is a single character.
    pub(super) character: Option<char>,
}

/// A face as one document uses it.
pub(super) struct DocumentFont<'usage> {
    /// Glyphs with the text they represent.
    pub(super) glyphs: &'usage BTreeMap<u16, Box<str>>,
    pub(super) metrics: Metrics,
    pub(super) subset: std::sync::Arc<Subset>,
    /// Indexed by glyph of the face, up to the last used one.
    pub(super) codes: Vec<Code>,
    /// Codes of blank glyphs, after those of the subset.
    pub(super) invisible_codes: BTreeMap<&'usage InvisibleText, u16>,
    /// The glyph of the subset that all invisible texts share.
    pub(super) blank: u16,
}

impl DocumentFont<'_> {
    pub(super) fn code_and_width(&self, glyph: u16) -> (u16, i32) {
        let known = self.codes.get(usize::from(glyph));
        known.map_or((0, 0), |known| (known.code, known.width))
    }

    pub(super) fn invisible_code(&self, text: &InvisibleText) -> u16 {
        self.invisible_codes.get(text).copied().unwrap_or(0)
    }

    /// Returns true if every glyph of the run represents one character, as in nearly all runs.
    pub(super) fn maps_all(&self, run: &Run) -> bool {
        let Shape::Glyphs(_, glyphs) = &run.shape else {
            return false;
        };
        let mut glyphs = glyphs.iter();
        let maps = |(start, character): (usize, char)| {
            glyphs.next().is_some_and(|glyph| {
                let known = self.codes.get(usize::from(glyph.id));
                glyph.cluster as usize == start
                    && known.and_then(|known| known.character) == Some(character)
            })
        };
        !run.right_to_left && run.text.char_indices().all(maps) && glyphs.next().is_none()
    }
}

pub(super) fn resource_name(face: FaceId, fonts: &BTreeMap<FaceId, DocumentFont<'_>>) -> String {
    let place = fonts.keys().take_while(|other| **other < face).count();
    format!("T{place}")
}

pub(super) fn add_font(document: &mut Document, font: &DocumentFont<'_>) -> ObjectId {
    let (metrics, subset) = (&font.metrics, &font.subset);
    let name = format!("{}+{}", subset.tag, metrics.name);
    let mut file = dictionary! { "Filter" => "FlateDecode" };
    let (subtype, file_key) = match subset.outlines {
        Outlines::TrueType => {
            file.set("Length1", length(subset.length));
            ("CIDFontType2", "FontFile2")
        }
        Outlines::Cff => {
            file.set("Subtype", "CIDFontType0C");
            ("CIDFontType0", "FontFile3")
        }
    };
    let file = Stream::new(file, subset.deflated.clone()).with_compression(false);
    let file = document.add_object(file);
    let descriptor = document.add_object(dictionary! {
        "Type" => "FontDescriptor",
        "FontName" => name.as_str(),
        // Symbolic: the codes follow no standard encoding.
        "Flags" => 4 | if metrics.italic_angle == 0 { 0 } else { 64 },
        "FontBBox" => metrics.bounding_box.map(Object::from).to_vec(),
        "ItalicAngle" => metrics.italic_angle,
        "Ascent" => metrics.ascent,
        "Descent" => metrics.descent,
        "CapHeight" => metrics.cap_height,
        // Fonts do not contain their stems; this follows from the weight.
        "StemV" => 50 + i32::from(metrics.weight) * i32::from(metrics.weight) / 4225,
        file_key => file,
    });
    let mut descendant = dictionary! {
        "Type" => "Font",
        "Subtype" => subtype,
        "BaseFont" => name.as_str(),
        "CIDSystemInfo" => identity(),
        "FontDescriptor" => descriptor,
        "DW" => 0,
        "W" => widths(font),
    };
    if subset.outlines == Outlines::TrueType {
        match codes_to_glyphs(font) {
            Some(map) => {
                let map = Stream::new(Dictionary::new(), map);
                descendant.set("CIDToGIDMap", document.add_object(map));
            }
            None => descendant.set("CIDToGIDMap", "Identity"),
        }
    }
    let descendant = document.add_object(descendant);
    let texts = Stream::new(Dictionary::new(), to_unicode(font).into_bytes());
    let texts = document.add_object(texts);
    document.add_object(dictionary! {
        "Type" => "Font",
        "Subtype" => "Type0",
        "BaseFont" => name.as_str(),
        "Encoding" => "Identity-H",
        "DescendantFonts" => vec![Object::from(descendant)],
        "ToUnicode" => texts,
    })
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).expect("a font fits into memory")
}

/// Which glyph of the subset each code draws; `None`: the one of its own number.
fn codes_to_glyphs(font: &DocumentFont<'_>) -> Option<Vec<u8>> {
    let last = font.invisible_codes.values().copied().max()?;
    let mut map: Vec<u16> = (0..=last).collect();
    for code in font.invisible_codes.values() {
        map[usize::from(*code)] = font.blank;
    }
    Some(map.into_iter().flat_map(u16::to_be_bytes).collect())
}

fn identity() -> Dictionary {
    let text = |text: &str| Object::String(text.into(), StringFormat::Literal);
    dictionary! {
        "Registry" => text("Adobe"),
        "Ordering" => text("Identity"),
        "Supplement" => 0,
    }
}

/// `[first [width …] …]` for each row of successive codes.
fn widths(font: &DocumentFont<'_>) -> Vec<Object> {
    let invisible = font.invisible_codes.iter().map(|(text, code)| (*code, text.width));
    let used = font.glyphs.keys().map(|glyph| font.code_and_width(*glyph));
    let mut codes: Vec<(u16, i32)> = used.chain(invisible).collect();
    codes.sort_unstable();
    let rows = codes.chunk_by(|one, next| one.0 + 1 == next.0);
    rows.flat_map(|row| {
        let widths: Vec<Object> = row.iter().map(|(_, width)| Object::from(*width)).collect();
        [Object::from(i64::from(row[0].0)), Object::from(widths)]
    })
    .collect()
}

/// Returns the table that turns codes back into text.
fn to_unicode(font: &DocumentFont<'_>) -> String {
    const ROWS_LIMIT: usize = 100;
    let glyphs = font.glyphs.iter();
    let mut rows: Vec<(u16, &str)> = glyphs
        .map(|(glyph, text)| (font.code_and_width(*glyph).0, &**text))
        .chain(font.invisible_codes.iter().map(|(invisible, code)| (*code, &*invisible.text)))
        .collect();
    rows.sort_unstable();
    let mut table = String::with_capacity(400 + rows.len() * 16);
    table.push_str(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
         /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
         /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
         1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n",
    );
    for rows in rows.chunks(ROWS_LIMIT) {
        let written = writeln!(table, "{} beginbfchar", rows.len());
        written.expect(INTO_STRING);
        for (code, text) in rows {
            write!(table, "<{code:04X}> <").expect(INTO_STRING);
            for unit in text.encode_utf16() {
                write!(table, "{unit:04X}").expect(INTO_STRING);
            }
            table.push_str(">\n");
        }
        table.push_str("endbfchar\n");
    }
    table.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    table
}

const INTO_STRING: &str = "a string takes every text";
