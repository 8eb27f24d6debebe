//! The responses of each operation, limited to the statuses that the document lists. Any other
//! status becomes a 500, whose cause says so.

use crate::{ErrorBody, ErrorCode, Problem};

/// The responses of one operation.
pub trait OperationResponse: Sized {
    /// The body of the success; of several successes, an enum of their bodies.
    type Success;

    type Code: ErrorCode;

    const OPERATION: &'static str;

    /// The response with this body.
    fn success(success: Self::Success) -> Self;

    /// The error with this status, where the document lists it.
    fn error(status: u16, body: ErrorBody<Self::Code>) -> Option<Self>;

    /// The documented 500.
    fn internal(body: ErrorBody<Self::Code>) -> Self;

    /// The response to what a handler returned.
    fn from_result<F: Into<Problem<Self::Code>>>(result: Result<Self::Success, F>) -> Self {
        match result {
            Ok(success) => Self::success(success),
            Err(failure) => Self::from_problem(failure.into()),
        }
    }

    fn from_problem(problem: Problem<Self::Code>) -> Self {
        let (status, code) = (problem.status().as_u16(), problem.code.as_str());
        if let Some(response) = Self::error(status, problem.into_body()) {
            return response;
        }
        let operation = Self::OPERATION;
        let cause = format!("the document lists no {status} {code} for {operation}");
        Self::internal(Problem::<Self::Code>::internal().with_cause(cause).into_body())
    }
}

/// Defines the responses of one operation:
/// `responses! { GetLoanResponse: "getLoan", ErrorCode Ok(200) Loan; NotFound(404), … }`
///
/// Of several successes it names the enum, whose variants are those of the responses:
/// `PutLoanResponse: "putLoan", ErrorCode -> PutLoanSuccess Ok(200) Loan, Created(201) Loan; …`
///
/// A response without a body has no type: `EndLoanResponse: "endLoan", ErrorCode NoContent(204); …`
///
/// What a handler returns with any other status is the last: `…; InternalServerError(500); Default
/// Failure`.
#[macro_export]
macro_rules! responses {
    (
        $name:ident: $operation:literal, $code:ident $(-> $success:ident)?
        $($variant:ident($status:tt) $($body:ty)?),*;
        $($error:ident($error_status:tt)),+
        $(; $other:ident $($other_body:ty)?)?
    ) => {
        #[allow(clippy::large_enum_variant, reason = "the value lives for one response")]
        #[derive(::poem_openapi::ApiResponse)]
        pub enum $name {
            $(
                #[oai(status = $status)]
                $variant $(($crate::Body<$body>))?,
            )*
            $(
                #[oai(status = $error_status)]
                $error($crate::ErrorBody<$code>),
            )+
            $($other(::poem::http::StatusCode $(, $crate::Body<$other_body>)?),)?
        }

        impl $crate::OperationResponse for $name {
            $crate::success!(
                $($success:)? $($variant $($body)?),* $(; $other $($other_body)?)?
            );

            type Code = $code;

            const OPERATION: &'static str = $operation;

            fn error(status: u16, body: $crate::ErrorBody<$code>) -> Option<Self> {
                match status {
                    $($error_status => Some(Self::$error(body)),)+
                    _ => None,
                }
            }

            fn internal(body: $crate::ErrorBody<$code>) -> Self {
                Self::InternalServerError(body)
            }
        }
    };
}

/// Defines `Success` and `success` of an `OperationResponse`.
#[doc(hidden)]
#[macro_export]
macro_rules! success {
    ($variant:ident $body:ty) => {
        type Success = $body;

        fn success(success: Self::Success) -> Self {
            Self::$variant($crate::Body(success))
        }
    };
    ($variant:ident) => {
        type Success = ();

        fn success((): Self::Success) -> Self {
            Self::$variant
        }
    };
    (
        $success:ident: $($variant:ident $($body:ty)?),* $(; $other:ident $($other_body:ty)?)?
    ) => {
        type Success = $success;

        fn success(success: Self::Success) -> Self {
            match success {
                $(
                    $crate::success!(@from body $success $variant $($body)?) => {
                        $crate::success!(@to body $variant $($body)?)
                    }
                )*
                $(
                    $crate::success!(@from_other status body $success $other $($other_body)?) => {
                        $crate::success!(@to_other status body $other $($other_body)?)
                    }
                )?
            }
        }
    };
    (@from $value:ident $success:ident $variant:ident $body:ty) => {
        $success::$variant($value)
    };
    (@from $value:ident $success:ident $variant:ident) => {
        $success::$variant
    };
    (@to $value:ident $variant:ident $body:ty) => {
        Self::$variant($crate::Body($value))
    };
    (@to $value:ident $variant:ident) => {
        Self::$variant
    };
    (@from_other $status:ident $value:ident $success:ident $variant:ident $body:ty) => {
        $success::$variant($status, $value)
    };
    (@from_other $status:ident $value:ident $success:ident $variant:ident) => {
        $success::$variant($status)
    };
    (@to_other $status:ident $value:ident $variant:ident $body:ty) => {
        Self::$variant($status, $crate::Body($value))
    };
    (@to_other $status:ident $value:ident $variant:ident) => {
        Self::$variant($status)
    };
}
