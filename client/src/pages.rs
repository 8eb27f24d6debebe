//! Lists, page by page and item by item. A page is requested when it is asked for; a failed request
//! is repeated as any call is, and what was read before is not requested again.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    vec,
};

use futures_util::{FutureExt, Stream, StreamExt, future::BoxFuture};
use serde::de::DeserializeOwned;

use crate::{Error, Response, types::Cursor};

/// The builder of a call that returns a page. Only the generator implements it: the module is
/// private.
pub trait List: Clone + Send + Unpin {
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
    type Item: Send + Unpin;

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
#[must_use = "pages are requested when they are asked for"]
pub struct Pages<'a, L: List> {
    list: L,
    pending: Option<BoxFuture<'a, Result<Response<L::Page>, Error>>>,
    has_ended: bool,
}

impl<'a, L: List + 'a> Pages<'a, L> {
    pub(crate) fn of(list: L) -> Self {
        Self { list, pending: None, has_ended: false }
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
}

impl<'a, L: List + 'a> Stream for Pages<'a, L> {
    type Item = Result<Response<L::Page>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if this.has_ended {
            return Poll::Ready(None);
        }
        let list = &this.list;
        let pending = this.pending.get_or_insert_with(|| list.clone().request_page().boxed());
        let page = ready!(pending.poll_unpin(context));
        this.pending = None;
        match page.as_ref().ok().and_then(|page| page.next_position()) {
            Some(next) => this.list = this.list.clone().at(next.clone()),
            None => this.has_ended = true,
        }
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
#[must_use = "items are requested when they are asked for"]
pub struct Items<'a, L: List> {
    pages: Pages<'a, L>,
    items: vec::IntoIter<<L::Page as Page>::Item>,
    cursor: Option<Cursor>,
}

impl<'a, L: List + 'a> Items<'a, L> {
    pub(crate) fn of(list: L) -> Self {
        let cursor = list.position().cloned();
        Self { pages: Pages::of(list), items: Vec::new().into_iter(), cursor }
    }

    /// The next item; `None` after the last one, and after an error.
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

impl<'a, L: List + 'a> Stream for Items<'a, L> {
    type Item = Result<<L::Page as Page>::Item, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(item) = this.items.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            let cursor = this.pages.cursor().cloned();
            let page = ready!(this.pages.poll_next_unpin(context));
            match page {
                Some(Ok(page)) => {
                    this.cursor = cursor;
                    this.items = page.into_inner().into_items().into_iter();
                }
                Some(Err(error)) => {
                    this.cursor = cursor;
                    return Poll::Ready(Some(Err(error)));
                }
                None => return Poll::Ready(None),
            }
        }
    }
}
