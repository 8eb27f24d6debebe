//! The responses of each operation, limited to the statuses that the document lists. Any other
//! status becomes a 500 and a line in the log.

use super::{body::ErrorBody, operations::Operation, problem::Problem, types::ErrorCode};

pub(crate) trait OperationResponse: Sized {
    /// The body of the success; of several successes, an enum of their bodies.
    type Success;

    const OPERATION: Operation;

    fn success(success: Self::Success) -> Self;

    /// The error with this status, where the document lists it.
    fn error(status: u16, body: ErrorBody) -> Option<Self>;

    /// The documented 500.
    fn internal(body: ErrorBody) -> Self;

    fn from_result<F: Into<Problem>>(result: Result<Self::Success, F>) -> Self {
        match result {
            Ok(success) => Self::success(success),
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
///
/// Of several successes it names the enum, whose variants are those of the responses:
/// `PutThingResponse: PutThing -> PutThingSuccess Ok(200) Thing, Created(201) Thing; …`
macro_rules! responses {
    (
        $name:ident: $operation:ident $(-> $success:ident)?
        $($variant:ident($status:tt) $body:ty),+;
        $($error:ident($error_status:tt)),+
    ) => {
        #[allow(clippy::large_enum_variant, reason = "the value lives for one response")]
        #[derive(::poem_openapi::ApiResponse)]
        pub(crate) enum $name {
            $(
                #[oai(status = $status)]
                $variant($crate::contract::Body<$body>),
            )+
            $(
                #[oai(status = $error_status)]
                $error($crate::contract::ErrorBody),
            )+
        }

        impl $crate::contract::responses::OperationResponse for $name {
            $crate::contract::responses::success!($($success:)? $($variant $body),+);

            const OPERATION: $crate::contract::Operation = $crate::contract::Operation::$operation;

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

/// Defines `Success` and `success` of an `OperationResponse`.
macro_rules! success {
    ($variant:ident $body:ty) => {
        type Success = $body;

        fn success(success: Self::Success) -> Self {
            Self::$variant($crate::contract::Body(success))
        }
    };
    ($success:ident: $($variant:ident $body:ty),+) => {
        type Success = $success;

        fn success(success: Self::Success) -> Self {
            match success {
                $($success::$variant(body) => Self::$variant($crate::contract::Body(body)),)+
            }
        }
    };
}

pub(super) use {responses, success};
