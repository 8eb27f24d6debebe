//! Faults of what a statement's PDF shows (§4.7, S2). The text is set anew in a standard font.

use std::collections::HashMap;

use hyper::Method;

use super::faults::{OPERATION, link, payout};
use crate::{
    exchange::{Request, Response},
    pdf,
    proxy::{
        fault::{Fault, fault},
        upstream::Upstream,
    },
};

pub(in crate::cases) const FAULTS: &[Fault] = &[
    fault("other-partner-printed", "§4.7")
        .says("A statement shows the name of another partner.")
        .exchange(&|request, upstream| Box::pin(other_partner(request, upstream))),
    fault("negative-total-unsigned", "S2")
        .says("A negative total is printed without its sign.")
        .edit(&|request, response| {
            if !is_pdf(request, response) {
                return;
            }
            reprint(response, |texts| {
                // The total is the last amount.
                let index =
                    texts.iter().rposition(|text| is_amount(text.trim_start_matches(MINUS)))?;
                let unsigned = texts[index].strip_prefix(MINUS)?.to_owned();
                Some((index, unsigned))
            });
        }),
];

/// The partner's name and another one, by the path of a statement's link.
#[derive(Default)]
struct Names(HashMap<String, (String, String)>);

async fn other_partner(request: Request, upstream: &Upstream) -> Response {
    let mut response = upstream.send(&request).await;
    if request.is(OPERATION)
        && let Some(statement) = response.data()
        && let Some(payout) = payout(&request, upstream).await
    {
        let own = payout["partner"]["name"].as_str().unwrap_or_default().to_owned();
        let others = upstream.with_all_scopes(&request.then_get("/api/v1/partners?limit=100"));
        let others = upstream.send(&others).await.data().unwrap_or_default();
        let names = others.as_array().into_iter().flatten().map(|partner| &partner["name"]);
        // The standard font has ASCII.
        let other = names
            .filter_map(|name| name.as_str())
            .find(|name| *name != own && name.len() <= own.len().max(20) && name.is_ascii());
        if let (Some(other), Some(link)) = (other, link(&statement)) {
            let names = (own, other.to_owned());
            upstream.remember(|Names(all)| all.insert(link.path().to_owned(), names));
        }
    } else if is_pdf(&request, &response) {
        let path = request.path().to_owned();
        let names = upstream.remember(|Names(all)| all.get(&path).cloned());
        if let Some((own, other)) = names {
            reprint(&mut response, |texts| {
                let index = texts.iter().position(|text| *text == own)?;
                Some((index, other))
            });
        }
    }
    response
}

const MINUS: [char; 2] = ['-', '\u{2212}'];

fn is_amount(text: &str) -> bool {
    let Some((whole, cents)) = text.rsplit_once('.') else {
        return false;
    };
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    !whole.is_empty() && cents.len() == 2 && are_digits(whole) && are_digits(cents)
}

fn is_pdf(request: &Request, response: &Response) -> bool {
    request.method == Method::GET && response.has_status(200) && response.body.starts_with(b"%PDF-")
}

fn reprint(response: &mut Response, choose: impl FnOnce(&[String]) -> Option<(usize, String)>) {
    if let Ok(Some(changed)) = pdf::reprint(&response.body, choose) {
        response.set_body(changed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_is_known_by_its_path_and_an_amount_by_its_cents() {
        let path = |address: &str| {
            let statement = serde_json::json!({ "downloadUrl": address });
            link(&statement).map(|link| link.path().to_owned())
        };
        let signed = "https://a.example/s/ast_1.pdf?signature=b";
        assert_eq!(path(signed).as_deref(), Some("/s/ast_1.pdf"));
        assert_eq!(path(""), None);
        for text in ["25.25", "1,234.50"] {
            assert!(is_amount(text), "{text}");
        }
        for text in ["", "2026-05", "1 of 2", ".50", "v1.25"] {
            assert!(!is_amount(text), "{text}");
        }
    }
}
