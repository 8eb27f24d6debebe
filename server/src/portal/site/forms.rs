//! Forms that the organisation publishes: to fill in, and what was filled in.

use minijinja::context;
use openapi_runtime::{Issue, ListFingerprint};
use poem::http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    Site, Visit,
    commissions::{Rows, cursor, rows},
    posted::Posted,
    reply::{Refusal, Reply},
    session::Session,
};
use crate::{
    contract::value_sets::FormFieldType,
    forms::{Field, FromPortal, GetForm, Submitted, submit_from_portal},
    id::IdKind,
    page::Page,
    portal::pages::store::ReadSubmission,
};

/// The forms on one page.
const FORMS: usize = 50;
/// The names of a form's fields begin with it, and those of the page's own do not.
const PREFIX: &str = "field.";

/// A field with what was filled in, and what is wrong with that.
#[derive(Serialize)]
struct FilledField<'a> {
    field: &'a Field,
    value: Option<&'a Value>,
    issue: Option<&'a str>,
}

impl Site {
    pub(super) async fn forms(&self, session: &Session, visit: &Visit) -> Result<Reply, Refusal> {
        let forms = rows!(self, visit, &session.ticket.organization, "after", FORMS, ());
        let names = forms.rows.iter().map(|form| context! { id => form.id, name => form.name });
        let names: Vec<_> = names.collect();
        let forms = Rows { rows: names, next: forms.next, is_later: forms.is_later };
        Ok(self.page(session, "forms.html", context! { forms }))
    }

    pub(super) async fn form(&self, session: &Session, id: &str) -> Result<Reply, Refusal> {
        self.form_page(session, id, &json!({}), &[]).await
    }

    /// A form with what was filled in, and what is wrong with that.
    async fn form_page(
        &self,
        session: &Session,
        id: &str,
        values: &Value,
        issues: &[Issue],
    ) -> Result<Reply, Refusal> {
        let get = GetForm { organization: &session.ticket.organization, id };
        let form = self.parts.tenants.list(&get).await?.ok_or(Refusal::NotFound)?;
        let fields = form.fields.iter();
        let fields: Vec<_> = fields.map(|field| filled(field, values, issues)).collect();
        let wrong = fields.iter().filter(|field| field.issue.is_some()).count();
        let action = self.form_action(id);
        let new = IdKind::FormSubmission.generate();
        let token = session.ticket.sign(&action, &new);
        let content = context! { name => form.name, fields, wrong, action, id => new, token };
        Ok(self.page(session, "form.html", content))
    }

    /// Submits the form once, however often its button is pressed: the page names the submission.
    pub(super) async fn submit(
        &self,
        session: &Session,
        form: &str,
        visit: &Visit,
    ) -> Result<Reply, Refusal> {
        let ticket = &session.ticket;
        let posted = Posted::read(&visit.body);
        let id = posted.require_token(ticket, &self.form_action(form))?;
        let tenants = &self.parts.tenants;
        let mut transaction =
            tenants.write_as_partner(&ticket.organization, &ticket.partner).await?;
        let new = FromPortal {
            id,
            form_id: form,
            partner_id: &ticket.partner,
            email: &session.visitor.email,
        };
        let read = |fields: &[Field]| values(fields, &posted);
        let caller = &session.caller;
        match submit_from_portal(&mut transaction, caller, new, read).await? {
            None => Err(Refusal::NotFound),
            Some(Submitted::Stored) => {
                transaction.commit().await?;
                let location = self.action(&format!("/submissions/{id}"));
                Ok(Reply::SeeOther { location, cookie: None })
            }
            Some(Submitted::Rejected { values, issues }) => {
                // The page is read on another connection.
                drop(transaction);
                let page = self.form_page(session, form, &values, &issues).await?;
                Ok(page.with_status(StatusCode::UNPROCESSABLE_ENTITY))
            }
        }
    }

    pub(super) async fn submission(&self, session: &Session, id: &str) -> Result<Reply, Refusal> {
        let read = ReadSubmission { ticket: &session.ticket, id };
        let submission = self.parts.tenants.list(&read).await?.ok_or(Refusal::NotFound)?;
        let fields = submission.form_fields.iter();
        let fields: Vec<_> = fields.map(|field| filled(field, &submission.fields, &[])).collect();
        let content = context! { submission, fields };
        Ok(self.page(session, "submission.html", content))
    }

    fn form_action(&self, id: &str) -> String {
        self.action(&format!("/forms/{id}"))
    }
}

fn filled<'a>(field: &'a Field, values: &'a Value, issues: &'a [Issue]) -> FilledField<'a> {
    let path = format!("/fields/{}", field.key);
    let is_own = |issue: &&Issue| {
        issue.path.strip_prefix(&path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    FilledField {
        field,
        value: values.get(&field.key),
        issue: issues.iter().find(is_own).map(|issue| issue.message.as_str()),
    }
}

/// The values of a form as the API takes them: a field that was left empty is left out, and a box
/// that was not ticked is false. What is no field of the form stays, so that it is rejected.
fn values(fields: &[Field], posted: &Posted) -> Value {
    let of = |field: &Field| {
        let name = format!("{PREFIX}{}", field.key);
        let text = || posted.one(&name).map(|text| text.replace("\r\n", "\n"));
        let value = match field.r#type {
            FormFieldType::Boolean => Some(json!(posted.one(&name).is_some())),
            FormFieldType::MultiSelect => {
                let values: Vec<&str> = posted.all(&name).collect();
                (!values.is_empty()).then(|| json!(values))
            }
            _ => {
                let text = text().map(|text| text.trim().to_owned());
                text.filter(|text| !text.is_empty()).map(Value::from)
            }
        };
        value.map(|value| (field.key.clone(), value))
    };
    let mut values: Map<String, Value> = fields.iter().filter_map(of).collect();
    for key in posted.names().filter_map(|name| name.strip_prefix(PREFIX)) {
        if !fields.iter().any(|field| field.key == key) {
            values.insert(key.to_owned(), posted.one(&format!("{PREFIX}{key}")).into());
        }
    }
    values.into()
}
