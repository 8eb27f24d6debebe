//! Handlers that return their name and arguments as the message of a 500, which every operation
//! documents.

use std::sync::LazyLock;

use heck::ToLowerCamelCase;
use openapi_document::Document;
use poem::{
    Endpoint, EndpointExt, IntoEndpoint, Request, Response,
    http::{HeaderMap, Method},
};
use poem_openapi::OpenApiService;

use super::{bodies::document, validation::path_of};
use crate::contract::{
    Found, Operation, Problem, RequestForm, Routes, decode,
    traits::{Api, CommissionLinesApi, PartnersApi, PayoutsApi, StatementsApi},
    types::*,
};

pub(super) struct EchoHandlers;

/// What a handler was called with.
pub(super) struct Called(String);

impl From<Called> for Problem {
    fn from(called: Called) -> Self {
        Self::new(ErrorCode::InternalError, called.0)
    }
}

impl Api for EchoHandlers {
    type Caller = &'static str;

    type Failure = Called;
}

/// Handlers of one tag: each returns its operation and its arguments.
macro_rules! echo {
    ($api:ident { $($handler:ident($($argument:ident: $type:ty),*) -> $success:ty;)+ }) => {
        impl $api for EchoHandlers {
            $(async fn $handler(
                &self,
                caller: &'static str,
                $($argument: $type),*
            ) -> Result<$success, Called> {
                let operation = stringify!($handler).to_lower_camel_case();
                let arguments: Vec<String> = vec![$($argument.echoed()),*];
                Err(Called(format!("{caller} {operation} {}", arguments.join(" "))))
            })+
        }
    };
}

echo!(PartnersApi {
    list_partners(query: ListPartnersQuery) -> PartnerList;
    create_partner(body: CreatePartnerRequest) -> CreatePartnerSuccess;
    get_partner(id: PartnerReference) -> PartnerEnvelope;
    update_partner(id: PartnerReference, body: UpdatePartnerRequest) -> UpdatedPartnerEnvelope;
});
echo!(CommissionLinesApi {
    list_commission_lines(query: ListCommissionLinesQuery) -> CommissionLineList;
    create_commission_line(body: CreateCommissionLineRequest) -> CreateCommissionLineSuccess;
    get_commission_line(id: CommissionLineId) -> CommissionLineEnvelope;
    update_commission_line(
        id: CommissionLineId,
        body: UpdateCommissionLineRequest
    ) -> CommissionLineEnvelope;
    decline_commission_line(
        id: CommissionLineId,
        body: DeclineCommissionLineRequest
    ) -> CommissionLineEnvelope;
    detach_commission_line(id: CommissionLineId) -> CommissionLineEnvelope;
    attach_commission_line(
        id: CommissionLineId,
        body: AttachCommissionLineRequest
    ) -> CommissionLineEnvelope;
});
echo!(PayoutsApi {
    list_payouts(query: ListPayoutsQuery) -> PayoutList;
    create_payout(body: CreatePayoutRequest) -> CreatePayoutSuccess;
    get_payout(id: PayoutId) -> PayoutEnvelope;
    update_payout(id: PayoutId, body: UpdatePayoutRequest) -> PayoutEnvelope;
    list_payout_batches(query: ListPayoutBatchesQuery) -> PayoutBatchList;
    create_payout_batch(body: CreatePayoutBatchRequest) -> PayoutBatchEnvelope;
    get_payout_batch(id: PayoutBatchId) -> PayoutBatchEnvelope;
});
echo!(StatementsApi {
    generate_statement(id: PayoutId) -> StatementEnvelope;
});

/// How an argument is shown: an id as it is, a query by its values.
trait Echoed {
    fn echoed(&self) -> String;
}

macro_rules! echoed {
    ($($type:ty),+ => |$value:ident| $shown:expr) => {
        $(impl Echoed for $type {
            fn echoed(&self) -> String {
                let $value = self;
                $shown
            }
        })+
    };
}

echoed!(PartnerReference, CommissionLineId, PayoutId, PayoutBatchId => |id| id.to_string());
echoed!(
    ListPartnersQuery, ListCommissionLinesQuery, ListPayoutsQuery, ListPayoutBatchesQuery => |query|
    format!("{} {:?}", query.limit, query.filters())
);
echoed!(
    CreatePartnerRequest, UpdatePartnerRequest, CreateCommissionLineRequest,
    UpdateCommissionLineRequest, DeclineCommissionLineRequest, AttachCommissionLineRequest,
    CreatePayoutRequest, UpdatePayoutRequest, CreatePayoutBatchRequest => |body| format!("{body:?}")
);

/// What the framework's router calls the generated routes with; `None` where it finds none. The
/// body is the document's example.
pub(super) async fn routed(method: Method, target: &str) -> Option<String> {
    let routes = OpenApiService::new(Routes::new(EchoHandlers), "test", "1");
    let request = Request::builder()
        .method(method.clone())
        .uri(target.parse().unwrap())
        .content_type("application/json")
        .body(body_of(&method, target));
    called(routes.into_endpoint().data("caller").get_response(request).await).await
}

/// The example of the body that the operation has; of another request, an empty object.
fn body_of(method: &Method, target: &str) -> String {
    static DOCUMENT: LazyLock<Document> = LazyLock::new(document);
    let example = || {
        let Found::Operation { operation, .. } = Operation::find(method, target) else {
            return None;
        };
        let id = operation.info().id;
        let operation = DOCUMENT.operations().iter().find(|operation| operation.id == id)?;
        let schema = operation.body.as_ref()?.content.first()?.schema_pointer.as_deref()?;
        Some(DOCUMENT.resolve(schema).ok()?.value["example"].to_string())
    };
    example().unwrap_or_else(|| "{}".to_owned())
}

/// What a request that `decode` accepts calls the generated routes with.
pub(super) async fn dispatched(operation: Operation, query: &str) -> Result<String, Problem> {
    let (path, headers) = (path_of(operation).unwrap(), HeaderMap::new());
    let request = RequestForm { path: &path, query: Some(query), headers: &headers, body: b"" };
    let arguments = decode(operation, &request)?;
    let response = Routes::new(EchoHandlers).call(&"caller", arguments).await;
    Ok(called(response).await.expect("every route calls its handler"))
}

/// The message of a handler.
async fn called(response: Response) -> Option<String> {
    let text = response.into_body().into_string().await.unwrap();
    let error: serde_json::Value = serde_json::from_str(&text).ok()?;
    let message = error["error"]["message"].as_str()?;
    message.strip_prefix("caller ").map(str::to_owned)
}
