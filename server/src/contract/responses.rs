//! The responses of each operation, limited to the statuses that the document lists. Any other
//! status becomes a 500 and a line in the log.

use super::{body::ErrorBody, operations::Operation, problem::Problem, types::ErrorCode};

pub(crate) trait OperationResponse: Sized {
    /// The body of the success.
    type Success;

    const OPERATION: Operation;

    fn success(body: Self::Success) -> Self;

    /// The error with this status, where the document lists it.
    fn error(status: u16, body: ErrorBody) -> Option<Self>;

    /// The documented 500.
    fn internal(body: ErrorBody) -> Self;

    fn from_result<F: Into<Problem>>(result: Result<Self::Success, F>) -> Self {
        match result {
            Ok(body) => Self::success(body),
            Err(failure) => Self::from_problem(failure.into()),
        }
    }

    fn from_problem(problem: Problem) -> Self {
        problem.log_cause(Self::OPERATION.info().id);
        let (status, code) = (problem.status().as_u16(), problem.code);
        if let Some(response) = Self::error(status, problem.into_body()) {
            return response;
        }
        log_undocumented(Self::OPERATION, status, code);
        Self::internal(Problem::internal().into_body())
    }
}

fn log_undocumented(operation: Operation, status: u16, code: ErrorCode) {
    let (operation, code) = (operation.info().id, code.as_str());
    tracing::error!(
        operation,
        status,
        code,
        "the document does not list this status for the operation"
    );
}

/// Defines the responses of one operation:
/// `responses! { GetPayoutResponse: GetPayout Ok(200) PayoutEnvelope; NotFound(404), … }`
macro_rules! responses {
    (
        $name:ident: $operation:ident $variant:ident($status:tt) $body:ty;
        $($error:ident($error_status:tt)),+
    ) => {
        #[allow(clippy::large_enum_variant, reason = "the value lives for one response")]
        #[derive(::poem_openapi::ApiResponse)]
        pub(crate) enum $name {
            #[oai(status = $status)]
            $variant($crate::contract::Body<$body>),
            $(
                #[oai(status = $error_status)]
                $error($crate::contract::ErrorBody),
            )+
        }

        impl $crate::contract::responses::OperationResponse for $name {
            type Success = $body;

            const OPERATION: $crate::contract::Operation = $crate::contract::Operation::$operation;

            fn success(body: Self::Success) -> Self {
                Self::$variant($crate::contract::Body(body))
            }

            fn error(status: u16, body: $crate::contract::ErrorBody) -> Option<Self> {
                match status {
                    $($error_status => Some(Self::$error(body)),)+
                    _ => None,
                }
            }

            fn internal(body: $crate::contract::ErrorBody) -> Self {
                Self::InternalServerError(body)
            }
        }
    };
}

pub(super) use responses;
