//! Checks the messages that a method sends: their templates, variables, number, recipients and keys.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Checker;
use super::arguments::Typed;
use super::step::Rounds;
use crate::base::Value;
use crate::contract::{Contract, Sends, XType};
use crate::diagnostic::{codes, did_you_mean};
use crate::expr::{self, BinaryOp, Expr, ExprKind, Type, UnaryOp};
use crate::method::arg::Arg;
use crate::method::ast::{CallAst, MethodAst, StepAst};
use crate::template::{STANDARD_VARIABLES, Template, VariableType};
use crate::yaml;

/// Largest number of people that a broadcast may reach without a condition or limit.
/// This number equals the default of the setting `broadcast_approval_over`.
const BROADCAST_PEOPLE: u64 = 25;

/// A call of a verb, with the verb's contract.
#[derive(Clone, Copy)]
pub(super) struct VerbCall<'a> {
    pub call: &'a CallAst,
    pub contract: &'a Contract,
}

/// The messages that one step sends.
pub(super) struct SentMessages {
    /// Position of the verb's name.
    at: Range<usize>,
    /// Name of the template, if the source names it or the verb has a default template.
    template: Option<String>,
    occasion: Option<String>,
    when: Option<Expr>,
    /// Whether each message has a cause, such as an offer.
    /// The key of such a message contains the number of the cause, so two messages never share a key.
    has_cause: bool,
    /// Maximum number of messages that the step sends, if known.
    at_most: Option<u64>,
}

impl Checker<'_, '_> {
    /// Checks and records the messages that a step's verb sends, if any.
    pub(super) fn message(
        &mut self,
        step: &StepAst,
        verb_call: &VerbCall<'_>,
        typed: &Typed,
        rounds: Option<&Rounds>,
    ) {
        let VerbCall { call, contract } = *verb_call;
        let (Some(sends), Some(args)) = (&contract.sends, &call.args) else { return };
        let to = member(&typed.arg, &sends.to);
        let one = contract.input.member(&sends.to).and_then(XType::of) == Some(XType::Person);
        let people = if one { Some(1) } else { to.as_ref().and_then(|to| self.people_at_most(to)) };
        let template = sends.template.as_deref().and_then(|name| args.get(name)?.text());
        let template = template.filter(|name| !name.contains("{{"));
        self.vars(sends, template, args, typed);
        self.warn_ungated_broadcast(step, contract, people);
        self.same_people_each_round(step, contract, to.as_ref(), rounds);
        let each =
            self.rounds.iter().try_fold(1_u64, |all, most| Some(all.saturating_mul((*most)?)));
        self.sent.push(SentMessages {
            at: call.name.at.clone(),
            template: template.or(sends.default_template.as_deref()).map(str::to_owned),
            occasion: call.occasion.as_ref().map(|occasion| occasion.value.clone()),
            when: step.when.as_ref().map(|when| when.expr.clone()),
            has_cause: sends.template.is_none() || contract.answered_later,
            at_most: people.zip(each).map(|(people, each)| people.saturating_mul(each)),
        });
    }

    /// Reports a template that does not exist.
    pub(super) fn known_template(&mut self, name: &str, at: &Range<usize>) {
        let templates = self.definitions.templates;
        if templates.get(name).is_some() {
            return;
        }
        let hint = did_you_mean(name, templates.names()).unwrap_or_else(|| {
            format!("templates: {}", templates.names().collect::<Vec<_>>().join(" "))
        });
        self.error(codes::UNKNOWN_TEMPLATE, at, format!("there is no template `{name}`"), hint);
    }

    /// Checks the variables that a step passes against the variables that the template declares.
    fn vars(
        &mut self,
        sends: &Sends,
        template: Option<&str>,
        args: &yaml::YamlNode,
        typed: &Typed,
    ) {
        let templates = self.definitions.templates;
        let Some(template) = template.and_then(|name| templates.get(name)) else { return };
        let Some(vars) = sends.vars.as_deref() else { return };
        let Type::Object { members: given, .. } = &typed.ty else { return };
        let (names, open) = match given.get(vars) {
            Some(Type::Object { members, open }) => (members.clone(), *open),
            Some(_) => return,
            None => (BTreeMap::new(), false),
        };
        let place = args.get(vars).unwrap_or(args);
        for required in template.required().filter(|name| !open && !names.contains_key(*name)) {
            let message = format!("the template `{}` needs `{required}`", template.name());
            let hint = format!("add `{required}` to `{vars}`");
            self.error(codes::TEMPLATE_VARIABLE_MISSING, &place.at, message, hint);
        }
        for var in place.members().iter().filter(|_| args.get(vars).is_some()) {
            self.var(template, var, names.get(&var.key));
        }
    }

    fn var(&mut self, template: &Template, var: &yaml::Member, ty: Option<&Type>) {
        let standard = STANDARD_VARIABLES.contains(&var.key.as_str());
        let Some(declared) = template.variables().get(&var.key) else {
            if !standard {
                let message =
                    format!("the template `{}` does not use `{}`", template.name(), var.key);
                let names = template.variables().keys().map(String::as_str);
                let hint = did_you_mean(&var.key, names).unwrap_or_else(|| "leave it out".into());
                self.warning(codes::TEMPLATE_VARIABLE_UNUSED, &var.key_at, message, hint);
            }
            return;
        };
        if let Some(ty) = ty.filter(|ty| !takes(declared.value_type, ty)) {
            let message = format!(
                "`{}` takes {}, but this is {ty}",
                var.key,
                declared.value_type.description()
            );
            let hint = format!("give a value that the template `{}` can show", template.name());
            self.error(codes::BAD_ARGUMENT, &var.value.at, message, hint);
        }
    }

    /// Returns the maximum number of people that an argument can name, if known.
    fn people_at_most(&self, to: &Arg) -> Option<u64> {
        match to {
            Arg::Literal(value) => value.as_array().map(|items| items.len() as u64),
            Arg::List(items) => u64::try_from(items.len()).ok(),
            Arg::Expr(expr) => self.scope.at_most(expr),
            _ => None,
        }
    }

    /// Warns of a message that may reach many people, if neither a condition nor a limit restricts it.
    fn warn_ungated_broadcast(&mut self, step: &StepAst, contract: &Contract, people: Option<u64>) {
        let gated = contract.sends.as_ref().is_some_and(|sends| sends.gate.is_some());
        let few = people.is_some_and(|people| people <= BROADCAST_PEOPLE);
        if gated && !few && step.when.is_none() && !self.has_message_limit {
            let message = format!("this `{}` can reach any number of people", contract.name);
            let hint = "add `when:`, `take(people, n)`, or `limits: { max_messages: … }`";
            self.warning(codes::BROADCAST_WITHOUT_GATE, &step.action_at, message, hint);
        }
    }

    /// Warns of a `foreach` that sends the same message to the same people in each round,
    /// because only the first round's messages are sent.
    fn same_people_each_round(
        &mut self,
        step: &StepAst,
        contract: &Contract,
        to: Option<&Arg>,
        rounds: Option<&Rounds>,
    ) {
        let Some((rounds, to)) = rounds.zip(to) else { return };
        let mut depends = false;
        to.each_expr(&mut |expr| depends |= expr::variables(expr).contains(&rounds.variable));
        if !depends && rounds.at_most.is_none_or(|most| most > 1) {
            let message = format!(
                "each round of this `{}` has the same recipients, so only the first is sent",
                contract.name
            );
            let hint = format!("send to `{}`, or leave out `foreach`", rounds.variable);
            self.warning(codes::SAME_MESSAGE_KEY, &step.action_at, message, hint);
        }
    }

    /// Checks the total number of messages against the method's `max_messages`.
    pub(super) fn count_messages(&mut self, ast: &MethodAst) {
        let (Some(limit), Some(at)) = (ast.limits.max_messages, &ast.max_messages_at) else {
            return;
        };
        let hint =
            "raise the limit, or bound the people: `limit:` of `search_people`, `take(people, n)`";
        if let Some(open) = self.sent.iter().find(|sent| sent.at_most.is_none()) {
            let line = self.source.line(open.at.start);
            let message =
                format!("line {line} can send any number of messages; the limit is {limit}");
            self.warning(codes::MESSAGES_OVER_LIMIT, at, message, hint);
            return;
        }
        let total = self.sent.iter().filter_map(|sent| sent.at_most).fold(0, u64::saturating_add);
        if total > limit {
            let message = format!("the steps can send {total} messages; the limit is {limit}");
            self.warning(codes::MESSAGES_OVER_LIMIT, at, message, hint);
        }
    }

    /// Warns of two steps that can send one person messages from the same template under the same key.
    /// The second message counts as a repetition and is not sent.
    pub(super) fn shared_keys(&mut self) {
        let sent = std::mem::take(&mut self.sent);
        let mut by_key: BTreeMap<(&str, Option<&str>), Vec<&SentMessages>> = BTreeMap::new();
        for message in sent.iter().filter(|message| !message.has_cause) {
            let Some(template) = message.template.as_deref() else { continue };
            let before = by_key.entry((template, message.occasion.as_deref())).or_default();
            // Only the last eight steps with this template are compared, to keep the check linear.
            let meets = before.iter().rev().take(8).find(|other| !exclude(other, message));
            if let Some(other) = meets {
                let line = self.source.line(other.at.start);
                let text = format!(
                    "people who got `{template}` from line {line} do not get it again here"
                );
                let hint = "distinguish the two with `occasion:`, such as `occasion: fell_short`";
                self.warning(codes::SAME_MESSAGE_KEY, &message.at, text, hint);
            }
            before.push(message);
        }
    }
}

/// Returns the argument named `name`; `None` if the call does not have this argument.
fn member(args: &Arg, name: &str) -> Option<Arg> {
    match args {
        Arg::Literal(value) => value.get(name).cloned().map(Arg::Literal),
        Arg::Object(members) => {
            members.iter().find(|(member, _)| member == name).map(|(_, arg)| arg.clone())
        }
        _ => None,
    }
}

/// Whether a template variable of the type `wanted_type` accepts a value of the static type `ty`.
fn takes(wanted_type: VariableType, ty: &Type) -> bool {
    let wanted = match wanted_type {
        VariableType::Text => {
            return !matches!(ty, Type::List(_) | Type::Object { .. } | Type::Offers);
        }
        VariableType::Number => return Type::Number.accepts(ty) || *ty == Type::Text,
        VariableType::Flag => Type::Bool,
        VariableType::Instant => Type::Instant,
        VariableType::Duration => Type::Duration,
        VariableType::Role => Type::Text,
        VariableType::Person => Type::Person,
        VariableType::People => Type::list(Type::Person),
        VariableType::List => Type::list(Type::Text),
        VariableType::Asks => Type::list(Type::object()),
    };
    wanted.accepts(ty)
}

/// Whether the `when` conditions of two steps contradict each other, so that at most one of the steps is
/// executed.
fn exclude(one: &SentMessages, other: &SentMessages) -> bool {
    let (Some(one), Some(other)) = (&one.when, &other.when) else { return false };
    negates(one, other) || negates(other, one)
}

fn negates(one: &Expr, other: &Expr) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::Unary(UnaryOp::Not, inner), _) => **inner == *other,
        (ExprKind::Binary(op, a, b), ExprKind::Binary(opposite, c, d)) => {
            opposite_of(*op) == Some(*opposite) && a == c && b == d
        }
        (ExprKind::Literal(Value::Bool(a)), ExprKind::Literal(Value::Bool(b))) => a != b,
        _ => false,
    }
}

const fn opposite_of(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Less => BinaryOp::GreaterOrEqual,
        BinaryOp::LessOrEqual => BinaryOp::Greater,
        BinaryOp::Equal => BinaryOp::NotEqual,
        BinaryOp::In => BinaryOp::NotIn,
        _ => return None,
    })
}
