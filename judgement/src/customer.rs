//! Takes what a customer or a lead texts about a quote that was sent to them. A clear yes or no answers the quote; staff
//! are told at once of that, and of anything else that they write.

use std::collections::BTreeMap;

use abide_agent::operator::{
    IntentClassification, OperatorDomain, OperatorIntent, OperatorReading, Urgency, WantedCall,
};
use abide_agent::reply::{self, ReplyLabel, ReplyPrompt};
use abide_agent::ruling::{self, RulingWord};
use abide_agent::text::words;
use abide_engine::base::{Problem, RunId, TypedId as _, text};
use abide_engine::contract::Risk;
use abide_engine::domain::{Applied, DomainContext, HandledAs, StartRun};
use abide_engine::store::{InboundRow, SignalKind, Tx};
use abide_engine::words;
use abide_verbs::data::inbox::{self, InboxEntry};
use abide_verbs::data::person;
use abide_verbs::directory::STAFF;
use abide_verbs::inbox::Reason;
use abide_verbs::operations::OperationContext;
use abide_verbs::operations::messages::{self, MessageDraft};
use serde_json::{Map, json};

use crate::live_runs::{GoalMember, live_runs};
use crate::operator::{
    Finder, Layers, Looker, MessageSource, OperatorMode, OperatorRequest, ReadMessage, SentQuote,
    start_of,
};

/// The method that waits for the answer to a quote, by the signals `accepted` and `declined`.
const FOLLOW_UP: &str = "quote_follow_up";
/// The tool that records the answer to a quote for which nothing waits.
const RECORD: &str = "quote.update";
/// The template that tells staff what a customer wrote.
const TEMPLATE: &str = "customer_wrote";
/// Maximum number of characters of a text that staff are told.
const WORDS_CHARS_MAX: usize = 120;
/// The only words of which a clear answer consists. Any other word may be a condition, a wish or a question.
const CLEAR_WORDS: &[&str] = &[
    "a",
    "accept",
    "accepted",
    "ahead",
    "all",
    "and",
    "approve",
    "approved",
    "cheers",
    "decline",
    "declined",
    "do",
    "dont",
    "else",
    "fine",
    "for",
    "go",
    "going",
    "good",
    "great",
    "happy",
    "hello",
    "hey",
    "hi",
    "i",
    "id",
    "im",
    "interested",
    "it",
    "lets",
    "like",
    "lovely",
    "mate",
    "no",
    "nope",
    "not",
    "ok",
    "okay",
    "perfect",
    "please",
    "proceed",
    "quote",
    "someone",
    "somebody",
    "sorry",
    "sounds",
    "sure",
    "ta",
    "thank",
    "thanks",
    "that",
    "the",
    "to",
    "very",
    "want",
    "we",
    "well",
    "with",
    "would",
    "yeah",
    "yep",
    "yes",
    "you",
    "your",
    "|",
    "!",
];

words! {
    /// What a customer answers to a quote.
    pub enum QuoteAnswer {
        /// The customer wants the work.
        Accepted = "accepted",
        /// The customer does not want it.
        Declined = "declined",
    }
}

/// What follows from a text of a customer.
#[derive(Debug, Default)]
struct Follows {
    run: Option<RunId>,
    start: Option<StartRun>,
}

/// Takes a text of somebody outside. Returns `None` if no quote waits for an answer from the number.
pub(crate) async fn take(
    layers: &Layers,
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    inbound: &InboundRow,
) -> Result<Option<Applied>, Problem> {
    let looker = Looker { verbs: &layers.verbs, cx };
    let finder = Finder { looker: &looker, contracts: &layers.contracts };
    let sent = finder.sent_quotes(tx, &inbound.from).await;
    let answer = match &sent[..] {
        [] => return Ok(None),
        [quote] if is_about(tx, &finder, inbound, quote).await => answer_in(&inbound.body),
        _ => None,
    };
    let follows = match (answer, &sent[..]) {
        (Some(answer), [quote]) => {
            record(layers, tx, cx, Answered { inbound, quote, answer }).await?
        }
        _ => Follows::default(),
    };
    let is_recorded = follows.run.is_some() || follows.start.is_some();
    if !is_recorded {
        let entry = InboxEntry::of_message(inbound.id, inbound.received_at, Reason::Question);
        inbox::put(tx, cx.tenant, &entry).await?;
    }
    let quotes: Vec<&str> = sent.iter().map(|quote| &*quote.title).collect();
    let outcome = match answer.filter(|_| is_recorded) {
        Some(answer) => answer.as_str(),
        None => "open",
    };
    let vars = json!({
        "who": sent.first().map(|quote| &quote.who), "quotes": quotes, "outcome": outcome,
        "words": text::shortened(&inbound.body.replace('\n', " "), WORDS_CHARS_MAX),
        "waits": follows.start.is_some(),
    });
    let staff = person::holders(tx, cx.tenant, STAFF).await?;
    let draft = |id: &_| MessageDraft::notice(*id, inbound.id.uuid(), inbound.id.to_string());
    let drafts: Vec<MessageDraft> = staff.iter().map(draft).collect();
    messages::send(tx, &OperationContext::of_domain(cx), TEMPLATE, &drafts, &vars).await?;
    let handled_as = if is_recorded { HandledAs::Reply } else { HandledAs::Question };
    let starts = follows.start.into_iter().collect();
    Ok(Some(Applied { handled_as, run: follows.run, starts }))
}

/// Whether a text can be about a quote alone: the last text to its sender was about the quote, or there was none.
async fn is_about(
    tx: &mut Tx,
    finder: &Finder<'_>,
    inbound: &InboundRow,
    quote: &SentQuote,
) -> bool {
    match finder.last_text_to(tx, &inbound.from).await {
        Some(last) => last["entity_type"] == "quote" && last["entity_id"] == *quote.id,
        None => ruling::read(&inbound.body).is_some_and(|it| it.explicit),
    }
}

/// Returns the answer that a text gives, if it gives one clearly and says nothing else.
fn answer_in(body: &str) -> Option<QuoteAnswer> {
    let spoken = words(body);
    if spoken.iter().any(|word| !CLEAR_WORDS.contains(&word.as_str())) {
        return None;
    }
    let ruled = ruling::read(body).filter(|it| it.which.is_none())?.decision?;
    let reading = reply::read(body, ReplyPrompt::Invite);
    if !reading.also.is_empty() {
        return None;
    }
    match (ruled, reading.label) {
        (RulingWord::Approve, ReplyLabel::Accept) => Some(QuoteAnswer::Accepted),
        (RulingWord::Deny, ReplyLabel::Decline | ReplyLabel::CancelLater) => {
            Some(QuoteAnswer::Declined)
        }
        _ => None,
    }
}

/// An answer to a quote.
#[derive(Clone, Copy)]
struct Answered<'a> {
    inbound: &'a InboundRow,
    quote: &'a SentQuote,
    answer: QuoteAnswer,
}

/// Tells the runs that wait for the answer. If none waits, plans the call that records it, which waits for an approval
/// as if staff had asked for it.
async fn record(
    layers: &Layers,
    tx: &mut Tx,
    cx: &DomainContext<'_>,
    answered: Answered<'_>,
) -> Result<Follows, Problem> {
    let Answered { inbound, quote, answer } = answered;
    let goal = GoalMember { method: FOLLOW_UP, member: "quote_id", value: &quote.id };
    let waiting = live_runs(tx, cx.tenant, goal).await?;
    let key = inbound.id.to_string();
    for run in &waiting {
        let root = run.parsed_state()?.signal_receiver(run.id);
        let name = SignalKind::Named(answer.as_str());
        tx.signal(root, name, Some(&key), &json!(inbound.body)).await?;
    }
    if let Some(run) = waiting.first() {
        return Ok(Follows { run: Some(run.id), start: None });
    }
    let request = OperatorRequest {
        message: inbound.body.clone(),
        mode: OperatorMode::Execute,
        consented: false,
        context: Map::new(),
        session: None,
        key: Some(format!("inbound:{}", inbound.id)),
    };
    let source = MessageSource {
        inbound: Some(inbound.id),
        person: None,
        correlation: Some(inbound.id.into()),
    };
    let reading = reading_of(quote, answer);
    let read = ReadMessage { request: &request, reading, source };
    let row = layers.store_classification(tx, cx, read).await?;
    let planned = layers.plan(tx, cx, &row).await?;
    Ok(Follows { run: None, start: start_of(&row, &planned) })
}

/// Reads an answer as the call that records it.
fn reading_of(quote: &SentQuote, answer: QuoteAnswer) -> OperatorReading {
    let input = [("quote_id", quote.id.as_str()), ("status", answer.as_str())];
    let input = input.map(|(member, value)| (member.to_owned(), value.into()));
    OperatorReading {
        classification: IntentClassification {
            intent: OperatorIntent::Execute,
            domain: OperatorDomain::of_tool(RECORD),
            urgency: Urgency::High,
            tool_candidates: vec![RECORD.to_owned()],
            required_fields: Vec::new(),
            missing_evidence: Vec::new(),
            risk_tier: Risk::T2,
            risk_reason: "it records what the customer answered".to_owned(),
            confidence: 1.0,
            reasoning: "the customer answered the only quote that was sent".to_owned(),
        },
        calls: vec![WantedCall {
            tool: RECORD.to_owned(),
            input: input.into_iter().collect(),
            refs: BTreeMap::new(),
            named: BTreeMap::new(),
        }],
        conflict: None,
        slots: Map::new(),
        is_proposed: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_answer_counts() {
        use QuoteAnswer::{Accepted, Declined};
        let cases = [
            ("yes go ahead", Some(Accepted)),
            ("Yes please!", Some(Accepted)),
            ("No thanks", Some(Declined)),
            ("yes but can you do it cheaper?", None),
            ("go ahead with the cheaper one", None),
            ("yes, after Easter", None),
            ("yes?", None),
            ("thanks, got it", None),
            ("no rush", None),
            ("ok for 1200", None),
            ("I'll think about it", None),
        ];
        for (text, expected) in cases {
            assert_eq!(answer_in(text), expected, "{text}");
        }
    }
}
