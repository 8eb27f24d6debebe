//! The dashboard's queries and its form: Grafana shows an empty page for a panel that it does not
//! understand, and says nothing.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::text;

/// Columns of Grafana's grid.
const COLUMNS: u32 = 24;

#[derive(Deserialize)]
struct Dashboard {
    title: String,
    uid: String,
    panels: Vec<Panel>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Panel {
    id: u32,
    title: String,
    r#type: String,
    #[serde(default)]
    description: String,
    grid_pos: Area,
    #[serde(default)]
    targets: Vec<Target>,
    datasource: Option<Source>,
    #[serde(default)]
    field_config: FieldConfig,
}

#[derive(Deserialize)]
struct Area {
    x: u32,
    y: u32,
    w: u32,
    h: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    expr: String,
    legend_format: String,
    ref_id: String,
}

#[derive(Deserialize)]
struct Source {
    r#type: String,
    uid: String,
}

#[derive(Default, Deserialize)]
struct FieldConfig {
    #[serde(default)]
    defaults: Defaults,
}

#[derive(Default, Deserialize)]
struct Defaults {
    #[serde(default)]
    unit: String,
}

fn dashboard() -> Dashboard {
    serde_json::from_str(&text("dashboard.json")).unwrap()
}

/// The queries of all panels, each with the panel's title.
pub(super) fn queries() -> impl Iterator<Item = (String, String)> {
    let panels = dashboard().panels.into_iter();
    panels.flat_map(|panel| {
        let title = panel.title;
        panel.targets.into_iter().map(move |target| (title.clone(), target.expr))
    })
}

#[test]
fn panels_have_what_grafana_needs_and_do_not_overlap() {
    let Dashboard { title, uid, panels } = dashboard();
    assert_eq!((title.as_str(), uid.as_str()), ("Partner payouts", "payout-server"));
    let ids: BTreeSet<u32> = panels.iter().map(|panel| panel.id).collect();
    assert_eq!(ids.len(), panels.len(), "two panels have one id");
    let mut cells = BTreeSet::new();
    for Panel { title, r#type, grid_pos, .. } in &panels {
        let Area { x, y, w, h } = *grid_pos;
        assert!(w > 0 && h > 0 && x + w <= COLUMNS, "{title} is outside of the grid");
        for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            assert!(cells.insert(cell), "{title} overlaps another panel at {cell:?}");
        }
        assert!(["row", "stat", "timeseries"].contains(&r#type.as_str()), "{title}: {}", r#type);
    }
    for panel in panels.iter().filter(|panel| panel.r#type != "row") {
        let Panel { title, targets, datasource, field_config, description, .. } = panel;
        let source = datasource.as_ref().expect(title);
        assert_eq!((source.r#type.as_str(), source.uid.as_str()), ("prometheus", "$datasource"));
        assert!(!targets.is_empty() && !field_config.defaults.unit.is_empty(), "{title}");
        assert!(description.ends_with('.'), "{title} has no description");
        let refs: BTreeSet<&str> = targets.iter().map(|target| target.ref_id.as_str()).collect();
        assert_eq!(refs.len(), targets.len(), "{title}: two queries have one refId");
        assert!(targets.iter().all(|target| !target.legend_format.is_empty()), "{title}");
    }
}
