//! `contract coverage`: lists the operations that cannot be generated, with the reasons.

use std::{cmp::Reverse, collections::BTreeMap, path::PathBuf};

use openapi_document::Diagnostic;
use serde_json::{Value, json};

use crate::{
    codegen::Coverage,
    constructs::{Construct, Unread, unread},
    output::print_line,
    project::{Loaded, Project},
};

#[derive(Debug, clap::Args)]
pub struct Options {
    /// The document; without it, the configuration's
    document: Option<PathBuf>,
    /// Print JSON, for programs
    #[arg(long)]
    json: bool,
}

/// A construct that cannot be generated, and the operations that have it.
type Reason<'c> = (&'c Diagnostic, Vec<&'c str>);

/// Runs the command, and returns `false` if an operation cannot be generated.
pub(crate) fn run(options: &Options, project: &Project) -> Loaded<bool> {
    let source = project.source(options.document.as_ref())?;
    let (coverage, unread) = (source.coverage()?, unread(&source.document));
    let reasons = reasons(&coverage);
    if options.json {
        let reasons: Vec<Value> = reasons.iter().map(written).collect();
        let unread: Vec<Value> = unread.iter().map(unread_as_json).collect();
        let report = json!({
            "generated": coverage.generated,
            "withoutClient": coverage.of_server,
            "reasons": reasons,
            "unread": unread,
        });
        print_line!("{report:#}");
    } else {
        print(&coverage, &reasons);
        print_unread(&unread);
    }
    Ok(coverage.left_out.is_empty())
}

/// Returns the reasons, those of most operations first.
fn reasons(coverage: &Coverage) -> Vec<Reason<'_>> {
    let mut by_text: BTreeMap<String, Reason<'_>> = BTreeMap::new();
    for (operation, reasons) in &coverage.left_out {
        for reason in reasons {
            let entry = by_text.entry(reason.to_string()).or_insert((reason, Vec::new()));
            entry.1.push(operation);
        }
    }
    let mut reasons: Vec<Reason<'_>> = by_text.into_values().collect();
    reasons.sort_by_key(|(_, operations)| Reverse(operations.len()));
    reasons
}

fn written((Diagnostic { place, pointer, problem, help }, operations): &Reason<'_>) -> Value {
    json!({
        "file": *place.file,
        "line": place.line,
        "column": place.column,
        "pointer": pointer,
        "problem": problem,
        "fix": help,
        "operations": operations,
    })
}

fn print(coverage: &Coverage, reasons: &[Reason<'_>]) {
    for (Diagnostic { place, problem, help, .. }, operations) in reasons {
        print_line!("{place}: {problem}");
        if let Some(fix) = help {
            print_line!("    fix: {fix}");
        }
        print_line!("    in {}", operations.join(", "));
    }
    for Diagnostic { place, problem, .. } in &coverage.notes {
        print_line!("{place}: note: {problem}");
    }
    let (generated, left_out) = (coverage.generated.len(), coverage.left_out.len());
    let of_server = &coverage.of_server;
    let more = match of_server.len() {
        0 => String::new(),
        count => format!(", {count} more without the client"),
    };
    print_line!("{generated} of {} operations can be generated{more}", generated + left_out);
    if left_out > 0 {
        let ids = coverage.left_out.iter().map(|(id, _)| id);
        let of_both: Vec<&String> = ids.filter(|id| !of_server.contains(id)).collect();
        if !of_both.is_empty() {
            print_line!("To generate the others, write in contract.toml:");
            print_line!("leave-out = {of_both:?}");
        }
        if !of_server.is_empty() {
            print_line!(
                "To leave these out of the client alone, write in [client] of contract.toml:"
            );
            print_line!("leave-out = {of_server:?}");
        }
    }
}

fn unread_as_json(Unread { construct, places }: &Unread) -> Value {
    let places: Vec<String> = places.iter().map(ToString::to_string).collect();
    let Construct { name, server, client, .. } = construct;
    json!({ "construct": name, "server": server, "client": client, "places": places })
}

/// Prints what the document has and the generated code has not, which is no finding.
fn print_unread(unread: &[Unread]) {
    if !unread.is_empty() {
        print_line!("Not everywhere in the generated code:");
    }
    for Unread { construct: Construct { name, server, client, .. }, places } in unread {
        let more =
            if places.len() > 1 { format!(", {} places", places.len()) } else { String::new() };
        print_line!("{}: {name}: server: {server}, client: {client}{more}", places[0]);
    }
}
