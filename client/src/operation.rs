//! Stands in for the generated enum until it lands.
#![allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    ListPartners,
    CreatePartner,
    GetPartner,
    UpdatePartner,
    ListCommissionLines,
    CreateCommissionLine,
    GetCommissionLine,
    UpdateCommissionLine,
    DeclineCommissionLine,
    DetachCommissionLine,
    ListPayouts,
    CreatePayout,
    GetPayout,
    UpdatePayout,
    GenerateStatement,
    CreatePayoutBatch,
}
impl Operation {
    pub const ALL: &'static [Self] = &[
        Self::ListPartners,
        Self::CreatePartner,
        Self::GetPartner,
        Self::UpdatePartner,
        Self::ListCommissionLines,
        Self::CreateCommissionLine,
        Self::GetCommissionLine,
        Self::UpdateCommissionLine,
        Self::DeclineCommissionLine,
        Self::DetachCommissionLine,
        Self::ListPayouts,
        Self::CreatePayout,
        Self::GetPayout,
        Self::UpdatePayout,
        Self::GenerateStatement,
        Self::CreatePayoutBatch,
    ];
    pub fn id(self) -> &'static str {
        match self {
            Self::ListPartners => "listPartners",
            Self::CreatePartner => "createPartner",
            Self::GetPartner => "getPartner",
            Self::UpdatePartner => "updatePartner",
            Self::ListCommissionLines => "listCommissionLines",
            Self::CreateCommissionLine => "createCommissionLine",
            Self::GetCommissionLine => "getCommissionLine",
            Self::UpdateCommissionLine => "updateCommissionLine",
            Self::DeclineCommissionLine => "declineCommissionLine",
            Self::DetachCommissionLine => "detachCommissionLine",
            Self::ListPayouts => "listPayouts",
            Self::CreatePayout => "createPayout",
            Self::GetPayout => "getPayout",
            Self::UpdatePayout => "updatePayout",
            Self::GenerateStatement => "generateStatement",
            Self::CreatePayoutBatch => "createPayoutBatch",
        }
    }
    pub fn method(self) -> &'static str {
        match self {
            Self::ListPartners => "GET",
            Self::CreatePartner => "POST",
            Self::GetPartner => "GET",
            Self::UpdatePartner => "PATCH",
            Self::ListCommissionLines => "GET",
            Self::CreateCommissionLine => "POST",
            Self::GetCommissionLine => "GET",
            Self::UpdateCommissionLine => "PATCH",
            Self::DeclineCommissionLine => "POST",
            Self::DetachCommissionLine => "POST",
            Self::ListPayouts => "GET",
            Self::CreatePayout => "POST",
            Self::GetPayout => "GET",
            Self::UpdatePayout => "PATCH",
            Self::GenerateStatement => "POST",
            Self::CreatePayoutBatch => "POST",
        }
    }
    pub fn path(self) -> &'static str {
        match self {
            Self::ListPartners => "/api/v1/partners",
            Self::CreatePartner => "/api/v1/partners",
            Self::GetPartner => "/api/v1/partners/{id}",
            Self::UpdatePartner => "/api/v1/partners/{id}",
            Self::ListCommissionLines => "/api/v1/commission-lines",
            Self::CreateCommissionLine => "/api/v1/commission-lines",
            Self::GetCommissionLine => "/api/v1/commission-lines/{id}",
            Self::UpdateCommissionLine => "/api/v1/commission-lines/{id}",
            Self::DeclineCommissionLine => "/api/v1/commission-lines/{id}/decline",
            Self::DetachCommissionLine => "/api/v1/commission-lines/{id}/detach",
            Self::ListPayouts => "/api/v1/payouts",
            Self::CreatePayout => "/api/v1/payouts",
            Self::GetPayout => "/api/v1/payouts/{id}",
            Self::UpdatePayout => "/api/v1/payouts/{id}",
            Self::GenerateStatement => "/api/v1/payouts/{id}/statement",
            Self::CreatePayoutBatch => "/api/v1/payout-batches",
        }
    }
}
