//! Members with a fixed set of values, such as a stage or a channel: the words for each value.

use serde_json::Value;

use super::super::lexicon::corrected;
use super::Filling;

/// The words for a value of a member.
struct Choice {
    member: &'static str,
    value: &'static str,
    words: &'static [&'static str],
}

const fn choice(
    member: &'static str,
    value: &'static str,
    words: &'static [&'static str],
) -> Choice {
    Choice { member, value, words }
}

/// The words for values, besides the values themselves.
const CHOICES: &[Choice] = &[
    choice("stage", "won", &["signed", "got the job", "sold", "landed"]),
    choice(
        "stage",
        "lost",
        &["dead", "gone elsewhere", "not interested", "went with someone else"],
    ),
    choice("stage", "new", &["brand new", "fresh"]),
    choice("stage", "contacted", &["spoke to", "spoken to", "been called", "rang"]),
    choice("status", "draft", &["drafts", "in draft"]),
    choice("status", "finalized", &["finalised", "locked"]),
    choice("status", "accepted", &["accept", "said yes", "going ahead", "go ahead", "approved"]),
    choice(
        "status",
        "declined",
        &["decline", "said no", "knocked back", "rejected", "turned down", "came back with a no"],
    ),
    choice(
        "status",
        "unscheduled",
        &[
            "no date",
            "not booked",
            "waiting to be booked",
            "havent got a date",
            "without a date",
            "not scheduled",
        ],
    ),
    choice(
        "status",
        "in_progress",
        &["in progress", "underway", "under way", "started", "on the go"],
    ),
    choice("status", "scheduled", &["booked", "booked in"]),
    choice("status", "completed", &["complete", "finished", "done"]),
    choice("status", "cancelled", &["canceled", "called off"]),
    choice("status", "void", &["voided"]),
    choice("status", "submitted", &["handed in"]),
    choice("status", "open", &["outstanding", "not done", "left to do"]),
    choice("status", "done", &["finished", "completed", "ticked off"]),
    choice("status", "logged", &[]),
    choice("channel", "sms", &["text", "texts", "texted", "messages", "txt"]),
    choice("channel", "email", &["emails", "emailed", "e-mail", "emial"]),
    choice(
        "channel",
        "phone",
        &[
            "call",
            "calls",
            "called",
            "rang",
            "ring",
            "phoned",
            "rung",
            "phone call",
            "on the phone",
            "on the blower",
            "voicemail",
            "phone calls",
        ],
    ),
    choice(
        "channel",
        "in_person",
        &[
            "in person",
            "face to face",
            "on site",
            "in-person",
            "ran into",
            "bumped into",
            "over the fence",
            "met",
            "dropped in",
            "came in",
        ],
    ),
    choice(
        "direction",
        "inbound",
        &[
            "incoming",
            "came in",
            "come in",
            "coming in",
            "received",
            "got from",
            "from the customer",
            "phoned us",
            "texted us",
            "called us",
        ],
    ),
    choice(
        "direction",
        "outbound",
        &[
            "outgoing",
            "sent",
            "we sent",
            "i rang",
            "i called",
            "we rang",
            "we called",
            "i spoke to",
            "i told",
            "left a voicemail",
            "i texted",
            "i emailed",
            "i phoned",
            "we texted",
            "we emailed",
        ],
    ),
    choice("direction", "push", &["up"]),
    choice("direction", "pull", &["down"]),
    choice("direction", "both", &["two way", "both ways", "both directions"]),
    choice("priority", "high", &["urgent", "top priority", "important", "asap"]),
    choice("priority", "low", &["whenever", "no rush"]),
    choice("kind", "refund", &["refunds"]),
    choice("kind", "payment", &[]),
    choice("state", "authorised", &["authorized", "approved"]),
    choice("state", "draft", &[]),
];

/// Returns the value that the text says for a member.
pub(super) fn find(filling: &Filling<'_>, member: &str, values: &[Value]) -> Option<String> {
    let words = words(filling, member);
    let spoken = format!(" {} ", words.join(" "));
    let found = values.iter().filter_map(Value::as_str).filter_map(|value| {
        let own = spoken_at(&spoken, &value.replace('_', " "));
        let others = CHOICES
            .iter()
            .filter(|it| it.member == member && it.value == value)
            .flat_map(|it| it.words)
            .filter_map(|words| spoken_at(&spoken, words));
        own.into_iter().chain(others).min().map(|at| (at, value))
    });
    let denied = |at: usize| spoken[..at].ends_with(" not") || spoken[..at].ends_with(" isnt");
    let value = found
        .filter(|(at, _)| !denied(*at))
        .min_by_key(|(at, _)| *at)
        .map(|(_, value)| value.to_owned());
    match member {
        "channel" => channel(filling, value),
        "direction" if value.is_none() => direction(&spoken),
        "status" | "kind" | "state" | "priority" if is_own_word(filling, value.as_deref()) => None,
        _ => value,
    }
}

/// Returns the words in which a value is looked for: not those that are passed on.
fn words<'f>(filling: &'f Filling<'_>, member: &str) -> Vec<&'f str> {
    let logged = filling.contract.name == "comms.log";
    let range = match member {
        "channel" if logged => filling.tokens.clone(),
        "channel" | "priority" | "stage" | "status" | "state" | "kind" => {
            filling.tokens.start..filling.content.start.max(filling.tokens.start + 1)
        }
        _ => filling.tokens.clone(),
    };
    range.map(|at| corrected(filling.text.word(at)).unwrap_or(filling.text.word(at))).collect()
}

fn spoken_at(spoken: &str, words: &str) -> Option<usize> {
    spoken.find(&format!(" {words} "))
}

/// A quote or an invoice goes by email unless a text is asked for. Sending an email is no channel of its own.
fn channel(filling: &Filling<'_>, value: Option<String>) -> Option<String> {
    let message = filling.contract.name == "comms.log";
    if message && value.is_none() {
        let spoke = filling
            .tokens
            .clone()
            .any(|at| matches!(filling.text.word(at), "spoke" | "spoken" | "voicemail"));
        return spoke.then(|| "phone".to_owned());
    }
    value
}

/// Returns whether somebody wrote to us or we to them, if the verb says so.
fn direction(spoken: &str) -> Option<String> {
    const FROM_THEM: &[&str] = &[
        " from ",
        " rang ",
        " texted me ",
        " phoned ",
        " emailed back ",
        " called about ",
        " called at ",
        " he wants ",
        " she wants ",
        " they want ",
        " asked ",
        " got ",
        " rang in ",
        " wanting ",
        " left a message ",
        " replied ",
        " called to ",
        " called in ",
        " texted ",
        " emailed ",
    ];
    const FROM_US: &[&str] = &[
        " i rang ",
        " i called ",
        " i spoke ",
        " i texted ",
        " i emailed ",
        " i phoned ",
        " i told ",
        " we told ",
        " we warned ",
        " we rang ",
        " no answer ",
        " didnt answer ",
        " call to ",
        " text to ",
        " email to ",
        " call i made ",
        " told him ",
        " told her ",
        " told them ",
        " just had ",
        " spoke with ",
        " spoke to ",
        " bumped into ",
        " ran into ",
    ];
    let has = |all: &[&str]| all.iter().any(|it| spoken.contains(it));
    if has(FROM_US) {
        Some("outbound".to_owned())
    } else {
        has(FROM_THEM).then(|| "inbound".to_owned())
    }
}

/// Whether a value is only the word for the record itself: "draft" in "draft an email".
fn is_own_word(filling: &Filling<'_>, value: Option<&str>) -> bool {
    let name = filling.contract.name.as_str();
    match value {
        Some("draft") => name == "comms.draft",
        Some("done" | "completed") => name == "os.complete_task",
        Some("payment") => name == "payment.list",
        _ => false,
    }
}
