//! The comparison as a graph: a node for each pair of objects that correspond, once however many
//! operations reach it, so that shared and circular schemas are compared once.

use std::collections::HashMap;

use openapi_document::Document;

use super::{
    change::Direction,
    object::Object,
    rule::{Found, Kind, Pair},
    rules,
    step::Step,
    walk,
};

pub(super) type NodeId = usize;

/// A pair of objects: the changes in them, and the pairs inside.
#[derive(Debug, Default)]
pub(super) struct Node {
    pub(super) found: Vec<Found>,
    pub(super) edges: Vec<(Option<Step>, NodeId)>,
}

/// An operation, or the document itself: changes are reported by these.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) operation: String,
    pub(super) node: NodeId,
}

/// The identity of a pair: kind, direction and the places on both sides.
type Key = (Kind, Direction, Vec<String>, Vec<String>);

#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) roots: Vec<Root>,
}

pub(super) fn compare(old: &Document, new: &Document) -> Graph {
    let mut builder =
        Builder { graph: Graph::default(), known: HashMap::new(), pending: Vec::new() };
    let whole = Pair {
        kind: Kind::Document,
        direction: Direction::Response,
        old: Object::at(old, ""),
        new: Object::at(new, ""),
    };
    builder.root("the document".to_owned(), whole);
    for (operation, pair) in walk::endpoints(old, new) {
        builder.root(operation, pair);
    }
    while let Some((id, pair)) = builder.pending.pop() {
        builder.expand(id, &pair);
    }
    builder.graph
}

struct Builder<'d> {
    graph: Graph,
    known: HashMap<Key, NodeId>,
    pending: Vec<(NodeId, Pair<'d>)>,
}

impl<'d> Builder<'d> {
    fn root(&mut self, operation: String, pair: Pair<'d>) {
        let node = self.node(pair);
        self.graph.roots.push(Root { operation, node });
    }

    fn node(&mut self, pair: Pair<'d>) -> NodeId {
        let key = (pair.kind, pair.direction, pair.old.key(), pair.new.key());
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let id = self.graph.nodes.len();
        self.graph.nodes.push(Node::default());
        self.known.insert(key, id);
        self.pending.push((id, pair));
        id
    }

    fn expand(&mut self, id: NodeId, pair: &Pair<'d>) {
        self.graph.nodes[id].found = rules::find(pair);
        let mut inside = walk::inside(pair);
        // The order of the document must not decide about locations.
        inside.sort_by(|one, other| one.0.cmp(&other.0));
        for (step, inner) in inside {
            let inner = self.node(inner);
            self.graph.nodes[id].edges.push((step, inner));
        }
    }
}
