//! Computes upper bounds for the messages of a step: in all, and to any one person.

use serde::Serialize;

use super::amount::Bound;
use super::cost;
use super::round::Round;
use super::sizes::Sizes;
use crate::base::Value;
use crate::contract::{Contract, FollowUp, Idempotency, Recipients, Sends, XType};
use crate::expr::{self, Expr};
use crate::method::{Arg, Call, Node, TextPart};
use crate::template::Templates;

/// Messages that one step sends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sending {
    /// Id of the step.
    pub step_id: String,
    /// Line of the step in the file, from 1.
    pub line: u32,
    /// Name of the template; `None` if the template is known only at run time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// Maximum number of messages to all people together.
    pub messages: Bound,
    /// Maximum number of messages to any one person.
    pub one_person: Bound,
    /// Maximum number of segments of one message.
    pub segments: u64,
    /// The later event that triggers the messages; `None` if the step sends them itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Whether the messages are sent only if the run fails or is cancelled.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undoing: bool,
}

/// A call that can send messages, with the data from which their maximum number is computed.
pub(super) struct Sender<'a> {
    pub node: &'a Node,
    pub call: &'a Call,
    pub contract: &'a Contract,
    pub rounds: &'a [Round],
    pub templates: &'a Templates,
    pub undoing: bool,
}

impl Sender<'_> {
    /// Returns all messages that the call sends: during the step, and later by its follow-ups.
    pub(super) fn all(&self, sizes: &mut Sizes<'_>) -> Vec<Sending> {
        let own = self.contract.sends.as_ref().map(|sends| self.own(sends, sizes));
        let later = self.contract.follow_ups.iter().map(|one| self.later(one, sizes));
        let later: Vec<Sending> = later.collect();
        own.into_iter().chain(later).collect()
    }

    fn own(&self, sends: &Sends, sizes: &mut Sizes<'_>) -> Sending {
        let to = member(&self.call.args, &sends.to);
        let people = self.recipients(sends, to.as_ref(), sizes);
        let named = sends.template.as_deref().map(|name| member(&self.call.args, name));
        let template = match named {
            Some(Some(Arg::Literal(value))) => value.as_str().map(str::to_owned),
            Some(_) => None,
            None => sends.default_template.clone(),
        };
        // A message with an idempotency key is sent to each person only once. Offers and questions
        // are exceptions: each new offer and each new question has a message of its own.
        let keyed = self.contract.idempotency == Idempotency::Keyed
            && sends.template.is_some()
            && !self.contract.answered_later;
        let reach = Reach { to: to.as_ref(), keyed, each: false };
        self.sending(template.clone(), None, &people, &reach)
            .costing(cost::segments(self.templates, template.as_deref()))
    }

    /// Returns the messages that a follow-up of the call sends after the step.
    fn later(&self, follow_up: &FollowUp, sizes: &mut Sizes<'_>) -> Sending {
        let to = match &follow_up.to {
            Recipients::Argument(name) => member(&self.call.args, name),
            _ => None,
        };
        let people = match &follow_up.to {
            Recipients::Argument(_) => self.listed(to.as_ref(), sizes),
            Recipients::One => Bound::number(1),
            Recipients::Request => sizes.people("people of the request", None).items,
        };
        // With `Recipients::One`, each round reaches a different person: a person who moved
        // up into a free place does not move up again when the next place becomes free.
        let reach = Reach { to: to.as_ref(), keyed: false, each: follow_up.to == Recipients::One };
        let segments =
            follow_up.templates.iter().map(|name| cost::segments(self.templates, Some(name)));
        let (template, when) = (follow_up.templates.first().cloned(), follow_up.when.clone());
        let segments = segments.max().unwrap_or(1);
        self.sending(template, Some(when), &people, &reach).costing(segments)
    }

    fn sending(
        &self,
        template: Option<String>,
        when: Option<String>,
        people: &Bound,
        reach: &Reach<'_>,
    ) -> Sending {
        let mut messages = people.clone();
        let mut one_person = Bound::number(1);
        for round in self.rounds {
            if !reach.goes_once(round) {
                messages = messages.times(&round.times);
            }
            if !reach.meets_once(round) {
                one_person = one_person.times(&round.times);
            }
        }
        Sending {
            step_id: self.node.step_id.clone(),
            line: self.node.line,
            template,
            one_person: if messages.is_none() { Bound::none() } else { one_person },
            messages,
            segments: 1,
            when,
            undoing: self.undoing,
        }
    }

    /// Returns an upper bound for the number of recipients of one call.
    fn recipients(&self, sends: &Sends, to: Option<&Arg>, sizes: &mut Sizes<'_>) -> Bound {
        if self.contract.input.member(&sends.to).and_then(XType::of) == Some(XType::Person) {
            return Bound::number(1);
        }
        let Some(limit) = sends.at_most else {
            let most =
                self.contract.input.member(&sends.to).and_then(|arg| arg["maxItems"].as_u64());
            let people = self.listed(to, sizes);
            return most.map_or(people.clone(), |most| people.capped(most));
        };
        match to {
            Some(Arg::List(items)) => {
                let all = items.iter().map(|item| self.target(item, limit, sizes));
                all.fold(Bound::none(), |sum, one| sum.plus(&one)).capped(limit)
            }
            Some(Arg::Literal(value)) => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                let items = items.iter().map(|item| Arg::Literal(item.clone()));
                let all = items.map(|item| self.target(&item, limit, sizes));
                all.fold(Bound::none(), |sum, one| sum.plus(&one)).capped(limit)
            }
            _ => self.listed(to, sizes).capped(limit),
        }
    }

    /// Returns an upper bound for the number of people that one entry of the recipient list stands for.
    /// An entry is an office, a person or a filter.
    fn target(&self, target: &Arg, limit: u64, sizes: &mut Sizes<'_>) -> Bound {
        match target {
            Arg::Literal(Value::String(name)) => sizes.office(name, limit),
            Arg::Text(parts) => {
                let office = parts.iter().map(|part| match part {
                    TextPart::Literal(text) => text.clone(),
                    TextPart::Expr(expr) => format!("{{{}}}", expr::print(expr)),
                });
                sizes.office(&office.collect::<String>(), limit)
            }
            Arg::Expr(expr) if self.is_item(expr) => Bound::number(1),
            Arg::Expr(expr) => sizes.office(&expr::print(expr), limit),
            _ => {
                let limit = Some((limit, "recipient limit of one call".to_owned()));
                sizes.people(&format!("people of {}", self.node.step_id), limit).items
            }
        }
    }

    /// Returns an upper bound for the number of people in a list.
    fn listed(&self, to: Option<&Arg>, sizes: &mut Sizes<'_>) -> Bound {
        match to {
            Some(Arg::List(items)) => Bound::number(items.len() as u64),
            Some(Arg::Literal(value)) => Bound::number(value.as_array().map_or(0, Vec::len) as u64),
            Some(Arg::Expr(expr)) => sizes.list(expr).items,
            _ => sizes.people(&format!("people of {}", self.node.step_id), None).items,
        }
    }

    /// Whether the expression is the item of an enclosing loop over people.
    fn is_item(&self, expr: &Expr) -> bool {
        self.rounds.iter().any(|round| round.people && round.is_item(expr))
    }
}

impl Sending {
    fn costing(self, segments: u64) -> Self {
        Self { segments, ..self }
    }

    /// Returns the number of segments of all messages together.
    pub(super) fn all_segments(&self) -> Bound {
        self.messages.times(&Bound::number(self.segments))
    }
}

/// How the recipients of a message change from round to round of the enclosing loops.
struct Reach<'a> {
    /// The argument with the recipients.
    to: Option<&'a Arg>,
    /// Whether a message is skipped if an earlier message had the same key.
    keyed: bool,
    /// Whether each round of a loop over people reaches a different person.
    each: bool,
}

impl Reach<'_> {
    /// Whether messages are sent only in the first round, because all rounds have the same recipients
    /// and the same key.
    fn goes_once(&self, round: &Round) -> bool {
        let mut fixed = self.to.is_some();
        if let Some(to) = self.to {
            to.each_expr(&mut |_| fixed = false);
        }
        self.keyed && fixed && !round.apart
    }

    /// Whether each person gets the message in at most one round.
    fn meets_once(&self, round: &Round) -> bool {
        (self.keyed && !round.apart) || (round.people && (self.each || self.is_item_of(round)))
    }

    /// Whether the item of the loop is the only recipient of the message.
    fn is_item_of(&self, round: &Round) -> bool {
        match self.to {
            Some(Arg::Expr(expr)) => round.is_item(expr),
            Some(Arg::List(items)) => {
                matches!(items.as_slice(), [Arg::Expr(expr)] if round.is_item(expr))
            }
            _ => false,
        }
    }
}

/// Returns a member of an argument object by name. The member may be constant or computed.
pub(super) fn member(args: &Arg, name: &str) -> Option<Arg> {
    match args {
        Arg::Literal(value) => value.get(name).cloned().map(Arg::Literal),
        Arg::Object(members) => {
            members.iter().find(|(member, _)| member == name).map(|(_, arg)| arg.clone())
        }
        _ => None,
    }
}
