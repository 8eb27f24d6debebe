//! What the library knows, and the rules that several areas share.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use openapi_runtime::{Issue, IssueCode, Location};

use crate::contract::{
    ErrorCode, Problem,
    types::{
        Book, CardNumber, Copy, CopyNumber, DateText, Fine, Isbn, Loan, LoanNumber, ReaderAccount,
        Reservation, Review, UuidText,
    },
};

/// Everything, by its number.
#[derive(Default)]
pub struct Library {
    /// Whether one is available is only known when it is read: see `book`.
    pub books: BTreeMap<Isbn, Book>,
    pub copies: BTreeMap<CopyNumber, Copy>,
    pub readers: BTreeMap<CardNumber, ReaderAccount>,
    pub loans: BTreeMap<LoanNumber, Loan>,
    pub reservations: BTreeMap<i64, Reservation>,
    /// Those that are not paid.
    pub fines: BTreeMap<i64, Fine>,
    pub reviews: BTreeMap<i64, Review>,
    /// Of payments by card.
    pub receipts: BTreeSet<UuidText>,
    last_number: i64,
}

impl Library {
    /// A number that nothing else has.
    pub fn next_number(&mut self) -> i64 {
        self.last_number += 1;
        self.last_number
    }

    /// The book as it is now.
    pub fn book(&self, isbn: &Isbn) -> Result<Book, Problem> {
        self.books.get(isbn).map(|book| self.current(book)).ok_or_else(|| not_found("book"))
    }

    /// Every book as it is now.
    pub fn books(&self) -> impl Iterator<Item = Book> {
        self.books.values().map(|book| self.current(book))
    }

    fn current(&self, book: &Book) -> Book {
        let available = self.copies_of(&book.isbn).any(|copy| copy.loan.is_none());
        Book { available, ..book.clone() }
    }

    pub fn copies_of(&self, isbn: &Isbn) -> impl Iterator<Item = &Copy> {
        self.copies.values().filter(move |copy| copy.isbn == *isbn)
    }

    /// The readers who wait for a book.
    pub fn waiting_for(&self, isbn: &Isbn) -> impl Iterator<Item = &Reservation> {
        self.reservations.values().filter(move |reservation| reservation.isbn == *isbn)
    }

    pub fn fines_of(&self, card: &CardNumber) -> impl Iterator<Item = &Fine> {
        self.fines.values().filter(move |fine| fine.card == *card)
    }
}

/// 404.
pub fn not_found(what: &str) -> Problem {
    Problem::new(ErrorCode::NotFound, format!("There is no such {what}."))
}

/// 409.
pub fn conflict(message: &str) -> Problem {
    Problem::new(ErrorCode::Conflict, message)
}

/// 422 for a value of the body that names nothing.
pub fn unknown(pointer: &str, what: &str) -> Problem {
    let message = format!("is the number of no {what}");
    Problem::invalid(&[Issue::body(pointer, IssueCode::InvalidReference, message)])
}

/// The day that a text names. The document's pattern admits the 30th of February.
pub fn day(text: &DateText, location: Location) -> Result<NaiveDate, Problem> {
    text.as_str().parse().map_err(|_| {
        let message = "must be a day of the calendar".to_owned();
        let (path, code) = ("/day".to_owned(), IssueCode::BadFormat);
        Problem::invalid(&[Issue { location, path, code, message }])
    })
}
