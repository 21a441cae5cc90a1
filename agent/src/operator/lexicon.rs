//! The words for what staff do and for what they do it to, as classes with the same meaning.

/// Whether a class is something to do, or something that it is done to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sense {
    Verb,
    Noun,
}

/// Words with the same meaning.
pub(super) struct WordClass {
    pub(super) name: &'static str,
    pub(super) sense: Sense,
    /// The words: single ones, or several with blanks between them.
    pub(super) words: &'static [&'static str],
}

const fn verb(name: &'static str, words: &'static [&'static str]) -> WordClass {
    WordClass { name, sense: Sense::Verb, words }
}

const fn noun(name: &'static str, words: &'static [&'static str]) -> WordClass {
    WordClass { name, sense: Sense::Noun, words }
}

/// The classes. Of several words that begin at the same place, the longest counts.
pub(super) const CLASSES: &[WordClass] = &[
    verb(
        "create",
        &[
            "create",
            "make",
            "new",
            "start a",
            "start an",
            "set up",
            "raise",
            "open a",
            "open an",
            "open up",
            "register",
            "enter",
            "begin a",
            "draw up",
            "drawn up",
            "write up",
            "knock up",
            "put together",
            "generate",
            "prepare",
            "build",
            "do up",
            "do a",
            "do an",
            "whip up",
            "needs adding",
            "creating",
        ],
    ),
    verb(
        "add",
        &[
            "add", "put", "stick", "chuck", "bung", "include", "pop", "insert", "append", "throw",
            "whack", "adding", "added", "plus",
        ],
    ),
    verb(
        "show",
        &[
            "show",
            "open",
            "view",
            "see",
            "display",
            "pull up",
            "bring up",
            "look up",
            "get up",
            "read me",
            "tell me",
            "give me",
            "look at",
            "look over",
            "check",
            "whats",
            "what is",
            "what are",
            "hows",
            "how is",
            "wheres",
            "whos",
            "details",
            "get me",
            "fetch",
            "story",
            "let me see",
        ],
    ),
    verb(
        "list",
        &[
            "list",
            "all the",
            "all our",
            "show all",
            "show me all",
            "which",
            "every",
            "how many",
            "any",
            "what do we have",
            "have we got",
            "do we have",
            "have we",
            "rundown",
            "lists",
        ],
    ),
    verb(
        "update",
        &[
            "update",
            "change",
            "edit",
            "fix",
            "correct",
            "amend",
            "modify",
            "rename",
            "adjust",
            "alter",
            "reword",
            "revise",
            "swap",
            "replace",
            "set",
            "should be",
            "extend",
            "bump",
            "drop",
            "link",
            "updating",
            "changed",
        ],
    ),
    verb(
        "assign",
        &[
            "assign",
            "reassign",
            "give",
            "hand",
            "allocate",
            "looking after",
            "look after",
            "takes over",
            "take over",
            "belongs to",
            "pass",
        ],
    ),
    verb(
        "archive",
        &[
            "archive",
            "archived",
            "put away",
            "file away",
            "tuck away",
            "shelve",
            "hide",
            "stash",
            "retire",
            "stow",
            "store away",
            "mothball",
        ],
    ),
    verb(
        "remove",
        &[
            "remove",
            "delete",
            "take off",
            "get rid of",
            "scrub",
            "wipe",
            "bin",
            "ditch",
            "strip",
            "scratch",
            "erase",
            "purge",
        ],
    ),
    verb(
        "finalize",
        &[
            "finalise",
            "finalize",
            "finalising",
            "lock in",
            "lock off",
            "lock down",
            "lock up",
            "lock",
            "close off",
            "finish off",
            "sign off",
            "make final",
            "finalised",
            "finalized",
        ],
    ),
    verb(
        "send",
        &[
            "send", "sending", "sent", "fire off", "shoot", "issue", "release", "deliver", "flick",
            "forward", "get out", "go out", "whiz", "fling", "resend", "ship",
        ],
    ),
    verb(
        "email",
        &["email", "e-mail", "emailing", "emailed", "mail", "by email", "via email", "write to"],
    ),
    verb(
        "text",
        &[
            "text",
            "sms",
            "message",
            "texting",
            "txt",
            "by text",
            "by sms",
            "via sms",
            "as a text",
            "via text",
        ],
    ),
    verb(
        "ring",
        &[
            "call",
            "ring",
            "phone",
            "rang",
            "rung",
            "phoned",
            "called",
            "spoke",
            "spoken",
            "ringing",
            "voicemail",
            "off the phone",
        ],
    ),
    verb(
        "calculate",
        &[
            "calculate",
            "recalculate",
            "add up",
            "adds up",
            "work out",
            "tally",
            "tot up",
            "total up",
            "come to",
            "comes to",
            "calc",
            "maths",
            "run the numbers",
            "price up",
        ],
    ),
    verb(
        "schedule",
        &[
            "schedule",
            "book",
            "book in",
            "booking",
            "pencil",
            "lock in for",
            "slot",
            "booked",
            "scheduled",
        ],
    ),
    verb(
        "reschedule",
        &[
            "reschedule",
            "move",
            "push",
            "shift",
            "push back",
            "bring forward",
            "postpone",
            "delay",
            "moved",
            "rained out",
            "reschedules",
        ],
    ),
    verb(
        "start",
        &[
            "start", "kick off", "begin", "begun", "started", "on site", "underway", "commence",
            "arrived",
        ],
    ),
    verb(
        "complete",
        &[
            "complete",
            "completed",
            "done",
            "finished",
            "finish",
            "all done",
            "close out",
            "wrap up",
            "tick off",
            "mark off",
            "wrapped up",
            "tick",
        ],
    ),
    verb(
        "cancel",
        &[
            "cancel",
            "cancelled",
            "call off",
            "scrap",
            "kill",
            "pull the pin",
            "abandon",
            "not going ahead",
            "called off",
            "fell through",
            "withdraw",
            "bail",
            "can the",
        ],
    ),
    verb("void", &["void", "voided", "voiding", "nullify", "annul", "write off", "strike out"]),
    verb(
        "refund",
        &[
            "refund",
            "give back",
            "pay back",
            "paid back",
            "reimburse",
            "money back",
            "refunds",
            "refunded",
        ],
    ),
    verb(
        "record",
        &[
            "record",
            "log",
            "enter",
            "note down",
            "put down",
            "write down",
            "jot",
            "jot down",
            "logged",
            "put through",
            "recorded",
        ],
    ),
    verb(
        "pay",
        &["paid", "pays", "pay", "paying", "came in", "received", "deposited", "transferred"],
    ),
    verb("tag", &["tag", "tagged", "label", "tags", "tagging"]),
    verb("submit", &["submit", "submitted", "hand in", "lodge", "put in for", "submitting"]),
    verb(
        "summarize",
        &[
            "summarise",
            "summarize",
            "summary",
            "scope",
            "scope summary",
            "scope of works",
            "write up the scope",
        ],
    ),
    verb(
        "search",
        &[
            "search",
            "find",
            "look for",
            "where did",
            "look through",
            "dig up",
            "hunt",
            "locate",
            "searching",
        ],
    ),
    verb("draft", &["draft", "drafts", "write a draft", "rough up", "drafting"]),
    verb(
        "status",
        &[
            "did",
            "go through",
            "deliver",
            "bounce",
            "delivered",
            "received it",
            "got through",
            "arrive",
            "land",
            "status",
        ],
    ),
    verb("push", &["push", "export", "sync", "upload", "post", "hook", "synchronise", "pull down"]),
    verb(
        "accept",
        &[
            "accept",
            "accepted",
            "said yes",
            "going ahead",
            "go ahead",
            "approved",
            "declined",
            "decline",
            "knocked back",
            "rejected",
            "said no",
        ],
    ),
    verb(
        "remind",
        &["remind", "reminder", "remember", "dont forget", "dont let me forget", "jog my memory"],
    ),
    verb("mark", &["mark", "flag", "marked"]),
    noun("lead", &["lead", "leads", "enquiry", "enquiries", "prospect", "prospects", "newlead"]),
    noun("quote", &["quote", "quotes", "quotation", "estimate", "estimates"]),
    noun("line", &["line", "lines", "line item", "line items", "item line"]),
    noun("job", &["job", "jobs"]),
    noun("invoice", &["invoice", "invoices", "bill", "bills", "progress claim"]),
    noun("inspection", &["inspection", "inspections", "roof check", "site visit report"]),
    noun(
        "item",
        &["items", "defect", "defects", "measurement", "measurements", "finding", "findings"],
    ),
    noun(
        "photo",
        &[
            "photo",
            "photos",
            "picture",
            "pictures",
            "pic",
            "pics",
            "image",
            "images",
            "snaps",
            "media",
            "asset",
            "assets",
            "file",
            "files",
            "attachment",
            "attachments",
            "jpg",
            "jpgs",
            "pdf",
            "pdfs",
            "documents",
            "document",
        ],
    ),
    noun(
        "entity",
        &[
            "entity",
            "entities",
            "supplier",
            "suppliers",
            "vehicle",
            "vehicles",
            "subbie",
            "subbies",
            "subcontractor",
            "subcontractors",
            "scaffolder",
            "insurer",
            "equipment",
            "competitor",
            "tool",
        ],
    ),
    noun("task", &["task", "tasks", "to-do", "todo", "to do", "to-dos", "todos", "to dos"]),
    noun("note", &["note", "notes", "memo"]),
    noun(
        "health",
        &[
            "health",
            "system status",
            "system",
            "health check",
            "systems",
            "running ok",
            "server up",
            "system health",
            "everything running",
            "all green",
        ],
    ),
    noun("snapshot", &["snapshot", "snapshots", "figures"]),
    noun(
        "log",
        &[
            "comms",
            "comms log",
            "communications",
            "communication",
            "call log",
            "contact log",
            "correspondence",
            "conversation",
            "conversations",
            "contact history",
            "said",
        ],
    ),
    noun(
        "call",
        &[
            "phone call",
            "a call",
            "the call",
            "calls",
            "the phone",
            "inbound call",
            "outbound call",
        ],
    ),
    noun("texts", &["texts", "messages", "the text", "that text", "the sms", "a text"]),
    noun("emails", &["emails", "an email", "the email", "that email"]),
    noun(
        "event",
        &[
            "event",
            "events",
            "appointment",
            "appointments",
            "meeting",
            "meetings",
            "site meeting",
            "calendar entry",
        ],
    ),
    noun("calendar", &["calendar", "diary"]),
    noun(
        "slot",
        &[
            "slot",
            "slots",
            "free",
            "gap",
            "gaps",
            "availability",
            "available",
            "spare",
            "opening",
            "time slot",
            "window",
        ],
    ),
    noun("drive", &["drive", "google drive"]),
    noun("google_calendar", &["google calendar"]),
    noun("xero", &["xero"]),
    noun("webhook", &["webhook", "hook", "webhooks", "endpoint"]),
    noun("ical", &["ical", "ics", "icalendar", "calendar file", "calendar feed"]),
    noun("customer", &["customer", "customers", "client", "clients"]),
    noun("pipeline", &["pipeline"]),
    noun(
        "revenue",
        &[
            "revenue",
            "turnover",
            "billed",
            "banked",
            "takings",
            "income",
            "sales figures",
            "invoiced",
        ],
    ),
    noun(
        "due",
        &[
            "jobs due",
            "coming up",
            "due this week",
            "next week",
            "whats on",
            "work coming",
            "jobs coming",
        ],
    ),
    noun(
        "chase",
        &[
            "follow up",
            "follow ups",
            "follow-up",
            "follow-ups",
            "chasing",
            "chase",
            "gone quiet",
            "no reply",
            "unanswered",
            "got back to us",
            "gone cold",
            "heard back",
            "without a response",
        ],
    ),
    noun("payment", &["payment", "payments", "deposit", "deposits", "receipt"]),
    noun("stage", &["stage", "contacted", "qualified", "quoted", "won", "lost"]),
    noun(
        "overdue",
        &["overdue", "behind", "late paying", "past due", "outstanding", "unpaid", "late invoices"],
    ),
    noun("report", &["report", "reports", "numbers"]),
    noun("template", &["template"]),
    noun("photo_quality", &["blurry"]),
];

/// Common words that are in no class, and no names at the start of a sentence.
const COMMON: &[&str] = &[
    "please",
    "pls",
    "can",
    "could",
    "would",
    "need",
    "want",
    "hey",
    "hi",
    "ok",
    "okay",
    "thanks",
    "mate",
    "morning",
    "gday",
    "re",
    "fyi",
    "quick",
    "one",
    "two",
    "three",
    "subject",
    "body",
    "from",
    "approve",
    "yes",
    "no",
    "yep",
    "nope",
    "sorry",
    "wait",
    "actually",
    "also",
    "customer",
    "crew",
    "website",
    "someone",
    "urgent",
    "referral",
    "got",
    "ignore",
    "run",
    "back-date",
    "backdate",
    "push",
    "nice",
    "great",
    "good",
    "site",
    "roof",
    "leak",
    "who",
    "whats",
    "is",
    "are",
    "has",
    "had",
    "was",
    "be",
    "let",
    "lets",
    "get",
    "take",
    "bring",
    "high",
    "low",
    "priority",
    "order",
    "restart",
    "reset",
    "drop",
    "truncate",
    "alter",
    "deploy",
    "delete",
    "heaps",
    "hows",
    "could",
    "just",
    "first",
    "then",
    "next",
    "last",
    "today",
    "tomorrow",
    "tonight",
    "his",
    "her",
    "their",
    "my",
    "our",
    "do",
    "does",
    "did",
    "use",
    "turn",
    "keep",
    "tell",
    "ask",
    "say",
    "anything",
    "something",
    "nothing",
    "everything",
    "everyone",
    "latest",
    "recent",
    "current",
    "outbound",
    "inbound",
    "incoming",
    "outgoing",
    "spam",
    "blast",
    "mass",
    "robo",
    "bulk",
    "share",
    "upload",
    "when",
    "where",
    "why",
    "how",
    "there",
    "here",
    "we",
    "he",
    "she",
    "they",
    "it",
    "its",
    "the",
    "a",
    "an",
    "im",
    "id",
    "ill",
    "ive",
    "weve",
    "theyve",
    "were",
    "well",
    "and",
    "but",
    "so",
    "scaffold",
    "tile",
    "tiles",
    "gutter",
    "gutters",
    "ridge",
    "metal",
    "slate",
    "solar",
    "skylight",
];

/// Units of a quantity.
const UNITS: &[&str] = &[
    "metres", "meters", "metre", "m", "lm", "sqm", "m2", "days", "day", "hours", "hour", "hrs",
    "bags", "lengths", "units", "sheets", "rolls", "lineal", "square",
];

/// Whether a word is the unit of a quantity.
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.contains(&word)
}

/// A word or several of a class, and where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CueWord {
    pub(super) class: &'static str,
    pub(super) sense: Sense,
    /// The first token, and the number of tokens.
    pub(super) at: usize,
    pub(super) length: usize,
}

/// Most tokens of the words of a class.
const LENGTH_MAX: usize = 4;

/// Finds the words of classes among these words, in their order. A word can belong to several classes.
pub(super) fn cues(words: &[&str]) -> Vec<CueWord> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let longest = (1..=LENGTH_MAX.min(words.len() - at)).rev().find_map(|length| {
            let here: Vec<CueWord> = classes(&words[at..at + length])
                .map(|it| CueWord { class: it.name, sense: it.sense, at, length })
                .collect();
            (!here.is_empty()).then_some((length, here))
        });
        match longest {
            Some((length, here)) => {
                found.extend(here);
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

fn classes<'w>(words: &'w [&'w str]) -> impl Iterator<Item = &'static WordClass> + 'w {
    let is = move |known: &&&str| {
        let mut parts = known.split(' ');
        words.iter().all(|word| parts.next() == Some(word)) && parts.next().is_none()
    };
    CLASSES.iter().filter(move |class| class.words.iter().any(|known| is(&known)))
}

/// Whether a word belongs to a class, or is common.
pub(super) fn is_known(word: &str) -> bool {
    COMMON.contains(&word) || CLASSES.iter().any(|class| class.words.contains(&word))
}

/// The fewest letters of a word whose spelling is corrected.
const LETTERS_MIN: usize = 4;

/// Returns the word of a class that a word with one slip of the fingers was to be.
pub(super) fn corrected(word: &str) -> Option<&'static str> {
    if word.len() < LETTERS_MIN || is_known(word) || !word.bytes().all(|it| it.is_ascii_lowercase())
    {
        return None;
    }
    let known = CLASSES.iter().flat_map(|class| class.words).filter(|known| !known.contains(' '));
    let close = known.filter(|known| {
        let longer = known.len() >= LETTERS_MIN + 1;
        let same_start = known.as_bytes().first() == word.as_bytes().first();
        let same_letters = sorted(known) == sorted(word);
        same_start
            && known.len() >= LETTERS_MIN
            && ((longer && word.len() > LETTERS_MIN && strsim::osa_distance(known, word) == 1)
                || same_letters)
    });
    close.min_by_key(|known| strsim::osa_distance(known, word)).copied().filter(|_| !is_other(word))
}

fn sorted(word: &str) -> Vec<u8> {
    let mut letters = word.as_bytes().to_vec();
    letters.sort_unstable();
    letters
}

/// Words that are close to one of a class and mean something else.
fn is_other(word: &str) -> bool {
    const OTHER: &[&str] = &[
        "clear", "clean", "pains", "paint", "there", "their", "these", "those", "stick", "stock",
        "stack", "trick", "ticks", "tiles", "title", "files", "lined", "liner", "noted", "noter",
        "sends", "bends", "texas", "taste", "jobby", "quite", "quiet", "house", "hours", "month",
        "south", "seal", "deal", "last", "lost", "cast", "male", "meal", "stat", "close",
    ];
    OTHER.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_a_slip_are_corrected() {
        let cases = [
            ("reshedule", Some("reschedule")),
            ("sumbit", Some("submit")),
            ("sned", Some("send")),
            ("emial", Some("email")),
            ("invocies", Some("invoices")),
            ("quite", None),
            ("send", None),
            ("roof", None),
        ];
        for (word, expected) in cases {
            assert_eq!(corrected(word), expected, "{word}");
        }
    }

    #[test]
    fn the_longest_words_count() {
        let found = cues(&["call", "off", "the", "job"]);
        let found: Vec<&str> = found.iter().map(|it| it.class).collect();
        assert_eq!(found, ["cancel", "job"]);
    }
}
