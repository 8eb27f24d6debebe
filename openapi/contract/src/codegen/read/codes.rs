//! Error codes. Each has one status, so that a handler chooses only the code.

use std::collections::BTreeSet;

use openapi_document::{Response, Status, pointer::join};
use proc_macro2::Ident;

use super::{Names, Reader};
use crate::codegen::{
    config::{INVALID_CURSOR, OUTSIDE, ROLES},
    model::{ErrorCode, Operation, Scalar},
    names::{self, status_code},
};

impl Reader<'_> {
    /// Every code of the document, by status and then by first appearance.
    pub(super) fn error_codes(&mut self, operations: &[Operation]) -> Vec<ErrorCode> {
        if !self.conventions.codes {
            return self.codes_of_statuses(operations);
        }
        let document = self.document;
        let routed = document.operations().iter().flat_map(|operation| &operation.responses);
        let responses: Vec<&Response> = routed.chain(document.unrouted_responses()).collect();
        let mut codes: Vec<ErrorCode> = Vec::new();
        let rust_names: &[fn(&str) -> Ident] = &[names::type_name, names::open_variant];
        let mut names = Names::new(rust_names, "the code", "rename one of them");
        for response in responses {
            let Status::Code(status) = response.status else {
                continue;
            };
            // Of a document without codes, each operation has those of its statuses.
            for code in &response.error_codes {
                match codes.iter().find(|known| known.code == *code) {
                    Some(known) if known.status == status => {}
                    Some(known) => {
                        let problem = format!(
                            "the code `{code}` has the statuses {} and {status}",
                            known.status
                        );
                        self.report(
                            &response.pointer,
                            problem,
                            "give each status codes of its own",
                        );
                    }
                    None => {
                        self.check_name(&mut names, &response.pointer, code);
                        codes.push(ErrorCode { code: code.clone(), status });
                    }
                }
            }
        }
        let cursor = self.config.scalar(Scalar::Cursor);
        let has_cursor = document.resolve(&join("/components/schemas", cursor)).is_ok();
        for (required, _) in ROLES {
            let is_needed = required != INVALID_CURSOR || has_cursor;
            if is_needed && !codes.iter().any(|code| code.code == required) {
                let problem =
                    format!("no response has the code `{required}`, which the server uses");
                self.report("/paths", problem, "name it in the `x-error-codes` of a response");
            }
        }
        for (outside, status) in OUTSIDE {
            if !codes.iter().any(|code| code.code == outside || code.status == status) {
                codes.push(ErrorCode { code: outside.to_owned(), status });
            }
        }
        codes.sort_by_key(|code| code.status);
        codes
    }

    /// In a document without codes: one for each status of an error, and those of the runtime.
    fn codes_of_statuses(&self, operations: &[Operation]) -> Vec<ErrorCode> {
        let errors = operations.iter().flat_map(|operation| &operation.errors);
        let statuses: BTreeSet<u16> = errors.copied().collect();
        let roles = ROLES.into_iter().filter(|(code, _)| *code != INVALID_CURSOR).chain(OUTSIDE);
        let roles = roles.map(|(code, status)| ErrorCode { code: code.to_owned(), status });
        let is_role =
            |code: &ErrorCode| ROLES.iter().chain(&OUTSIDE).any(|(role, _)| *role == code.code);
        let others = statuses
            .into_iter()
            .map(|status| ErrorCode { code: status_code(status), status })
            .filter(|code| !is_role(code));
        let mut codes: Vec<ErrorCode> = others.chain(roles).collect();
        codes.sort_by_key(|code| code.status);
        codes
    }
}
