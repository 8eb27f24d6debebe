//! Pages and their operations, by printpdf. Our fonts are added later as resources: printpdf would
//! embed them whole or subset them again for each document, and knows one text for a glyph only.

use std::collections::BTreeMap;

use printpdf::{
    CurTransMat, DictItem, ExternalXObject, Mm, Op, PaintMode, PdfDocument, PdfPage,
    PdfSaveOptions, Pt, Rect, WindingOrder, XObject, XObjectId, XObjectTransform,
};

use super::{
    finish::finish,
    pen::{Pen, Picture, colour, points, points_per_step},
    picture::{deflated_object, picture_name, picture_of, steps_per_em},
    resources::{Code, DocumentFont},
    subset::SubsetCache,
    usage::{Usage, plain_face},
};
use crate::{
    fonts::{FaceId, Fonts},
    layout::{Element, Image, Layout, PAGE_HEIGHT, Page, Rectangle},
    logo::Logo,
};

const LOGO: &str = "Logo";

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    #[error(
        "The font {0} cannot be embedded. Remove it from the font folder, or install it again."
    )]
    Font(String),
    #[error("The PDF could not be written ({0}). This is a fault of the server: report it.")]
    Writer(String),
}

/// Draws a layout. The same layout gives the same bytes.
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
    let mut document = PdfDocument::new("");
    let pictures = &mut document.resources.xobjects.map;
    if let Some(logo) = &layout.logo {
        let name = XObjectId(LOGO.to_owned());
        pictures.insert(name, XObject::External(image_of(logo)));
    }
    for (face, glyph) in &usage.pictures {
        if let Some(parsed) = fonts.face(*face) {
            let picture = picture_of(&parsed, *glyph);
            pictures.insert(picture_name(*face, *glyph), XObject::External(picture));
        }
    }
    document.pages =
        layout.pages.iter().map(|page| page_of(page, fonts, &usage, &document_fonts)).collect();
    let options = PdfSaveOptions {
        optimize: false,
        subset_fonts: false,
        // Otherwise operations that printpdf has no name for are left out: our texts.
        secure: false,
        image_optimization: None,
    };
    let written = document.to_lopdf_document(&options, &mut Vec::new());
    drop(document);
    finish(written, &document_fonts, &usage.logical_texts)
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

fn page_of(
    page: &Page,
    fonts: &Fonts,
    usage: &Usage,
    document_fonts: &BTreeMap<FaceId, DocumentFont<'_>>,
) -> PdfPage {
    let mut operations = Vec::new();
    let mut pen = Pen::new(fonts, usage, document_fonts);
    pen.operations.push(Op::StartTextSection);
    for element in &page.elements {
        match element {
            Element::Rectangle(rectangle) => fill(&mut operations, *rectangle),
            Element::Image(image) => draw_logo(&mut operations, *image),
            Element::Text(text) => pen.text(text),
        }
    }
    pen.operations.push(Op::EndTextSection);
    operations.append(&mut pen.operations);
    draw_missing(&mut operations, &pen, fonts);
    // A4, as in the layout.
    PdfPage::new(Mm(210.0), Mm(297.0), operations)
}

/// Draws everything outside of the text: frames of missing characters, and pictures of glyphs.
fn draw_missing(operations: &mut Vec<Op>, pen: &Pen<'_>, fonts: &Fonts) {
    let mut stroke = None;
    for frame in &pen.frames {
        let Rectangle { x, y, width, height, colour: frame_colour } = frame.area;
        if stroke.replace((frame_colour, frame.stroke)) != Some((frame_colour, frame.stroke)) {
            operations.push(Op::SetOutlineColor { col: colour(frame_colour) });
            operations.push(Op::SetOutlineThickness { pt: Pt(points(frame.stroke)) });
        }
        operations.push(rectangle(x, y, width, height, PaintMode::Stroke));
    }
    let mut fill = None;
    for picture in &pen.pictures {
        if fill.replace(picture.colour) != Some(picture.colour) {
            operations.push(Op::SetFillColor { col: colour(picture.colour) });
        }
        draw_glyph(operations, picture, fonts);
    }
}

fn fill(operations: &mut Vec<Op>, area: Rectangle) {
    operations.push(Op::SetFillColor { col: colour(area.colour) });
    let bottom = PAGE_HEIGHT - area.y - area.height;
    operations.push(rectangle(area.x, bottom, area.width, area.height, PaintMode::Fill));
}

fn rectangle(x: i32, y: i32, width: i32, height: i32, mode: PaintMode) -> Op {
    Op::DrawRectangle {
        rectangle: Rect {
            x: Pt(points(x)),
            y: Pt(points(y)),
            width: Pt(points(width)),
            height: Pt(points(height)),
            mode: Some(mode),
            winding_order: Some(WindingOrder::NonZero),
        },
    }
}

fn draw_logo(operations: &mut Vec<Op>, image: Image) {
    let bottom = PAGE_HEIGHT - image.y - image.height;
    let [width, height, x, y] = [image.width, image.height, image.x, bottom].map(points);
    let matrix = CurTransMat::Raw([width, 0.0, 0.0, height, x, y]);
    draw(operations, XObjectId(LOGO.to_owned()), matrix);
}

fn draw_glyph(operations: &mut Vec<Op>, picture: &Picture, fonts: &Fonts) {
    let Some(face) = fonts.face(picture.face) else {
        return;
    };
    let scale = points_per_step(picture.size, steps_per_em(&face));
    let [x, y] = [picture.x, picture.y].map(points);
    let matrix = CurTransMat::Raw([scale, 0.0, 0.0, scale, x, y]);
    draw(operations, picture_name(picture.face, picture.glyph), matrix);
}

fn draw(operations: &mut Vec<Op>, id: XObjectId, matrix: CurTransMat) {
    operations.push(Op::SaveGraphicsState);
    operations.push(Op::SetTransformationMatrix { matrix });
    operations.push(Op::UseXobject {
        id,
        transform: XObjectTransform { no_auto_scale: true, ..XObjectTransform::default() },
    });
    operations.push(Op::RestoreGraphicsState);
}

fn image_of(logo: &Logo) -> ExternalXObject {
    let dictionary = [
        ("Subtype", DictItem::Name("Image".into())),
        ("Width", DictItem::Int(logo.width_pixels.into())),
        ("Height", DictItem::Int(logo.height_pixels.into())),
        ("ColorSpace", DictItem::Name("DeviceRGB".into())),
        ("BitsPerComponent", DictItem::Int(8)),
        ("Interpolate", DictItem::Bool(true)),
    ];
    deflated_object(dictionary, logo.deflated_rgb.to_vec())
}
