//! The operations of the tag `partners`: contract types in, contract types out.

use poem_openapi::types::MaybeUndefined;
use serde_json::{Map, Value};

use openapi_runtime::Timestamp;

use super::{
    change::PartnerChange,
    model,
    store::{self, ListPartners},
};
use crate::{
    app::App,
    contract::{
        Operation,
        traits::PartnersApi,
        types::{
            CreatePartnerRequest, CreatePartnerSuccess, ListPartnersQuery, Partner,
            PartnerEnvelope, PartnerList, PartnerReference, Person, UpdatePartnerRequest,
            UpdatedPartnerEnvelope,
        },
    },
    failure::Failure,
    gate::Caller,
    page::Page,
    postgres::TenantTransaction,
};

impl PartnersApi for App {
    async fn list_partners(
        &self,
        caller: Caller,
        query: ListPartnersQuery,
    ) -> Result<PartnerList, Failure> {
        let filters = query.filters();
        let page = Page::of(Operation::ListPartners, &filters, query.limit, query.cursor);
        let list = ListPartners {
            organization: &caller.organization,
            position: &page.position,
            limit: page.rows(),
        };
        let partners = self.tenants.list(&list).await?;
        let (partners, pagination) =
            page.cut(partners, |partner| (partner.created_at, &partner.id));
        let data = partners.into_iter().map(to_contract).collect::<Result<_, _>>()?;
        Ok(PartnerList { data, pagination })
    }

    async fn get_partner(
        &self,
        caller: Caller,
        id: PartnerReference,
    ) -> Result<PartnerEnvelope, Failure> {
        let partner = self.partners.get(caller.organization, id.as_str()).await?;
        Ok(PartnerEnvelope { data: to_contract(partner.ok_or(NOT_FOUND)?)? })
    }

    /// Of two creations of one domain at once, the second waits and then matches the first's
    /// partner.
    async fn create_partner(
        &self,
        caller: Caller,
        body: CreatePartnerRequest,
    ) -> Result<CreatePartnerSuccess, Failure> {
        let change = change(body.into());
        let mut transaction = self.write(&caller).await?;
        if let Some(Some(domain)) = &change.domain {
            store::lock_domain(&mut transaction, domain).await?;
            let id = store::lock_partner_by_domain(&mut transaction, domain).await?;
            if let Some(id) = id {
                let (partner, _) = update(self, &mut transaction, &caller, &id, &change).await?;
                transaction.commit().await?;
                let data = to_contract(partner)?;
                return Ok(CreatePartnerSuccess::Ok(PartnerEnvelope { data }));
            }
        }
        if change.has_references() {
            let found = store::find_references(&mut transaction, &change).await?;
            Failure::unless_found(found)?;
        }
        let fields = change.to_new();
        let created = store::create_partner(&mut transaction, &caller, &fields).await?;
        transaction.commit().await?;
        Ok(CreatePartnerSuccess::Created(PartnerEnvelope { data: to_contract(created)? }))
    }

    async fn update_partner(
        &self,
        caller: Caller,
        id: PartnerReference,
        body: UpdatePartnerRequest,
    ) -> Result<UpdatedPartnerEnvelope, Failure> {
        let change = change(body);
        let mut transaction = self.write(&caller).await?;
        let updated = update(self, &mut transaction, &caller, id.as_str(), &change);
        let (partner, is_changed) = updated.await?;
        if is_changed {
            transaction.commit().await?;
        }
        Ok(UpdatedPartnerEnvelope { data: to_contract(partner)?.into() })
    }
}

const NOT_FOUND: Failure = Failure::NotFound("partner");

/// The partner of this reference after the change, and whether anything has changed.
async fn update(
    app: &App,
    transaction: &mut TenantTransaction,
    caller: &Caller,
    reference: &str,
    change: &PartnerChange,
) -> Result<(model::Partner, bool), Failure> {
    let locked = store::lock_partner(transaction, reference, change).await?;
    let locked = locked.ok_or(NOT_FOUND)?;
    Failure::unless_found(locked.references)?;
    let Some(after) = change.apply(&locked.fields) else {
        let partner = app.partners.get(caller.organization.clone(), &locked.id).await?;
        return Ok((partner.ok_or(NOT_FOUND)?, false));
    };
    let partner = store::update_partner(transaction, caller, &locked, &after).await?;
    Ok((partner, true))
}

fn change(body: UpdatePartnerRequest) -> PartnerChange {
    PartnerChange {
        name: body.name.map(|name| name.into_string()),
        domain: match body.domain {
            MaybeUndefined::Undefined => None,
            MaybeUndefined::Null => Some(None),
            MaybeUndefined::Value(domain) => Some(Some(domain.into_string())),
        },
        portal_access: body.portal_access.map(|access| access.as_str().to_owned()),
        tier_id: body.tier_id.map(|id| id.into_string()),
        experience_template_id: body.experience_template_id.map(|id| id.into_string()),
        phase_id: body.phase_id.map(|id| id.into_string()),
        owner_id: body.partner_owner_id.map(|id| id.into_string()),
    }
}

fn to_contract(partner: model::Partner) -> Result<Partner, Failure> {
    let company = object(partner.company_crm_properties)?;
    let partner_object = object(partner.partner_object_crm_properties)?;
    Ok(Partner {
        id: partner.id.into(),
        name: partner.name,
        domain: partner.domain.into(),
        external_company_id: partner.external_company_id.into(),
        external_id: partner.external_id.into(),
        external_id_type: partner.external_id_type.map(Into::into).into(),
        manager_email: partner.manager_email.clone().into(),
        categories: partner.categories,
        tier_id: partner.tier_id.map(Into::into).into(),
        phase_id: partner.phase_id.map(Into::into).into(),
        experience_template_id: partner.experience_template_id.map(Into::into).into(),
        owner: person(partner.owner_id, partner.owner_name, partner.owner_email).into(),
        manager: person(partner.manager_id, partner.manager_name, partner.manager_email).into(),
        crm_properties: model::combined_crm_properties(&company, &partner_object).into(),
        partner_object_crm_properties: partner_object.into(),
        company_crm_properties: company.into(),
        status: partner.status.into(),
        created_at: Timestamp::new(partner.created_at),
        updated_at: Timestamp::new(partner.updated_at),
    })
}

fn person(id: Option<String>, name: Option<String>, email: Option<String>) -> Option<Person> {
    Some(Person { id: id?.into(), name: name?, email: email? })
}

fn object(value: Value) -> Result<Map<String, Value>, Failure> {
    match value {
        Value::Object(map) => Ok(map),
        other => Err(Failure::Internal(format!("CRM properties are {other}, not an object"))),
    }
}
