//! Lists, page by page and item by item. A page is requested when it is asked for; a failed request
//! is repeated as any call is, and what was read before is not requested again.

use std::{
    collections::HashSet,
    hash::BuildHasher,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_util::{FutureExt, Stream, StreamExt, future::BoxFuture};
use openapi_client::Success;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::{Error, Response, types::Cursor};

/// The builder of a call that returns a page. Only the generator implements it: the module is
/// private.
pub trait List: Clone + Send + Unpin + 'static {
    type Page: Page;

    fn position(&self) -> Option<&Cursor>;
    /// Continues the list at another cursor.
    fn at(self, position: Cursor) -> Self;
    fn request_page(self) -> impl Future<Output = Result<Response<Self::Page>, Error>> + Send;
}

/// A page of a list. The generator implements it.
pub trait Page: DeserializeOwned + Send + Unpin {
    type Item: DeserializeOwned + Send + Unpin + 'static;

    /// The cursor of the next page; `None` on the last one.
    fn next_position(&self) -> Option<&Cursor>;
    fn into_items(self) -> Vec<Self::Item>;
    /// The items of a page in JSON, not decoded yet, and the cursor of the next page.
    fn split(json: &[u8]) -> serde_json::Result<(Vec<&RawValue>, Option<Cursor>)>;
}

/// The pages of a list, each requested when it is asked for.
///
/// `pages()` of a list call makes it; `L` is that call, such as
/// [`ListPartners`](crate::calls::ListPartners). It ends after the last page, and after an error:
/// [`cursor`](Self::cursor) is then where a later run can go on.
///
/// ```
/// # async fn run(client: payout_client::Client) -> Result<(), payout_client::Error> {
/// let mut pages = client.list_partners().pages();
/// while let Some(page) = pages.next().await.transpose()? {
///     println!("{} partners; {:?} requests left", page.data.len(), page.meters().rate);
///     println!("the next page begins at {:?}", pages.cursor());
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "no page is requested until `next` is called"]
pub struct Pages<L: List> {
    list: L,
    pending: Option<BoxFuture<'static, Result<Response<L::Page>, Error>>>,
    /// A hash of the cursor of each page that was requested, so that a million of them stay small.
    requested: HashSet<u64>,
    max_pages: usize,
    /// Set where the list ends: with an error, or after its last page.
    end: Option<Option<Error>>,
}

impl<L: List> Pages<L> {
    pub(crate) fn of(list: L) -> Self {
        let mut requested = HashSet::new();
        requested.insert(requested.hasher().hash_one(list.position()));
        Self { list, pending: None, requested, max_pages: usize::MAX, end: None }
    }

    /// Ends a list of more pages than these with [`Error::TooManyPages`]. The first is always read.
    pub fn max_pages(mut self, max_pages: usize) -> Self {
        self.max_pages = max_pages;
        self
    }

    /// The next page; `None` after the last one, and after an error.
    pub async fn next(&mut self) -> Option<Result<Response<L::Page>, Error>> {
        StreamExt::next(self).await
    }

    /// The cursor of the page that comes next, or that failed; `None` for the first page. `resume`
    /// of a list with the same filters goes on there. After the end it is that of the last page.
    pub fn cursor(&self) -> Option<&Cursor> {
        self.list.position()
    }

    /// Goes on to the next page, if there is one.
    fn go_on(&mut self, next: Option<&Cursor>) {
        let (count, max_pages) = (self.requested.len(), self.max_pages);
        let hash = self.requested.hasher().hash_one(next);
        self.end = match next.cloned() {
            None => Some(None),
            Some(cursor) if !self.requested.insert(hash) => {
                Some(Some(Error::RepeatedCursor { cursor }))
            }
            Some(cursor) => {
                self.list = self.list.clone().at(cursor.clone());
                (count >= max_pages).then_some(Some(Error::TooManyPages { max_pages, cursor }))
            }
        };
    }
}

impl<L: List> Stream for Pages<L> {
    type Item = Result<Response<L::Page>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Some(error) = &mut this.end {
            return Poll::Ready(error.take().map(Err));
        }
        let list = &this.list;
        let pending = this.pending.get_or_insert_with(|| list.clone().request_page().boxed());
        let page = ready!(pending.poll_unpin(context));
        this.pending = None;
        this.go_on(page.as_ref().ok().and_then(|page| page.next_position()));
        Poll::Ready(Some(page))
    }
}

/// The items of a list, one by one. Only one page is in memory.
///
/// `stream()` of a list call makes it; `L` is that call, such as
/// [`ListPartners`](crate::calls::ListPartners). It ends after the last item, and after an error
/// other than [`Error::UnreadableItem`]: [`cursor`](Self::cursor) is then where a later run can go
/// on.
///
/// ```
/// # async fn run(client: payout_client::Client) -> Result<(), payout_client::Error> {
/// let mut lines = client.list_commission_lines().limit(100).stream();
/// while let Some(line) = lines.next().await.transpose()? {
///     println!("{} {}", line.id, line.amount);
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "no item is requested until `next` is called"]
pub struct Items<L: List> {
    pages: Pages<L>,
    items: ItemsOf<L::Page>,
    cursor: Option<Cursor>,
}

type ItemsOf<P> = Box<dyn Iterator<Item = Result<<P as Page>::Item, Error>> + Send>;

impl<L: List> Items<L> {
    pub(crate) fn of(list: L) -> Self {
        let cursor = list.position().cloned();
        Self { pages: Pages::of(list), items: Box::new(std::iter::empty()), cursor }
    }

    /// Limits the pages, as [`Pages::max_pages`] does.
    pub fn max_pages(mut self, max_pages: usize) -> Self {
        self.pages = self.pages.max_pages(max_pages);
        self
    }

    /// The next item; `None` where the list has ended.
    pub async fn next(&mut self) -> Option<Result<<L::Page as Page>::Item, Error>> {
        StreamExt::next(self).await
    }

    /// The cursor of the page that the last item was on, or that failed; `None` for the first page.
    /// `resume` of a list with the same filters returns the items of that page again.
    pub fn cursor(&self) -> Option<&Cursor> {
        self.cursor.as_ref()
    }
}

impl<L: List> Stream for Items<L> {
    type Item = Result<<L::Page as Page>::Item, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Some(item) = this.items.next() {
            return Poll::Ready(Some(item));
        }
        let cursor = this.pages.cursor().cloned();
        let Some(page) = ready!(this.pages.poll_next_unpin(context)) else {
            return Poll::Ready(None);
        };
        this.cursor = cursor;
        match page {
            Ok(page) => this.items = Box::new(page.into_inner().into_items().into_iter().map(Ok)),
            Err(error) => {
                let Some((items, next)) = one_by_one::<L::Page>(&error) else {
                    return Poll::Ready(Some(Err(error)));
                };
                this.pages.go_on(next.as_ref());
                this.items = items;
            }
        }
        let item = this.items.next();
        if item.is_some() {
            return Poll::Ready(item);
        }
        // After an empty page the caller has its turn, so that its deadlines end even a list of
        // empty pages that arrive at once.
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

/// The items of a page of which some cannot be decoded, and the cursor of the next page. `None`
/// where something else is wrong with the page.
fn one_by_one<P: Page>(error: &Error) -> Option<(ItemsOf<P>, Option<Cursor>)> {
    let Error::Decode(error) = error else { return None };
    let (items, next) = P::split(&error.body).ok()?;
    let items = items.into_iter().enumerate().map(|(index, item)| {
        let (status, headers) = (error.status, error.headers.clone());
        let body = error.body.slice_ref(item.get().as_bytes());
        let read = (Success { status, headers, body }).json();
        read.map(openapi_client::Response::into_inner).map_err(|error| match error.into() {
            Error::Decode(mut error) => {
                error.problem = format!("item {index} of the page: {}", error.problem);
                Error::UnreadableItem(error)
            }
            other => other,
        })
    });
    let items: Vec<_> = items.collect();
    items.iter().any(Result::is_err).then(|| (Box::new(items.into_iter()) as _, next))
}
