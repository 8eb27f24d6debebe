//! The text of the PDF: PO number, note, amounts, descriptions, as far as a reader could copy them.
//! Layout and scripts with joined letters are not judged.

use std::collections::BTreeSet;

use crate::cases::prelude::*;
use crate::pdf::{Text, is_plain, normalized};

/// A payout with its lines, and the text of its statement, of the same state.
async fn printed(context: &mut CaseContext<'_>, id: &str) -> CaseResult<(Account, Document, Text)> {
    let account = Account::of(context, id).await?;
    let document = Document::of(context, id).await?;
    let text = text_of(context, &document)?;
    Ok((account, document, text))
}

fn text_of(context: &CaseContext<'_>, document: &Document) -> CaseResult<Text> {
    let is_ours = context.deployment().features.contains(&Feature::Seeded);
    match Text::of(document.bytes()) {
        Some(text) => Ok(text),
        // Other renderers may print letters as shapes; ours does not.
        None if !is_ours => Err(CaseOutcome::missing("a PDF whose text can be copied")),
        None => Err(CaseOutcome::failed(
            "The PDF contains no text that can be copied.",
            "the text of the statement",
            format!("{} bytes without any", document.bytes().len()),
            Some(document.download.exchange),
        )),
    }
}

/// Requires that the PDF contains a text, ignoring gaps and punctuation. Texts that readers may
/// change are skipped.
fn contains(document: &Document, printed: &Text, wanted: &str, what: &str) -> CaseResult {
    let printed = &printed.letters;
    if !is_plain(wanted) {
        return Ok(());
    }
    // A text that is wrapped in its column has other columns between its words.
    let has_words = || {
        let mut words = wanted.split_whitespace().map(normalized);
        words.all(|word| printed.contains(&word))
    };
    document.download.that(
        printed.contains(&normalized(wanted)) || has_words(),
        &format!("The PDF does not contain {what}."),
        wanted,
        printed,
    )
}

fn field<'a>(line: &'a Value, name: &str) -> &'a str {
    line[name].as_str().unwrap_or_default()
}

/// The PDF contains every line's description and amount, and their sum.
#[case("S2", on = generateStatement, fixtures(Payout), changes = Restored, requests = 24)]
async fn lines(context: &mut CaseContext<'_>) -> CaseResult {
    all_lines(context, &context.fixture(Fixture::Payout)?).await
}

/// The PDF of a payout with many lines contains all of them.
#[case("S2", on = generateStatement, fixtures(PayoutOfManyLines), changes = Restored,
       requests = 24)]
async fn many_lines(context: &mut CaseContext<'_>) -> CaseResult {
    all_lines(context, &context.fixture(Fixture::PayoutOfManyLines)?).await
}

/// A negative payout has a statement too, and each amount is printed with its sign.
#[case("S2", on = generateStatement, features(Seeded), changes = Restored, requests = 24)]
async fn negative(context: &mut CaseContext<'_>) -> CaseResult {
    all_lines_of_seeded(context, "negative").await
}

/// A description that is longer than one line of the table is printed completely.
#[case("S2", on = generateStatement, features(Seeded), changes = Restored, requests = 24)]
async fn long_description(context: &mut CaseContext<'_>) -> CaseResult {
    all_lines_of_seeded(context, "failed").await
}

/// Requires that the PDF of a payout of the data set contains all of its lines.
async fn all_lines_of_seeded(context: &mut CaseContext<'_>, name: &str) -> CaseResult {
    let missing = || CaseOutcome::missing(format!("the payout {name} of the data set"));
    let id = dataset::payout_id(name).ok_or_else(missing)?;
    all_lines(context, id).await
}

async fn all_lines(context: &mut CaseContext<'_>, id: &str) -> CaseResult {
    let (account, document, printed) = printed(context, id).await?;
    let value = account.payout.text("/data/amount/value");
    contains(&document, &printed, value, "the payout's amount")?;
    for line in &account.lines {
        contains(&document, &printed, field(line, "description"), "a line's description")?;
        contains(&document, &printed, field(line, "amount"), "a line's amount")?;
    }
    has_signed_total(&account, &document, &printed)?;
    has_alike(&account, &document, &printed)?;
    // Where one amount is printed as the API writes it, all are: then whole words are compared,
    // with their signs.
    let amount = |line| field(line, "amount").to_owned();
    let is_strict = account.lines.iter().any(|line| printed.times(&[&amount(line)]) > 0);
    let times = |amount: &str| match is_strict {
        true => printed.times(&[amount]),
        false => printed.letters.matches(&normalized(amount)).count(),
    };
    let what = "The PDF contains an amount less often than there are lines with it.";
    has_each(&account, &document, what, amount, times, false)?;
    if context.deployment().features.contains(&Feature::Seeded) {
        has_columns(&account, &document, &printed)?;
        has_days(&account, &document, &printed)?;
    }
    Ok(())
}

/// Requires that a negative total is printed with its sign, where it is printed as one word.
fn has_signed_total(account: &Account, document: &Document, printed: &Text) -> CaseResult {
    let value = account.payout.text("/data/amount/value");
    let lines = account.lines.iter().filter(|line| field(line, "amount") == value).count();
    let (all, negative) = printed.signs(value);
    document.download.that(
        !value.starts_with('-') || all <= lines || negative > lines,
        "The PDF contains the negative total without its sign.",
        &format!("{value} once, and {lines} times as a line's amount"),
        &format!("{all} times, {negative} times of these with a sign"),
    )
}

/// Requires that descriptions which differ only in digits, and so are equally wide, are all printed
/// in one piece if one of them is.
fn has_alike(account: &Account, document: &Document, printed: &Text) -> CaseResult {
    let descriptions = account.lines.iter().map(|line| field(line, "description"));
    let descriptions: Vec<&str> = descriptions.filter(|text| is_plain(text)).collect();
    let alike = |text: &str| text.replace(|letter: char| letter.is_ascii_digit(), "0");
    let is_whole = |text: &str| printed.letters.contains(&normalized(text));
    let whole = descriptions.iter().filter(|text| is_whole(text));
    let whole: BTreeSet<String> = whole.map(|text| alike(text)).collect();
    for description in descriptions {
        document.download.that(
            is_whole(description) || !whole.contains(&alike(description)),
            "The PDF does not contain a line's description, although it contains similar ones.",
            description,
            &printed.letters,
        )?;
    }
    Ok(())
}

/// Requires that each line's text is in the PDF as often as there are lines with it, or more often
/// unless `is_exact`.
fn has_each<'a>(
    account: &'a Account,
    document: &Document,
    what: &str,
    text: impl Fn(&'a Value) -> String,
    times: impl Fn(&str) -> usize,
    is_exact: bool,
) -> CaseResult {
    for line in &account.lines {
        let text_of = text(line);
        let lines = account.lines.iter().filter(|other| text(other) == text_of).count();
        let times = times(&text_of);
        document.download.that(
            times == lines || (times > lines && !is_exact),
            what,
            &format!("{text_of}: {lines} times"),
            &format!("{times} times"),
        )?;
    }
    Ok(())
}

/// Requires that statements with these adjacent columns, such as ours, have each line's two amounts
/// and currency once.
fn has_columns(account: &Account, document: &Document, printed: &Text) -> CaseResult {
    if printed.times(&["Source", "amount", "Amount", "Currency"]) == 0 {
        return Ok(());
    }
    let row = |line| ["sourceAmount", "amount", "currency"].map(|name| field(line, name)).join(" ");
    let times = |row: &str| printed.times(&row.split(' ').collect::<Vec<_>>());
    let what = "The PDF has other rows of amounts than there are lines.";
    has_each(account, document, what, row, times, true)
}

/// Requires that statements which print a day for each line print that of its periodEnd.
fn has_days(account: &Account, document: &Document, printed: &Text) -> CaseResult {
    // Fewer days are those of the payout or of the document.
    if printed.days().count() < account.lines.len() {
        return Ok(());
    }
    let day = |line| field(line, "periodEnd").split('T').next().unwrap_or_default().to_owned();
    let times = |day: &str| printed.days().filter(|printed| *printed == day).count();
    let what = "The PDF contains the day of a periodEnd less often than there are lines with it.";
    has_each(account, document, what, day, times, false)
}

/// Longer names may be wrapped.
const NAME_ON_ONE_LINE: usize = 24;

/// The PDF contains the name of the payout's partner.
#[case("§4.7.1", on = generateStatement, fixtures(Payout), changes = Restored, requests = 24)]
async fn partner(context: &mut CaseContext<'_>) -> CaseResult {
    // A name that was changed may be printed as it was, because a new name rebuilds nothing.
    let fixtures = [Fixture::Payout, Fixture::PayoutOfManyLines, Fixture::PayoutToDetach];
    let fixtures = fixtures.into_iter().filter_map(|fixture| context.fixture(fixture).ok());
    // Of the data set, one of a partner that no case changes, with lines that no case detaches.
    let is_seeded = context.deployment().features.contains(&Feature::Seeded);
    let seeded = dataset::payout_id("failed").filter(|_| is_seeded).map(str::to_owned);
    for id in fixtures.chain(seeded).collect::<Vec<_>>() {
        let response = context.send(statement(context, &id)?).await?;
        // The last of its lines may be detached.
        if response.status == 422 || response.at("/data/isUploaded") == true {
            continue;
        }
        response.is(200)?;
        let document = Document::behind(context, response).await?;
        let payout = context.ok(payout(context, &id)?).await?;
        let path = partner_path(payout.text("/data/partner/id"));
        let partner = context.ok(Request::get(path).with(&context.all()?)).await?;
        let name = partner.text("/data/name");
        if partner.at("/data/createdAt") != partner.at("/data/updatedAt") || !is_plain(name) {
            continue;
        }
        let printed = text_of(context, &document)?;
        if name.len() > NAME_ON_ONE_LINE {
            return contains(&document, &printed, name, "the partner's name");
        }
        return document.download.that(
            printed.letters.contains(&normalized(name)),
            "The PDF does not contain the partner's name.",
            name,
            &printed.letters,
        );
    }
    Err(CaseOutcome::missing("a payout of a partner that was never changed, with an ASCII name"))
}

/// The PDF lists the lines ordered by periodEnd, createdAt, id.
#[case("S2", on = generateStatement, fixtures(PayoutOfManyLines), changes = Restored,
       requests = 24)]
async fn line_order(context: &mut CaseContext<'_>) -> CaseResult {
    let id = context.fixture(Fixture::PayoutOfManyLines)?;
    let (account, document, printed) = printed(context, &id).await?;
    let mut lines: Vec<&Value> = account.lines.iter().collect();
    lines.sort_by_key(|line| ["periodEnd", "createdAt", "id"].map(|name| field(line, name)));
    let letters = &printed.letters;
    let mut at = 0;
    for line in lines {
        let description = field(line, "description");
        let wanted = normalized(description);
        // A wrapped one is not found in one piece.
        if wanted.is_empty() || !is_plain(description) || !letters.contains(&wanted) {
            continue;
        }
        match letters[at..].find(&wanted) {
            Some(found) => at += found + wanted.len(),
            None => {
                let what = "The PDF lists a line in the wrong place.";
                let expected = format!("{description:?} by periodEnd, createdAt, id");
                return document.download.that(false, what, &expected, &letters[at..]);
            }
        }
    }
    Ok(())
}

/// The PDF contains the payout's PO number.
#[case("§2.3.poNumber", on = generateStatement, fixtures(Payout), changes = Restored,
       requests = 24)]
async fn po_number(context: &mut CaseContext<'_>) -> CaseResult {
    prints(context, "/data/poNumber", "a PO number").await
}

/// The PDF contains the payout's statement note.
#[case("V11", on = generateStatement, fixtures(Payout), changes = Restored, requests = 24)]
async fn note(context: &mut CaseContext<'_>) -> CaseResult {
    prints(context, NOTE, "a statement note").await
}

async fn prints(context: &mut CaseContext<'_>, pointer: &str, what: &str) -> CaseResult {
    let id = context.fixture(Fixture::Payout)?;
    let (account, document, printed) = printed(context, &id).await?;
    let wanted = account.payout.text(pointer);
    CaseOutcome::missing_if(
        wanted.is_empty() || !is_plain(wanted),
        format!("a payout with {what} in ASCII letters"),
    )?;
    contains(&document, &printed, wanted, what)
}
