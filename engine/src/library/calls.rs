//! Builds the methods that carry out calls from outside: for each tool, a method with one step.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bundle::{Bundle, Pins};
use super::sources::Sources;
use crate::base::{Digest, Problem};
use crate::contract::{Contract, Contracts};
use crate::expr;
use crate::method::{Arg, Call, Graph, Node, Retry, StepAction};
use crate::template::Templates;

/// The prefix of the names of these methods. No name of a written method contains a colon.
const PREFIX: &str = "call:";

/// Returns the name of the method that carries out calls of a tool from outside.
#[must_use]
pub fn call_method(tool: &str) -> String {
    format!("{PREFIX}{tool}")
}

/// Whether a method carries out calls from outside.
#[must_use]
pub fn is_call_method(method: &str) -> bool {
    method.starts_with(PREFIX)
}

/// Builds the bundles of these methods, by the names of the methods. A tool that waits for people has no
/// such method, because only a run of a written method can wait.
pub(super) fn bundles(
    sources: &Sources,
    templates: &Arc<Templates>,
    contracts: &Arc<Contracts>,
) -> BTreeMap<String, Arc<Bundle>> {
    let digest = |(name, body): (&String, &String)| (name.clone(), Digest::of(body.as_bytes()));
    let texts: BTreeMap<String, Digest> = sources.templates.iter().map(digest).collect();
    let callable = contracts.iter().filter(|contract| !contract.waits());
    let bundle = |contract: &Contract| {
        let graph = graph(contract).ok()?;
        let files = contract.files();
        let own = sources.contracts.iter().filter(|(file, _)| files.contains(*file));
        let pins = Pins {
            method: graph.method.clone(),
            text: contract.digest(),
            contracts: own.map(digest).collect(),
            templates: texts.clone(),
            methods: BTreeMap::new(),
        };
        let name = graph.method.clone();
        let (templates, contracts) = (Arc::clone(templates), Arc::clone(contracts));
        Some((name, Arc::new(Bundle { digest: pins.digest(), pins, graph, templates, contracts })))
    };
    callable.filter_map(bundle).collect()
}

/// Builds the graph of such a method. Its only step passes the goal of the run to the tool.
fn graph(contract: &Contract) -> Result<Graph, Problem> {
    let goal = expr::parse("goal").map_err(|_| Problem::bug("`goal` is not an expression"))?;
    let call = Call {
        verb: contract.name.clone(),
        args: Arg::Expr(goal),
        out: None,
        implies: None,
        retry: Retry::default(),
        timeout: contract.timeout,
        occasion: None,
        compensation: Vec::new(),
        waits: false,
        queries_database: false,
    };
    let node = Node {
        key: "steps/0".to_owned(),
        step_id: contract.name.clone(),
        line: 1,
        when: None,
        foreach: None,
        action: StepAction::Call(call),
        limits: Default::default(),
        on_error: Vec::new(),
        reads: vec!["goal".to_owned()],
    };
    Ok(Graph {
        method: call_method(&contract.name),
        description: Some(format!("Carries out a call of `{}` from outside.", contract.name)),
        nodes: vec![node],
        main: vec![0],
        ..Graph::default()
    })
}
