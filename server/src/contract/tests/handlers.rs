//! Handlers that return their name and arguments as the message of a 500, which every operation
//! documents.

use poem::{Endpoint, EndpointExt, IntoEndpoint, Request, Response, http::Method};
use poem_openapi::OpenApiService;

use crate::contract::{
    ParsedBody, Problem, Routes,
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

/// Sends a request through the framework's router and the generated routes.
pub(super) async fn send(
    method: Method,
    target: &str,
    body: Option<serde_json::Value>,
) -> Response {
    let routes = OpenApiService::new(Routes::new(EchoHandlers), "test", "1");
    let mut request = Request::builder()
        .method(method)
        .uri(target.parse().unwrap())
        .content_type("application/json")
        .finish();
    if let Some(body) = body {
        request.extensions_mut().insert(ParsedBody(body));
    }
    routes.into_endpoint().data("caller").get_response(request).await
}

/// The message of a handler; `None` where the framework found none.
pub(super) async fn called(
    method: Method,
    target: &str,
    body: Option<serde_json::Value>,
) -> Option<String> {
    let response = send(method, target, body).await;
    let text = response.into_body().into_string().await.unwrap();
    let error: serde_json::Value = serde_json::from_str(&text).ok()?;
    let message = error["error"]["message"].as_str()?;
    message.strip_prefix("caller ").map(str::to_owned)
}
