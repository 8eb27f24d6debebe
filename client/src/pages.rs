//! Lists, page by page and item by item. A page is requested when it is asked for; a failed request
//! is repeated as any call is, and what was read before is not requested again.

use std::{
    collections::{BTreeMap, HashSet},
    hash::BuildHasher,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_util::{FutureExt, Stream, StreamExt, future::BoxFuture};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::{Error, Response, response::Success, types::Cursor};

/// The builder of a call that returns a page. Only the generator implements it: the module is
/// private.
pub trait List: Clone + Send + Unpin + 'static {
    /// The page.
    type Page: Page;

    /// The cursor of the page.
    fn position(&self) -> Option<&Cursor>;
    /// The same list from another cursor on.
    fn at(self, position: Cursor) -> Self;
    /// Sends the request.
    fn request_page(self) -> impl Future<Output = Result<Response<Self::Page>, Error>> + Send;
}

/// A page of a list. The generator implements it.
pub trait Page: DeserializeOwned + Send + Unpin {
    /// An item.
    type Item: DeserializeOwned + Send + Unpin + 'static;
    /// The name that the list of items has in the JSON.
    const ITEMS: &'static str;

    /// The cursor of the next page; `None` on the last one.
    fn next_position(&self) -> Option<&Cursor>;
    /// The items.
    fn into_items(self) -> Vec<Self::Item>;
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
    /// Hashes of the cursors of all pages that were requested: 8 bytes are enough to tell them apart.
    requested: HashSet<u64>,
    max_pages: usize,
    /// Why the list ends here although it has a next page.
    failure: Option<Error>,
    has_ended: bool,
}

impl<L: List> Pages<L> {
    pub(crate) fn of(list: L) -> Self {
        let mut requested = HashSet::new();
        requested.insert(requested.hasher().hash_one(list.position()));
        Self {
            list,
            pending: None,
            requested,
            max_pages: usize::MAX,
            failure: None,
            has_ended: false,
        }
    }

    /// Limits the pages: a list that goes on after so many ends with [`Error::TooManyPages`], which
    /// has the cursor of the next one. At least one page is read; there is no limit unless set.
    pub fn max_pages(mut self, max_pages: usize) -> Self {
        self.max_pages = max_pages;
        self
    }

    /// The next page; `None` after the last one, and after an error.
    pub async fn next(&mut self) -> Option<Result<Response<L::Page>, Error>> {
        StreamExt::next(self).await
    }

    /// The cursor of the page that comes next, or that failed; `None` for the first page. A list
    /// with this cursor and the same filters goes on there. After the end it is that of the last
    /// page.
    pub fn cursor(&self) -> Option<&Cursor> {
        self.list.position()
    }

    /// Goes on to the next page, unless there is none, it was requested before, or it is too many.
    fn go_on(&mut self, next: Option<&Cursor>) {
        self.has_ended = next.is_none();
        let Some(cursor) = next.cloned() else { return };
        let (count, max_pages) = (self.requested.len(), self.max_pages);
        if !self.requested.insert(self.requested.hasher().hash_one(next)) {
            self.failure = Some(Error::RepeatedCursor { cursor });
            return;
        }
        self.list = self.list.clone().at(cursor.clone());
        self.failure = (count >= max_pages).then_some(Error::TooManyPages { max_pages, cursor });
    }
}

impl<L: List> Stream for Pages<L> {
    type Item = Result<Response<L::Page>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.has_ended {
            return Poll::Ready(None);
        }
        if let Some(error) = this.failure.take() {
            this.has_ended = true;
            return Poll::Ready(Some(Err(error)));
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
/// [`ListPartners`](crate::calls::ListPartners). It ends after the last item, and after an error:
/// [`cursor`](Self::cursor) is then where a later run can go on.
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

    /// The next item; `None` after the last one, and after an error other than
    /// [`Error::UnreadableItem`].
    pub async fn next(&mut self) -> Option<Result<<L::Page as Page>::Item, Error>> {
        StreamExt::next(self).await
    }

    /// The cursor of the page that the last item was on, or that failed; `None` for the first page.
    /// A list with this cursor and the same filters returns the items of that page again, and loses
    /// none.
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
            Err(error) => match one_by_one::<L::Page>(&error) {
                Some((page, items)) => {
                    this.pages.go_on(page.next_position());
                    this.items = Box::new(items.into_iter());
                }
                None => return Poll::Ready(Some(Err(error))),
            },
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

/// The items of a page of which some cannot be decoded, and the page without them. `None` where
/// something else is wrong with the page.
#[expect(clippy::type_complexity, reason = "a page and its items")]
fn one_by_one<P: Page>(error: &Error) -> Option<(P, Vec<Result<P::Item, Error>>)> {
    let Error::Decode(error) = error else { return None };
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_slice(&error.body).ok()?;
    let none = serde_json::from_str("[]").expect("it is an empty list");
    let items: Vec<&RawValue> =
        serde_json::from_str(members.insert(P::ITEMS.to_owned(), none)?.get()).ok()?;
    let page: P = serde_json::from_str(&serde_json::to_string(&members).ok()?).ok()?;
    let items = items.into_iter().enumerate().map(|(index, item)| {
        let (status, headers) = (error.status, error.headers.clone());
        let body = error.body.slice_ref(item.get().as_bytes());
        match (Success { status, headers, body }).decode::<P::Item>() {
            Err(Error::Decode(mut error)) => {
                error.problem = format!("{}[{index}]: {}", P::ITEMS, error.problem);
                Err(Error::UnreadableItem(error))
            }
            item => item.map(Response::into_inner),
        }
    });
    let items: Vec<_> = items.collect();
    items.iter().any(Result::is_err).then_some((page, items))
}
