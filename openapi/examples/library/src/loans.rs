//! Handlers of loans: copies that readers have at home.

use chrono::{NaiveDate, TimeDelta};
use openapi_runtime::Location;

use crate::{
    App, Caller,
    contract::{
        Problem,
        traits::LoansApi,
        types::{
            CardNumber, CopyNumber, DateText, Fine, Isbn, LendBookReply, LendBookRequest,
            LendBookResponseBody402, ListLoansQuery, Loan, LoanNumber, LoanState, RenewLoanReply,
            RenewLoanRequest, Reservation, ReturnCopyQuery, ReturnCopyRequest, ReturnCopySuccess,
        },
    },
    library::{Library, conflict, day, not_found, unknown},
};

const DAYS: i64 = 28;
const CENTS_PER_LATE_DAY: i64 = 25;

impl LoansApi for App {
    async fn list_loans(
        &self,
        _caller: Caller,
        query: ListLoansQuery,
    ) -> Result<Vec<Loan>, Problem> {
        let library = self.library();
        let loans = library.loans.values().filter(|loan| {
            query.card.as_ref().is_none_or(|card| loan.card == *card)
                && query.copies.as_ref().is_none_or(|copies| copies.contains(&loan.copy))
                && query.state.is_none_or(|state| loan.state == state)
        });
        Ok(loans.cloned().collect())
    }

    async fn lend_book(
        &self,
        _caller: Caller,
        body: LendBookRequest,
    ) -> Result<LendBookReply, Problem> {
        let LendBookRequest { isbn, card, day: today, days } = body;
        let today = day(&today, Location::Body)?;
        let due = later(today, days.get());
        let mut library = self.library();
        library.book(&isbn).map_err(|_| unknown("/isbn", "book"))?;
        library.readers.get(&card).ok_or_else(|| unknown("/card", "reader"))?;
        let cents: i64 = library.fines_of(&card).map(|fine| fine.cents).sum();
        if cents > 0 {
            return Ok(LendBookReply::PaymentRequired(LendBookResponseBody402 { cents }));
        }
        Ok(match library.free_copy(&isbn, &card) {
            Some(copy) => LendBookReply::Created(library.lend(copy, &isbn, card, due)),
            None => LendBookReply::Accepted(library.reserve(isbn, card)),
        })
    }

    async fn renew_loan(
        &self,
        _caller: Caller,
        loan: LoanNumber,
        body: Option<RenewLoanRequest>,
    ) -> Result<RenewLoanReply, Problem> {
        let mut library = self.library();
        let (mut renewed, isbn) = library.loan_at_home(loan)?;
        if library.waiting_for(&isbn).next().is_some() {
            return Ok(RenewLoanReply::Conflict);
        }
        renewed.due = later(due(&renewed), body.map_or(DAYS, |body| body.days.get()));
        library.loans.insert(loan, renewed.clone());
        Ok(RenewLoanReply::Ok(renewed))
    }

    async fn return_copy(
        &self,
        _caller: Caller,
        loan: LoanNumber,
        query: ReturnCopyQuery,
        body: Option<ReturnCopyRequest>,
    ) -> Result<ReturnCopySuccess, Problem> {
        let today = day(&query.day, Location::Query)?;
        let mut library = self.library();
        let (returned, _) = library.loan_at_home(loan)?;
        let late_days = (today - due(&returned)).num_days();
        let Loan { copy, card, .. } = returned.clone();
        library.loans.insert(loan, Loan { state: LoanState::Returned, ..returned });
        if let Some(copy) = library.copies.get_mut(&copy) {
            copy.loan = None;
        }
        let (mut cents, mut reasons) = (0, Vec::new());
        let (excused, damage) = body.map_or((false, None), |body| (body.excused, body.damage));
        if late_days > 0 && !excused {
            cents += late_days * CENTS_PER_LATE_DAY;
            reasons.push(format!("{late_days} days late"));
        }
        if let Some(damage) = damage {
            cents += damage.cents.get();
            reasons.push(damage.what.into_string());
        }
        if cents == 0 {
            return Ok(ReturnCopySuccess::NoContent);
        }
        let fine = Fine { number: library.next_number(), card, cents, reasons };
        library.fines.insert(fine.number, fine.clone());
        Ok(ReturnCopySuccess::Ok(fine))
    }
}

impl Library {
    /// Returns a copy on its shelf that no other reader waits for longer.
    fn free_copy(&self, isbn: &Isbn, card: &CardNumber) -> Option<CopyNumber> {
        let before = self.waiting_for(isbn).take_while(|reservation| reservation.card != *card);
        let mut on_shelf = self.copies_of(isbn).filter(|copy| copy.loan.is_none());
        on_shelf.nth(before.count()).map(|copy| copy.number)
    }

    fn lend(&mut self, copy: CopyNumber, isbn: &Isbn, card: CardNumber, due: DateText) -> Loan {
        let number = LoanNumber::new(self.next_number());
        self.reservations
            .retain(|_, reservation| (&reservation.isbn, &reservation.card) != (isbn, &card));
        if let Some(copy) = self.copies.get_mut(&copy) {
            copy.loan = Some(number);
        }
        let loan = Loan { number, copy, card, due, state: LoanState::AtHome };
        self.loans.insert(number, loan.clone());
        loan
    }

    /// Returns the reservation of a reader, who has one of a book at most.
    fn reserve(&mut self, isbn: Isbn, card: CardNumber) -> Reservation {
        let known = self.waiting_for(&isbn).find(|reservation| reservation.card == card);
        if let Some(known) = known {
            return known.clone();
        }
        let reservation = Reservation { number: self.next_number(), isbn, card };
        self.reservations.insert(reservation.number, reservation.clone());
        reservation
    }

    /// Returns a loan that is not returned yet, and its book.
    fn loan_at_home(&self, number: LoanNumber) -> Result<(Loan, Isbn), Problem> {
        let loan = self.loans.get(&number).ok_or_else(|| not_found("loan"))?;
        match self.copies.get(&loan.copy) {
            Some(copy) if copy.loan == Some(number) => Ok((loan.clone(), copy.isbn.clone())),
            _ => Err(conflict("The copy was returned before.")),
        }
    }
}

/// Adds days, up to the last day that the document can write: its years have four digits.
fn later(day: NaiveDate, days: i64) -> DateText {
    let last = NaiveDate::from_ymd_opt(9999, 12, 31).expect("it is a day");
    let later = day.checked_add_signed(TimeDelta::days(days));
    DateText::new(later.map_or(last, |later| later.min(last)).to_string())
}

fn due(loan: &Loan) -> NaiveDate {
    loan.due.as_str().parse().expect("`later` has written it")
}
