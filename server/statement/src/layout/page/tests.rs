//! Layouts as text that a person can read and compare.

use std::fmt;

use super::*;
use crate::text::Shape;

/// Thousandths of a point as points.
struct Points(i32);

impl fmt::Display for Points {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let thousandths = self.0.unsigned_abs();
        write!(formatter, "{sign}{}.{:03}", thousandths / 1000, thousandths % 1000)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, page) in self.pages.iter().enumerate() {
            writeln!(formatter, "page {} of {}", index + 1, self.pages.len())?;
            for element in &page.elements {
                writeln!(formatter, "  {element}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Element {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let box_of = |x, y, width, height| {
            let (x, y, width, height) = (Points(x), Points(y), Points(width), Points(height));
            format!("{x} {y} {width}×{height}")
        };
        match self {
            Self::Text(text) => write!(formatter, "{text}"),
            Self::Rectangle(one) => {
                let place = box_of(one.x, one.y, one.width, one.height);
                write!(formatter, "fill {place} {}", one.colour)
            }
            Self::Image(one) => {
                let place = box_of(one.x, one.y, one.width, one.height);
                write!(formatter, "logo {place}")
            }
        }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (x, y, end) = (Points(self.x), Points(self.y), Points(self.x + self.width));
        let (size, colour) = (Points(self.size), self.colour);
        let weight = match self.weight {
            Weight::Regular => "",
            Weight::Bold => " bold",
        };
        write!(formatter, "text {x}–{end} {y} {size}{weight} {colour} ")?;
        for (index, group) in self.runs.chunk_by(|one, next| kind(one) == kind(next)).enumerate() {
            if index > 0 {
                formatter.write_str(" ")?;
            }
            let text: String = group.iter().map(|run| &*run.text).collect();
            write!(formatter, "{text:?}{}", kind(&group[0]))?;
        }
        Ok(())
    }
}

fn kind(run: &Run) -> &'static str {
    match (&run.shape, run.right_to_left) {
        (Shape::Missing(_), _) => " missing",
        (Shape::Glyphs(..), true) => " right-to-left",
        (Shape::Glyphs(..), false) => "",
    }
}

#[test]
fn lengths_are_printed_in_points_with_three_digits() {
    let printed = [0, 7, 51_024, -1_500].map(|length| Points(length).to_string());
    assert_eq!(printed, ["0.000", "0.007", "51.024", "-1.500"]);
}
