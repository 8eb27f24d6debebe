//! Error codes. Each has one status, so that a handler chooses only the code.

use openapi_document::{Response, Status, pointer::join};

use heck::ToUpperCamelCase;

use super::{Names, Reader};
use crate::{
    config::{INVALID_CURSOR, ROLES},
    model::ErrorCode,
};

impl Reader<'_> {
    /// Every code of the document, by status and then by first appearance.
    pub(super) fn error_codes(&mut self) -> Vec<ErrorCode> {
        let document = self.document;
        let routed = document.operations().iter().flat_map(|operation| &operation.responses);
        let responses: Vec<&Response> = routed.chain(document.unrouted_responses()).collect();
        let mut codes: Vec<ErrorCode> = Vec::new();
        let mut names = Names::new(|code| code.to_upper_camel_case());
        for response in responses {
            let Status::Code(status) = response.status else {
                continue;
            };
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
                        if let Some((rust, first)) = names.collision(code) {
                            let problem =
                                format!("`{first}` and `{code}` would both be the code `{rust}`");
                            self.report(&response.pointer, problem, "rename one of them");
                        }
                        codes.push(ErrorCode { code: code.clone(), status });
                    }
                }
            }
        }
        let has_cursor =
            document.resolve(&join("/components/schemas", &self.config.scalars.cursor)).is_ok();
        for required in ROLES {
            let is_needed = required != INVALID_CURSOR || has_cursor;
            if is_needed && !codes.iter().any(|code| code.code == required) {
                let problem =
                    format!("no response has the code `{required}`, which the server uses");
                self.report("/paths", problem, "name it in the `x-error-codes` of a response");
            }
        }
        codes.sort_by_key(|code| code.status);
        codes
    }
}
