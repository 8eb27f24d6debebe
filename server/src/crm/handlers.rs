//! The operations of the tag `crm`: contract types in, contract types out.

use std::sync::Arc;

use openapi_runtime::Timestamp;
use serde_json::json;
use tokio::sync::Notify;

use super::{
    model,
    store::{CreateSync, GetSync},
};
use crate::{
    contract::{
        traits::{Api, CrmApi},
        types::{
            CrmFailure, CrmFailureCode, CrmObjectId, CrmObjectType, CrmSync, CrmSyncEnvelope,
            CrmSyncId, CrmSyncStatus, ErrorCode, Finish, SyncedObjectType,
        },
    },
    gate::Caller,
    id::IdKind,
    postgres::Tenants,
    problem::Failure,
};

pub struct Crm {
    pub(crate) tenants: Tenants,
    /// Wakes this server's worker.
    pub(crate) wake: Arc<Notify>,
}

impl<A> CrmApi for A
where
    A: Api<Caller = Caller, Failure = Failure> + AsRef<Crm>,
{
    async fn sync_crm_object(
        &self,
        caller: Caller,
        r#type: CrmObjectType,
        id: CrmObjectId,
    ) -> Result<CrmSyncEnvelope, Failure> {
        let Crm { tenants, wake } = self.as_ref();
        let new = IdKind::CrmSync.generate();
        let create = CreateSync {
            caller: &caller,
            id: &new,
            object_type: r#type.as_str(),
            object_id: id.as_str(),
        };
        let queued = caller.run(tenants, &create).await?;
        let (Some(sync), Some(created_at)) = (queued.id, queued.created_at) else {
            return Err(rejection(queued.is_connected));
        };
        wake.notify_one();
        Ok(CrmSyncEnvelope {
            data: CrmSync {
                already_queued: sync != new,
                id: sync.into(),
                object_type: SyncedObjectType::new(r#type.as_str()),
                object_id: id,
                status: CrmSyncStatus::new("QUEUED"),
                partner_id: None.into(),
                changed: false,
                failure: None.into(),
                created_at: Timestamp::new(created_at),
                finished_at: None.into(),
            },
        })
    }

    async fn get_crm_sync(
        &self,
        caller: Caller,
        id: CrmSyncId,
    ) -> Result<CrmSyncEnvelope, Failure> {
        let get = GetSync { organization: &caller.organization, id: id.as_str() };
        let sync = self.as_ref().tenants.list(&get).await?;
        let sync = sync.ok_or(Failure::NotFound("CRM sync"))?;
        Ok(CrmSyncEnvelope { data: to_contract(sync) })
    }
}

fn rejection(is_connected: bool) -> Failure {
    if is_connected {
        return Failure::Internal("a sync was neither queued nor found".to_owned());
    }
    let message = "The organisation has no CRM connection. An operator makes one with \
                   `payout-server crm connect`.";
    Failure::rejected(ErrorCode::CrmNotConnected, message, json!({}))
}

fn to_contract(sync: model::Sync) -> CrmSync {
    let failure = sync.failure_code.zip(sync.failure_message);
    let failure =
        failure.map(|(code, message)| CrmFailure { code: CrmFailureCode::new(code), message });
    let finished_at = sync.finished_at.map(|at| Finish::new(Timestamp::new(at).to_string()));
    CrmSync {
        id: sync.id.into(),
        object_type: SyncedObjectType::new(sync.object_type),
        object_id: sync.object_id.into(),
        status: CrmSyncStatus::new(sync.status),
        already_queued: false,
        partner_id: sync.partner_id.map(Into::into).into(),
        changed: sync.changed,
        failure: failure.into(),
        created_at: Timestamp::new(sync.created_at),
        finished_at: finished_at.into(),
    }
}
