//! The pages with their operations, and the whole file: constant metadata, no dates, and an id that
//! is the hash of everything else. Our fonts are resources that all pages share.

use std::collections::BTreeMap;

use lopdf::{
    Dictionary, Document, Object, ObjectId, Stream, StringFormat,
    content::{Content, Operation},
    dictionary,
    xref::XrefType,
};
use sha2::{Digest, Sha256};

use super::{
    marked_text,
    pen::{Pen, Picture, colour, page_box, points, points_per_step},
    picture::{picture_name, picture_of, steps_per_em},
    resources::{Code, DocumentFont, add_font, length, resource_name},
    subset::SubsetCache,
    usage::{Usage, plain_face},
};
use crate::{
    deflate::Deflater,
    fonts::{FaceId, Fonts},
    layout::{Element, Image, Layout, PAGE_HEIGHT, Page, Rectangle},
    logo::Logo,
};

const LOGO: &str = "Logo";
const TITLE: &str = "Commission statement";
const PRODUCER: &str = "Partner and Commission Payout API";
const ID_LENGTH: usize = 16;
const ID_PLACEHOLDER: [u8; ID_LENGTH] = [0xff; ID_LENGTH];

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    #[error(
        "The font {0} cannot be embedded. Remove it from the font folder, or install it again."
    )]
    Font(String),
    #[error("The PDF could not be written ({0}). This is a fault of the server: report it.")]
    Writer(String),
}

/// Draws a layout. The same layout gives the same bytes, so the order of the objects is fixed.
pub(crate) fn render(
    layout: &Layout,
    fonts: &Fonts,
    subset_cache: &SubsetCache,
) -> Result<Vec<u8>, RenderError> {
    let usage = Usage::of(layout, fonts);
    let mut document_fonts = BTreeMap::new();
    for face in usage.faces.keys() {
        document_fonts.insert(*face, document_font(*face, &usage, fonts, subset_cache)?);
    }
    let mut document = Document::with_version("1.7");
    document.reference_table.cross_reference_type = XrefType::CrossReferenceTable;
    let pictures = pictures(layout, &usage, fonts).into_iter();
    let pictures: Dictionary =
        pictures.map(|(name, picture)| (name, document.add_object(picture).into())).collect();
    let pages_id = document.new_object_id();
    let fonts_id = document.new_object_id();
    let shared = dictionary! {
        "Font" => fonts_id,
        "XObject" => document.add_object(pictures),
        "ExtGState" => document.add_object(Dictionary::new()),
        "Shading" => document.add_object(Dictionary::new()),
    };
    let page_ids: Vec<ObjectId> = layout.pages.iter().map(|_| document.new_object_id()).collect();
    let mut resources = Vec::with_capacity(page_ids.len());
    for (page, page_id) in layout.pages.iter().zip(&page_ids) {
        let operations = operations_of(page, fonts, &usage, &document_fonts);
        let content = Content { operations }.encode().map_err(unwritten)?;
        let resources_id = document.add_object(shared.clone());
        resources.push(resources_id);
        let page = dictionary! {
            "Type" => "Page",
            "MediaBox" => page_box(),
            "TrimBox" => page_box(),
            "CropBox" => page_box(),
            "Parent" => pages_id,
            "Resources" => resources_id,
            "Contents" => document.add_object(Stream::new(Dictionary::new(), content)),
            "Annots" => Object::Array(Vec::new()),
        };
        document.set_object(*page_id, page);
    }
    let pages = dictionary! {
        "Type" => "Pages",
        "Count" => length(page_ids.len()),
        "Kids" => page_ids.into_iter().map(Object::Reference).collect::<Vec<_>>(),
    };
    document.set_object(pages_id, pages);
    set_metadata(&mut document, pages_id);
    let mut names = Dictionary::new();
    for (face, font) in &document_fonts {
        names.set(resource_name(*face, &document_fonts), add_font(&mut document, font));
    }
    document.set_object(fonts_id, names);
    if !usage.logical_texts.is_empty() {
        let properties = document.add_object(marked_text::properties(&usage.logical_texts));
        for id in resources {
            let resources = document.get_dictionary_mut(id).map_err(unwritten)?;
            resources.set("Properties", properties);
        }
    }
    write(document)
}

fn unwritten(error: impl std::fmt::Display) -> RenderError {
    RenderError::Writer(error.to_string())
}

fn set_metadata(document: &mut Document, pages_id: ObjectId) {
    let text = |text: &str| Object::String(text.into(), StringFormat::Literal);
    let catalog = document.add_object(dictionary! {
        "Type" => "Catalog",
        "ViewerPreferences" => dictionary! { "DisplayDocTitle" => true },
        "Lang" => text("en"),
        "Pages" => pages_id,
    });
    let info = dictionary! { "Title" => text(TITLE), "Producer" => text(PRODUCER) };
    let info = document.add_object(info);
    let id = Object::String(ID_PLACEHOLDER.to_vec(), StringFormat::Hexadecimal);
    document.trailer.set("Root", catalog);
    document.trailer.set("Info", info);
    document.trailer.set("ID", vec![id.clone(), id]);
}

/// Deflates the streams, and writes the file.
fn write(mut document: Document) -> Result<Vec<u8>, RenderError> {
    let mut deflater = Deflater::new();
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && stream.allows_compression
        {
            stream.dict.set("Filter", "FlateDecode");
            stream.set_content(deflater.deflate(&stream.content));
        }
    }
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).map_err(unwritten)?;
    set_id(&mut bytes);
    Ok(bytes)
}

/// The id is the hash of everything else, so it is known last, and written over its placeholder.
fn set_id(bytes: &mut [u8]) {
    let place = hexadecimal(&ID_PLACEHOLDER);
    let digest = Sha256::digest(&*bytes);
    let id = hexadecimal(&digest[..ID_LENGTH]);
    // Both are in the trailer, at the end of the file.
    let mut end = bytes.len();
    for _ in 0..2 {
        let found = bytes[..end]
            .windows(place.len())
            .rposition(|window| window.eq_ignore_ascii_case(place.as_bytes()));
        let start = found.expect("the trailer was written with two places");
        bytes[start..start + id.len()].copy_from_slice(id.as_bytes());
        end = start;
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn document_font<'usage>(
    face: FaceId,
    usage: &'usage Usage,
    fonts: &Fonts,
    subset_cache: &SubsetCache,
) -> Result<DocumentFont<'usage>, RenderError> {
    let glyphs = &usage.faces[&face];
    let metrics = fonts.metrics(face);
    let name = metrics.as_ref().map_or("", |metrics| metrics.name.as_str());
    let failed = || RenderError::Font(name.to_owned());
    let subset = subset_cache.subset(fonts, face, glyphs.keys().copied()).ok_or_else(failed)?;
    let parsed = fonts.face(face).ok_or_else(failed)?;
    let metrics = metrics.as_deref().ok_or_else(failed)?;
    let last = glyphs.keys().next_back().copied().unwrap_or(0);
    let mut codes = vec![Code::default(); usize::from(last) + 1];
    for (glyph, text) in glyphs {
        let mut characters = text.chars();
        codes[usize::from(*glyph)] = Code {
            code: subset.code(*glyph),
            width: metrics.width(&parsed, *glyph),
            character: characters.next().filter(|_| characters.next().is_none()),
        };
    }
    let invisible_texts = usage.invisible_texts.iter().filter(|_| face == plain_face());
    let blank = parsed.glyph_index(' ').map_or(0, |glyph| glyph.0);
    Ok(DocumentFont {
        glyphs,
        codes,
        invisible_codes: invisible_texts.zip(subset.first_free_code..).collect(),
        blank: subset.code(blank),
        metrics: metrics.clone(),
        subset,
    })
}

/// Returns the logo and the pictures of glyphs, by their names.
fn pictures(layout: &Layout, usage: &Usage, fonts: &Fonts) -> BTreeMap<String, Stream> {
    let logo = layout.logo.as_ref().map(|logo| (LOGO.to_owned(), image_of(logo)));
    let glyphs = usage.pictures.iter().filter_map(|(face, glyph)| {
        Some((picture_name(*face, *glyph), picture_of(&*fonts.face(*face)?, *glyph)))
    });
    logo.into_iter().chain(glyphs).collect()
}

fn operations_of(
    page: &Page,
    fonts: &Fonts,
    usage: &Usage,
    document_fonts: &BTreeMap<FaceId, DocumentFont<'_>>,
) -> Vec<Operation> {
    let mut operations = Vec::new();
    let mut pen = Pen::new(fonts, usage, document_fonts);
    pen.operations.push(Operation::new("BT", Vec::new()));
    for element in &page.elements {
        match element {
            Element::Rectangle(rectangle) => fill(&mut operations, *rectangle),
            Element::Image(image) => draw_logo(&mut operations, *image),
            Element::Text(text) => pen.text(text),
        }
    }
    pen.operations.push(Operation::new("ET", Vec::new()));
    operations.append(&mut pen.operations);
    draw_missing(&mut operations, &pen, fonts);
    operations
}

/// Draws everything outside of the text: frames of missing characters, and pictures of glyphs.
fn draw_missing(operations: &mut Vec<Operation>, pen: &Pen<'_>, fonts: &Fonts) {
    let mut stroke = None;
    for frame in &pen.frames {
        let Rectangle { x, y, width, height, colour: frame_colour } = frame.area;
        if stroke.replace((frame_colour, frame.stroke)) != Some((frame_colour, frame.stroke)) {
            operations.push(Operation::new("RG", colour(frame_colour)));
            operations.push(Operation::new("w", vec![points(frame.stroke)]));
        }
        operations.push(Operation::new("re", [x, y, width, height].map(points).to_vec()));
        operations.push(Operation::new("S", Vec::new()));
    }
    let mut fill = None;
    for picture in &pen.pictures {
        if fill.replace(picture.colour) != Some(picture.colour) {
            operations.push(Operation::new("rg", colour(picture.colour)));
        }
        draw_glyph(operations, picture, fonts);
    }
}

fn fill(operations: &mut Vec<Operation>, area: Rectangle) {
    let bottom = PAGE_HEIGHT - area.y - area.height;
    let rectangle = [area.x, bottom, area.width, area.height].map(points);
    operations.push(Operation::new("rg", colour(area.colour)));
    operations.push(Operation::new("re", rectangle.to_vec()));
    operations.push(Operation::new("f", Vec::new()));
}

fn draw_logo(operations: &mut Vec<Operation>, image: Image) {
    let bottom = PAGE_HEIGHT - image.y - image.height;
    let [width, height, x, y] = [image.width, image.height, image.x, bottom].map(points);
    draw(operations, LOGO.to_owned(), [width, points(0), points(0), height, x, y]);
}

fn draw_glyph(operations: &mut Vec<Operation>, picture: &Picture, fonts: &Fonts) {
    let Some(face) = fonts.face(picture.face) else {
        return;
    };
    let scale = points_per_step(picture.size, steps_per_em(&face));
    let [x, y] = [picture.x, picture.y].map(points);
    let matrix = [scale.clone(), points(0), points(0), scale, x, y];
    draw(operations, picture_name(picture.face, picture.glyph), matrix);
}

fn draw(operations: &mut Vec<Operation>, name: String, matrix: [Object; 6]) {
    const ONE: i32 = 1_000;
    let unchanged = [ONE, 0, 0, ONE, 0, 0].map(points);
    operations.extend([
        Operation::new("q", Vec::new()),
        Operation::new("cm", matrix.to_vec()),
        Operation::new("q", Vec::new()),
        Operation::new("cm", unchanged.to_vec()),
        Operation::new("Do", vec![Object::Name(name.into())]),
        Operation::new("Q", Vec::new()),
        Operation::new("Q", Vec::new()),
    ]);
}

fn image_of(logo: &Logo) -> Stream {
    let dictionary = dictionary! {
        "BitsPerComponent" => 8,
        "ColorSpace" => "DeviceRGB",
        "Filter" => "FlateDecode",
        "Height" => logo.height_pixels,
        "Interpolate" => true,
        "Subtype" => "Image",
        "Type" => "XObject",
        "Width" => logo.width_pixels,
    };
    Stream::new(dictionary, logo.deflated_rgb.to_vec()).with_compression(false)
}
