//! The faults of scopes: an operation that asks for another one, or is content with less.
//!
//! It refuses to know keys: it says what is asked for, and admission answers.

use super::{Mutant, is};
use crate::contract::{Operation, types::Scope};

/// The scope that an operation demands, where the document says `scope`.
pub(crate) fn demanded(operation: Operation, scope: Scope) -> Scope {
    if is(Mutant::ListLinesNeedsWrite) && operation == Operation::ListCommissionLines {
        return Scope::CommissionsWrite;
    }
    scope
}

/// The scopes that are enough as well.
pub(crate) fn beside(operation: Operation) -> &'static [Scope] {
    let enough: [(Mutant, Operation, &'static [Scope]); 6] = [
        (
            Mutant::GetPartnerNeedsNoScope,
            Operation::GetPartner,
            Scope::ALL,
        ),
        (
            Mutant::PatchNeedsOnlyRead,
            Operation::UpdatePartner,
            &[Scope::PartnersRead],
        ),
        (
            Mutant::StatementNeedsOnlyRead,
            Operation::GenerateStatement,
            &[Scope::CommissionsRead],
        ),
        (
            Mutant::DetachNeedsOnlyRead,
            Operation::DetachCommissionLine,
            &[Scope::CommissionsRead],
        ),
        (
            Mutant::PartnersWriteMayList,
            Operation::ListPartners,
            &[Scope::PartnersWrite],
        ),
        (
            Mutant::AffiliateMayReadPayouts,
            Operation::GetPayout,
            &[Scope::AffiliateWrite],
        ),
    ];
    let active = enough
        .into_iter()
        .find(|(mutant, of, _)| is(*mutant) && *of == operation);
    active.map_or(&[], |(.., scopes)| scopes)
}
