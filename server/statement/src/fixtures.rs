//! Statements for tests.

use std::sync::LazyLock;

use chrono::{DateTime, TimeDelta, Utc};
use rust_decimal::Decimal;

use super::{
    data::{Issuer, Line, Statement, Template},
    fonts::{FontSource, Fonts},
    layout::{Layout, layout},
    text::{ShapeCache, Shaper},
};

/// Fonts that are the same on every machine.
pub(crate) fn fonts() -> &'static Fonts {
    static FONTS: LazyLock<Fonts> =
        LazyLock::new(|| Fonts::load(&FontSource::EmbeddedOnly).unwrap());
    &FONTS
}

/// Each has words of its own.
pub(crate) fn shaper() -> Shaper<'static> {
    Shaper::new(fonts(), Box::leak(Box::default()))
}

pub(crate) fn laid_out(statement: &Statement) -> Layout {
    layout(statement, fonts(), &ShapeCache::default()).unwrap()
}

pub(crate) fn line(index: usize) -> Line {
    const DESCRIPTIONS: [&str; 5] = [
        "Renewal Nordwind Logistik, 24 seats",
        "New business Atelier Lumière, annual plan, paid up front",
        "Upsell Kestrel Analytics: premium support and two additional workspaces",
        "Referral fee Hafenbau AG",
        "Claw-back of a cancelled order",
    ];
    let cents = 12_345 + i64::try_from(index).unwrap() * 7_919 % 1_500_000;
    let sign = if index % 5 == 4 { -1 } else { 1 };
    let start: DateTime<Utc> = "2026-04-01T00:00:00Z".parse().unwrap();
    Line {
        id: format!("cln_{index}"),
        description: format!("L{index:05} {}", DESCRIPTIONS[index % 5]),
        plan_name: ["Reseller 2026", "Referral", "Reseller premium 2026"][index % 3].into(),
        period_end: start + TimeDelta::days(i64::try_from(index % 30).unwrap()),
        source_amount: Decimal::new(sign * cents * 10, 2),
        amount: Decimal::new(sign * cents, 2),
        currency: "EUR".into(),
    }
}

pub(crate) fn statement(lines: Vec<Line>) -> Statement {
    Statement {
        template: Template::default(),
        issuer: Issuer {
            legal_name: "Meridian Software GmbH".into(),
            address_line_1: "Am Sandtorkai 27".into(),
            address_line_2: None,
            postal_code: "20457".into(),
            city: "Hamburg".into(),
            country: "Germany".into(),
            finance_email: "finance@meridian.example".into(),
            company_number: None,
            vat_number: Some("DE123456789".into()),
        },
        partner_name: "Nordlys Consulting ApS".into(),
        payout_id: "pay_01JV3N8Q5RHWXK2M4P6S7T9V0A".into(),
        period_start: "2026-04-01T00:00:00Z".parse().unwrap(),
        period_end: "2026-04-30T23:59:59.999Z".parse().unwrap(),
        currency: "EUR".into(),
        po_number: None,
        note: None,
        total: lines.iter().map(|line| line.amount).sum(),
        lines,
    }
}

pub(crate) fn with_count(count: usize) -> Statement {
    statement((0..count).map(line).collect())
}

pub(crate) fn described(descriptions: &[&str]) -> Statement {
    let lines = descriptions
        .iter()
        .enumerate()
        .map(|(index, description)| Line { description: (*description).to_owned(), ..line(index) });
    statement(lines.collect())
}

/// Latin, Greek, Cyrillic, Arabic alone and mixed, and characters that no embedded face has.
pub(crate) fn multi_script() -> Statement {
    let mut statement = described(&[
        "Žluťoučký kůň, Ærøskøbing, Łódź — €10 “office”",
        "Обновление лицензии «Северный ветер», 24 места",
        "Ανανέωση συνδρομής Αθήνα",
        "عمولة إحالة ACME عن الطلب 2026 لشهر أبريل خلال يومًا",
        "Renewal شركة النور with 3 seats",
        "Missing 中国 \u{1f9ff} end \u{202e}not reversed",
    ]);
    statement.partner_name = "شركة الشراكة للاستشارات".into();
    statement.po_number = Some("PO/ΑΒΓ-Ж-7".into());
    statement
}

/// Numbers that look random, the same for the same seed.
pub(crate) struct Random(fastrand::Rng);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// 0 to `limit` - 1.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0.u64(..limit)
    }

    /// Returns a statement that may have everything: long texts, many lines, a footer, a note.
    pub(crate) fn statement(&mut self) -> Statement {
        let count = 1 + self.below(90);
        let lines = (0..count).map(|index| {
            let cents = i64::try_from(self.below(90_000_000)).unwrap() - 20_000_000;
            let words = match self.below(12) {
                0 => self.below(260),
                1 => 40,
                _ => self.below(14),
            };
            let (text, plan_words) = (self.text(words), self.below(5));
            Line {
                description: format!("L{index:05} {text}"),
                plan_name: self.text(plan_words),
                amount: Decimal::new(cents, 2),
                source_amount: Decimal::new(cents * 7, 2),
                ..line(0)
            }
        });
        let mut statement = statement(lines.collect());
        let (note, footer) = (self.below(120), self.below(60));
        statement.note = Some(self.text(note));
        statement.template.footer = Some(self.text(footer));
        let (name, legal_name) = (self.below(40), self.below(300));
        statement.partner_name = self.text(name);
        statement.issuer.legal_name = self.text(legal_name);
        statement
    }

    fn text(&mut self, words: u64) -> String {
        const WORDS: [&str; 12] = [
            "renewal",
            "of",
            "seats",
            "Kestrel",
            "premium-support",
            "عمولة",
            "Лицензия",
            "2026",
            "\n",
            "unbrokenunbrokenunbrokenunbrokenunbrokenunbroken",
            "中",
            "(a)",
        ];
        let words = (0..words).filter_map(|_| self.0.choice(WORDS));
        words.collect::<Vec<_>>().join(" ")
    }
}
