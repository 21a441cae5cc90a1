//! Parses the action of a step: one function for each keyword of the language.

use super::Parser;
use super::fields::Fields;
use super::keys;
use super::scalar::Name;
use crate::base::limits;
use crate::diagnostic::codes;
use crate::method::ast::{
    ActionAst, AwaitAst, AwaitedSignalAst, CallAst, CaseAst, ComputedDeadlineAst, ParallelAst,
    RepeatAst, StepAst,
};
use crate::method::deadline::{AT_MOST_BOUNDS, UNTIL_OR_TIMEOUT, is_computed};
use crate::method::spanned::Spanned;
use crate::yaml::{YamlKind, YamlNode};

impl Parser<'_, '_, '_> {
    pub(super) fn action(
        &mut self,
        fields: &Fields<'_>,
        word: &str,
        key: &str,
    ) -> Option<ActionAst> {
        let node = fields.get(word)?;
        let inside = format!("{key}/{word}");
        match word {
            "call" => self.call(fields, key).map(|call| ActionAst::Call(Box::new(call))),
            "set" => self.set(node).map(ActionAst::Set),
            "await" => self.wait(node).map(ActionAst::Await),
            "switch" => self.switch(node, &inside).map(ActionAst::Switch),
            "repeat" => self.repeat(node, &inside).map(ActionAst::Repeat),
            "parallel" => self.parallel(node, fields, &inside).map(ActionAst::Parallel),
            _ => Some(ActionAst::Steps(self.steps(node, &inside))),
        }
    }

    fn call(&mut self, fields: &Fields<'_>, key: &str) -> Option<CallAst> {
        let node = fields.get("call")?;
        let name = Spanned { value: self.text(node, "`call`")?.to_owned(), at: node.at.clone() };
        Some(CallAst {
            name,
            args: fields.get("args").and_then(|node| self.mapping(node, "args")),
            with: fields.key_at("with").cloned().and_then(|at| {
                let value = self.mapping(fields.get("with")?, "with")?;
                Some(Spanned { value, at })
            }),
            out: fields
                .get("out")
                .and_then(|node| self.name(node, "a variable's name", Name::Variable)),
            retry: fields
                .get("retry")
                .map(|node| Spanned { value: self.retry(node), at: node.at.clone() }),
            timeout: fields.get("timeout").and_then(|node| self.duration(node, "`timeout`")),
            occasion: fields
                .get("occasion")
                .and_then(|node| self.name(node, "an occasion", Name::Label)),
            compensate: fields
                .get("compensate")
                .and_then(|node| self.compensate(node, format!("{key}/compensate"))),
        })
    }

    /// Parses the call in `compensate`, which undoes another call.
    fn compensate(&mut self, node: &YamlNode, key: String) -> Option<StepAst> {
        let fields = self.fields(node, &keys::COMPENSATE)?;
        if fields.get("call").is_none() && fields.should_report_missing("call") {
            let hint = "write `compensate: { call: verb, args: { … } }`";
            self.error(codes::MISSING_KEY, &node.at, "`compensate` has no `call`", hint);
        }
        let call = self.call(&fields, &key)?;
        Some(StepAst {
            key,
            at: node.at.clone(),
            id: fields.get("id").and_then(|node| self.name(node, "a step's id", Name::Label)),
            when: None,
            foreach: None,
            action_at: call.name.at.clone(),
            action: ActionAst::Call(Box::new(call)),
            limits: Default::default(),
            on_error: Vec::new(),
        })
    }

    fn mapping(&mut self, node: &YamlNode, what: &str) -> Option<YamlNode> {
        if matches!(node.kind, YamlKind::Map(_)) {
            return Some(node.clone());
        }
        let message = format!("`{what}` must be a mapping, but this is {}", node.describe());
        let hint = format!("write `{what}: {{ name: value }}`");
        self.error(codes::WRONG_TYPE, &node.at, message, hint);
        None
    }

    fn set(&mut self, node: &YamlNode) -> Option<Vec<(Spanned<String>, YamlNode)>> {
        let node = self.mapping(node, "set")?;
        let mut members = Vec::new();
        for member in node.members() {
            let name =
                YamlNode { kind: YamlKind::Text(member.key.clone()), at: member.key_at.clone() };
            if let Some(name) = self.name(&name, "a variable's name", Name::Variable) {
                members.push((name, member.value.clone()));
            }
        }
        Some(members)
    }

    /// Parses a wait for one signal or for the first of several signals.
    /// The first end that is written for any of the signals ends the wait.
    fn wait(&mut self, node: &YamlNode) -> Option<AwaitAst> {
        let nodes = match &node.kind {
            YamlKind::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        let mut wait = AwaitAst { signals: Vec::new(), timeout: None, computed: Vec::new() };
        for node in nodes {
            let fields = self.fields(node, &keys::AWAIT)?;
            let ends = self.wait_end(&fields, &mut wait);
            let out = fields
                .get("out")
                .and_then(|node| self.name(node, "a variable's name", Name::Variable));
            match fields.get("signal") {
                Some(node) => {
                    let signal = self.name(node, "a signal's name", Name::Label)?;
                    wait.signals.push(AwaitedSignalAst { signal, out });
                }
                None if nodes.len() > 1 || !ends => {
                    let hint = "add `signal:` with the name of the signal";
                    self.error(codes::MISSING_KEY, &node.at, "`await` has no `signal`", hint);
                }
                None => {}
            }
        }
        Some(wait)
    }

    /// Parses when a wait ends without its signal: after a fixed time, or at an end that depends on data and
    /// comes after `at_most` at the latest. Returns whether the keys give such an end.
    fn wait_end(&mut self, fields: &Fields<'_>, wait: &mut AwaitAst) -> bool {
        let (until, timeout) = (fields.get("until"), fields.get("timeout"));
        if let (Some(_), Some(at)) = (until, fields.key_at("timeout")) {
            self.error(codes::MISPLACED_KEY, at, UNTIL_OR_TIMEOUT.message, UNTIL_OR_TIMEOUT.hint);
        }
        let fixed = timeout.filter(|node| !is_computed(node));
        let computed = timeout.filter(|node| is_computed(node)).cloned();
        let computed = computed.map(ComputedDeadlineAst::Timeout);
        let computed = until.cloned().map(ComputedDeadlineAst::Until).or(computed);
        if let (None, Some(at)) = (&computed, fields.key_at("at_most")) {
            self.error(codes::MISPLACED_KEY, at, AT_MOST_BOUNDS.message, AT_MOST_BOUNDS.hint);
        }
        let fixed = fixed.and_then(|node| self.duration(node, "`timeout`"));
        let at_most = fields.get("at_most").and_then(|node| self.duration(node, "`at_most`"));
        let ends = computed.is_some() || fixed.is_some();
        wait.computed.extend(computed);
        wait.timeout = [wait.timeout, fixed, at_most].into_iter().flatten().min();
        ends
    }

    fn switch(&mut self, node: &YamlNode, key: &str) -> Option<Vec<CaseAst>> {
        let YamlKind::List(items) = &node.kind else {
            let message = format!("`switch` must be a list, but this is {}", node.describe());
            self.error(codes::WRONG_TYPE, &node.at, message, "begin each case with `- if: …`");
            return None;
        };
        let mut cases: Vec<CaseAst> = Vec::with_capacity(items.len());
        for (ix, item) in items.iter().enumerate() {
            let Some(fields) = self.fields(item, &keys::CASE) else { continue };
            if let Some(CaseAst { condition: None, .. }) = cases.last() {
                let hint = "put `else` last";
                self.error(
                    codes::UNREACHABLE_STEP,
                    &item.at,
                    "a case after `else` is never reached",
                    hint,
                );
            }
            cases.extend(self.case(item, &fields, &format!("{key}/{ix}")));
        }
        Some(cases)
    }

    fn case(&mut self, item: &YamlNode, fields: &Fields<'_>, key: &str) -> Option<CaseAst> {
        let at = item.at.clone();
        if let Some(node) = fields.get("else") {
            for word in ["if", "then"] {
                if let Some(at) = fields.key_at(word) {
                    let message = format!("`{word}` cannot be combined with `else`");
                    self.error(codes::MISPLACED_KEY, at, message, "make it a separate case");
                }
            }
            let steps = self.steps(node, &format!("{key}/else"));
            return Some(CaseAst { condition: None, at, steps });
        }
        for word in ["if", "then"] {
            if fields.get(word).is_none() && fields.should_report_missing(word) {
                let hint = "write `- if: condition` and `then:` with steps, or `- else:`";
                let message = format!("the case has no `{word}`");
                self.error(codes::MISSING_KEY, &item.at, message, hint);
            }
        }
        let condition = self.condition(fields.get("if")?, "`if`")?;
        let steps = self.steps(fields.get("then")?, &format!("{key}/then"));
        Some(CaseAst { condition: Some(condition), at, steps })
    }

    fn repeat(&mut self, node: &YamlNode, key: &str) -> Option<RepeatAst> {
        let fields = self.fields(node, &keys::REPEAT)?;
        for word in ["max", "steps"] {
            if fields.get(word).is_none() && fields.should_report_missing(word) {
                let hint = match word {
                    "max" => "add `max: 10`: every loop needs a maximum number of rounds",
                    _ => "add `steps:` with a list of steps",
                };
                let message = format!("`repeat` has no `{word}`");
                self.error(codes::MISSING_KEY, &node.at, message, hint);
            }
        }
        let max = fields
            .get("max")
            .and_then(|node| self.count(node, "`max`", limits::REPEAT_ROUNDS_MAX.into()))
            .and_then(|max| u32::try_from(max).ok());
        let until = fields.get("until").and_then(|node| self.condition(node, "`until`"));
        let steps = self.steps(fields.get("steps")?, &format!("{key}/steps"));
        Some(RepeatAst { until, max: max.unwrap_or(1), steps })
    }

    fn parallel(&mut self, node: &YamlNode, fields: &Fields<'_>, key: &str) -> Option<ParallelAst> {
        let YamlKind::List(items) = &node.kind else {
            let message = format!("`parallel` must be a list, but this is {}", node.describe());
            let hint = "write a list of branches, each a list of steps";
            self.error(codes::WRONG_TYPE, &node.at, message, hint);
            return None;
        };
        if items.len() > limits::BRANCHES_MAX {
            let message = format!("`parallel` takes at most {} branches", limits::BRANCHES_MAX);
            let hint = "use `foreach` with `concurrency` for many items";
            self.error(codes::TOO_LARGE, &node.at, message, hint);
        }
        let branches: Vec<Vec<StepAst>> = items
            .iter()
            .take(limits::BRANCHES_MAX)
            .enumerate()
            .map(|(ix, item)| self.steps(item, &format!("{key}/{ix}")))
            .collect();
        let need = match fields.get("join") {
            Some(node) => self.join(node, branches.len()),
            None => branches.len(),
        };
        Some(ParallelAst { branches, need })
    }

    /// Parses the number of branches that must succeed.
    fn join(&mut self, node: &YamlNode, branches: usize) -> usize {
        match node.text() {
            Some("all") => return branches,
            Some("any") => return 1,
            _ => {}
        }
        let number = match &node.kind {
            YamlKind::Number(number) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
            _ => None,
        };
        if let Some(number) = number.filter(|n| (1..=branches).contains(n)) {
            return number;
        }
        let message = format!("`join` must be `all`, `any` or a number from 1 to {branches}");
        self.error(codes::WRONG_VALUE, &node.at, message, "leave it out for `all`");
        branches
    }
}
