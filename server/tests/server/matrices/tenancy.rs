//! A10: another tenant's id gets exactly the response of an unknown id, in every place, and nothing
//! changes. Status, every byte of the body and every header but the counters are compared.

use openapi_runtime::Cursor;

use super::{
    database::{MAIN, OTHER, checksum, private_words},
    document::is_documented,
    places::{Place, Position, Resource},
};
use crate::support::{Key, TestResponse, TestServer};

/// The requesting tenant, and the tenant whose ids are tried.
struct Direction {
    key: Key,
    foreign_key: Key,
    own: &'static str,
    foreign: &'static str,
    foreign_organization: &'static str,
    foreign_external_id: &'static str,
}

const DIRECTIONS: [Direction; 2] = [
    Direction {
        key: Key::MAIN,
        foreign_key: Key::OTHER,
        own: "00",
        foreign: "02",
        foreign_organization: OTHER,
        foreign_external_id: "second-of-other",
    },
    Direction {
        key: Key::OTHER,
        foreign_key: Key::MAIN,
        own: "02",
        foreign: "00",
        foreign_organization: MAIN,
        foreign_external_id: "member-1",
    },
];

#[tokio::test]
async fn an_id_of_another_tenant_answers_like_an_id_of_nobody_in_every_place() {
    let server = TestServer::start().await;
    let superuser = server.superuser().await;
    let statement = "UPDATE partners
                       SET external_id = 'second-of-other', external_id_type = 'PARTNER'
                       WHERE name LIKE $1";
    let updated = sqlx::query(statement).bind("Second partner of other").execute(&superuser).await;
    assert_eq!(updated.unwrap().rows_affected(), 1);
    // The other tenant's second payout, for a cursor.
    let second = r#"{"partnerId": "ptn_01JV3N8Q5R0200000000000001", "currency": "EUR",
        "periodStart": "2026-05-01T00:00:00.000Z", "periodEnd": "2026-05-31T23:59:59.999Z"}"#;
    let request = server.post(Key::OTHER, "/api/v1/payouts").body(second);
    request.header("content-type", "application/json").expect(201).await;
    // Generated now, so that later requests change nothing.
    for direction in &DIRECTIONS {
        let payout = id(Resource::Payout, direction.own);
        let path = format!("/api/v1/payouts/{payout}/statement");
        server.post(direction.key, &path).expect(200).await;
    }
    let before = checksum(&superuser).await;
    let places = Place::all();
    assert_eq!(places.len(), 32);
    for direction in &DIRECTIONS {
        let secrets = private_words(&superuser, direction.foreign_organization).await;
        for place in &places {
            for (kind, response) in send_every_kind(&server, direction, place).await {
                is_documented(&response, &place.operation.id).unwrap();
                let leaked = secrets.iter().find(|word| response.text.contains(word.as_str()));
                assert_eq!(leaked, None, "{place}, {kind}: {}", response.text);
            }
        }
    }
    assert_eq!(checksum(&superuser).await, before);
}

#[tokio::test]
async fn an_external_id_that_two_tenants_share_names_each_ones_own_partner() {
    let server = TestServer::start().await;
    for (key, name) in
        [(Key::MAIN, "Nordwind Handels GmbH"), (Key::OTHER, "First partner of other")]
    {
        let response = server.get(key, "/api/v1/partners/4815162342").expect(200).await;
        assert_eq!(response.body["data"]["name"], name);
    }
}

/// Sends each kind of value, and compares each response with the one for an unknown id.
async fn send_every_kind(
    server: &TestServer,
    direction: &Direction,
    place: &Place,
) -> Vec<(&'static str, TestResponse)> {
    let attaches = place.operation.id == "attachCommissionLine";
    let path_id = match attaches {
        // No payout takes it.
        true => voided_line(direction.own),
        false => id(Resource::Partner, direction.own),
    };
    let values = values(server, direction, place).await;
    let send = async |value: &str| {
        let own = values.own.as_str();
        place.request(server, direction.key, value, own, &path_id).send().await
    };
    let own = send(&values.own).await;
    let is_refused = match place.position {
        // Its line is in the pending pool, and of another partner than the payout.
        Position::Path => {
            let refused = ["declineCommissionLine", "detachCommissionLine"];
            attaches || refused.contains(&&*place.operation.id)
        }
        _ => place.position == Position::Body && (attaches || place.creates()),
    };
    assert_eq!(own.status, if is_refused { 422 } else { 200 }, "{place}, own: {}", own.text);
    let absent = send(&values.absent).await;
    assert_eq!(
        (absent.status.as_u16(), is_empty_page(&absent)),
        of_nobody(place.position),
        "{place}: {}",
        absent.text
    );
    let foreign = send(&values.foreign).await;
    assert_eq!(comparable(&foreign), comparable(&absent), "{place}, foreign");
    let mut answers = vec![("own", own), ("absent", absent), ("foreign", foreign)];
    let no_key = "\0".to_owned();
    // Beyond 8 KiB a target is rejected whatever it names.
    let long = match place.position {
        Position::Body => 10 * 1024,
        Position::Path | Position::Filter | Position::Cursor => 5 * 1024,
    };
    let texts = [
        ("foreign externalId", direction.foreign_external_id.to_owned()),
        ("space", " ".to_owned()),
        ("dots and slash", "../..".to_owned()),
        ("long", "x".repeat(long)),
        ("other case", values.own.to_lowercase()),
        ("U+0000", no_key),
    ];
    for (kind, text) in texts {
        let response = send(&text).await;
        let what = format!("{place}, {kind}: {}", response.text);
        match (place.position, kind) {
            (Position::Cursor, _) => assert_eq!(
                (response.status.as_u16(), response.code()),
                (400, "INVALID_CURSOR"),
                "{what}"
            ),
            (Position::Path, "U+0000") => assert_eq!(response.status, 404, "{what}"),
            (_, "U+0000") => assert_eq!(
                (response.status.as_u16(), response.code()),
                (422, "VALIDATION_FAILED"),
                "{what}"
            ),
            _ => assert_eq!(comparable(&response), comparable(&answers[1].1), "{what}"),
        }
        answers.push((kind, response));
    }
    answers
}

struct Values {
    own: String,
    foreign: String,
    absent: String,
}

async fn values(server: &TestServer, direction: &Direction, place: &Place) -> Values {
    let resource = place.resource();
    if place.position != Position::Cursor {
        return Values {
            own: id(resource, direction.own),
            foreign: id(resource, direction.foreign),
            absent: id(resource, "ZZ"),
        };
    }
    let first_page = format!("{}?limit=1", place.operation.path);
    let next_cursor = async |key| {
        let page = server.get(key, &first_page).expect(200).await;
        page.next_cursor().expect("each tenant has two rows").to_owned()
    };
    let foreign = next_cursor(direction.foreign_key).await;
    let mut absent = Cursor::read(&foreign, &place.operation.id, []).unwrap();
    absent.position.id = id(resource, "ZZ");
    Values { own: next_cursor(direction.key).await, absent: absent.to_string(), foreign }
}

/// An id of the data set: `organization` is the part of the ULID that differs between tenants.
/// Those of main are its first partner's current values, so that setting them changes nothing.
fn id(resource: Resource, organization: &str) -> String {
    let (prefix, main, other) = match resource {
        Resource::Partner => ("ptn", "01", "01"),
        Resource::CommissionLine => ("cln", "32", "03"),
        Resource::Payout => ("pay", "01", "01"),
        Resource::PayoutBatch => ("pbt", "05", "01"),
        Resource::Tier => ("tier", "01", "01"),
        Resource::Phase => ("phase", "02", "01"),
        Resource::ExperienceTemplate => ("tmpl", "01", "01"),
        Resource::User => ("user", "01", "01"),
    };
    let number = if organization == "00" { main } else { other };
    format!("{prefix}_01JV3N8Q5R{organization}000000000000{number}")
}

fn voided_line(organization: &str) -> String {
    let number = if organization == "00" { "3D" } else { "05" };
    format!("cln_01JV3N8Q5R{organization}000000000000{number}")
}

/// The response to an unknown id: its status, and whether it is an empty page.
fn of_nobody(position: Position) -> (u16, bool) {
    match position {
        Position::Path => (404, false),
        Position::Filter => (200, true),
        Position::Cursor => (200, false),
        Position::Body => (422, false),
    }
}

fn is_empty_page(response: &TestResponse) -> bool {
    response.body["data"].as_array().is_some_and(Vec::is_empty)
}

/// A response without its counters and its request id.
fn comparable(response: &TestResponse) -> (u16, &str, Vec<(String, String)>) {
    let counters = [
        "date",
        "x-request-id",
        "x-ratelimit-remaining-minute",
        "x-service-credits-remaining-month",
    ];
    let headers = response.headers.iter().filter(|(name, _)| !counters.contains(&name.as_str()));
    let mut headers: Vec<_> = headers
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    headers.sort();
    (response.status.as_u16(), &response.text, headers)
}
