//! Computes the bounds of calls, and of steps that call another method.

use super::{Walk, micros};
use crate::base::Span;
use crate::contract::{Contract, Risk, XType};
use crate::expr;
use crate::method::{Arg, Call, ComputedDeadline, MethodCall, Node, Retry};
use crate::proof::amount::Bound;
use crate::proof::ending::{Law, ProofFault};
use crate::proof::report::Proof;
use crate::proof::sending::{Sender, Sending, member};
use crate::proof::sizes::Size;
use crate::proof::usage::{Sent, Usage};
use crate::proof::waiting;

impl<'w> Walk<'w, '_> {
    pub(super) fn call(&mut self, node: &'w Node, call: &'w Call, then: &str) -> Usage {
        let Some(contract) = self.prover.world.contracts.get(&call.verb) else {
            self.notes
                .insert(format!("unknown verb `{}`: its messages are not counted", call.verb));
            return Usage::nothing();
        };
        let mut usage = Usage::nothing();
        let sender = Sender {
            node,
            call,
            contract,
            rounds: &self.rounds,
            templates: self.prover.world.templates,
            undoing: self.undoing,
        };
        for sending in sender.all(&mut self.sizes) {
            usage = usage.sending(&sending);
            let moment = self.moment;
            if let (Some(start), None) = (&self.given.start, &sending.when) {
                self.moment = moment.map(|moment| moment.send(start));
            }
            self.sendings.push((sending, moment));
        }
        usage = usage.then(&self.time_of(node, call, contract, then));
        match contract.risk {
            Risk::T0 | Risk::T1 => {}
            Risk::T2 => self.consent = true,
            Risk::T3 | Risk::T4 => usage = usage.then(&Usage::asking(self.rounds_of_limits())),
        }
        self.bind(node, call, contract);
        let undoing = std::mem::replace(&mut self.undoing, true);
        let moment = self.moment;
        let undo = self.block(&call.compensation, "the next call to undo");
        self.moment = moment;
        self.undoing = undoing;
        usage.undone = usage.undone.plus(&undo.sent).plus(&undo.later);
        usage.asks = usage.asks.plus(&undo.asks);
        usage
    }

    /// Returns the time of a call: how long its attempts take, and how long it waits.
    pub(super) fn time_of(
        &mut self,
        node: &Node,
        call: &Call,
        contract: &Contract,
        then: &str,
    ) -> Usage {
        if !contract.waits() {
            // If the author wrote a retry rule, the call counts as a wait,
            // because its attempts are meant to take time.
            let patient = call.retry != Retry::default();
            if patient {
                self.moment = self.moment.map(|moment| moment.wait(Some(call.timeout), false));
            }
            return Usage::time(micros(call.timeout), patient);
        }
        let timeout = member(&call.args, "at_most").or_else(|| member(&call.args, "timeout"));
        let span = timeout.as_ref().and_then(|timeout| self.sizes.span(timeout));
        if timeout.is_none() {
            self.breaches.push(waiting::endless(node));
        } else if span.is_none() {
            self.notes.insert(format!(
                "how long `{}` waits is known only at run time; the run's time limit bounds it",
                node.step_id
            ));
        }
        let enough = match member(&call.args, "count") {
            Some(Arg::Literal(count)) => format!("{count} people hold a place"),
            Some(Arg::Expr(count)) => format!("`{}` people hold a place", expr::print(&count)),
            _ => "everybody who was asked holds a place".to_owned(),
        };
        let until = member(&call.args, "until").map(ComputedDeadline::Until);
        self.waits.push(waiting::replies(node, enough, span, until.as_slice(), then));
        self.moment = self.moment.map(|moment| moment.wait(span, true));
        let pauses = (1..call.retry.attempts).filter_map(|attempt| call.retry.pause_after(attempt));
        let work =
            pauses.fold(micros(call.timeout), |sum, pause| sum.saturating_add(micros(pause)));
        Usage::time(work, false).then(&Usage::waiting(span.map(micros), true))
    }

    /// Records the bounds of the variables that the call sets.
    pub(super) fn bind(&mut self, node: &Node, call: &Call, contract: &Contract) {
        if let Some(implies) = &call.implies {
            // The implied variable gets one item per round, or one item if the call has no `foreach`.
            let round = self.rounds.last().filter(|_| node.foreach.is_some());
            let items = round.map_or_else(|| Bound::number(1), |round| round.times.clone());
            self.sizes.fill(implies, Size { items, people: true });
        }
        let Some(out) = &call.out else { return };
        if node.foreach.is_some() || XType::of(contract.value_schema()) != Some(XType::People) {
            return self.sizes.forget(out);
        }
        let limit = contract.at_most.as_deref().and_then(|name| {
            let bound = match member(&call.args, name)? {
                Arg::Literal(value) => value.as_u64()?,
                Arg::Expr(expr) => self.sizes.number(&expr)?,
                _ => return None,
            };
            Some((bound, format!("`{name}` of `{}`", call.verb)))
        });
        let size = self.sizes.people(out, limit);
        self.sizes.fill(out, size);
    }

    pub(super) fn called_method(&mut self, node: &'w Node, call: &MethodCall, then: &str) -> Usage {
        let name = call.method.as_str();
        let timeout = call.timeout;
        let need = format!("`{name}` has ended");
        self.waits.push(waiting::children(node, "method", need, timeout, then));
        if let Some(out) = &call.out {
            self.sizes.forget(out);
        }
        let Some(graph) = self.prover.world.methods.get(name).copied() else {
            self.notes.insert(format!(
                "unknown method `{name}`: its messages and its time are not counted"
            ));
            return Usage::nothing();
        };
        let Some(proof) = self.prover.called(graph) else {
            self.breaches.push(ProofFault {
                law: Law::EveryPathEnds,
                step_id: node.step_id.clone(),
                line: node.line,
                why: format!("`{name}` calls itself, directly or through other methods"),
            });
            return Usage::nothing();
        };
        self.breaches.extend(proof.breaches.iter().map(|breach| ProofFault {
            why: format!("in `{name}`, step `{}`: {}", breach.step_id, breach.why),
            step_id: node.step_id.clone(),
            line: node.line,
            ..breach.clone()
        }));
        self.child(node, &proof, timeout)
    }

    /// Returns the upper bounds for a step that calls a method, for all rounds of the enclosing loops
    /// together.
    pub(super) fn child(&mut self, node: &Node, proof: &Proof, timeout: Option<Span>) -> Usage {
        let times = self.rounds_of_limits();
        let name = &proof.method;
        let mut symbol = |what: &str, bound: &Bound| {
            if bound.is_none() {
                return Bound::none();
            }
            let symbol = format!("{what} of {name}");
            let why = format!("proved of `{name}`: {}", bound.formula);
            self.sizes.symbols.take(&symbol, bound.at_most, why)
        };
        let messages = symbol("messages", &proof.messages.in_all);
        let segments = symbol("segments", &proof.cost.segments);
        let one_person = symbol("messages per person", &proof.messages.one_person);
        let asks = symbol("approvals", &proof.approvals.calls).times(&times);
        self.consent |= proof.approvals.consent;
        let longest = proof.finish.at_most;
        let span = timeout.map_or(longest, |timeout| timeout.min(longest));
        if !messages.is_none() {
            self.sendings.push((
                Sending {
                    step_id: node.step_id.clone(),
                    line: node.line,
                    template: None,
                    messages: messages.times(&times),
                    one_person: one_person.times(&times),
                    segments: 0,
                    when: Some(format!("by the method `{name}`")),
                    undoing: false,
                },
                self.moment,
            ));
        }
        self.moment = self.moment.map(|moment| moment.wait(Some(span), true));
        let [messages, one_person, segments] =
            [messages, one_person, segments].map(|bound| bound.times(&times));
        Usage::child(Sent { messages, one_person, segments })
            .then(&Usage::asking(asks))
            .then(&Usage::waiting(Some(micros(span)), false))
    }
}
