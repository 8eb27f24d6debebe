//! Handlers of the copies of books.

use std::collections::BTreeMap;

use crate::{
    App, Caller,
    contract::{
        Problem,
        traits::CopiesApi,
        types::{
            AddCopyRequest, AddCopyRequestPlace, AddCopySuccess, Copy, CopyNumber, Isbn,
            ListCopiesResponseBody,
        },
    },
};

impl CopiesApi for App {
    async fn list_copies(
        &self,
        _caller: Caller,
        isbn: Isbn,
    ) -> Result<ListCopiesResponseBody, Problem> {
        let library = self.library();
        library.book(&isbn)?;
        let copies: Vec<Copy> = library.copies_of(&isbn).cloned().collect();
        let mut on_shelf: BTreeMap<String, i64> = BTreeMap::new();
        for copy in &copies {
            let count = on_shelf.entry(copy.branch.to_string()).or_default();
            *count += i64::from(copy.loan.is_none());
        }
        Ok(ListCopiesResponseBody { copies, on_shelf: on_shelf.into() })
    }

    async fn add_copy(
        &self,
        _caller: Caller,
        isbn: Isbn,
        body: AddCopyRequest,
    ) -> Result<AddCopySuccess, Problem> {
        let mut library = self.library();
        library.book(&isbn)?;
        let AddCopyRequest { place, weight_kilograms } = body;
        let AddCopyRequestPlace { branch, shelf, floor } = place;
        let number = CopyNumber::new(library.next_number());
        let floor = floor.map(|floor| floor.get());
        let weight_kilograms = weight_kilograms.map(|weight| weight.get());
        let location = format!("/books/{isbn}/copies");
        let copy = Copy { number, isbn, branch, shelf, floor, weight_kilograms, loan: None };
        library.copies.insert(number, copy.clone());
        Ok(AddCopySuccess { location, x_shelf: Some(copy.shelf.clone()), body: copy })
    }
}
