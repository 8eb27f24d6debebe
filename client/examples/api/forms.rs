//! Forms: listed, filled in, and what was submitted.

use std::collections::BTreeMap;

use payout_client::{
    Client,
    types::{CreateFormSubmissionRequest, FormValues},
};
use serde_json::{Value, json};

use super::{Arguments, Outcome, exactly};

/// Lists the published forms with the keys of their fields.
pub(crate) async fn list_forms(client: Client, arguments: Arguments) -> Outcome {
    let [] = exactly(arguments, "list_forms")?;
    let page = client.list_forms().limit(3).send().await?.into_inner();
    for form in &page.data {
        let keys = form.fields.iter().map(|field| field.key.as_str()).collect::<Vec<_>>();
        println!("{}  {}: {}", form.id, form.name, keys.join(", "));
    }
    if page.pagination.next_cursor.is_some() {
        println!("there are more");
    }
    Ok(())
}

/// Submits a form: `create_form_submission <form id> <fields> [external key]`.
///
/// The fields are a JSON object. They are checked by the form's own JSON Schema before they are
/// sent; a program that submits a form often reads it once.
pub(crate) async fn create_form_submission(client: Client, mut arguments: Arguments) -> Outcome {
    let usage = "create_form_submission <form id> <fields> [external key]";
    let [form, fields] = exactly(&mut arguments, usage)?;
    let fields: Value = serde_json::from_str(&fields)?;
    let schema = json!(client.get_form(&form).send().await?.into_inner().data.schema);
    // The schema says by `format` what an e-mail address and a day are, which is only a note unless
    // it is asked for.
    let problems = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)?
        .iter_errors(&fields)
        .map(|problem| format!("{} {problem}", problem.instance_path()))
        .collect::<Vec<_>>();
    if !problems.is_empty() {
        return Err(problems.join("\n").into());
    }
    let values: FormValues = serde_json::from_value(fields)?;
    let mut submission = CreateFormSubmissionRequest::builder(values);
    if let Some(key) = arguments.next() {
        submission = submission.external_key(key);
    }
    let submission = client.create_form_submission(form, submission).send().await?;
    let is_known = submission.status() == 200;
    let submission = submission.into_inner().data;
    let note = if is_known { ", known already" } else { "" };
    println!("{} is {}{note}", submission.id, submission.status);
    Ok(())
}

/// Lists a page of what was submitted with a form: `list_form_submissions <form id>`.
pub(crate) async fn list_form_submissions(client: Client, arguments: Arguments) -> Outcome {
    let [form] = exactly(arguments, "list_form_submissions <form id>")?;
    let page = client.list_form_submissions().form_id(form).send().await?.into_inner();
    for submission in &page.data {
        let fields: BTreeMap<_, _> = submission.fields.iter().collect();
        println!("{}  {:<8}  {}", submission.id, submission.status, json!(fields));
    }
    if page.pagination.next_cursor.is_some() {
        println!("there are more");
    }
    Ok(())
}
