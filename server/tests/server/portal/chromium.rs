//! Drives headless Chromium as a person would. Its clicks need no script of the page.

use std::{fs, path::Path};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

use super::pipe::{Process, Session};

/// A running browser; it ends when this and its pages are dropped.
pub(crate) struct Chromium(Session);

impl Chromium {
    /// Starts the browser; `None`, and a line that says so, where none is installed.
    pub(crate) fn start() -> Option<Self> {
        Process::start().map(|process| Self(Session::new(process, "")))
    }

    /// Opens an empty page with cookies and a cache of its own, as another person has.
    pub(crate) fn page(&mut self) -> Page {
        let browser = &mut self.0;
        let mut page = browser.call("Target.createBrowserContext", json!({}));
        page["url"] = json!("about:blank");
        let mut page = browser.call("Target.createTarget", page);
        let frame = page["targetId"].clone();
        page["flatten"] = json!(true);
        let session = browser.call("Target.attachToTarget", page)["sessionId"].take();
        let session = Session::new(browser.process.clone(), session.as_str().unwrap());
        let mut page = Page { session, frame };
        for domain in ["Page", "Network", "Runtime", "Log"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page.call("Page.setLifecycleEventsEnabled", json!({"enabled": true}));
        // Else only one page at a time has the focus.
        page.call("Emulation.setFocusEmulationEnabled", json!({"enabled": true}));
        page.width(1280);
        page
    }
}

/// A page in a browser. `selector` is CSS; a test fails where it finds nothing.
pub(crate) struct Page {
    session: Session,
    /// The frame that fills the page.
    frame: Value,
}

impl Page {
    /// Goes to the address and returns the status of what has loaded, after any redirects.
    pub(crate) fn open(&mut self, url: &str) -> u16 {
        self.arrive(|page| drop(page.call("Page.navigate", json!({"url": url}))))
    }

    /// Clicks a link or a button that leads to another page; returns the status of that.
    pub(crate) fn click(&mut self, selector: &str) -> u16 {
        self.arrive(|page| page.press(selector))
    }

    /// Clicks something that leads nowhere: a checkbox, a radio button, a button of a script.
    pub(crate) fn press(&mut self, selector: &str) {
        // In the middle of the window nothing that sticks to its edges can cover it.
        let point = self.with(
            selector,
            "e.scrollIntoView({block: 'center', inline: 'center', behavior: 'instant'});
            const box = e.getClientRects()[0];
            if (!box || e.disabled) throw new Error(`${selector} cannot be clicked`);
            const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
            const top = document.elementFromPoint(x, y);
            if (!e.contains(top)) throw new Error(`${selector} is behind ${top?.outerHTML}`);
            return {x, y};",
        );
        let steps = [("mouseMoved", "none"), ("mousePressed", "left"), ("mouseReleased", "left")];
        for (kind, button) in steps {
            let (x, y) = (&point["x"], &point["y"]);
            let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Types into a field in place of what it holds; a date is chosen as by its calendar.
    pub(crate) fn fill(&mut self, selector: &str, text: &str) {
        let statements = "e.focus();
            if (document.activeElement !== e || e.readOnly)
                throw new Error(`${selector} cannot be filled`);
            if (!/color|date|month|range|time|week/.test(e.type)) {
                e.select();
                document.execCommand('delete');
                return true;
            }
            e.value = TEXT;
            for (const type of ['input', 'change'])
                e.dispatchEvent(new Event(type, {bubbles: true}));";
        let is_typed = self.with(selector, &statements.replace("TEXT", &json!(text).to_string()));
        if is_typed == true {
            self.call("Input.insertText", json!({"text": text}));
        }
    }

    /// Returns the text that a reader sees in the element.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        self.with(selector, "return e.innerText;").as_str().unwrap().to_owned()
    }

    /// Returns the texts of all elements that match, which may be none.
    pub(crate) fn texts(&mut self, selector: &str) -> Vec<String> {
        let list = format!("[...document.querySelectorAll({})]", json!(selector));
        let texts = self.evaluate(&format!("{list}.map(e => e.innerText)"));
        texts.as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
    }

    /// Returns the address of the page.
    pub(crate) fn url(&mut self) -> String {
        self.evaluate("location.href").as_str().unwrap().to_owned()
    }

    /// Returns the value of a JavaScript expression, or of its promise. It is evaluated even while
    /// the page may not run scripts; then timers never fire.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let mut answer = self.call("Runtime.evaluate", params);
        let error = &answer["exceptionDetails"];
        assert!(error.is_null(), "{} in {expression:.100}", exception(error));
        answer["result"]["value"].take()
    }

    /// Lets the page run scripts or not, from the next load on.
    pub(crate) fn run_scripts(&mut self, yes: bool) {
        self.call("Emulation.setScriptExecutionDisabled", json!({"value": !yes}));
    }

    /// Makes the window so wide (at first 1280) and 800 high.
    pub(crate) fn width(&mut self, pixels: u32) {
        let size = json!({"width": pixels, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Prefers dark colours or light ones.
    pub(crate) fn dark(&mut self, yes: bool) {
        let value = if yes { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": value}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// Writes a picture of the whole page, as PNG.
    pub(crate) fn screenshot(&mut self, path: &Path) {
        let mut clip = self.call("Page.getLayoutMetrics", json!({}))["cssContentSize"].take();
        clip["scale"] = json!(1);
        let params = json!({"captureBeyondViewport": true, "clip": clip});
        let picture = self.call("Page.captureScreenshot", params);
        let bytes = BASE64_STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Returns the cookies that this page's requests carry, with their attributes.
    pub(crate) fn cookies(&mut self) -> Vec<Value> {
        let mut answer = self.call("Network.getCookies", json!({}));
        answer["cookies"].as_array_mut().unwrap().drain(..).collect()
    }

    /// Returns what the browser complained of since the last call: violations of the policy,
    /// exceptions and errors of scripts, files that are missing, dialogs.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        // What the browser sent before its answer has then arrived.
        self.evaluate("0");
        let messages = std::mem::take(&mut self.session.messages);
        // The caller knows the status of a page.
        let pages: Vec<_> = messages.iter().filter_map(|it| requested(it, &self.frame)).collect();
        let is_page = |it: &Value| pages.contains(&it["params"]["entry"]["networkRequestId"]);
        messages.iter().filter(|it| !is_page(it)).filter_map(complaint).collect()
    }

    /// Sends one command of <https://chromedevtools.github.io/devtools-protocol/>.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.session.call(method, params)
    }

    /// Evaluates statements about the element `e`.
    fn with(&mut self, selector: &str, statements: &str) -> Value {
        let find = "const e = document.querySelector(selector);
            if (!e) throw new Error(`nothing is ${selector}`);";
        self.evaluate(&format!("(selector => {{ {find} {statements} }})({})", json!(selector)))
    }

    /// Waits until the page that the action leads to has loaded, and returns its status.
    fn arrive(&mut self, action: impl FnOnce(&mut Self)) -> u16 {
        let start = self.session.messages.len();
        action(self);
        let (frame, what) = (&self.frame, "a request for a page");
        let id = self.session.wait(start, what, |message| requested(message, frame));
        let mut status = None;
        self.session.wait(start, "a page to load", |message| {
            let params = &message["params"];
            if params["requestId"] != id && params["loaderId"] != id {
                return None;
            }
            match message["method"].as_str()? {
                "Network.responseReceived" if params["requestId"] == id => {
                    status = params["response"]["status"].as_u64();
                }
                "Network.loadingFailed" if params["requestId"] == id => {
                    assert!(status.is_some(), "no page: {}", params["errorText"]);
                    // A download, or nothing: the page stays. Else the browser shows its own.
                    return (params["canceled"] == true).then_some(());
                }
                "Page.lifecycleEvent" if params["name"] == "load" => return Some(()),
                _ => {}
            }
            None
        });
        u16::try_from(status.unwrap()).unwrap()
    }
}

/// Returns the id of the request if one for a page of this frame begins; it is its loader's too.
fn requested(message: &Value, frame: &Value) -> Option<Value> {
    let params = &message["params"];
    let is_page = params["type"] == "Document" && params["frameId"] == *frame;
    (message["method"] == "Network.requestWillBeSent" && is_page)
        .then(|| params["requestId"].clone())
}

pub(super) fn complaint(message: &Value) -> Option<String> {
    let params = &message["params"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let complaint = match message["method"].as_str()? {
        "Log.entryAdded" if params["entry"]["level"] != "verbose" => {
            format!("{}: {}", text(&params["entry"]["url"]), text(&params["entry"]["text"]))
        }
        "Runtime.exceptionThrown" => exception(&params["exceptionDetails"]),
        "Runtime.consoleAPICalled" if params["type"] == "error" => {
            let arguments = params["args"].as_array()?.iter();
            // Objects have a description only, texts a value only.
            arguments
                .map(|it| text(&it["value"]) + &text(&it["description"]))
                .collect::<Vec<_>>()
                .join(" ")
        }
        "Page.javascriptDialogOpening" => format!("a dialog waits: {}", params["message"]),
        _ => return None,
    };
    // The browser asks for it unless a page names another, at a time of its own choice.
    (!complaint.contains("/favicon.ico")).then_some(complaint)
}

fn exception(details: &Value) -> String {
    let thrown = &details["exception"];
    thrown["description"].as_str().map_or_else(|| details.to_string(), str::to_owned)
}
