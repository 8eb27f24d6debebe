//! Claims about the PDF itself: its bytes, and the text that is copied from it. Tests that need
//! pdftotext or qpdf say so where it is missing.

use std::{
    collections::BTreeMap,
    io::Write as _,
    process::{Command, Stdio},
    thread,
};

use sha2::{Digest, Sha256};

use super::{
    Colour, FontSource, Logo, Statement, Typesetter,
    fixtures::{Random, described, line, multi_script, statement, with_count},
};

fn typesetter() -> Typesetter {
    Typesetter::new(&FontSource::EmbeddedOnly).unwrap()
}

fn pdf(statement: &Statement) -> Vec<u8> {
    typesetter().typeset(statement).unwrap()
}

/// Returns the text as a plain reader finds it: every code turned into its characters, in the order
/// of the file.
fn text_of(bytes: &[u8]) -> String {
    let document = lopdf::Document::load_mem(bytes).unwrap();
    let pages: Vec<u32> = document.get_pages().keys().copied().collect();
    document.extract_text(&pages).unwrap()
}

fn samples() -> Vec<Statement> {
    let mut noted = with_count(41);
    noted.note = Some("First line\nsecond line".into());
    noted.po_number = Some("PO-7".into());
    noted.template.accent_colour = Colour::new(0xb0, 0x30, 0x60);
    noted.template.logo = Some(logo());
    vec![with_count(1), noted, multi_script(), Random::new(7).statement()]
}

fn logo() -> Logo {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 40, 10);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[90; 40 * 10 * 4]).unwrap();
    drop(writer);
    Logo::from_png(&bytes).unwrap()
}

#[test]
fn same_statement_has_the_same_bytes_whatever_came_before_it_and_on_every_thread() {
    let fresh: Vec<Vec<u8>> = samples().iter().map(pdf).collect();
    let used = typesetter();
    let compare = || {
        for (statement, fresh) in samples().iter().zip(&fresh).chain(samples().iter().zip(&fresh)) {
            assert!(used.typeset(statement).unwrap() == *fresh);
        }
    };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(compare);
        }
    });
    assert!(samples().iter().map(pdf).eq(fresh));
}

/// The snapshot is from another process, and maybe from another machine.
#[test]
fn same_statement_has_the_same_bytes_in_every_process() {
    let digests = samples().into_iter().map(|one| hex::encode(Sha256::digest(pdf(&one))) + "\n");
    insta::assert_snapshot!(digests.collect::<String>());
}

#[test]
fn another_statement_has_another_id_and_no_file_has_a_date() {
    let id = |bytes: &[u8]| {
        let document = lopdf::Document::load_mem(bytes).unwrap();
        format!("{:?}", document.trailer.get(b"ID").unwrap())
    };
    let (one, two) = (pdf(&with_count(1)), pdf(&with_count(2)));
    assert_ne!(id(&one), id(&two));
    assert!(!id(&one).contains("FFFFFFFF"));
    let contains = |needle: &[u8]| one.windows(needle.len()).any(|window| window == needle);
    assert!(!contains(b"Date") && !contains(b"printpdf"));
}

/// The sum has more digits than any amount.
#[test]
fn amounts_and_their_sum_come_back_as_the_api_writes_them() {
    let least = "-999999999999999999.99";
    let amounts = ["90071992547409.93", "-25.25", "0.00", "1234567.80", least, least, least];
    let mut lines: Vec<_> = (0..amounts.len()).map(line).collect();
    for (line, amount) in lines.iter_mut().zip(amounts) {
        line.amount = amount.parse().unwrap();
    }
    let statement = statement(lines);
    let text = text_of(&pdf(&statement));
    for amount in amounts.iter().chain(&["-2999909928006218047.49"]) {
        let found = text.split_whitespace().any(|word| word == *amount);
        assert!(found, "{amount} in {text}");
    }
}

#[test]
fn every_script_comes_back_as_text() {
    let text = text_of(&pdf(&multi_script()));
    // This reader puts a space wherever the font changes.
    let text = text.replace(' ', "");
    for word in ["Žluťoučký", "“office”", "«Северный", "συνδρομής", "€10", "ΑΒΓ-Ж-7"]
    {
        assert!(text.contains(word), "{word} in {text}");
    }
    // Right to left, a file has its letters in the order of paper.
    for word in ["عمولة", "خلال", "للاستشارات", "يومًا", "النور"] {
        let reversed: String = word.chars().rev().collect();
        assert!(text.contains(&reversed), "{word} in {text}");
    }
    // Missing characters come back as well.
    assert!(text.contains('中') && text.contains('\u{1f9ff}'), "{text}");
    assert!(text.contains("notreversed"), "{text}");
}

#[test]
fn a_second_meaning_of_a_glyph_comes_back_as_well() {
    // The dash of negative amounts, a true minus, and a dash: two glyphs, three texts.
    let text = text_of(&pdf(&described(&["a\u{2212}b", "c\u{2013}d", "e\u{2012}f", "g", "h"])));
    for word in ["a\u{2212}b", "c\u{2013}d", "e\u{2012}f", "-"] {
        assert!(text.contains(word), "{word} in {text}");
    }
}

#[test]
fn any_characters_whatsoever_are_typeset_and_read_back() {
    let typesetter = typesetter();
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let mut text = |length: u64| -> String {
            // Planes of all kinds, and the places where direction, marks and controls are.
            const STARTS: [u64; 8] = [0, 0x300, 0x590, 0x2000, 0xfe00, 0x1f600, 0xe0000, 0x4e00];
            let characters = (0..length).map(|_| {
                let start = STARTS[usize::try_from(random.below(8)).unwrap()];
                u32::try_from(start + random.below(0x180)).unwrap()
            });
            characters.filter_map(char::from_u32).collect()
        };
        let mut statement = described(&[&text(300), &text(40), &text(2_000)]);
        statement.note = Some(text(500));
        statement.partner_name = text(80);
        statement.payout_id = text(30);
        statement.currency = text(9);
        statement.template.title = text(90);
        statement.template.footer = Some(text(200));
        statement.lines[1].plan_name = text(70);
        let text = text_of(&typesetter.typeset(&statement).unwrap());
        assert!(text.contains("Source amount") && text.contains("Page 1 of"), "seed {seed}");
    }
}

/// Runs `program` on the PDF; returns its output, or prints SKIPPED and returns `None`.
fn ask(program: &str, arguments: &[&str], bytes: &[u8]) -> Option<String> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("SKIPPED: {program} is not installed (Debian: poppler-utils, qpdf)");
        return None;
    };
    let mut input = child.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writer = thread::spawn(move || input.write_all(&bytes));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{program}: {errors}");
    Some(String::from_utf8(output.stdout).unwrap())
}

#[test]
fn pdftotext_gives_all_text_back_in_logical_order() {
    let bytes = pdf(&multi_script());
    for arguments in [&["-", "-"][..], &["-layout", "-", "-"]] {
        let Some(text) = ask("pdftotext", arguments, &bytes) else {
            return;
        };
        for word in [
            "Žluťoučký",
            "«Северный",
            "Αθήνα",
            "€10",
            "“office”",
            "عمولة",
            "خلال",
            "للاستشارات",
            "يومًا",
            "النور",
            "أبريل",
            "ACME",
            "中国",
            "\u{1f9ff}",
            "-440.21",
            "PO/ΑΒΓ-Ж-7",
        ] {
            assert!(text.contains(word), "{word} in {text}");
        }
    }
}

/// Lines in both directions, by the direction of their paragraph.
const MIXED: [&str; 7] = [
    "Fee \u{639}\u{645}\u{648}\u{644}\u{629} \u{639}\u{627}\u{645} paid",
    "\u{639}\u{645}\u{648}\u{644}\u{629} ACME \u{639}\u{627}\u{645} 2026",
    "\u{639}\u{645}\u{648}\u{644}\u{629} (ACME) 12.50 EUR",
    "Fee \u{5e2}\u{5de}\u{5dc}\u{5d4} \u{5e9}\u{5e0}\u{5d4}, 2026",
    "\u{5e2}\u{5de}\u{5dc}\u{5d4} \u{5e9}\u{5e0}\u{5d4} ACME Ltd.",
    "Fee \u{639}\u{645}\u{648}\u{644}\u{629}, 2026",
    "\u{634}\u{643}\u{631}\u{64b} ACME -12.50",
];

#[test]
fn pdftotext_gives_lines_of_both_directions_back_in_logical_order() {
    let bytes = pdf(&described(&MIXED));
    for arguments in [&["-", "-"][..], &["-layout", "-", "-"]] {
        let Some(text) = ask("pdftotext", arguments, &bytes) else {
            return;
        };
        // It marks the parts of both directions.
        let marks = ['\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}'];
        let text = text.replace(marks, "");
        for line in MIXED {
            assert!(text.contains(line), "{line} in {text}");
        }
    }
}

#[test]
fn marked_text_of_a_line_of_both_directions_is_in_logical_order() {
    let document = lopdf::Document::load_mem(&pdf(&described(&MIXED))).unwrap();
    let page = document.page_iter().next().unwrap();
    let resources = document.get_page_resources(page).unwrap();
    let resources = document.get_dictionary(resources.1[0]).unwrap();
    let properties = resources.get(b"Properties").unwrap().as_reference().unwrap();
    let text = |properties: &lopdf::Object| {
        let text = properties.as_dict().unwrap().get(b"ActualText").unwrap();
        lopdf::decode_text_string(text).unwrap()
    };
    // They are found by their names, in the order of the page.
    let properties: BTreeMap<_, _> = document.get_dictionary(properties).unwrap().iter().collect();
    let texts: Vec<String> = properties.into_values().map(text).collect();
    assert_eq!(texts, MIXED);
}

#[test]
fn line_of_one_direction_is_not_marked() {
    let one_direction = ["Fee 2026", "\u{639}\u{645}\u{648}\u{644}\u{629}", "\u{5d0}\u{5d1}."];
    let document = lopdf::Document::load_mem(&pdf(&described(&one_direction))).unwrap();
    let page = document.page_iter().next().unwrap();
    let operations = document.get_and_decode_page_content(page).unwrap().operations;
    assert!(operations.iter().all(|operation| operation.operator != "BDC"));
}

#[test]
fn pdftotext_gives_amounts_back_without_gaps() {
    let mut lines = vec![line(0), line(1)];
    lines[1].amount = "90071992547409.93".parse().unwrap();
    lines[0].amount = "-1234567.89".parse().unwrap();
    let statement = statement(lines);
    let Some(text) = ask("pdftotext", &["-layout", "-", "-"], &pdf(&statement)) else {
        return;
    };
    for amount in ["90071992547409.93", "-1234567.89", "90071991312842.04"] {
        let found = text.split_whitespace().any(|word| word == amount);
        assert!(found, "{amount} in {text}");
    }
}

#[test]
fn qpdf_finds_nothing_to_complain_of() {
    for statement in samples() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), pdf(&statement)).unwrap();
        let path = file.path().to_str().unwrap();
        if ask("qpdf", &["--check", path], b"").is_none() {
            return;
        }
    }
}

/// Uses the machine's fonts; needs Noto Sans CJK, a collection with cubic outlines, to be
/// meaningful.
#[test]
fn installed_fonts_draw_what_the_embedded_ones_lack() {
    let statement = described(&["上海贸易有限公司", "株式会社ノルド", "한국어 회사"]);
    let system = Typesetter::new(&FontSource::System).unwrap();
    let bytes = system.typeset(&statement).unwrap();
    let text = text_of(&bytes);
    for word in ["上海贸易有限公司", "株式会社ノルド", "한국어"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    let document = lopdf::Document::load_mem(&bytes).unwrap();
    let fonts = document.objects.values().filter_map(|object| object.as_dict().ok());
    let descriptors = fonts.filter(|one| one.has_type(b"FontDescriptor")).count();
    if descriptors <= 2 {
        eprintln!("SKIPPED: no Chinese font is installed (Debian: fonts-noto-cjk)");
        return;
    }
    assert!(bytes == system.typeset(&statement).unwrap());
}
