//! A paragraph to lines of a width, in both directions (UAX #9, UAX #14). A word longer than the
//! width is cut, never clipped.

use std::{ops::Range, sync::Arc};

use unicode_bidi::{BidiInfo, Level};
use unicode_linebreak::linebreaks;

use super::{
    run::Run,
    shaper::{ShapeKey, Shaper},
};
use crate::fonts::{HanVariant, Weight};

/// Characters below it are never written from right to left.
const FIRST_RIGHT_TO_LEFT: char = '\u{590}';

/// One line, its runs from left to right on paper.
#[derive(Clone, Debug)]
pub(crate) struct TextLine {
    pub(crate) runs: Vec<Arc<Run>>,
    /// Thousandths of an em.
    pub(crate) advance: i32,
    /// True if its paragraph begins at the right.
    pub(crate) right_to_left: bool,
    /// Its text in logical order, if the runs have both directions: theirs is that of paper.
    pub(crate) logical_text: Option<Box<str>>,
}

/// Breaks a paragraph (cleaned, without line breaks) into lines of at most `width` thousandths of
/// an em. An empty one has one empty line.
pub(crate) fn break_lines(
    shaper: &mut Shaper<'_>,
    text: &str,
    weight: Weight,
    width: i32,
) -> Vec<TextLine> {
    let direction = Directions::of(text);
    let key = ShapeKey { weight, right_to_left: false, han_variant: HanVariant::of(text) };
    let mut filler = Filler {
        shaper,
        key,
        text,
        width,
        right_to_left: direction.right_to_left,
        lines: Vec::new(),
        line: Vec::new(),
    };
    let mut start = 0;
    for (end, _) in linebreaks(text) {
        filler.add_segment(start..end, &direction);
        start = end;
    }
    filler.end_line();
    if filler.lines.is_empty() {
        filler.lines.push(TextLine {
            runs: Vec::new(),
            advance: 0,
            right_to_left: direction.right_to_left,
            logical_text: None,
        });
    }
    filler.lines
}

struct Directions {
    /// `None`: all from left to right.
    levels: Option<Vec<Level>>,
    right_to_left: bool,
}

impl Directions {
    fn of(text: &str) -> Self {
        if text.chars().all(|character| character < FIRST_RIGHT_TO_LEFT) {
            return Self { levels: None, right_to_left: false };
        }
        let info = BidiInfo::new(text, None);
        let right_to_left = info.paragraphs.first().is_some_and(|one| one.level.is_rtl());
        Self { right_to_left, levels: info.has_rtl().then_some(info.levels) }
    }

    fn level(&self, byte: usize) -> Level {
        self.levels.as_ref().map_or(Level::ltr(), |levels| levels[byte])
    }
}

/// A piece of one level that is either white space or none.
struct Atom {
    range: Range<usize>,
    level: Level,
    runs: Arc<[Arc<Run>]>,
    advance: i32,
    is_space: bool,
}

struct Filler<'text, 'shaper, 'fonts> {
    shaper: &'shaper mut Shaper<'fonts>,
    key: ShapeKey,
    text: &'text str,
    width: i32,
    right_to_left: bool,
    lines: Vec<TextLine>,
    line: Vec<Atom>,
}

impl Filler<'_, '_, '_> {
    /// Adds the text between two places where a line may end.
    fn add_segment(&mut self, range: Range<usize>, directions: &Directions) {
        let atoms = self.atoms(range, directions);
        let spaces = atoms.iter().rev().take_while(|atom| atom.is_space).count();
        let word: i32 = atoms[..atoms.len() - spaces].iter().map(|atom| atom.advance).sum();
        if !self.line.is_empty() && self.line_advance() + word > self.width {
            self.end_line();
        }
        for atom in atoms {
            if !atom.is_space && self.line_advance() + atom.advance > self.width {
                self.add_in_pieces(atom);
            } else {
                self.line.push(atom);
            }
        }
    }

    /// Adds a piece that is longer than a line: as much as fits on each.
    fn add_in_pieces(&mut self, atom: Atom) {
        let mut clusters: Vec<(Range<usize>, i32)> = Vec::new();
        for run in atom.runs.iter() {
            let base = atom.range.start + run.start as usize;
            let moved = run.clusters().into_iter();
            clusters.extend(
                moved.map(|(range, advance)| (base + range.start..base + range.end, advance)),
            );
        }
        clusters.sort_by_key(|(range, _)| range.start);
        let mut rest = clusters.as_slice();
        while !rest.is_empty() {
            let space = self.width - self.line_advance();
            let mut advance = 0;
            let fits = |(_, cluster): &&(Range<usize>, i32)| {
                advance += cluster;
                advance <= space
            };
            let mut count = rest.iter().take_while(fits).count();
            if count == 0 && !self.line.is_empty() {
                self.end_line();
                continue;
            }
            count = count.max(1);
            // Cut letters may be wider than joined ones: remove what no longer fits.
            let piece = loop {
                let range = rest[0].0.start..rest[count - 1].0.end;
                let piece = self.atom(range, atom.level, false);
                if piece.advance <= space {
                    break piece;
                }
                if count == 1 {
                    break self.narrowed(piece);
                }
                count -= 1;
            };
            self.line.push(piece);
            rest = &rest[count..];
            if !rest.is_empty() {
                self.end_line();
            }
        }
    }

    /// A single character that is wider than a whole line, as in some fonts, is shown as missing.
    fn narrowed(&self, atom: Atom) -> Atom {
        let runs = Shaper::boxed(&self.text[atom.range.clone()]);
        let advance = runs.iter().map(|run| run.advance).sum();
        if advance >= atom.advance {
            return atom;
        }
        Atom { runs, advance, ..atom }
    }

    fn atoms(&mut self, range: Range<usize>, directions: &Directions) -> Vec<Atom> {
        let text = self.text;
        let mut atoms: Vec<Atom> = Vec::new();
        let mut open: Option<(usize, Level, bool)> = None;
        for (offset, character) in text[range.clone()].char_indices() {
            let byte = range.start + offset;
            let (level, is_space) = (directions.level(byte), is_breakable_space(character));
            match open {
                Some((_, open_level, open_space))
                    if open_level == level && open_space == is_space => {}
                Some((start, open_level, open_space)) => {
                    atoms.push(self.atom(start..byte, open_level, open_space));
                    open = Some((byte, level, is_space));
                }
                None => open = Some((byte, level, is_space)),
            }
        }
        if let Some((start, level, is_space)) = open {
            atoms.push(self.atom(start..range.end, level, is_space));
        }
        atoms
    }

    fn atom(&mut self, range: Range<usize>, level: Level, is_space: bool) -> Atom {
        let key = ShapeKey { right_to_left: level.is_rtl(), ..self.key };
        let runs = self.shaper.shape(&self.text[range.clone()], key);
        Atom { range, level, advance: runs.iter().map(|run| run.advance).sum(), runs, is_space }
    }

    fn line_advance(&self) -> i32 {
        self.line.iter().map(|atom| atom.advance).sum()
    }

    /// Puts the line's atoms in visual order; white space at its end is not drawn.
    fn end_line(&mut self) {
        let mut atoms = std::mem::take(&mut self.line);
        while atoms.last().is_some_and(|atom| atom.is_space) {
            atoms.pop();
        }
        if atoms.is_empty() {
            return;
        }
        let levels: Vec<Level> = atoms.iter().map(|atom| atom.level).collect();
        let order = if levels.iter().all(|level| level.is_ltr() && level.number() == 0) {
            (0..atoms.len()).collect()
        } else {
            BidiInfo::reorder_visual(&levels)
        };
        let runs = order.iter().flat_map(|place| atoms[*place].runs.iter().cloned());
        let is_mixed = levels.iter().any(Level::is_rtl)
            && atoms.iter().any(|atom| atom.level.is_ltr() && !atom.is_space);
        let logical_text = is_mixed
            .then(|| atoms.iter().map(|atom| &self.text[atom.range.clone()]).collect::<String>());
        self.lines.push(TextLine {
            runs: runs.collect(),
            advance: atoms.iter().map(|atom| atom.advance).sum(),
            right_to_left: self.right_to_left,
            logical_text: logical_text.map(String::into_boxed_str),
        });
    }
}

/// White space that may exceed the end of a line.
fn is_breakable_space(character: char) -> bool {
    character.is_whitespace() && !matches!(character, '\u{a0}' | '\u{2007}' | '\u{202f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::shaper;

    fn lines(text: &str, width: i32) -> Vec<(String, i32)> {
        let mut shaper = shaper();
        let lines = break_lines(&mut shaper, text, Weight::Regular, width);
        lines
            .iter()
            .map(|line| (line.runs.iter().map(|run| &*run.text).collect(), line.advance))
            .collect()
    }

    fn texts(text: &str, width: i32) -> Vec<String> {
        lines(text, width).into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn a_word_longer_than_the_width_is_cut_and_nothing_is_lost() {
        for word in ["W".repeat(200), "لا".repeat(150), "e\u{301}".repeat(100), "中".repeat(90)]
        {
            let lines = lines(&word, 5_000);
            assert!(lines.len() > 3);
            assert!(lines.iter().all(|(_, advance)| *advance <= 5_000), "{lines:?}");
            let count: usize = lines.iter().map(|(line, _)| line.chars().count()).sum();
            assert_eq!(count, word.chars().count());
        }
    }

    #[test]
    fn a_width_below_one_character_still_ends() {
        assert_eq!(texts("abc", 1), ["a", "b", "c"]);
    }

    #[test]
    fn a_character_wider_than_the_line_is_boxed() {
        let lines = lines("a\u{fdfd}b", 1_000);
        assert!(lines.iter().all(|(_, advance)| *advance <= 1_000), "{lines:?}");
        let text: String = lines.into_iter().map(|(line, _)| line).collect();
        assert_eq!(text, "a\u{fdfd}b");
    }

    #[test]
    fn an_empty_paragraph_is_one_empty_line() {
        assert_eq!(texts("", 5_000), [""]);
        assert_eq!(texts(" ", 5_000), [""]);
    }
}
