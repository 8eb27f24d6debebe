//! Links into a partner's portal, and what they open (X16).

use super::{made, posting};
use crate::{
    case::{Case, Changes},
    cases::prelude::*,
};
use chrono::TimeDelta;
use url::{Url, form_urlencoded};

const SESSIONS: &str = "/api/v1/portal-sessions";
/// Who may enter the portal of the partner of `sandbox`.
const USER: &str = "jo@nordwind.example";
/// A link is short-lived, however a deployment is set up.
const LONGEST_LINK: TimeDelta = TimeDelta::hours(1);
const ENTITIES: [(&str, &str); 5] =
    [("&#x2f;", "/"), ("&#x27;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&amp;", "&")];

/// A partner that a case made, with the domain of its own.
struct Published {
    partner: String,
    domain: String,
}

impl Published {
    const NEEDS: Case = Case {
        keys: &[Role::Sandbox],
        fixtures: &[Fixture::SandboxTemplate],
        changes: Changes::Irreversible,
        ..Case::NONE
    };

    async fn new(context: &mut CaseContext<'_>) -> CaseResult<Self> {
        let name = marked_name();
        let domain = format!("{:08x}.conformance.example", getrandom::u32().unwrap_or_default());
        let body = json!({ "name": name, "domain": domain });
        let partner = made(context, PARTNERS.path, &body).await?.text("/data/id").to_owned();
        Ok(Self { partner, domain })
    }

    /// Publishes its portal, to those whom `access` lets in.
    async fn publish(&self, context: &mut CaseContext<'_>, access: &str) -> CaseResult {
        let template = context.fixture(Fixture::SandboxTemplate)?;
        let body = json!({ "experienceTemplateId": template, "portalAccess": access });
        let path = format!("{}/{}", PARTNERS.path, self.partner);
        context.ok(Request::patch(path, &body).with(&context.all()?)).await.map(drop)
    }

    fn visitor(&self) -> String {
        format!("jo@{}", self.domain)
    }
}

fn entering(context: &CaseContext<'_>, partner: &str, email: &str) -> CaseResult<Request> {
    posting(context, SESSIONS, &json!({ "partnerId": partner, "email": email }))
}

/// Requires that the visitor may not enter, and that the error says who may.
async fn stays_out(
    context: &mut CaseContext<'_>,
    partner: &str,
    email: &str,
    access: &str,
) -> CaseResult {
    let request = entering(context, partner, email)?;
    let refused = context.expect(request, VISITOR_NOT_AUTHORIZED).await?;
    refused.has("/error/details/access", access).map(drop)
}

/// A partner has no portal until one is published, and then only for those who may enter.
#[case("X16", on = createPortalSession)]
async fn published(context: &mut CaseContext<'_>, partner: Published) -> CaseResult {
    let visitor = partner.visitor();
    let request = entering(context, &partner.partner, &visitor)?;
    context.expect(request, PORTAL_NOT_PUBLISHED).await?;
    partner.publish(context, "RESTRICTED_USERS").await?;
    stays_out(context, &partner.partner, &visitor, "RESTRICTED_USERS").await
}

/// An address of the partner's very domain may enter a portal that is open to domains.
#[case("X16.access", on = createPortalSession)]
async fn domain(context: &mut CaseContext<'_>, partner: Published) -> CaseResult {
    partner.publish(context, "RESTRICTED_DOMAINS").await?;
    let Published { partner, domain } = &partner;
    for email in [format!("jo@{domain}"), format!("jo@{}", domain.to_uppercase())] {
        let body = json!({ "partnerId": partner, "email": email });
        made(context, SESSIONS, &body).await?.has("/data/email", email)?;
    }
    for email in [format!("jo@sub.{domain}"), "jo@elsewhere.example".to_owned()] {
        stays_out(context, partner, &email, "RESTRICTED_DOMAINS").await?;
    }
    Ok(())
}

/// An address that operators gave the partner may enter, and another one may not.
#[case(
    "X16.access",
    on = createPortalSession,
    keys(Sandbox),
    fixtures(SandboxPartner),
    changes = Irreversible
)]
async fn user(context: &mut CaseContext<'_>) -> CaseResult {
    let partner = context.fixture(Fixture::SandboxPartner)?;
    for email in [USER.to_uppercase(), USER.to_owned()] {
        let body = json!({ "partnerId": partner, "email": email });
        let session = made(context, SESSIONS, &body).await?;
        session.has("/data/email", email)?.has("/data/partnerId", partner.as_str())?;
    }
    stays_out(context, &partner, &format!("another.{USER}"), "RESTRICTED_USERS").await
}

/// The form of a page: where it is sent, and its hidden fields.
struct Form {
    action: String,
    fields: Vec<(String, String)>,
}

impl Form {
    /// Returns the page's form whose address ends so, or its only one.
    fn of(page: &str, end: &str) -> Option<Self> {
        let mut forms = page.split("<form").skip(1);
        let form =
            forms.find(|form| attribute(form, "action").is_some_and(|to| to.ends_with(end)))?;
        let form = form.split("</form>").next()?;
        let inputs = form.split("<input").skip(1);
        let hidden = inputs.filter(|input| attribute(input, "type").as_deref() == Some("hidden"));
        let field = |input| Some((attribute(input, "name")?, attribute(input, "value")?));
        Some(Self {
            action: attribute(form, "action")?,
            fields: hidden.filter_map(field).collect(),
        })
    }

    fn request(&self) -> Request {
        let mut body = form_urlencoded::Serializer::new(String::new());
        let body = body.extend_pairs(&self.fields).finish();
        Request::post("").body("application/x-www-form-urlencoded", body)
    }
}

/// The value of an attribute of the first tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let (tag, _) = tag.split_once('>')?;
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    let mut value = value.split('"').next()?.to_owned();
    for (entity, character) in ENTITIES {
        value = value.replace(entity, character);
    }
    Some(value)
}

/// An address of a page, seen from another one.
fn joined(page: &str, address: &str) -> String {
    let base = Url::parse(page).and_then(|page| page.join(address));
    base.map_or_else(|_| address.to_owned(), String::from)
}

/// A link changes nothing when it is read, begins a session once, and the session ends when its
/// visitor signs out.
#[case("X16.link", on = createPortalSession, requests = 20)]
async fn link(context: &mut CaseContext<'_>, partner: Published) -> CaseResult {
    partner.publish(context, "RESTRICTED_DOMAINS").await?;
    let body = json!({ "partnerId": partner.partner, "email": partner.visitor() });
    let session = made(context, SESSIONS, &body).await?;
    let lasts = instant(&session, "/data/expiresAt")? - session.responded_at();
    session.must(
        lasts > TimeDelta::zero() && lasts <= LONGEST_LINK,
        "The link lasts.",
        "an hour",
    )?;
    let other = made(context, SESSIONS, &body).await?;
    let link = session.text("/data/url");
    session.must(link != other.text("/data/url"), "Two links are one.", "another link")?;

    let mut page = context.follow(link, Request::get("")).await?;
    for _ in 0..2 {
        page = context.follow(link, Request::get("")).await?;
        page.is(200)?;
    }
    let text = String::from_utf8_lossy(&page.body).into_owned();
    let form = Form::of(&text, "");
    page.must(form.is_some(), "The page of the link has no form.", "a form with a button")?;
    let Some(form) = form else { return Ok(()) };
    let action = joined(link, &form.action);
    let entered = context.follow(&action, form.request()).await?;
    entered.is(303)?;
    let cookie = entered.header("set-cookie").unwrap_or_default().to_owned();
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        entered.must(cookie.contains(part), "The cookie is not protected.", part)?;
    }
    for request in [form.request(), Request::get("")] {
        context.follow(&action, request).await?.is(410)?;
    }
    let portal = joined(link, entered.header("location").unwrap_or_default());
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    signs_out(context, &portal, &cookie).await
}

/// Requires that the session shows its page until its visitor signs out.
async fn signs_out(context: &mut CaseContext<'_>, portal: &str, cookie: &str) -> CaseResult {
    let with_cookie = || Request::get("").header("cookie", cookie);
    let page = context.follow(portal, with_cookie()).await?;
    page.is(200)?;
    let none = context.follow(portal, Request::get("")).await?;
    none.must(!none.is_success(), "The page needs no session.", "a refusal")?;
    let text = String::from_utf8_lossy(&page.body).into_owned();
    let form = Form::of(&text, "/sign-out");
    page.must(form.is_some(), "The page has no form to sign out.", "a form")?;
    let Some(form) = form else { return Ok(()) };
    let out = form.request().header("cookie", cookie);
    let out = context.follow(&joined(portal, &form.action), out).await?;
    out.must(out.is_success() || out.status == 303, "Signing out fails.", "200 or 303")?;
    let after = context.follow(portal, with_cookie()).await?;
    after.must(!after.is_success(), "The session goes on after signing out.", "a refusal")
}
