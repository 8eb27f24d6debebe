//! Shaped glyphs, with the text they represent: what is drawn can be copied.

use std::ops::Range;

use crate::fonts::FaceId;

/// One glyph; lengths in thousandths of an em.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Glyph {
    pub(crate) id: u16,
    /// The distance that the pen moves, kerning included.
    pub(crate) advance: i32,
    pub(crate) x_offset: i32,
    pub(crate) y_offset: i32,
    /// Byte in the run's text where its cluster begins.
    pub(crate) cluster: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Glyphs of one face, from left to right on paper.
    Glyphs(FaceId, Vec<Glyph>),
    /// No face has the character: its code in a box.
    Missing(char),
}

/// A piece of text in one face and one direction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) text: Box<str>,
    /// Byte of the shaped word where it begins.
    pub(crate) start: u32,
    pub(crate) right_to_left: bool,
    pub(crate) shape: Shape,
    /// The sum over its glyphs, in thousandths of an em.
    pub(crate) advance: i32,
}

/// Glyphs that represent some characters together.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Span<'a> {
    pub(crate) glyphs: &'a [Glyph],
    pub(crate) text: &'a str,
}

impl Run {
    /// Its clusters, from left to right on paper.
    pub(crate) fn spans(&self) -> Vec<Span<'_>> {
        let Shape::Glyphs(_, glyphs) = &self.shape else {
            return Vec::new();
        };
        let mut spans = Vec::with_capacity(glyphs.len());
        for glyphs in glyphs.chunk_by(|one, next| one.cluster == next.cluster) {
            spans.push((glyphs[0].cluster as usize, glyphs));
        }
        let starts = self.sorted_starts(spans.iter().map(|(start, _)| *start));
        spans
            .into_iter()
            .map(|(start, glyphs)| {
                let next = starts.partition_point(|other| *other <= start);
                let end = starts.get(next).copied().unwrap_or(self.text.len());
                // The first cluster also represents what was dropped before it.
                let start = if next == 1 { 0 } else { start };
                Span { glyphs, text: &self.text[start..end] }
            })
            .collect()
    }

    /// Returns the parts between which it may be cut, in logical order: the bytes of each cluster,
    /// and its advance.
    pub(crate) fn clusters(&self) -> Vec<(Range<usize>, i32)> {
        if matches!(self.shape, Shape::Missing(_)) {
            return vec![(0..self.text.len(), self.advance)];
        }
        let base = self.text.as_ptr() as usize;
        let mut clusters: Vec<_> = self
            .spans()
            .into_iter()
            .map(|span| {
                let start = span.text.as_ptr() as usize - base;
                let advance = span.glyphs.iter().map(|glyph| glyph.advance).sum();
                (start..start + span.text.len(), advance)
            })
            .collect();
        clusters.sort_by_key(|(range, _)| range.start);
        clusters
    }

    fn sorted_starts(&self, starts: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut starts: Vec<usize> = starts.collect();
        if self.right_to_left {
            starts.reverse();
        }
        // Clusters are monotonous, except in broken fonts.
        if !starts.is_sorted() {
            starts.sort_unstable();
        }
        starts.dedup();
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fonts::Weight;

    fn run(text: &str, right_to_left: bool, clusters: &[u32]) -> Run {
        let glyph = |cluster: &u32| Glyph {
            id: 1,
            advance: 10,
            x_offset: 0,
            y_offset: 0,
            cluster: *cluster,
        };
        let face = FaceId::text(Weight::Regular);
        Run {
            text: text.into(),
            start: 0,
            right_to_left,
            shape: Shape::Glyphs(face, clusters.iter().map(glyph).collect()),
            advance: 0,
        }
    }

    fn texts(run: &Run) -> Vec<&str> {
        run.spans().iter().map(|span| span.text).collect()
    }

    #[test]
    fn each_glyph_represents_the_characters_up_to_the_next_one() {
        assert_eq!(texts(&run("office", false, &[0, 1, 4, 5])), ["o", "ffi", "c", "e"]);
        assert_eq!(texts(&run("abc", true, &[2, 1, 0])), ["c", "b", "a"]);
        // Two glyphs of one cluster are one span.
        assert_eq!(texts(&run("abc", false, &[0, 0, 1])), ["a", "bc"]);
        assert_eq!(texts(&run("\u{200f}ab", false, &[3, 4])), ["\u{200f}a", "b"]);
    }

    #[test]
    fn clusters_are_in_logical_order_and_cover_the_text() {
        let run = run("abc", true, &[2, 0, 0]);
        assert_eq!(run.clusters(), [(0..2, 20), (2..3, 10)]);
    }
}
