//! The limits of bodies, over HTTP, and unknown parameters.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
};

use openapi_runtime::{Contract, PathValues, Problem, RequestForm, Service, reading::Reader};
use poem::{
    Request, Response, Server,
    http::HeaderMap,
    listener::{Acceptor as _, Listener as _, TcpListener},
};
use tokio::{runtime::Runtime, task::spawn_blocking};

use crate::contract::{Arguments, ErrorCode, Operation, decode};

/// Answers with the arguments.
struct Echo;

impl Contract for Echo {
    type Operation = Operation;
    type Arguments = Arguments;
    type Code = ErrorCode;
    type Caller = ();

    fn decode(
        operation: Operation,
        request: &RequestForm<'_>,
    ) -> Result<Arguments, Problem<ErrorCode>> {
        decode(operation, request)
    }

    async fn authenticate(&self, _: Operation, _: &Request) -> Result<(), Problem<ErrorCode>> {
        Ok(())
    }

    async fn call(&self, (): &(), arguments: Arguments) -> Response {
        format!("{arguments:?}").into()
    }
}

/// Returns the status of a response to a text or an image of so many bytes.
fn status(address: SocketAddr, path: &str, content_type: &str, length: usize) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: {content_type}\r\n\
         content-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all("a".repeat(length).as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response.split(' ').nth(1).unwrap().to_owned()
}

#[test]
fn limit_of_a_body_is_that_of_its_operation_and_an_absent_body_is_rejected() {
    let service =
        Service::new(Echo).with_body_limit(10).with_body_limit_of(Operation::SendImage, 20);
    Runtime::new().unwrap().block_on(async {
        let acceptor = TcpListener::bind("127.0.0.1:0").into_acceptor().await.unwrap();
        let address = *acceptor.local_addr()[0].as_socket_addr().unwrap();
        tokio::spawn(Server::new_with_acceptor(acceptor).run(service));
        let statuses = spawn_blocking(move || {
            let text = [10, 11, 0].map(|length| status(address, "/text", "text/plain", length));
            let image = [20, 21, 0].map(|length| status(address, "/image", "image/png", length));
            [text, image]
        });
        assert_eq!(statuses.await.unwrap(), [["200", "413", "422"]; 2]);
    });
}

#[test]
fn unknown_parameters_are_ignored_where_the_contract_says_so() {
    let (path, headers) = (PathValues::default(), HeaderMap::new());
    let form = RequestForm { path: &path, query: Some("a=1&utm=x"), headers: &headers, body: &[] };
    let mut lenient = Reader::<ErrorCode>::lenient(&form);
    let known = lenient.query::<i64>("a");
    assert_eq!(lenient.finish(|| known).unwrap(), 1);
    assert!(Reader::<ErrorCode>::new(&form, &["a"]).finish(|| Ok(())).is_err());
}
