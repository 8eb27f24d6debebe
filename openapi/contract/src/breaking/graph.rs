//! The comparison as a graph: a node for each pair of objects that correspond, once however many
//! operations reach it, so that shared and circular schemas are compared once.

use std::{
    collections::{HashMap, VecDeque},
    iter,
};

use super::{
    change::{Direction, Level},
    equality::Equality,
    object::Object,
    rule::{Findings, Found, Kind, Pair},
    rules::{self, operations},
    step::{Location, Step},
};

type NodeId = usize;

/// A pair of objects: the changes in them, and the pairs inside.
#[derive(Debug, Default)]
struct Node {
    found: Vec<Found>,
    edges: Vec<(Option<Step>, NodeId)>,
}

/// The identity of a pair: kind, direction, whether null is compared, and the places on both sides.
type Key = (Kind, Direction, bool, Vec<String>, Vec<String>);

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
    pub(super) fn of(equality: &'d Equality<'d>) -> Self {
        let mut graph = Self::default();
        let (old, new) = (Object::at(equality.old, ""), Object::at(equality.new, ""));
        let (kind, direction) = (Kind::Document, Direction::Response);
        let whole = Pair { kind, direction, old, new, equality };
        let roots = [("the document".to_owned(), whole)].into_iter();
        for (operation, pair) in roots.chain(operations::endpoints(equality)) {
            let node = graph.node(pair);
            graph.roots.push((operation, node));
        }
        while graph.compare_next().is_some() {}
        graph
    }

    /// Returns true if the changes in a pair and inside it are compatible.
    pub(super) fn is_compatible(pair: Pair<'d>) -> bool {
        let mut graph = Self::default();
        graph.node(pair);
        loop {
            match graph.compare_next() {
                Some(found) if found.iter().all(|one| one.level == Level::Compatible) => {}
                found => return found.is_none(),
            }
        }
    }

    /// Compares a pair that is pending, and returns the changes in it.
    fn compare_next(&mut self) -> Option<&[Found]> {
        let (id, pair) = self.pending.pop()?;
        let Findings { all, mut inside, .. } = rules::find(&pair);
        self.nodes[id].found = all;
        // The order of the document must not decide about locations.
        inside.sort_by(|one, other| one.0.cmp(&other.0));
        for (step, inner) in inside {
            let inner = self.node(inner);
            self.nodes[id].edges.push((step, inner));
        }
        Some(&self.nodes[id].found)
    }

    fn node(&mut self, pair: Pair<'d>) -> NodeId {
        let is_alternative = pair.old.is_alternative() || pair.new.is_alternative();
        let key = (pair.kind, pair.direction, is_alternative, pair.old.key(), pair.new.key());
        *self.known.entry(key).or_insert_with(|| {
            self.nodes.push(Node::default());
            self.pending.push((self.nodes.len() - 1, pair));
            self.nodes.len() - 1
        })
    }

    /// Returns each change with a root that reaches it, and its shortest location from there.
    pub(super) fn found(&self) -> Vec<(&Found, &str, Location)> {
        let mut all = Vec::new();
        for (root, node) in &self.roots {
            // The edge by which a node was reached first.
            let mut edges: HashMap<NodeId, (NodeId, &Option<Step>)> = HashMap::new();
            let mut pending = VecDeque::from([*node]);
            while let Some(id) = pending.pop_front() {
                for found in &self.nodes[id].found {
                    let ends = iter::successors(Some(id), |id| edges.get(id).map(|edge| edge.0));
                    let steps = ends.filter_map(|id| edges.get(&id)?.1.clone());
                    let mut steps: Vec<Step> =
                        found.step.clone().into_iter().chain(steps).collect();
                    steps.reverse();
                    all.push((found, root.as_str(), Location(steps)));
                }
                for (step, inner) in &self.nodes[id].edges {
                    if inner != node && !edges.contains_key(inner) {
                        edges.insert(*inner, (id, step));
                        pending.push_back(*inner);
                    }
                }
            }
        }
        all
    }
}
