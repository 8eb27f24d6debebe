//! Completes the document of printpdf: our fonts, constant metadata, compression, the id. It
//! removes the dates and random numbers that printpdf writes.

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat, dictionary};
use sha2::{Digest, Sha256};

use super::{
    document::RenderError,
    marked_text,
    resources::{DocumentFont, add_font, resource_name},
    usage::LogicalTexts,
};
use crate::{deflate::deflate, fonts::FaceId};

/// Constant: printpdf does not escape metadata, so foreign text must not get there.
const TITLE: &str = "Commission statement";
const PRODUCER: &str = "Partner and Commission Payout API";
const ID_LENGTH: usize = 16;

/// Adds the fonts and what is copied of mixed lines, and writes the file.
pub(super) fn finish(
    mut document: Document,
    fonts: &BTreeMap<FaceId, DocumentFont<'_>>,
    logical_texts: &LogicalTexts,
) -> Result<Vec<u8>, RenderError> {
    let failed = |error: lopdf::Error| RenderError::Writer(error.to_string());
    document.version = "1.7".to_owned();
    let fonts_id = fonts_of_pages(&document).map_err(failed)?;
    let mut names = Dictionary::new();
    for (face, font) in fonts {
        let id = add_font(&mut document, font);
        names.set(resource_name(*face, fonts), id);
    }
    document.set_object(fonts_id, names);
    marked_text::add_resources(&mut document, logical_texts).map_err(failed)?;
    set_metadata(&mut document).map_err(failed)?;
    for object in document.objects.values_mut() {
        if let Object::Stream(stream) = object
            && stream.allows_compression
            && stream.dict.get(b"Filter").is_err()
        {
            stream.dict.set("Filter", "FlateDecode");
            stream.set_content(deflate(&stream.content));
        }
    }
    let mut bytes = Vec::new();
    let written = document.save_to(&mut bytes);
    written.map_err(|error| RenderError::Writer(error.to_string()))?;
    set_id(&mut bytes);
    Ok(bytes)
}

/// printpdf gives all pages one dictionary of fonts.
fn fonts_of_pages(document: &Document) -> lopdf::Result<ObjectId> {
    let page = document.page_iter().next().ok_or(lopdf::Error::PageNumberNotFound(1))?;
    let page = document.get_dictionary(page)?;
    let resources = page.get(b"Resources")?.as_reference()?;
    let resources = document.get_dictionary(resources)?;
    resources.get(b"Font")?.as_reference()
}

fn set_metadata(document: &mut Document) -> lopdf::Result<()> {
    let text = |text: &str| Object::String(text.into(), StringFormat::Literal);
    let info = document.trailer.get(b"Info")?.as_reference()?;
    document.set_object(info, dictionary! { "Title" => text(TITLE), "Producer" => text(PRODUCER) });
    let catalog = document.catalog_mut()?;
    catalog.set("Lang", text("en"));
    catalog.set("ViewerPreferences", dictionary! { "DisplayDocTitle" => true });
    catalog.remove(b"PageLayout");
    catalog.remove(b"PageMode");
    let id = Object::String(ID_PLACEHOLDER.to_vec(), StringFormat::Hexadecimal);
    document.trailer.set("ID", vec![id.clone(), id]);
    Ok(())
}

const ID_PLACEHOLDER: [u8; ID_LENGTH] = [0xff; ID_LENGTH];

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
