//! Variations that conform, such as further fields: the whole suite runs through each of them at a
//! server that is not known to hold the data set, and no case may fail.

use std::path::Path;

use crate::{
    Result,
    conformance::{
        judged::judge,
        stage::{Setting, Stage},
    },
};

/// A variation, and the cases that failed on it, each with its reason.
#[derive(Clone, Debug)]
pub(crate) struct Variation {
    pub(crate) id: String,
    pub(crate) passed: usize,
    pub(crate) failing: Vec<(String, String)>,
}

/// Runs the suite through a variation. `name` is that of the server's copy of the data.
pub(crate) fn run(stage: &Stage, suite: &Path, name: &str, id: &str) -> Result<Variation> {
    let scene = stage.scene_in(name, Setting { is_unseeded: true, ..Setting::default() })?;
    let arguments = ["--through", id, "--snapshots", "accepted"].map(str::to_owned);
    let judged = judge(&scene, suite, &arguments, scene.folder(), true);
    stage.close(scene)?;
    let cases = judged?.cases;
    let failing = cases.iter().filter(|(_, ended)| !ended.is_expected);
    Ok(Variation {
        id: id.to_owned(),
        passed: cases.values().filter(|ended| ended.verdict == "pass").count(),
        failing: failing.map(|(case, ended)| (case.clone(), ended.what.clone())).collect(),
    })
}
