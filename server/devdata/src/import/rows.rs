//! Entries to rows: local names become ids, absent ids are generated, repeated lines are written
//! out.

use std::collections::HashMap;

use payout_server::tools::{IdKind, Logo, OrganizationId, Pdf};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::format::{Form, Organization, Partner};

const FIRST_VERSION: i32 = 1;

/// Columns by name; the table ignores names that are no column.
pub(super) type Row = Map<String, Value>;

#[derive(Debug)]
pub(super) struct Rows {
    /// Tables with their rows, in an order that satisfies the foreign keys.
    pub(super) tables: Vec<(&'static str, Vec<Row>)>,
    /// Uploaded statements by the id of their payout.
    pub(super) uploaded_statements: Vec<(String, Pdf)>,
}

impl Rows {
    pub(super) fn count(&self, table: &str) -> usize {
        self.tables.iter().filter(|(name, _)| *name == table).map(|(_, rows)| rows.len()).sum()
    }
}

/// Reads the organisation `at` a place of the file; an error has the place of the wrong entry.
pub(super) fn read(at: &str, from: &Organization) -> Result<(OrganizationId, Rows), String> {
    let id = from.id.clone().unwrap_or_else(|| IdKind::Organization.generate());
    let id = OrganizationId::parse(&id).ok_or_else(|| no_id(at, &id, IdKind::Organization))?;
    if let Some(logo) = &from.template.logo {
        Logo::from_png(&logo.0).map_err(|error| format!("{at}.template.logo: {error}"))?;
    }
    let mut names = Names { at, ids: HashMap::new() };
    let users = names.rows("users", IdKind::User, numbered(&from.users), &[])?;
    let tiers = names.rows("tiers", IdKind::Tier, numbered(&from.tiers), &[])?;
    let phases = names.rows("phases", IdKind::Phase, numbered(&from.phases), &[])?;
    let (list, kind) = ("experienceTemplates", IdKind::ExperienceTemplate);
    let templates = names.rows(list, kind, numbered(&from.experience_templates), &[])?;
    let references = [
        ("tier", "tiers"),
        ("phase", "phases"),
        ("experience_template", list),
        ("owner", "users"),
        ("manager", "users"),
    ];
    let partners = numbered(&from.partners);
    let partners = names.rows("partners", IdKind::Partner, partners, &references)?;
    let portal_users = portal_users(&from.partners, &partners);
    let references = [("partner", "partners"), ("payout", "payouts")];
    let payouts = numbered(&from.payouts);
    let mut payouts = names.rows("payouts", IdKind::Payout, payouts, &references)?;
    let lines = numbered(&from.commission_lines).flat_map(|(index, line)| {
        (0..line.repeat.unwrap_or(1)).map(move |number| (index, line.repetition(number)))
    });
    let lines = names.rows("commissionLines", IdKind::CommissionLine, lines, &references)?;

    let references = [
        ("partner", "partners"),
        ("payout", "payouts"),
        ("thread", "comments"),
        ("author", "users"),
    ];
    let comments = numbered(&from.comments);
    let mut comments = names.rows("comments", IdKind::Comment, comments, &references)?;
    for row in &mut comments {
        let own = row["id"].clone();
        row.entry("thread_id").or_insert(own);
    }

    let form_tables = names.forms(from)?;
    let mut uploaded_statements = Vec::new();
    for (index, (row, payout)) in payouts.iter_mut().zip(&from.payouts).enumerate() {
        let at = format!("{at}.payouts[{index}]");
        // Its lines raise it.
        row.insert("amount".to_owned(), 0.into());
        identify(&format!("{at}.batchId"), row, "batch_id", IdKind::PayoutBatch)?;
        if payout.period_end <= payout.period_start {
            return Err(format!("{at}.periodEnd: must be later than periodStart"));
        }
        if let Some(bytes) = &payout.uploaded_statement {
            let pdf = Pdf::new(bytes.0.clone().into());
            let pdf = pdf.map_err(|error| format!("{at}.uploadedStatement: {error}"))?;
            uploaded_statements.push((text(row, "id"), pdf));
        }
    }
    let mut tables = vec![
        ("users", users),
        ("tiers", tiers),
        ("phases", phases),
        ("experience_templates", templates),
        ("partners", partners),
        ("portal_users", portal_users),
        ("payouts", payouts),
        ("commission_lines", lines),
        ("comments", comments),
    ];
    tables.extend(form_tables);
    tables.extend(names.affiliate(from)?);
    tables.extend(names.crm(from)?);
    Ok((id, Rows { tables, uploaded_statements }))
}

/// The users of each partner's portal, by the row of the partner.
fn portal_users(partners: &[Partner], rows: &[Row]) -> Vec<Row> {
    let users = partners.iter().zip(rows).flat_map(|(partner, row)| {
        let user = |email| columns(&json!({ "partner_id": row["id"], "email": email }));
        partner.portal_users.iter().map(user)
    });
    users.collect()
}

/// The only version of each form, by the row of the form.
fn versions(at: &str, forms: &[Form], rows: &[Row]) -> Result<Vec<Row>, String> {
    let version = |((index, form), row): ((usize, &Form), &Row)| {
        let definition = form.definition.clone().checked();
        let definition =
            definition.map_err(|error| format!("{at}.forms[{index}].definition: {error}"))?;
        let mut version = columns(&definition);
        version.insert("form_id".to_owned(), row["id"].clone());
        version.insert("version".to_owned(), FIRST_VERSION.into());
        version.extend(row.get("created_at").map(|at| ("created_at".to_owned(), at.clone())));
        Ok(version)
    };
    numbered(forms).zip(rows).map(version).collect()
}

fn numbered<T>(entries: &[T]) -> impl Iterator<Item = (usize, &T)> {
    entries.iter().enumerate()
}

struct Names<'a> {
    at: &'a str,
    /// Ids by the list and the local name of an entry.
    ids: HashMap<(&'static str, String), String>,
}

impl Names<'_> {
    /// The tables of forms, each of which has one version, and of what was submitted with them.
    fn forms(&mut self, from: &Organization) -> Result<[(&'static str, Vec<Row>); 3], String> {
        let forms = self.rows("forms", IdKind::Form, numbered(&from.forms), &[])?;
        let versions = versions(self.at, &from.forms, &forms)?;
        let references = [("form", "forms"), ("partner", "partners")];
        let submissions = numbered(&from.form_submissions);
        let mut submissions =
            self.rows("formSubmissions", IdKind::FormSubmission, submissions, &references)?;
        for row in &mut submissions {
            row.insert("form_version".to_owned(), FIRST_VERSION.into());
        }
        Ok([("forms", forms), ("form_versions", versions), ("form_submissions", submissions)])
    }

    /// The tables of affiliate links, of their codes and clicks, and of what those became.
    fn affiliate(&mut self, from: &Organization) -> Result<[(&'static str, Vec<Row>); 4], String> {
        let links = numbered(&from.affiliate_links);
        let partner = ("partner", "partners");
        let links = self.rows("affiliateLinks", IdKind::AffiliateLink, links, &[partner])?;
        let code = |link: &Row| columns(&json!({ "code": link["code"], "link_id": link["id"] }));
        let codes = links.iter().map(code).collect();
        let clicks = numbered(&from.clicks);
        let clicks = self.rows("clicks", IdKind::Click, clicks, &[("link", "affiliateLinks")])?;
        let references = [partner, ("click", "clicks")];
        let conversions = numbered(&from.conversions);
        let conversions = self.rows("conversions", IdKind::Conversion, conversions, &references)?;
        Ok([
            ("affiliate_links", links),
            ("affiliate_codes", codes),
            ("clicks", clicks),
            ("conversions", conversions),
        ])
    }

    /// The connection to a CRM, with a token that nobody can open, and syncs that have ended.
    fn crm(&mut self, from: &Organization) -> Result<[(&'static str, Vec<Row>); 2], String> {
        let connection = from.crm_connection.iter().map(|connection| {
            let mut row = columns(connection);
            row.insert("id".to_owned(), IdKind::CrmConnection.generate().into());
            row.insert("token_key".to_owned(), "none".into());
            row.insert("sealed_token".to_owned(), format!("\\x{}", "00".repeat(64)).into());
            row
        });
        let connection = connection.collect();
        let references = [("partner", "partners")];
        let syncs = numbered(&from.crm_syncs);
        let mut syncs = self.rows("crmSyncs", IdKind::CrmSync, syncs, &references)?;
        for row in &mut syncs {
            row.extend(["actor", "request_id"].map(|name| (name.to_owned(), "import".into())));
        }
        Ok([("crm_connections", connection), ("crm_syncs", syncs)])
    }

    /// Makes the rows of a list. `references` are members that hold a local name, and the lists of
    /// these names: `tier` gives the column `tier_id`.
    fn rows(
        &mut self,
        list: &'static str,
        kind: IdKind,
        entries: impl Iterator<Item = (usize, impl Serialize)>,
        references: &[(&str, &'static str)],
    ) -> Result<Vec<Row>, String> {
        let mut rows = Vec::new();
        for (index, entry) in entries {
            let at = format!("{}.{list}[{index}]", self.at);
            let mut row = columns(&entry);
            identify(&format!("{at}.id"), &mut row, "id", kind)?;
            for (member, target) in references {
                let Some(name) = row.get(*member).and_then(Value::as_str) else { continue };
                let Some(id) = self.ids.get(&(*target, name.to_owned())) else {
                    return Err(format!(
                        "{at}.{member}: no entry of `{target}` has the `ref` {name:?}"
                    ));
                };
                row.insert(format!("{member}_id"), id.as_str().into());
            }
            if row.contains_key("ref") {
                let (name, id) = (text(&row, "ref"), text(&row, "id"));
                if self.ids.insert((list, name.clone()), id).is_some() {
                    return Err(format!("{at}.ref: {name:?} is used twice"));
                }
            }
            rows.push(row);
        }
        Ok(rows)
    }
}

fn columns(entry: &impl Serialize) -> Row {
    let Ok(Value::Object(mut row)) = serde_json::to_value(entry) else {
        unreachable!("entries are objects with string keys");
    };
    row.retain(|_, value| !value.is_null());
    if let Some(created_at) = row.get("created_at").cloned() {
        row.entry("updated_at").or_insert(created_at);
    }
    row
}

/// Checks the id in a column, or generates it.
fn identify(at: &str, row: &mut Row, column: &str, kind: IdKind) -> Result<(), String> {
    row.entry(column).or_insert_with(|| kind.generate().into());
    let id = text(row, column);
    if kind.is_valid(&id) { Ok(()) } else { Err(no_id(at, &id, kind)) }
}

fn no_id(at: &str, id: &str, kind: IdKind) -> String {
    format!("{at}: {id:?} is not `{}` and a ULID; without it, an id is generated", kind.prefix())
}

fn text(row: &Row, column: &str) -> String {
    row[column].as_str().unwrap_or_default().to_owned()
}
