//! What may leave: the answers of an operation are exactly the statuses that the document lists.
//!
//! It refuses an undocumented status: that is a bug of the server, which becomes a 500 and a line in the log.

use super::{
    body::Body,
    operations::Operation,
    problem::Problem,
    types::{Error, ErrorCode},
};

/// The answers of one operation.
pub trait Answer: Sized {
    /// The body of the one success status.
    type Success;

    /// The operation.
    const OPERATION: Operation;

    /// The success.
    fn success(body: Self::Success) -> Self;

    /// The error with this status, where the document lists it.
    fn error(status: u16, body: Body<Error>) -> Option<Self>;

    /// The documented 500.
    fn internal(body: Body<Error>) -> Self;

    /// The answer to what a handler returned.
    fn of<F: Into<Problem>>(result: Result<Self::Success, F>) -> Self {
        match result {
            Ok(body) => Self::success(body),
            Err(failure) => Self::from_problem(failure.into()),
        }
    }

    /// The answer that tells of `problem`.
    fn from_problem(problem: Problem) -> Self {
        problem.log_cause(Self::OPERATION.info().id);
        let (status, code) = (problem.status().as_u16(), problem.code);
        if let Some(answer) = Self::error(status, Body(problem.into_error())) {
            return answer;
        }
        log_undocumented(Self::OPERATION, status, code);
        Self::internal(Body(Problem::internal().into_error()))
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

/// Defines the answers of one operation:
/// `answers! { GetPayoutAnswer: GetPayout 200 Ok(PayoutEnvelope) "The payout."; 404 NotFound "No such payout."; }`
macro_rules! answers {
    (
        $name:ident: $operation:ident
        $status:tt $variant:ident($body:ty) $description:tt;
        $($error_status:tt $error:ident $error_description:tt;)+
    ) => {
        #[doc = concat!("The answers of [`Operation::", stringify!($operation), "`](super::operations::Operation::", stringify!($operation), ").")]
        #[allow(clippy::large_enum_variant, reason = "an answer lives as long as one response takes")]
        #[derive(::poem_openapi::ApiResponse)]
        pub enum $name {
            #[doc = $description]
            #[oai(status = $status)]
            $variant($crate::contract::Body<$body>),
            $(
                #[doc = $error_description]
                #[oai(status = $error_status)]
                $error($crate::contract::Body<$crate::contract::types::Error>),
            )+
        }

        impl $crate::contract::answers::Answer for $name {
            type Success = $body;

            const OPERATION: $crate::contract::Operation = $crate::contract::Operation::$operation;

            fn success(body: Self::Success) -> Self {
                Self::$variant($crate::contract::Body(body))
            }

            fn error(
                status: u16,
                body: $crate::contract::Body<$crate::contract::types::Error>,
            ) -> Option<Self> {
                match status {
                    $($error_status => Some(Self::$error(body)),)+
                    _ => None,
                }
            }

            fn internal(body: $crate::contract::Body<$crate::contract::types::Error>) -> Self {
                Self::InternalServerError(body)
            }
        }
    };
}

pub(super) use answers;
