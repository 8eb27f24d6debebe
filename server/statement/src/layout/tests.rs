//! Claims about whole layouts: three golden ones, and what holds for any statement.

use rust_decimal::Decimal;

use super::{
    super::{
        data::{LINES_LIMIT, amount_text},
        fixtures::{Random, described, fonts, laid_out, line, multi_script, statement, with_count},
        text::ShapeCache,
    },
    LayoutError,
    dimensions::{BOTTOM_MARGIN, PAGE_HEIGHT, RIGHT_EDGE, SIDE_MARGIN},
    layout,
    page::{Element, Layout, Page, Text},
};

fn texts(page: &Page) -> Vec<(String, &Text)> {
    let elements = page.elements.iter();
    elements
        .filter_map(|element| match element {
            Element::Text(text) => Some((text.runs.iter().map(|run| &*run.text).collect(), text)),
            Element::Rectangle(_) | Element::Image(_) => None,
        })
        .collect()
}

/// Returns the text right of a label in the column of amounts.
fn amounts_after(page: &Page, label: &str) -> Vec<String> {
    let texts = texts(page);
    let labels = texts.iter().enumerate().filter(|(_, (text, _))| text == label);
    labels.map(|(place, _)| texts[place + 1].0.clone()).collect()
}

fn shown_lines(page: &Page) -> Vec<usize> {
    texts(page)
        .iter()
        .filter_map(|(text, _)| text.strip_prefix('L')?.get(..5)?.parse().ok())
        .collect()
}

/// Compares with `snapshots/<name>.snap`.
fn assert_golden(name: &str, layout: &Layout) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, layout));
}

#[test]
fn golden_layout_of_one_line() {
    assert_golden("one_line", &laid_out(&with_count(1)));
}

#[test]
fn golden_layout_of_41_lines_with_note_and_order() {
    let mut statement = with_count(41);
    statement.po_number = Some("PO-2026-00417".into());
    statement.note = Some(
        "Payment follows within 14 days.\n\nClaw-backs of March are included; each of them \
         names the order it belongs to, so that you can find it in your own books.\nThank \
         you."
            .into(),
    );
    statement.template.footer = Some("Meridian Software GmbH · Hamburg\nVAT DE123456789".into());
    assert_golden("lines_41_with_note", &laid_out(&statement));
}

#[test]
fn golden_layout_of_many_scripts() {
    assert_golden("multi_script", &laid_out(&multi_script()));
}

#[test]
fn any_statement_shows_every_line_once_and_carries_exact_sums() {
    for seed in 0..60 {
        let statement = Random::new(seed).statement();
        let layout = laid_out(&statement);
        let (mut sum, mut shown, mut carried) = (Decimal::ZERO, 0, None);
        for page in &layout.pages {
            let brought = amounts_after(page, "Brought forward");
            assert_eq!(brought, carried.take().into_iter().collect::<Vec<_>>(), "seed {seed}");
            for index in shown_lines(page) {
                assert_eq!(index, shown, "seed {seed}");
                sum += statement.lines[index].amount;
                shown += 1;
            }
            if let Some(amount) = amounts_after(page, "Carried forward").pop() {
                assert_eq!(amount, amount_text(sum), "seed {seed}");
                carried = Some(amount);
            }
        }
        assert_eq!(shown, statement.lines.len(), "seed {seed}");
        let totals: Vec<_> =
            layout.pages.iter().flat_map(|page| amounts_after(page, "Total")).collect();
        assert_eq!(totals, [amount_text(statement.total)], "seed {seed}");
    }
}

#[test]
fn any_statement_stays_within_its_margins_and_nothing_overlaps() {
    for seed in 100..140 {
        let layout = laid_out(&Random::new(seed).statement());
        for (number, page) in layout.pages.iter().enumerate() {
            assert_inside(page, &format!("seed {seed}, page {number}"));
        }
    }
}

fn assert_inside(page: &Page, place: &str) {
    let texts = texts(page);
    // From the height of capitals to half of a descender.
    let areas: Vec<_> = texts
        .iter()
        .filter(|(text, _)| !text.is_empty())
        .map(|(text, one)| {
            let (above, below) = (one.size * 72 / 100, one.size / 8);
            (text, one.x, one.x + one.width, one.y - above, one.y + below)
        })
        .collect();
    for (index, (text, left, right, top, bottom)) in areas.iter().enumerate() {
        assert!(*left >= SIDE_MARGIN && *right <= RIGHT_EDGE, "{text:?} at {place}");
        assert!(*top > 0 && *bottom <= PAGE_HEIGHT - BOTTOM_MARGIN, "{text:?} at {place}");
        for (other, other_left, other_right, other_top, other_bottom) in &areas[index + 1..] {
            let apart = right <= other_left
                || other_right <= left
                || bottom <= other_top
                || other_bottom <= top;
            assert!(apart, "{text:?} and {other:?} at {place}");
        }
    }
}

#[test]
fn total_is_never_alone_on_a_page() {
    for count in 1..=70 {
        let layout = laid_out(&with_count(count));
        let last = layout.pages.last().unwrap();
        assert_eq!(amounts_after(last, "Total").len(), 1, "{count} lines");
        assert!(!shown_lines(last).is_empty(), "{count} lines");
    }
}

#[test]
fn every_page_says_which_of_how_many_it_is() {
    let layout = laid_out(&with_count(90));
    let count = layout.pages.len();
    assert!(count > 3);
    for (index, page) in layout.pages.iter().enumerate() {
        let number = format!("Page {} of {count}", index + 1);
        assert_eq!(texts(page).iter().filter(|(text, _)| *text == number).count(), 1);
        let headers = texts(page).iter().filter(|(text, _)| text == "Source amount").count();
        assert_eq!(headers, 1);
    }
}

#[test]
fn a_description_longer_than_a_page_runs_on_and_nothing_is_lost() {
    let long = "word ".repeat(400);
    let words = ["unbroken".repeat(250), long];
    for description in words {
        let layout = laid_out(&described(&["short", description.trim(), "last"]));
        let printed: String = layout.pages.iter().flat_map(texts).map(|(text, _)| text).collect();
        let count = |text: &str| text.matches(&description[..4]).count();
        assert_eq!(count(&printed), count(&description));
        for page in &layout.pages {
            assert_inside(page, "the long description");
        }
    }
}

#[test]
fn figures_end_at_one_edge() {
    let mut lines = vec![line(0), line(1), line(2)];
    lines[1].amount = "90071992547409.93".parse().unwrap();
    lines[2].amount = "-25.25".parse().unwrap();
    let layout = laid_out(&statement(lines));
    let edges: Vec<i32> = texts(&layout.pages[0])
        .iter()
        .filter(|(text, _)| {
            ["90071992547409.93", "-25.25", "123.45", "Amount"].contains(&text.as_str())
        })
        .map(|(_, text)| text.x + text.width)
        .collect();
    assert_eq!(edges.len(), 4);
    assert!(edges.iter().all(|edge| *edge == edges[0]), "{edges:?}");
}

#[test]
fn a_long_footer_is_printed_once_and_a_short_one_on_every_page() {
    let mut statement = with_count(60);
    let counts = |layout: &Layout| -> Vec<usize> {
        let pages = layout.pages.iter();
        pages
            .map(|page| texts(page).iter().filter(|(text, _)| text == "Registered").count())
            .collect()
    };
    statement.template.footer = Some("Registered\n".repeat(6));
    let layout = laid_out(&statement);
    assert!(counts(&layout).iter().all(|count| *count == 6));
    statement.template.footer = Some("Registered\n".repeat(7));
    let layout = laid_out(&statement);
    assert_eq!(counts(&layout).iter().sum::<usize>(), 7);
}

#[test]
fn a_statement_that_contradicts_itself_is_rejected() {
    let rejected = |statement| {
        let shape_cache = ShapeCache::default();
        layout(&statement, fonts(), &shape_cache).map(|layout| layout.pages.len())
    };
    assert_eq!(rejected(statement(Vec::new())), Err(LayoutError::NoLines));
    let mut wrong = with_count(2);
    wrong.total += Decimal::new(1, 2);
    let error = rejected(wrong).unwrap_err();
    assert!(matches!(error, LayoutError::WrongTotal { .. }), "{error}");
    let many = LINES_LIMIT + 1;
    assert_eq!(rejected(with_count(many)), Err(LayoutError::TooManyLines(many)));
    let mut large = with_count(2);
    for line in &mut large.lines {
        line.amount = Decimal::MAX;
    }
    assert_eq!(rejected(large), Err(LayoutError::TooLarge));
}
