//! The text of a PDF, as a reader would copy it, reduced to letters and digits.
//!
//! It refuses to look at what stands where: gaps, line breaks and the order of columns are the renderer's.

use lopdf::Document;

/// Letters and digits of a PDF's text, in its order; `None` where it has none that can be read.
pub(in crate::cases) fn text(pdf: &[u8]) -> Option<String> {
    let document = Document::load_mem(pdf).ok()?;
    let pages: Vec<u32> = document.get_pages().into_keys().collect();
    let text = reduced(&document.extract_text(&pages).ok()?);
    (!text.is_empty()).then_some(text)
}

/// The letters and digits of a text, in small letters.
pub(in crate::cases) fn reduced(text: &str) -> String {
    let kept = text.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// Whether a text is written in letters that every extraction gives back as they were: no ligatures of other scripts,
/// no other direction.
pub(in crate::cases) fn is_plain(text: &str) -> bool {
    text.is_ascii()
}
