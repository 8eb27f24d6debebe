//! The operations of the tag `forms`: contract types in, contract types out.

use openapi_runtime::{
    Timestamp,
    reading::{FromJson as _, Violations},
};
use serde_json::{Value, json};

use super::{
    definition,
    model::{self, SubmissionFilters},
    schema::schema,
    store::{self, GetForm, NewSubmission},
};
use crate::{
    contract::{
        Operation,
        traits::{Api, FormsApi},
        types::{
            CreateFormSubmissionReferences, CreateFormSubmissionRequest,
            CreateFormSubmissionSuccess, Form, FormEnvelope, FormField, FormId, FormKind, FormList,
            FormOption, FormSubmission, FormSubmissionEnvelope, FormSubmissionList,
            FormSubmissionStatus, FormValues, FormVersion, ListFormSubmissionsQuery,
            ListFormsQuery,
        },
    },
    gate::Caller,
    id::IdKind,
    page::Page,
    postgres::Tenants,
    problem::Failure,
};

const NO_FORM: Failure = Failure::NotFound("form");

pub struct Forms {
    pub(crate) tenants: Tenants,
}

impl<A> FormsApi for A
where
    A: Api<Caller = Caller, Failure = Failure> + AsRef<Forms>,
{
    async fn list_forms(&self, caller: Caller, query: ListFormsQuery) -> Result<FormList, Failure> {
        let page = Page::of(Operation::ListForms, &query.filters(), query.limit, query.cursor);
        let list = page.list(&caller.organization, ());
        let forms = self.as_ref().tenants.list(&list).await?;
        let (forms, pagination) = page.cut(forms, |form| (form.created_at, &form.id));
        Ok(FormList { data: forms.into_iter().map(form_to_contract).collect(), pagination })
    }

    async fn get_form(&self, caller: Caller, id: FormId) -> Result<FormEnvelope, Failure> {
        let get = GetForm { organization: &caller.organization, id: id.as_str() };
        let form = self.as_ref().tenants.list(&get).await?.ok_or(NO_FORM)?;
        Ok(FormEnvelope { data: form_to_contract(form) })
    }

    /// If a submission of the form has the external key already, returns that one, whatever else
    /// the body says.
    async fn create_form_submission(
        &self,
        caller: Caller,
        id: FormId,
        body: CreateFormSubmissionRequest,
    ) -> Result<CreateFormSubmissionSuccess, Failure> {
        let form_id = id.as_str();
        let partner_id = body.partner_id.as_ref().map(|id| id.as_str());
        let external_key = body.external_key.as_ref().map(|key| key.as_str());
        let fields = json!(body.fields);
        let mut transaction = caller.write(&self.as_ref().tenants).await?;
        let named = store::find_named(&mut transaction, form_id, partner_id).await?;
        let named = named.ok_or(NO_FORM)?;
        loop {
            if let Some(key) = external_key {
                let known = store::submission_of_external_key(&mut transaction, form_id, key);
                if let Some(submission) = known.await? {
                    return Ok(CreateFormSubmissionSuccess::Ok(envelope(submission)?));
                }
            }
            let partner = CreateFormSubmissionReferences { partner_id: named.has_partner };
            Failure::unless_found(partner)?;
            named.check(&fields)?;
            let new = NewSubmission {
                id: &IdKind::FormSubmission.generate(),
                form_id,
                form_version: named.version,
                partner_id,
                email: body.email.as_ref().map(|email| email.as_str()),
                fields: &fields,
                external_key,
                status: named.status(),
                submitted_at: body.submitted_at.map(|instant| instant.get()),
            };
            // Where another request has just used the external key, its submission is found.
            let created = store::create_submission(&mut transaction, &caller, &new).await?;
            if let Some(submission) = created {
                transaction.commit().await?;
                return Ok(CreateFormSubmissionSuccess::Created(envelope(submission)?));
            }
        }
    }

    async fn list_form_submissions(
        &self,
        caller: Caller,
        query: ListFormSubmissionsQuery,
    ) -> Result<FormSubmissionList, Failure> {
        let filters = query.filters();
        let operation = Operation::ListFormSubmissions;
        let page = Page::of(operation, &filters, query.limit, query.cursor);
        let filters = SubmissionFilters {
            form_id: query.form_id.as_ref().map(|id| id.as_str()),
            partner_id: query.partner_id.as_ref().map(|id| id.as_str()),
            status: query.status.as_ref().map(|status| status.as_str()),
        };
        let list = page.list(&caller.organization, filters);
        let submissions = self.as_ref().tenants.list(&list).await?;
        let (submissions, pagination) =
            page.cut(submissions, |submission| (submission.created_at, &submission.id));
        let data = submissions.into_iter().map(to_contract).collect::<Result<_, _>>()?;
        Ok(FormSubmissionList { data, pagination })
    }
}

fn form_to_contract(form: model::Form) -> Form {
    Form {
        id: form.id.into(),
        version: FormVersion::new(form.version.into()),
        name: form.name,
        kind: FormKind::new(form.kind),
        schema: schema(&form.fields).into(),
        fields: form.fields.into_iter().map(field_to_contract).collect(),
        created_at: Timestamp::new(form.created_at),
        updated_at: Timestamp::new(form.updated_at),
    }
}

fn field_to_contract(field: definition::Field) -> FormField {
    let option =
        |option: definition::Choice| FormOption { value: option.value, label: option.label };
    FormField {
        key: field.key.into(),
        label: field.label,
        help: field.help.into(),
        r#type: field.r#type,
        required: field.required,
        max_length: field.max_length.map(i64::from).into(),
        options: field.options.into_iter().map(option).collect(),
    }
}

fn envelope(submission: model::Submission) -> Result<FormSubmissionEnvelope, Failure> {
    Ok(FormSubmissionEnvelope { data: to_contract(submission)? })
}

fn to_contract(submission: model::Submission) -> Result<FormSubmission, Failure> {
    Ok(FormSubmission {
        id: submission.id.into(),
        form_id: submission.form_id.into(),
        form_version: FormVersion::new(submission.form_version.into()),
        partner_id: submission.partner_id.map(Into::into).into(),
        email: submission.email.map(Into::into).into(),
        fields: values(submission.fields)?,
        external_key: submission.external_key.map(Into::into).into(),
        status: FormSubmissionStatus::new(submission.status),
        submitted_at: Timestamp::new(submission.submitted_at),
        created_at: Timestamp::new(submission.created_at),
        updated_at: Timestamp::new(submission.updated_at),
    })
}

fn values(stored: Value) -> Result<FormValues, Failure> {
    let read = FormValues::from_json(stored, "", &mut Violations::default());
    read.map_err(|_| Failure::Internal("the database holds values that no form takes".to_owned()))
}
