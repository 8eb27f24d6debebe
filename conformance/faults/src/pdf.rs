//! The texts of a PDF, and one of them replaced. Each text is what one operator shows.

use lopdf::{
    Document, Encoding, Error, Object,
    content::{Content, Operation},
    dictionary,
};

/// The name of the font that the replaced text is set in.
const FONT: &str = "PayoutFaults";

/// Replaces the text that is chosen, by its index; none is chosen: nothing.
pub(crate) fn reprint(
    pdf: &[u8],
    choose: impl FnOnce(&[String]) -> Option<(usize, String)>,
) -> Result<Option<Vec<u8>>, Error> {
    let mut document = Document::load_mem(pdf)?;
    let pages: Vec<_> = document.page_iter().collect();
    let mut places = Vec::new();
    let mut texts = Vec::new();
    for page in &pages {
        for (operation, text) in texts_of(&document, *page)? {
            places.push((*page, operation));
            texts.push(text);
        }
    }
    let Some((index, text)) = choose(&texts) else {
        return Ok(None);
    };
    let (page, operation) = places[index];
    add_font(&mut document, page)?;
    let mut content = Content::decode(&document.get_page_content(page))?;
    set_text(&mut content.operations, operation, &text);
    document.change_page_content(page, content.encode()?)?;
    let mut changed = Vec::new();
    document.save_to(&mut changed)?;
    Ok(Some(changed))
}

/// The texts of a page, each with the index of its operation.
fn texts_of(document: &Document, page: (u32, u16)) -> Result<Vec<(usize, String)>, Error> {
    let fonts = document.get_page_fonts(page)?;
    let mut encoding: Option<Encoding<'_>> = None;
    let mut texts = Vec::new();
    let content = Content::decode(&document.get_page_content(page))?;
    for (index, operation) in content.operations.iter().enumerate() {
        match operation.operator.as_str() {
            "Tf" => {
                let font = operation.operands.first().and_then(|name| name.as_name().ok());
                let font = font.and_then(|name| fonts.get(name));
                encoding = font.and_then(|font| font.get_font_encoding(document).ok());
            }
            "Tj" | "TJ" => {
                if let Some(encoding) = &encoding {
                    texts.push((index, shown(encoding, &operation.operands)));
                }
            }
            _ => {}
        }
    }
    Ok(texts)
}

/// The text of an operation's strings, without the gaps between them.
fn shown(encoding: &Encoding<'_>, operands: &[Object]) -> String {
    let parts = operands.iter().map(|operand| match operand {
        Object::String(bytes, _) => Document::decode_text(encoding, bytes).unwrap_or_default(),
        Object::Array(parts) => shown(encoding, parts),
        _ => String::new(),
    });
    parts.collect()
}

/// Shows another text in place of an operation's, and returns to the font before it.
fn set_text(operations: &mut Vec<Operation>, index: usize, text: &str) {
    let font = operations[..index].iter().rfind(|operation| operation.operator == "Tf").cloned();
    let size = font.as_ref().and_then(|font| font.operands.get(1).cloned());
    let select = Operation::new("Tf", vec![FONT.into(), size.unwrap_or(Object::Integer(10))]);
    let show = Operation::new("Tj", vec![Object::string_literal(text)]);
    operations.splice(index..=index, [select, show].into_iter().chain(font));
}

fn add_font(document: &mut Document, page: (u32, u16)) -> Result<(), Error> {
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica",
        "Encoding" => "WinAnsiEncoding",
    });
    let fonts = document.get_or_create_resources(page)?.as_dict_mut()?;
    let shared = fonts.get(b"Font").and_then(Object::as_reference).ok();
    let fonts = match shared {
        Some(shared) => document.get_dictionary_mut(shared)?,
        None => {
            let resources = document.get_or_create_resources(page)?.as_dict_mut()?;
            resources.get_mut(b"Font")?.as_dict_mut()?
        }
    };
    fonts.set(FONT, font);
    Ok(())
}
