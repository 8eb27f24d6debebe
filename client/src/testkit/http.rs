//! HTTP for the server: reads requests, writes answers, and cuts connections.

use std::{io, net::TcpListener, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http_body_util::{BodyExt, Full, StreamBody, combinators::UnsyncBoxBody};
use hyper::{
    Response,
    body::{Frame, Incoming},
    header::CONTENT_LENGTH,
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use reqwest::Url;
use tokio::sync::oneshot;

use super::{
    answer::{Answer, Cut},
    server::{Request, State},
};

type Body = UnsyncBoxBody<Bytes, io::Error>;

/// Serves until the sender is dropped; then every connection ends.
pub(super) fn serve(listener: TcpListener, state: &Arc<State>, stopped: oneshot::Receiver<()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.expect("a runtime");
    runtime.spawn(accept(listener, Arc::clone(state)));
    // The sender is dropped, which is an error here.
    let _ = runtime.block_on(stopped);
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a listener of this runtime");
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Such as a process without free descriptors.
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let state = Arc::clone(&state);
        tokio::spawn(async move {
            let service = service_fn(|request| respond(&state, request));
            // An error is a connection that was cut, by either side.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn respond(state: &State, request: hyper::Request<Incoming>) -> io::Result<Response<Body>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let path = head.uri.path().to_owned();
    let query = Url::parse(&format!("{}{}", state.base_url, head.uri));
    let query = query.map(|url| url.query_pairs().into_owned().collect()).unwrap_or_default();
    let (method, headers) = (head.method, head.headers);
    let request = Request { operation: None, method, path, query, headers, body };
    write(state.answer(request)).await
}

async fn write(answer: Answer) -> io::Result<Response<Body>> {
    if !answer.delay.is_zero() {
        tokio::time::sleep(answer.delay).await;
    }
    let body = answer.content.bytes();
    let length = body.len();
    let body = match answer.cut {
        // The connection ends where the service fails.
        Some(Cut::Head) => return Err(io::ErrorKind::ConnectionAborted.into()),
        Some(Cut::Body) => cut_in_half(body),
        None => Full::new(body).map_err(|never| match never {}).boxed_unsync(),
    };
    let mut response = Response::new(body);
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    response.headers_mut().insert(CONTENT_LENGTH, length.into());
    Ok(response)
}

fn cut_in_half(body: Bytes) -> Body {
    let half = body.slice(..body.len() / 2);
    let sent = stream::once(async { Ok(Frame::data(half)) });
    let cut = stream::once(async {
        // The first half leaves while the second one is awaited.
        tokio::task::yield_now().await;
        Err(io::ErrorKind::ConnectionAborted.into())
    });
    StreamBody::new(sent.chain(cut)).boxed_unsync()
}
