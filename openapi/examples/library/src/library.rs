//! The data of the library, and the rules that several handlers share.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use openapi_runtime::{File, Issue, IssueCode, Location};

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
    /// `available` is not stored; `book` computes it.
    pub books: BTreeMap<Isbn, Book>,
    pub copies: BTreeMap<CopyNumber, Copy>,
    pub readers: BTreeMap<CardNumber, ReaderAccount>,
    pub pictures: BTreeMap<CardNumber, File>,
    pub loans: BTreeMap<LoanNumber, Loan>,
    pub reservations: BTreeMap<i64, Reservation>,
    /// Fines that are not paid.
    pub fines: BTreeMap<i64, Fine>,
    pub reviews: BTreeMap<i64, Review>,
    /// Receipts of payments by card.
    pub receipts: BTreeSet<UuidText>,
    last_number: i64,
}

impl Library {
    /// Returns a number that nothing else has.
    pub fn next_number(&mut self) -> i64 {
        self.last_number += 1;
        self.last_number
    }

    /// Returns the book with its present availability.
    pub fn book(&self, isbn: &Isbn) -> Result<Book, Problem> {
        self.books.get(isbn).map(|book| self.current(book)).ok_or_else(|| not_found("book"))
    }

    /// Returns every book with its present availability.
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

    /// Returns the reservations of a book, the earliest first.
    pub fn waiting_for(&self, isbn: &Isbn) -> impl Iterator<Item = &Reservation> {
        self.reservations.values().filter(move |reservation| reservation.isbn == *isbn)
    }

    pub fn fines_of(&self, card: &CardNumber) -> impl Iterator<Item = &Fine> {
        self.fines.values().filter(move |fine| fine.card == *card)
    }
}

/// Returns a count as the document has it.
pub fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// Returns a 404.
pub fn not_found(what: &str) -> Problem {
    Problem::new(ErrorCode::NotFound, format!("There is no such {what}."))
}

/// Returns a 409.
pub fn conflict(message: &str) -> Problem {
    Problem::new(ErrorCode::Conflict, message)
}

/// Returns a 422 for a value of the body that names nothing.
pub fn unknown(pointer: &str, what: &str) -> Problem {
    let message = format!("is the number of no {what}");
    Problem::invalid(&[Issue::body(pointer, IssueCode::InvalidReference, message)])
}

/// Reads a day. The document's pattern admits the 30th of February.
pub fn day(text: &DateText, location: Location) -> Result<NaiveDate, Problem> {
    text.as_str().parse().map_err(|_| {
        let message = "must be a day of the calendar".to_owned();
        let (path, code) = ("/day".to_owned(), IssueCode::BadFormat);
        Problem::invalid(&[Issue { location, path, code, message }])
    })
}
