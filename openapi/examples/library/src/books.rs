//! Handlers of the catalogue.

use openapi_runtime::{Accept, Content, Issue, IssueCode, MaybeUndefined};

use crate::{
    App, Caller,
    contract::{
        Problem,
        traits::BooksApi,
        types::{
            AddBookSuccess, AddReviewRequest, Book, ExportBooksBody, ExportBooksQuery,
            ExportBooksSeparator, FindBookReply, Isbn, ListBooksQuery, ListBooksResponseBody,
            ListBooksSort, NewBook, RemoveBookReply, RemoveBookResponseBody409, Review, Subject,
            UpdateBookRequest,
        },
    },
    library::{not_found, number, unknown},
};

impl BooksApi for App {
    async fn list_books(
        &self,
        _caller: Caller,
        query: ListBooksQuery,
    ) -> Result<ListBooksResponseBody, Problem> {
        let mut books: Vec<Book> =
            self.library().books().filter(|book| fits(book, &query)).collect();
        match query.sort.unwrap_or(ListBooksSort::Title) {
            ListBooksSort::Title => books.sort_by(|a, b| a.title.cmp(&b.title)),
            ListBooksSort::Year => books.sort_by_key(|book| book.year),
            ListBooksSort::MinusYear => books.sort_by_key(|book| std::cmp::Reverse(book.year)),
        }
        let total = number(books.len());
        let (page, per_page) = (query.page.get(), query.per_page.get());
        let skipped = (page - 1).saturating_mul(per_page);
        let books = books.into_iter().skip(count(skipped)).take(count(per_page)).collect();
        Ok(ListBooksResponseBody { total, books })
    }

    async fn add_book(&self, _caller: Caller, body: NewBook) -> Result<AddBookSuccess, Problem> {
        let mut library = self.library();
        if let Ok(known) = library.book(&body.isbn) {
            return Ok(AddBookSuccess::Ok(known));
        }
        let NewBook { isbn, title, language, year, contents, subjects } = body;
        let book = Book {
            isbn: isbn.clone(),
            title,
            language,
            year,
            contents,
            subjects: sorted(subjects),
            rating: None,
            summary: None,
            available: false,
        };
        library.books.insert(isbn, book.clone());
        Ok(AddBookSuccess::Created(book))
    }

    async fn export_books(
        &self,
        _caller: Caller,
        query: ExportBooksQuery,
        accept: Accept,
    ) -> Result<ExportBooksBody, Problem> {
        let years = query.years.unwrap_or_default();
        let is_in = |book: &Book| {
            years.from.is_none_or(|from| book.year >= from)
                && years.to.is_none_or(|to| book.year <= to)
        };
        const JSON: &str = "application/vnd.library.books+json";
        if accept.best_of(&["text/csv", JSON]) == Some(JSON) {
            let books = self.library().books().filter(is_in).collect();
            return Ok(ExportBooksBody::ApplicationVndLibraryBooksJson(books));
        }
        let separator = match query.separator {
            ExportBooksSeparator::Comma => ",",
            ExportBooksSeparator::Tab => "\t",
        };
        let line = |Book { isbn, year, title, .. }: Book| {
            let title = title.as_str().replace('"', "\"\"");
            format!("{isbn}{separator}{year}{separator}\"{title}\"\r\n")
        };
        let lines: String = self.library().books().filter(is_in).map(line).collect();
        Ok(ExportBooksBody::TextCsv(Content::new(lines)))
    }

    async fn find_book(&self, _caller: Caller, isbn: Isbn) -> Result<FindBookReply, Problem> {
        self.library().book(&isbn)?;
        Ok(FindBookReply { location: format!("/books/{isbn}") })
    }

    async fn add_review(
        &self,
        _caller: Caller,
        isbn: Isbn,
        body: AddReviewRequest,
    ) -> Result<Review, Problem> {
        let mut library = self.library();
        library.book(&isbn)?;
        let AddReviewRequest { text, stars, answers, words } = body;
        let original = answers.map(|number| {
            let known = library.reviews.get(&number.get()).cloned();
            known.ok_or_else(|| unknown("/answers", "review"))
        });
        let original = original.transpose()?.map(Box::new);
        let number = number(library.reviews.len() + 1);
        let review = Review { number, text: text.into_string(), stars, words, original };
        library.reviews.insert(number, review.clone());
        Ok(review)
    }

    async fn get_book(&self, _caller: Caller, isbn: Isbn) -> Result<Book, Problem> {
        self.library().book(&isbn)
    }

    async fn update_book(
        &self,
        _caller: Caller,
        isbn: Isbn,
        body: UpdateBookRequest,
    ) -> Result<Book, Problem> {
        if let MaybeUndefined::Value(rating) = body.rating
            && !(0.0..=5.0).contains(&rating)
        {
            let issue = Issue::body("/rating", IssueCode::TooLarge, "must be from 0 to 5");
            return Err(Problem::invalid(&[issue]));
        }
        let mut library = self.library();
        let book = library.books.get_mut(&isbn).ok_or_else(|| not_found("book"))?;
        if let Some(title) = body.title {
            book.title = title;
        }
        body.rating.update_to(&mut book.rating);
        body.summary.map_value(|summary| summary.into_string()).update_to(&mut book.summary);
        library.book(&isbn)
    }

    async fn remove_book(&self, _caller: Caller, isbn: Isbn) -> Result<RemoveBookReply, Problem> {
        let mut library = self.library();
        library.book(&isbn)?;
        let loans: Vec<_> = library.copies_of(&isbn).filter_map(|copy| copy.loan).collect();
        if !loans.is_empty() {
            return Ok(RemoveBookReply::Conflict(RemoveBookResponseBody409 { loans }));
        }
        library.books.remove(&isbn);
        library.copies.retain(|_, copy| copy.isbn != isbn);
        library.reservations.retain(|_, reservation| reservation.isbn != isbn);
        Ok(RemoveBookReply::NoContent)
    }

    async fn replace_subjects(
        &self,
        _caller: Caller,
        isbn: Isbn,
        body: Vec<Subject>,
    ) -> Result<Vec<Subject>, Problem> {
        let mut library = self.library();
        let book = library.books.get_mut(&isbn).ok_or_else(|| not_found("book"))?;
        book.subjects = sorted(body);
        Ok(book.subjects.clone())
    }
}

/// Returns true if the book fits every parameter of the query.
fn fits(book: &Book, query: &ListBooksQuery) -> bool {
    let title = book.title.as_str().to_lowercase();
    let has_words = |words: &Vec<_>| {
        words.iter().all(|word: &_| title.contains(&ToString::to_string(word).to_lowercase()))
    };
    let has_subject =
        |subjects: &Vec<Subject>| subjects.iter().any(|subject| book.subjects.contains(subject));
    query.subject.as_ref().is_none_or(has_subject)
        && query.language.as_ref().is_none_or(|languages| languages.contains(&book.language))
        && query.year.as_ref().is_none_or(|years| years.contains(&book.year))
        && query.words.as_ref().is_none_or(has_words)
        && query.min_rating.is_none_or(|least| book.rating.is_some_and(|rating| rating >= least))
        && query.available.is_none_or(|available| book.available == available)
}

fn sorted(mut subjects: Vec<Subject>) -> Vec<Subject> {
    subjects.sort();
    subjects.dedup();
    subjects
}

fn count(number: i64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
