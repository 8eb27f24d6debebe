//! The operations of the tag `partners`: contract types in, contract types out.

use serde_json::{Map, Value};

use openapi_runtime::Timestamp;

use super::{
    change::{PartnerFields, has_references},
    model,
    store::{self, AllPartners, PartnersById},
};
use crate::{
    contract::{
        Operation,
        traits::{Api, PartnersApi},
        types::{
            CreatePartnerRequest, CreatePartnerSuccess, ListPartnersQuery, Partner,
            PartnerEnvelope, PartnerList, PartnerReference, UpdatePartnerRequest,
            UpdatedPartnerEnvelope,
        },
    },
    gate::Caller,
    organizations::person,
    page::Page,
    postgres::{BatchLoader, TenantTransaction, Tenants},
    problem::Failure,
};

pub struct Partners {
    pub(crate) tenants: Tenants,
    pub(crate) by_id: BatchLoader<PartnersById>,
}

impl<A> PartnersApi for A
where
    A: Api<Caller = Caller, Failure = Failure> + AsRef<Partners>,
{
    async fn list_partners(
        &self,
        caller: Caller,
        query: ListPartnersQuery,
    ) -> Result<PartnerList, Failure> {
        let filters = query.filters();
        let page = Page::of(Operation::ListPartners, &filters, query.limit, query.cursor);
        let list = page.list(&caller.organization, AllPartners);
        let partners = self.as_ref().tenants.list(&list).await?;
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
        let partner = self.as_ref().by_id.get(caller.organization, id.as_str()).await?;
        Ok(PartnerEnvelope { data: to_contract(partner.ok_or(NOT_FOUND)?)? })
    }

    /// A second, concurrent creation of the same domain waits, and then matches the first one's
    /// partner.
    async fn create_partner(
        &self,
        caller: Caller,
        body: CreatePartnerRequest,
    ) -> Result<CreatePartnerSuccess, Failure> {
        let change = UpdatePartnerRequest::from(body);
        let mut transaction = caller.write(&self.as_ref().tenants).await?;
        if let Some(domain) = change.domain.value().map(|domain| domain.as_str()) {
            store::lock_domain(&mut transaction, domain).await?;
            let id = store::lock_partner_by_domain(&mut transaction, domain).await?;
            if let Some(id) = id {
                let (partner, _) =
                    update(self.as_ref(), &mut transaction, &caller, &id, &change).await?;
                transaction.commit().await?;
                let data = to_contract(partner)?;
                return Ok(CreatePartnerSuccess::Ok(PartnerEnvelope { data }));
            }
        }
        if has_references(&change) {
            let found = store::find_references(&mut transaction, &change).await?;
            Failure::unless_found(found)?;
        }
        let fields = PartnerFields::default().changed_by(&change);
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
        let mut transaction = caller.write(&self.as_ref().tenants).await?;
        let updated = update(self.as_ref(), &mut transaction, &caller, id.as_str(), &body);
        let (partner, is_changed) = updated.await?;
        if is_changed {
            transaction.commit().await?;
        }
        Ok(UpdatedPartnerEnvelope { data: to_contract(partner)?.into() })
    }
}

const NOT_FOUND: Failure = Failure::NotFound("partner");

/// Changes the partner of this reference. Returns it, and true if anything has changed.
async fn update(
    partners: &Partners,
    transaction: &mut TenantTransaction,
    caller: &Caller,
    reference: &str,
    change: &UpdatePartnerRequest,
) -> Result<(model::Partner, bool), Failure> {
    let locked = store::lock_partner(transaction, reference, change).await?;
    let locked = locked.ok_or(NOT_FOUND)?;
    Failure::unless_found(locked.references)?;
    let after = locked.fields.changed_by(change);
    if after == locked.fields {
        let partner = partners.by_id.get(caller.organization.clone(), &locked.id).await?;
        return Ok((partner.ok_or(NOT_FOUND)?, false));
    }
    let partner = store::update_partner(transaction, caller, &locked, &after).await?;
    Ok((partner, true))
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

fn object(value: Value) -> Result<Map<String, Value>, Failure> {
    match value {
        Value::Object(map) => Ok(map),
        other => Err(Failure::Internal(format!("CRM properties are {other}, not an object"))),
    }
}
