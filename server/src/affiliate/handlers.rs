//! The operations of the tag `affiliate`: contract types in, contract types out.

use openapi_runtime::{Money, RequestTimestamp, Timestamp};
use prometheus_client::metrics::{counter::Counter, family::Family};
use serde_json::json;
use strum::VariantArray as _;

use super::{
    model::{self, Amount, Ignored, end_of_month},
    store::{self, AllConversions, NewConversion, NewLine},
};
use crate::{
    commission_lines::{Reversal, reverse_line},
    contract::{
        Operation,
        traits::{AffiliateApi, Api},
        types::{
            Conversion, ConversionEnvelope, ConversionId, ConversionList, ConversionStatus,
            CreateConversionRequest, CreateConversionSuccess, IgnoredReason, ListConversionsQuery,
            ReverseConversionRequest,
        },
    },
    gate::Caller,
    id::IdKind,
    page::Page,
    postgres::Tenants,
    problem::Failure,
    telemetry::{Label, Metrics},
};

const NOT_FOUND: Failure = Failure::NotFound("conversion");
const RECORDED: &str = "RECORDED";
const DUPLICATE: &str = "DUPLICATE";
const IGNORED: &str = "IGNORED";

pub struct Affiliate {
    tenants: Tenants,
    /// Ignored conversions, which nothing else shows, by their reason.
    ignored: Family<Label, Counter>,
}

impl Affiliate {
    pub(crate) fn new(tenants: Tenants, metrics: &Metrics) -> Self {
        let ignored = Family::default();
        let affiliate = Self { tenants, ignored };
        Ignored::VARIANTS.iter().for_each(|reason| drop(affiliate.ignored(*reason)));
        let help = "Conversions that were ignored, by reason";
        metrics.register("conversions_ignored", help, affiliate.ignored.clone());
        affiliate
    }

    fn ignored(&self, reason: Ignored) -> Counter {
        self.ignored.get_or_create(&[("reason", reason.into())]).clone()
    }
}

impl<A> AffiliateApi for A
where
    A: Api<Caller = Caller, Failure = Failure> + AsRef<Affiliate>,
{
    /// If the conversion is known already, returns the first one, whatever else the body says.
    async fn create_conversion(
        &self,
        caller: Caller,
        body: CreateConversionRequest,
    ) -> Result<CreateConversionSuccess, Failure> {
        let affiliate = self.as_ref();
        let click_id = body.click_id.as_str();
        let external_id = body.external_id.as_ref().map(|id| id.as_str());
        let mut transaction = caller.write(&affiliate.tenants).await?;
        loop {
            let first = store::find_first(&mut transaction, click_id, external_id).await?;
            if let Some(first) = first {
                let duplicate = envelope(to_contract(first, DUPLICATE)?);
                return Ok(CreateConversionSuccess::Ok(duplicate));
            }
            let (now, click) = store::find_click(&mut transaction, click_id).await?;
            let occurred_at = body.occurred_at.map_or(now, RequestTimestamp::get);
            let checked = click.as_ref().ok_or(Ignored::UnknownClick);
            let checked = checked.and_then(|click| click.check(occurred_at).map(|()| click));
            let click = match checked {
                Ok(click) => click,
                Err(reason) => {
                    affiliate.ignored(reason).inc();
                    let partner_id = click.map(|click| click.partner_id);
                    let occurred_at = Timestamp::new(occurred_at);
                    let ignored = ignored(body, partner_id, reason, occurred_at);
                    return Ok(CreateConversionSuccess::Ok(envelope(ignored)));
                }
            };
            let amount = amount(&body);
            let id = IdKind::Conversion.generate();
            let new = NewConversion {
                id: &id,
                click_id,
                partner_id: &click.partner_id,
                external_id,
                amount: amount.as_ref(),
                email: body.email.as_ref().map(|email| email.as_str()),
                properties: body.properties.as_ref().map_or(json!({}), |texts| json!(texts)),
                occurred_at,
                matures_at: occurred_at + click.hold,
                plan_name: &click.plan_name,
                line: click.rate.commission(amount.as_ref()).map(|commission| NewLine {
                    id: IdKind::CommissionLine.generate(),
                    commission,
                    description: format!("Conversion {}", external_id.unwrap_or(&id)),
                    period_end: end_of_month(occurred_at),
                }),
            };
            // Where another request has just recorded the conversion, that one is found.
            if let Some(created) = store::record(&mut transaction, &caller, &new).await? {
                transaction.commit().await?;
                let recorded = envelope(to_contract(created, RECORDED)?);
                return Ok(CreateConversionSuccess::Created(recorded));
            }
        }
    }

    async fn list_conversions(
        &self,
        caller: Caller,
        query: ListConversionsQuery,
    ) -> Result<ConversionList, Failure> {
        let operation = Operation::ListConversions;
        let page = Page::of(operation, &query.filters(), query.limit, query.cursor);
        let list = page.list(&caller.organization, AllConversions);
        let conversions = self.as_ref().tenants.list(&list).await?;
        let (conversions, pagination) =
            page.cut(conversions, |conversion| (conversion.created_at, &conversion.id));
        let data = conversions.into_iter().map(|conversion| to_contract(conversion, RECORDED));
        Ok(ConversionList { data: data.collect::<Result<_, _>>()?, pagination })
    }

    async fn reverse_conversion(
        &self,
        caller: Caller,
        id: ConversionId,
        body: Option<ReverseConversionRequest>,
    ) -> Result<ConversionEnvelope, Failure> {
        let mut transaction = caller.write(&self.as_ref().tenants).await?;
        let conversion = store::lock(&mut transaction, id.as_str()).await?.ok_or(NOT_FOUND)?;
        if conversion.reversed_at.is_some() {
            return Ok(envelope(to_contract(conversion, RECORDED)?));
        }
        let reason = body.as_ref().and_then(|body| body.reason.as_ref());
        let reason = reason.map(|reason| reason.as_str());
        if let Some(line_id) = &conversion.commission_line_id {
            let reversal = Reversal {
                conversion_id: &conversion.id,
                conversion: conversion.external_id.as_ref().unwrap_or(&conversion.id),
                reason,
            };
            reverse_line(&mut transaction, &caller, line_id, &reversal).await?;
        }
        let reversed = store::reverse(&mut transaction, &caller, &conversion.id, reason).await?;
        transaction.commit().await?;
        Ok(envelope(to_contract(reversed, RECORDED)?))
    }
}

fn amount(body: &CreateConversionRequest) -> Option<Amount> {
    let (value, currency) = body.amount.zip(body.currency.as_ref())?;
    Some(Amount { value: value.get(), currency: currency.as_str().to_owned() })
}

/// A conversion that is not stored.
fn ignored(
    body: CreateConversionRequest,
    partner_id: Option<String>,
    reason: Ignored,
    occurred_at: Timestamp,
) -> Conversion {
    Conversion {
        id: None.into(),
        status: ConversionStatus::new(IGNORED),
        reason: Some(IgnoredReason::new(<&str>::from(reason))).into(),
        click_id: body.click_id,
        partner_id: partner_id.map(Into::into).into(),
        commission_line_id: None.into(),
        external_id: body.external_id.into(),
        amount: body.amount.into(),
        currency: body.currency.map(|currency| currency.into_string().into()).into(),
        occurred_at,
        created_at: None.into(),
        reversed_at: None.into(),
    }
}

fn envelope(data: Conversion) -> ConversionEnvelope {
    ConversionEnvelope { data }
}

fn to_contract(from: model::Conversion, status: &str) -> Result<Conversion, Failure> {
    Ok(Conversion {
        id: Some(from.id.into()).into(),
        status: ConversionStatus::new(status),
        reason: None.into(),
        click_id: from.click_id.into(),
        partner_id: Some(from.partner_id.into()).into(),
        commission_line_id: from.commission_line_id.map(Into::into).into(),
        external_id: from.external_id.map(Into::into).into(),
        amount: from.amount.map(Money::new).transpose()?.into(),
        currency: from.currency.map(Into::into).into(),
        occurred_at: Timestamp::new(from.occurred_at),
        created_at: Some(Timestamp::new(from.created_at)).into(),
        reversed_at: from.reversed_at.map(Timestamp::new).into(),
    })
}
