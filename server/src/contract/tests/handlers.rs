//! Handlers that return their name and arguments as the message of a 500, which every operation
//! documents.

use std::sync::LazyLock;

use payout_openapi::Document;
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

impl PartnersApi for EchoHandlers {
    async fn list_partners(
        &self,
        caller: &'static str,
        query: ListPartnersQuery,
    ) -> Result<PartnerList, Called> {
        Err(Called(format!("{caller} listPartners {} {:?}", query.limit, query.filters())))
    }

    async fn get_partner(
        &self,
        caller: &'static str,
        id: PartnerReference,
    ) -> Result<PartnerEnvelope, Called> {
        Err(Called(format!("{caller} getPartner {id}")))
    }

    async fn update_partner(
        &self,
        caller: &'static str,
        id: PartnerReference,
        body: UpdatePartnerRequest,
    ) -> Result<UpdatedPartnerEnvelope, Called> {
        Err(Called(format!("{caller} updatePartner {id} {body:?}")))
    }
}

impl CommissionLinesApi for EchoHandlers {
    async fn list_commission_lines(
        &self,
        caller: &'static str,
        query: ListCommissionLinesQuery,
    ) -> Result<CommissionLineList, Called> {
        Err(Called(format!("{caller} listCommissionLines {} {:?}", query.limit, query.filters())))
    }

    async fn detach_commission_line(
        &self,
        caller: &'static str,
        id: CommissionLineId,
    ) -> Result<CommissionLineEnvelope, Called> {
        Err(Called(format!("{caller} detachCommissionLine {id}")))
    }
}

impl PayoutsApi for EchoHandlers {
    async fn get_payout(
        &self,
        caller: &'static str,
        id: PayoutId,
    ) -> Result<PayoutEnvelope, Called> {
        Err(Called(format!("{caller} getPayout {id}")))
    }
}

impl StatementsApi for EchoHandlers {
    async fn generate_statement(
        &self,
        caller: &'static str,
        id: PayoutId,
    ) -> Result<StatementEnvelope, Called> {
        Err(Called(format!("{caller} generateStatement {id}")))
    }
}

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
