//! Handlers of the fines of readers.

use openapi_runtime::{Issue, IssueCode};

use crate::{
    App, Caller,
    contract::{
        Problem,
        traits::FinesApi,
        types::{CardNumber, Fine, PayFineRequest, PayFineSuccess},
    },
    library::{conflict, not_found},
};

impl FinesApi for App {
    async fn list_fines(&self, _caller: Caller, card: CardNumber) -> Result<Vec<Fine>, Problem> {
        let library = self.library();
        library.readers.get(&card).ok_or_else(|| not_found("reader"))?;
        Ok(library.fines_of(&card).cloned().collect())
    }

    async fn pay_fine(
        &self,
        _caller: Caller,
        fine: i64,
        body: PayFineRequest,
    ) -> Result<PayFineSuccess, Problem> {
        let mut library = self.library();
        let owed = library.fines.get(&fine).ok_or_else(|| not_found("fine"))?.cents;
        let (cents, receipt) = match body {
            PayFineRequest::PayFineRequestCash(cash) => (cash.cents.get(), None),
            PayFineRequest::PayFineRequestCard(card) => (card.cents.get(), Some(card.receipt)),
        };
        if cents > owed {
            let message = format!("must be at most {owed}, which is owed");
            return Err(Problem::invalid(&[Issue::body("/cents", IssueCode::TooLarge, message)]));
        }
        if let Some(receipt) = receipt
            && !library.receipts.insert(receipt)
        {
            return Err(conflict("This receipt has paid a fine before."));
        }
        if cents == owed {
            library.fines.remove(&fine);
            return Ok(PayFineSuccess::NoContent);
        }
        let fine = library.fines.get_mut(&fine).ok_or_else(|| not_found("fine"))?;
        fine.cents -= cents;
        Ok(PayFineSuccess::Ok(fine.clone()))
    }
}
