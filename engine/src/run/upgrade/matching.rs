//! Finds the counterparts of a method's steps in another version of the method.

use super::{Obstacle, RenamedSteps};
use crate::method::{Graph, Node, NodeIndex, has_author_id, same_kind, step_members};

/// Maximum number of possible counterparts that an error message names.
const NAMED_MAX: usize = 3;

/// Finds the counterparts of steps of the graph `old` in the graph `new`.
pub(super) struct StepMatcher<'a> {
    pub(super) old: &'a Graph,
    pub(super) new: &'a Graph,
    pub(super) renamed: &'a RenamedSteps,
}

impl StepMatcher<'_> {
    /// Returns the step of the new version that is the counterpart of the step `node` of the old version.
    pub(super) fn find(&self, node: &Node) -> Result<NodeIndex, Obstacle> {
        let mapped = self.renamed.get(&node.step_id).or_else(|| self.renamed.get(&node.key));
        if let Some(name) = mapped {
            return self.mapped(node, name);
        }
        let by_id =
            self.new.index_by_id(&node.step_id).and_then(|ix| Some((ix, self.new.node(ix)?)));
        match by_id {
            Some((_, other)) if has_author_id(node) && !same_kind(node, other) => {
                let why = format!(
                    "it did `{}`, but the step with this id now does `{}`",
                    node.action_name(),
                    other.action_name()
                );
                Err(Obstacle::cannot(&node.step_id, why))
            }
            Some((ix, _)) if has_author_id(node) => Ok(ix),
            Some((ix, other)) if same_kind(node, other) && self.is_certain(node, other) => Ok(ix),
            _ => Err(self.not_found(node)),
        }
    }

    /// Returns the step `name` of the new version, to which the operator mapped the step `node`.
    fn mapped(&self, node: &Node, name: &str) -> Result<NodeIndex, Obstacle> {
        let by_key = || self.new.nodes.iter().position(|other| other.key == name);
        let ix = self.new.index_by_id(name).or_else(|| NodeIndex::try_from(by_key()?).ok());
        let found = ix.and_then(|ix| Some((ix, self.new.node(ix)?)));
        match found {
            Some((ix, other)) if same_kind(node, other) => Ok(ix),
            Some((_, other)) => {
                let why = format!(
                    "it does `{}`, but `{name}` does `{}`",
                    node.action_name(),
                    other.action_name()
                );
                Err(Obstacle::cannot(&node.step_id, why))
            }
            None => {
                let why = format!("the new version has no step `{name}`");
                Err(Obstacle::cannot(&node.step_id, why))
            }
        }
    }

    /// Whether `other` is certainly the counterpart of the step `node`, to which the author gave no id. The
    /// match is certain in three cases: each version has only one step of this kind; `other` is the only
    /// new step with the content of `node`; or `other` has the position of `node`. In the third case,
    /// either `other` must also have the content of `node`, or no new step may have that content.
    fn is_certain(&self, node: &Node, other: &Node) -> bool {
        let of_kind = |graph: &Graph| graph.nodes.iter().filter(|n| same_kind(n, node)).count();
        if of_kind(self.old) == 1 && of_kind(self.new) == 1 {
            return true;
        }
        let content = step_members(self.old, node);
        let has_content =
            |found: &&Node| same_kind(found, node) && step_members(self.new, found) == content;
        let alike: Vec<&Node> = self.new.nodes.iter().filter(has_content).collect();
        match alike.as_slice() {
            [] => other.key == node.key,
            [only] => only.key == other.key,
            _ => alike.iter().any(|found| found.key == other.key) && other.key == node.key,
        }
    }

    /// Explains that the step `node` has no certain counterpart, and names possible counterparts.
    fn not_found(&self, node: &Node) -> Obstacle {
        let taken = |other: &Node| {
            let same = self.old.index_by_id(&other.step_id).and_then(|ix| self.old.node(ix));
            has_author_id(other)
                && same.is_some_and(|same| same_kind(same, other) && same.key != node.key)
        };
        let free = self.new.nodes.iter().filter(|other| same_kind(node, other) && !taken(other));
        let names: Vec<&str> = free.map(|other| other.step_id.as_str()).take(NAMED_MAX).collect();
        let step = node.step_id.clone();
        if names.is_empty() {
            let why = format!("it is gone, and no new step does `{}`", node.action_name());
            return Obstacle { mapping: false, step, why };
        }
        let maps: Vec<String> =
            names.iter().map(|name| format!("`--map {}={name}`", node.step_id)).collect();
        let why = format!("it was renamed or moved; name the new step: {}", maps.join(" or "));
        Obstacle { mapping: true, step, why }
    }
}
