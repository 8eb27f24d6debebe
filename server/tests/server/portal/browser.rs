//! The portal as a person sees it, in a real browser (X17).

use std::path::{Path, PathBuf};

use tokio::task::block_in_place;

use super::{
    JO, axe,
    chromium::{Chromium, Page},
    link,
};
use crate::support::{
    TestServer,
    dataset::{FOREIGN_PAYOUT, FORTY_ONE, NORDWIND},
};

const FORM: &str = "frm_01JV3N8Q5R0000000000000001";

/// Goes in by a new link.
async fn enter(server: &TestServer, page: &mut Page) {
    let link = link(server, NORDWIND, JO).await;
    block_in_place(|| {
        assert_eq!(page.open(&link), 200);
        assert_eq!(page.click("main button"), 200);
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn visitor_enters_reads_comments_submits_and_signs_out() {
    let server = TestServer::start().await;
    let Some(mut browser) = Chromium::start() else { return };
    let base = server.base_url().to_owned();
    let first = link(&server, NORDWIND, JO).await;
    block_in_place(|| {
        let mut page = browser.page();
        // A preview reads the link first.
        assert_eq!(browser.page().open(&first), 200);
        assert_eq!(page.open(&first), 200);
        assert!(page.text("main").contains(JO));
        assert_eq!(page.click("main button"), 200);
        assert_eq!(page.url(), format!("{base}/portal"));
        assert_eq!(page.text("h1"), "Overview");
        assert_eq!(browser.page().open(&first), 410);

        let [cookie] = page.cookies().try_into().unwrap();
        assert_eq!((&cookie["httpOnly"], &cookie["sameSite"]), (&true.into(), &"Lax".into()));
        assert_eq!(page.evaluate("document.cookie"), "");

        assert_eq!(page.click("a[href$='/payouts']"), 200);
        assert_eq!(page.click(&format!("a[href$='{FORTY_ONE}']")), 200);
        assert!(page.texts("tbody tr").len() == 41);
        let comments = page.texts(".comments li").len();
        page.fill("#text", "Where is my money? <b>Soon?</b>");
        assert_eq!(page.click("section form button"), 200);
        assert_eq!(page.texts(".comments li").len(), comments + 1);
        assert_eq!(page.texts(".comments .text")[0], "Where is my money? <b>Soon?</b>");

        assert_eq!(page.open(&format!("{base}/portal/payouts/{FOREIGN_PAYOUT}")), 404);
        assert_eq!(page.open(&format!("{base}/portal/forms/{FORM}")), 200);
        assert_eq!(page.click("main button"), 422);
        assert!(page.text(".issue").contains("is missing"), "{}", page.text("main"));
        page.fill("#company", "Acme & Söhne");
        assert_eq!(page.click("main button"), 200);
        assert!(page.text(".done").starts_with("Sent"), "{}", page.text("main"));
        assert!(page.text(".answers").contains("Acme & Söhne"));

        assert_eq!(page.click("header button"), 200);
        assert_eq!(page.text("h1"), "You are signed out");
        assert_eq!(page.open(&format!("{base}/portal")), 403);
        assert_eq!(page.complaints(), [""; 0]);
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn statement_is_downloaded_from_its_payout() {
    let server = TestServer::start().await;
    let Some(mut browser) = Chromium::start() else { return };
    let mut page = browser.page();
    enter(&server, &mut page).await;
    let address = format!("{}/portal/payouts/{FORTY_ONE}", server.base_url());
    block_in_place(|| {
        assert_eq!(page.open(&address), 200);
        assert_eq!(page.click("a.button"), 200);
        assert_eq!(page.url(), address);
    });
    let made = "SELECT count(*) FROM history WHERE action = 'generate_statement'
                  AND actor LIKE 'pse\\_%'";
    assert_eq!(server.value::<i64>(made).await, 1);
}

/// Each page with its name, for pictures.
fn pages(base: &str) -> [(&'static str, String); 8] {
    let portal = format!("{base}/portal");
    [
        ("overview", portal.clone()),
        ("commissions", format!("{portal}/commissions")),
        ("payouts", format!("{portal}/payouts")),
        ("payout", format!("{portal}/payouts/{FORTY_ONE}")),
        ("forms", format!("{portal}/forms")),
        ("form", format!("{portal}/forms/{FORM}")),
        ("not-found", format!("{portal}/payouts/{FOREIGN_PAYOUT}")),
        ("link-used", format!("{portal}/enter/used")),
    ]
}

/// Where `PAYOUT_SCREENSHOTS` names a folder, a picture of the page.
fn picture(page: &mut Page, name: &str) {
    if let Some(folder) = std::env::var_os("PAYOUT_SCREENSHOTS") {
        let folder = PathBuf::from(folder);
        std::fs::create_dir_all(&folder).unwrap();
        page.screenshot(&folder.join(Path::new(name).with_extension("png")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_are_accessible_fit_a_phone_and_need_no_script() {
    let server = TestServer::start().await;
    let Some(mut browser) = Chromium::start() else { return };
    let mut page = browser.page();
    page.run_scripts(false);
    let unopened = link(&server, NORDWIND, JO).await;
    enter(&server, &mut page).await;
    block_in_place(|| {
        let mut pages = pages(server.base_url()).to_vec();
        pages.push(("link", unopened));
        for (name, address) in &pages {
            for (width, is_dark) in [(1280, false), (1280, true), (320, false), (320, true)] {
                page.width(width);
                page.dark(is_dark);
                page.open(address);
                let scrolls = page.evaluate("document.documentElement.scrollWidth > innerWidth");
                assert_eq!(scrolls, false, "{name} at {width} pixels");
                picture(
                    &mut page,
                    &format!("{name}-{width}-{}", ["light", "dark"][usize::from(is_dark)]),
                );
                assert_eq!(page.complaints(), [""; 0], "{name}");
            }
        }
        let Some(axe) = axe::script() else { return };
        // The checker is a script.
        page.run_scripts(true);
        for (name, address) in &pages {
            for (width, is_dark) in [(1280, false), (1280, true), (320, false)] {
                page.width(width);
                page.dark(is_dark);
                page.open(address);
                let violations = axe::violations(&mut page, &axe);
                assert_eq!(violations, [""; 0], "{name}, {width} pixels, dark: {is_dark}");
            }
        }
    });
}
