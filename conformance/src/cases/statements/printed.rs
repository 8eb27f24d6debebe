//! What stands in the PDF: PO number, note, amounts, descriptions, as far as a reader could copy them.
//!
//! It refuses to judge how it looks, and texts in scripts whose letters change where they meet.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    case::{Case, CaseContext, CaseOutcome, Changes, definition::runs},
    cases::money::{
        account::Account,
        dataset::Dataset,
        document::Document,
        lease::calmly,
        pdf::{Text, is_plain, reduced},
    },
    target::{Feature, Fixture},
};

pub(super) const CASES: &[Case] = &[
    Case::new(
        "statements.prints-lines",
        "The PDF holds every line's description and amount, and their sum.",
        "S2",
        runs!(lines),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(24),
    Case::new(
        "statements.prints-many-lines",
        "The PDF of a payout with many lines holds all of them.",
        "S2",
        runs!(many_lines),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutOfManyLines])
    .changes(Changes::Restored)
    .requests(24),
    Case::new(
        "statements.prints-negative",
        "A payout below zero has a statement too, and each amount of it is printed with its sign.",
        "S2",
        runs!(negative),
    )
    .on("generateStatement")
    .features(&[Feature::Seeded])
    .changes(Changes::Restored)
    .requests(24),
    Case::new(
        "statements.prints-long-description",
        "A description that fills more than one line of the table is printed whole.",
        "S2",
        runs!(long_description),
    )
    .on("generateStatement")
    .features(&[Feature::Seeded])
    .changes(Changes::Restored)
    .requests(24),
    Case::new(
        "statements.line-order",
        "The PDF has the lines ordered by periodEnd, createdAt, id.",
        "S2",
        runs!(order),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::PayoutOfManyLines])
    .changes(Changes::Restored)
    .requests(24),
    Case::new(
        "statements.prints-po-number",
        "The PDF holds the payout's PO number.",
        "§2.3.poNumber",
        runs!(po_number),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(24),
    Case::new(
        "statements.prints-note",
        "The PDF holds the payout's statement note.",
        "V11",
        runs!(note),
    )
    .on("generateStatement")
    .fixtures(&[Fixture::Payout])
    .changes(Changes::Restored)
    .requests(24),
];

/// A payout with its lines, and the text of its statement, both of one state.
async fn printed(
    context: &mut CaseContext<'_>,
    id: &str,
) -> Result<(Account, Document, Text), CaseOutcome> {
    let account = Account::of(context, id).await?;
    let document = Document::of(context, id).await?;
    let is_ours = context.deployment().features.contains(&Feature::Seeded);
    match Text::of(document.bytes()) {
        Some(text) => Ok((account, document, text)),
        // Another renderer may draw its letters as shapes; ours does not.
        None if !is_ours => Err(CaseOutcome::missing("a PDF whose text can be copied")),
        None => Err(CaseOutcome::failed(
            "The PDF holds no text that can be copied.",
            "the text of the statement",
            format!("{} bytes without any", document.bytes().len()),
            Some(document.download.exchange),
        )),
    }
}

/// That a text stands in the PDF, gaps and punctuation aside. What no reader gives back for certain is passed over.
fn holds(document: &Document, printed: &Text, wanted: &str, what: &str) -> Result<(), CaseOutcome> {
    let printed = &printed.letters;
    if !is_plain(wanted) {
        return Ok(());
    }
    // A text that was wrapped in its column has other columns between its words.
    let holds_words = || {
        let mut words = wanted.split_whitespace().map(reduced);
        words.all(|word| printed.contains(&word))
    };
    document.download.that(
        printed.contains(&reduced(wanted)) || holds_words(),
        &format!("The PDF does not hold {what}."),
        wanted,
        printed,
    )?;
    Ok(())
}

fn field<'a>(line: &'a Value, name: &str) -> &'a str {
    line[name].as_str().unwrap_or_default()
}

async fn lines(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::Payout)?;
    all_lines(context, &id).await
}

async fn many_lines(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::PayoutOfManyLines)?;
    all_lines(context, &id).await
}

async fn negative(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    all_lines_of(context, "negative").await
}

async fn long_description(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    all_lines_of(context, "failed").await
}

/// The same for a payout of the data set.
async fn all_lines_of(context: &mut CaseContext<'_>, name: &str) -> Result<(), CaseOutcome> {
    let dataset = Dataset::read();
    let Some(payout) = dataset.payout(name) else {
        return Err(CaseOutcome::missing(format!(
            "the payout {name} of the data set"
        )));
    };
    all_lines(context, payout["id"].as_str().unwrap_or_default()).await
}

async fn all_lines(context: &mut CaseContext<'_>, id: &str) -> Result<(), CaseOutcome> {
    let (account, document, printed) = printed(context, id).await?;
    let value = account.payout.text("/data/amount/value");
    holds(&document, &printed, value, "the payout's amount")?;
    for line in &account.lines {
        holds(
            &document,
            &printed,
            field(line, "description"),
            "a line's description",
        )?;
        holds(
            &document,
            &printed,
            field(line, "amount"),
            "a line's amount",
        )?;
    }
    has_alike(&account, &document, &printed)?;
    let amounts = account.lines.iter().map(|line| field(line, "amount"));
    let amounts: Vec<&str> = amounts.collect();
    // Who writes one amount as the API does writes all of them so: then one within another is none, and a sign belongs to it.
    let is_as_here = |amount: &&str| printed.times(&[amount]) > 0;
    let is_strict = amounts.iter().any(is_as_here);
    let times = |amount: &str| {
        if is_strict {
            printed.times(&[amount])
        } else {
            printed.letters.matches(&reduced(amount)).count()
        }
    };
    for amount in &amounts {
        let lines = amounts.iter().filter(|other| *other == amount).count();
        let times = times(amount);
        document.download.that(
            times >= lines,
            "The PDF holds an amount less often than there are lines with it.",
            &format!("{amount} at least {lines} times"),
            &format!("{times} times"),
        )?;
    }
    if context.deployment().features.contains(&Feature::Seeded) {
        has_columns(&account, &document, &printed)?;
        has_days(&account, &document, &printed)?;
    }
    Ok(())
}

/// Descriptions that differ in digits alone are equally wide: where one of them stands in one piece, all do.
fn has_alike(account: &Account, document: &Document, printed: &Text) -> Result<(), CaseOutcome> {
    let descriptions = account.lines.iter().map(|line| field(line, "description"));
    let descriptions: Vec<&str> = descriptions.filter(|text| is_plain(text)).collect();
    let alike = |text: &str| text.replace(|letter: char| letter.is_ascii_digit(), "0");
    let is_whole = |text: &str| printed.letters.contains(&reduced(text));
    let whole = descriptions.iter().filter(|text| is_whole(text));
    let whole: BTreeSet<String> = whole.map(|text| alike(text)).collect();
    for description in descriptions {
        document.download.that(
            is_whole(description) || !whole.contains(&alike(description)),
            "The PDF does not hold a line's description, though it holds others like it.",
            description,
            &printed.letters,
        )?;
    }
    Ok(())
}

/// Our own statements have these columns side by side: so stand the two amounts of each line and their currency, once.
fn has_columns(account: &Account, document: &Document, printed: &Text) -> Result<(), CaseOutcome> {
    if printed.times(&["Source", "amount", "Amount", "Currency"]) == 0 {
        return Ok(());
    }
    let row = |line| ["sourceAmount", "amount", "currency"].map(|name| field(line, name));
    for line in &account.lines {
        let lines = account.lines.iter();
        let lines = lines.filter(|other| row(other) == row(line)).count();
        let times = printed.times(&row(line));
        document.download.that(
            times == lines,
            "The PDF has another row of amounts than its headings and lines say.",
            &format!("{}: {lines} times", row(line).join(" ")),
            &format!("{times} times"),
        )?;
    }
    Ok(())
}

/// They tell each line's day, too: as the API writes it, and that of the line.
fn has_days(account: &Account, document: &Document, printed: &Text) -> Result<(), CaseOutcome> {
    // Fewer are those of the payout or of the document.
    if printed.days().count() < account.lines.len() {
        return Ok(());
    }
    let day = |line| {
        field(line, "periodEnd")
            .split('T')
            .next()
            .unwrap_or_default()
    };
    for line in &account.lines {
        let lines = account
            .lines
            .iter()
            .filter(|other| day(other) == day(line))
            .count();
        let times = printed
            .days()
            .filter(|printed| *printed == day(line))
            .count();
        document.download.that(
            times >= lines,
            "The PDF holds the day of a periodEnd less often than there are lines with it.",
            &format!("{} at least {lines} times", day(line)),
            &format!("{times} times"),
        )?;
    }
    Ok(())
}

async fn order(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::PayoutOfManyLines)?;
    let (account, document, printed) = printed(context, &id).await?;
    let mut lines: Vec<&Value> = account.lines.iter().collect();
    lines.sort_by_key(|line| ["periodEnd", "createdAt", "id"].map(|name| field(line, name)));
    let letters = &printed.letters;
    let mut at = 0;
    for line in lines {
        let description = field(line, "description");
        let wanted = reduced(description);
        // One that was wrapped stands nowhere in one piece.
        if wanted.is_empty() || !is_plain(description) || !letters.contains(&wanted) {
            continue;
        }
        match letters[at..].find(&wanted) {
            Some(found) => at += found + wanted.len(),
            None => {
                document.download.that(
                    false,
                    "A line does not follow the one it should in the PDF.",
                    &format!("{description:?} by periodEnd, createdAt, id"),
                    &letters[at..],
                )?;
            }
        }
    }
    Ok(())
}

async fn po_number(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    calmly(context, runs!(po_number_now)).await
}

async fn po_number_now(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    prints(context, "/data/poNumber", "a PO number").await
}

async fn note(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    calmly(context, runs!(note_now)).await
}

async fn note_now(context: &mut CaseContext<'_>) -> Result<(), CaseOutcome> {
    prints(context, "/data/metadata/statementNote", "a statement note").await
}

async fn prints(
    context: &mut CaseContext<'_>,
    pointer: &str,
    what: &str,
) -> Result<(), CaseOutcome> {
    let id = context.fixture(Fixture::Payout)?;
    let (account, document, printed) = printed(context, &id).await?;
    let wanted = account.payout.text(pointer);
    if wanted.is_empty() || !is_plain(wanted) {
        return Err(CaseOutcome::missing(format!(
            "a payout with {what} in letters of ASCII"
        )));
    }
    holds(&document, &printed, wanted, what)
}
