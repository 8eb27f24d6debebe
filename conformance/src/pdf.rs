//! The text of a PDF, as a reader would copy it, and a PDF with one text replaced by another. Line
//! breaks and columns are the renderer's choice.

use chrono::NaiveDate;
use lopdf::{
    Document, Encoding, Error, Object,
    content::{Content, Operation},
    dictionary,
};

/// The name of the font that the replaced text is set in.
const FONT: &str = "PayoutFaults";

/// The text that a reader would copy from a PDF, in its order.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// Its letters and digits, [`normalized`].
    pub(crate) letters: String,
    words: Vec<String>,
}

impl Text {
    /// The text of a PDF; `None` where none can be read.
    pub(crate) fn of(pdf: &[u8]) -> Option<Self> {
        let document = Document::load_mem(pdf).ok()?;
        let pages: Vec<u32> = document.get_pages().into_keys().collect();
        let text = document.extract_text(&pages).ok()?;
        let letters = normalized(&text);
        let words = text.split_whitespace().map(signed).collect();
        (!letters.is_empty()).then_some(Self { letters, words })
    }

    /// The words that are days, such as `2026-05-28`.
    pub(crate) fn days(&self) -> impl Iterator<Item = &str> {
        let words = self.words.iter().map(String::as_str);
        words.filter(|word| NaiveDate::parse_from_str(word, "%Y-%m-%d").is_ok())
    }

    /// Counts the words with the digits of this amount, and those of them that are negative.
    pub(crate) fn signs(&self, amount: &str) -> (usize, usize) {
        let (mut all, mut negative) = (0, 0);
        let wanted = digits(amount);
        for (index, word) in self.words.iter().enumerate() {
            if digits(word) == wanted {
                let is_after_sign = index > 0 && self.words[index - 1] == "-";
                all += 1;
                negative += usize::from(is_after_sign || word.contains(['-', '(']));
            }
        }
        (all, negative)
    }

    /// Counts how often these words follow each other. Amounts are as the API writes them.
    pub(crate) fn times(&self, words: &[&str]) -> usize {
        let places = self.words.windows(words.len());
        places.filter(|place| *place == words).count()
    }
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// A negative amount with a hyphen before it, however it is printed: `−1.00`, `1.00-`, `(1.00)`.
fn signed(word: &str) -> String {
    let word = word.replace('\u{2212}', "-");
    let in_brackets = word.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let below_zero = in_brackets.or_else(|| word.strip_suffix('-'));
    match below_zero {
        Some(amount) if amount.starts_with(|first: char| first.is_ascii_digit()) => {
            format!("-{amount}")
        }
        _ => word,
    }
}

/// The letters and digits of a text, in lower case.
pub(crate) fn normalized(text: &str) -> String {
    let kept = text.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// Returns true if every extraction returns the letters of this text unchanged: no ligatures, no
/// other direction.
pub(crate) fn is_plain(text: &str) -> bool {
    text.is_ascii()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negative_amounts_are_recognised_in_any_notation() {
        for word in ["-1.50", "\u{2212}1.50", "1.50-", "(1.50)"] {
            assert_eq!(signed(word), "-1.50", "{word}");
        }
        for word in ["1.50", "(net)", "order-", "-"] {
            assert_eq!(signed(word), word);
        }
    }

    #[test]
    fn days_are_distinguished_from_other_words() {
        let text = Text {
            letters: String::new(),
            words: ["2026-05-28", "2026-13-01", "2026-05", "28.05.2026", "order-2026-05-28"]
                .map(str::to_owned)
                .to_vec(),
        };
        assert_eq!(text.days().collect::<Vec<_>>(), ["2026-05-28"]);
    }

    #[test]
    fn signs_are_counted_in_any_notation() {
        let words = ["-25.25", "25.25", "25,25-", "-", "25.25", "EUR-25.25", "125.25", "25."];
        let words = words.map(str::to_owned).to_vec();
        let text = Text { letters: String::new(), words };
        assert_eq!(text.signs("-25.25"), (5, 4));
    }

    #[test]
    fn amount_within_another_is_none() {
        let text = Text {
            letters: String::new(),
            words: ["10.01", "110.01", "-10.01", "10.01"].map(str::to_owned).to_vec(),
        };
        assert_eq!(text.times(&["10.01"]), 2);
        assert_eq!(text.times(&["-10.01"]), 1);
        assert_eq!(text.times(&["0.01"]), 0);
        assert_eq!(text.times(&["110.01", "-10.01"]), 1);
        assert_eq!(text.times(&["-10.01", "110.01"]), 0);
    }
}
