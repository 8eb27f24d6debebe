//! The comparison as a graph: a node for each pair of objects that correspond, once however many
//! operations reach it, so that shared and circular schemas are compared once.

use std::collections::{BTreeMap, HashMap, VecDeque};

use openapi_document::Document;

use super::{
    change::Direction,
    object::Object,
    rule::{Found, Kind, Pair},
    rules,
    step::{Location, Step},
    walk,
};

type NodeId = usize;

/// A pair of objects: the changes in them, and the pairs inside.
#[derive(Debug, Default)]
struct Node {
    found: Vec<Found>,
    edges: Vec<(Option<Step>, NodeId)>,
}

/// The identity of a pair: kind, direction and the places on both sides.
type Key = (Kind, Direction, Vec<String>, Vec<String>);

#[derive(Debug, Default)]
pub(super) struct Graph<'d> {
    nodes: Vec<Node>,
    /// The operations, and the document itself: changes are reported by these.
    roots: Vec<(String, NodeId)>,
    known: HashMap<Key, NodeId>,
    /// Nodes that are not compared yet.
    pending: Vec<(NodeId, Pair<'d>)>,
}

impl<'d> Graph<'d> {
    pub(super) fn of(old: &'d Document, new: &'d Document) -> Self {
        let mut graph = Self::default();
        let (kind, direction) = (Kind::Document, Direction::Response);
        let whole = Pair { kind, direction, old: Object::at(old, ""), new: Object::at(new, "") };
        let roots = [("the document".to_owned(), whole)].into_iter();
        for (operation, pair) in roots.chain(walk::endpoints(old, new)) {
            let node = graph.node(pair);
            graph.roots.push((operation, node));
        }
        while let Some((id, pair)) = graph.pending.pop() {
            graph.nodes[id].found = rules::find(&pair);
            let mut inside = walk::inside(&pair);
            // The order of the document must not decide about locations.
            inside.sort_by(|one, other| one.0.cmp(&other.0));
            for (step, inner) in inside {
                let inner = graph.node(inner);
                graph.nodes[id].edges.push((step, inner));
            }
        }
        graph
    }

    fn node(&mut self, pair: Pair<'d>) -> NodeId {
        let key = (pair.kind, pair.direction, pair.old.key(), pair.new.key());
        *self.known.entry(key).or_insert_with(|| {
            self.nodes.push(Node::default());
            self.pending.push((self.nodes.len() - 1, pair));
            self.nodes.len() - 1
        })
    }

    /// Returns each change with a root that reaches it, and its shortest location from there.
    pub(super) fn found(&self) -> impl Iterator<Item = (&Found, &str, Location)> {
        let leads_to_change = self.nodes_with_changes();
        let roots = self.roots.iter();
        roots.flat_map(move |(root, node)| {
            let reached = self.reached(*node, &leads_to_change).into_iter();
            reached.flat_map(move |(node, location)| {
                self.nodes[node].found.iter().map(move |found| {
                    let mut location = location.clone();
                    location.0.extend(found.step.clone());
                    (found, root.as_str(), location)
                })
            })
        })
    }

    /// Finds the nodes that have a change, or lead to one that has.
    fn nodes_with_changes(&self) -> Vec<bool> {
        let mut parents = vec![Vec::new(); self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate() {
            for (_, inner) in &node.edges {
                parents[*inner].push(id);
            }
        }
        let mut leads = vec![false; self.nodes.len()];
        let changed = |id: &NodeId| !self.nodes[*id].found.is_empty();
        let mut pending: Vec<NodeId> = (0..self.nodes.len()).filter(changed).collect();
        while let Some(id) = pending.pop() {
            if !leads[id] {
                leads[id] = true;
                pending.extend(&parents[id]);
            }
        }
        leads
    }

    /// Returns the nodes with changes that a root leads to, each with its shortest location.
    fn reached(&self, root: NodeId, leads_to_change: &[bool]) -> BTreeMap<NodeId, Location> {
        let mut seen = BTreeMap::new();
        let mut pending = VecDeque::from([(root, Location::default())]);
        while let Some((id, location)) = pending.pop_front() {
            if !leads_to_change[id] || seen.contains_key(&id) {
                continue;
            }
            for (step, inner) in &self.nodes[id].edges {
                let mut location = location.clone();
                location.0.extend(step.clone());
                pending.push_back((*inner, location));
            }
            seen.insert(id, location);
        }
        seen
    }
}
