//! The accessibility checker axe-core, which the npm registry has; without it a test prints that it
//! was skipped.

use std::{fs, path::Path, process::Command};

use super::chromium::Page;

const PACKAGE: [(&str, &str); 2] = [
    ("package.json", include_str!("package.json")),
    ("package-lock.json", include_str!("package-lock.json")),
];

/// Installs what the lock file names, once for all runs; returns the checker's script.
pub(super) fn script() -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("axe");
    let script = folder.join("node_modules/axe-core/axe.min.js");
    if let Ok(script) = fs::read_to_string(&script) {
        return Some(script);
    }
    fs::create_dir_all(&folder).unwrap();
    PACKAGE.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries", "1"];
    let installed = Command::new("npm").args(arguments).current_dir(&folder).output();
    match installed {
        Ok(output) if output.status.success() => Some(fs::read_to_string(script).unwrap()),
        Ok(output) => {
            eprintln!("SKIPPED: npm: {}", String::from_utf8_lossy(&output.stderr));
            None
        }
        Err(error) => {
            eprintln!("SKIPPED: axe-core needs npm: {error}");
            None
        }
    }
}

/// What is wrong with the page, each with the elements.
pub(super) fn violations(page: &mut Page, script: &str) -> Vec<String> {
    page.evaluate(&format!("{script}; 0"));
    let found = page.evaluate(
        "axe.run().then(result => result.violations.map(violation =>
            `${violation.id}: ${violation.nodes.map(node => node.html).join(' ')}`))",
    );
    found.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}
