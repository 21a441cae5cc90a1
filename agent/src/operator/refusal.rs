//! Texts that ask for what must not be done. The rules look at the words alone; what the database says against a call
//! is for the planner.

use abide_language::contract::Risk;

use super::content;
use super::reading::Conflict;
use super::segment::segments;
use super::tag::{Tag, Tagged};
use super::terms::Directive;

/// A text that conflicts with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) conflict: Conflict,
    /// The least risk of what was asked.
    pub(super) risk: Risk,
    /// Whether it asks for no single call: something for everybody, or for no tool at all.
    pub(super) sweeping: bool,
}

/// The words of a text, for finding phrases in them.
pub(super) struct Spoken {
    /// All words, with blanks around each.
    all: String,
    /// The words without those that are quoted.
    unquoted: String,
    /// The words without those that are quoted or passed on to somebody.
    own: String,
}

impl Spoken {
    pub(super) fn of(text: &Tagged<'_>) -> Self {
        let mut own: Vec<usize> = Vec::new();
        for segment in segments(text) {
            let tokens = segment.tokens;
            let start = content::start(text, tokens.clone()).unwrap_or(tokens.end);
            let quoted = text.tokens.get(start).is_some_and(|it| it.quoted);
            let is_own = |at: &usize| *at < start || (quoted && !text.tokens[*at].quoted);
            own.extend(tokens.filter(is_own).filter(|at| !text.tokens[*at].quoted));
        }
        let unquoted = (0..text.tokens.len()).filter(|at| !text.tokens[*at].quoted);
        Self {
            all: joined(text, 0..text.tokens.len()),
            unquoted: joined(text, unquoted),
            own: joined(text, own.into_iter()),
        }
    }

    /// Whether all words contain one of these phrases.
    pub(super) fn has(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|it| self.all.contains(&format!(" {it} ")))
    }

    /// Whether the words that are not quoted contain one of these phrases.
    fn says(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|it| self.unquoted.contains(&format!(" {it} ")))
    }

    /// Whether the words that are the sender's own contain one of these phrases.
    pub(super) fn asks(&self, phrases: &[&str]) -> bool {
        phrases.iter().any(|it| self.own.contains(&format!(" {it} ")))
    }
}

fn joined(text: &Tagged<'_>, tokens: impl Iterator<Item = usize>) -> String {
    let mut all = " ".to_owned();
    for at in tokens {
        all.push_str(&text.tokens[at].word);
        all.push(' ');
    }
    all
}

/// Verbs that reach somebody.
pub(super) const SENDS: &[&str] = &[
    "send", "text", "sms", "email", "message", "forward", "blast", "spam", "tell", "give", "share",
    "post", "flick", "mail", "let", "shoot", "fire", "robo", "bulk", "mass", "pass", "upload",
    "hand", "leak", "sell", "export", "cc", "notify", "read", "show", "put", "msg", "txt", "ring",
    "call",
];
/// Verbs that reach many people, or hand on what is known of them.
const REACHES: &[&str] = &[
    "send", "text", "sms", "email", "message", "forward", "blast", "spam", "tell", "share", "post",
    "robo", "bulk", "mass", "sell", "export", "upload", "notify", "txt", "msg", "mail", "fire",
    "shoot", "hit", "let",
];
/// Everybody, or very many.
const EVERYBODY: &[&str] = &[
    "everyone",
    "everybody",
    "every customer",
    "every lead",
    "every client",
    "all our customers",
    "all our leads",
    "all the customers",
    "all the leads",
    "all customers",
    "all leads",
    "all clients",
    "all our clients",
    "the whole database",
    "whole customer list",
    "the whole list",
    "entire database",
    "entire list",
    "all of clayton",
    "every number",
    "every contact",
    "all our contacts",
    "all the numbers",
    "every lost lead",
    "every quote",
    "all the old customers",
    "all the old leads",
    "all our old customers",
    "all our old leads",
    "all our past customers",
    "all past customers",
    "every past customer",
    "every old lead",
    "every single customer",
    "every single lead",
    "the customer list",
    "the client list",
    "customer database",
    "mailing list",
    "anyone who",
    "neighbours of every",
    "all the contacts",
    "every address",
    "the whole suburb",
    "the whole street",
    "every house",
];
/// People who want nothing from us.
const OPTED_OUT: &[&str] = &[
    "opted out",
    "opt out",
    "opt-out",
    "opted-out",
    "unsubscribed",
    "unsubscribe",
    "replied stop",
    "said stop",
    "do not contact",
    "do not text",
    "dont contact",
    "stop list",
    "no more messages",
    "no more texts",
    "asked us to stop",
    "texted stop",
    "sent stop",
    "do-not-contact",
    "said not to text",
    "asked not to be",
    "told us to stop",
    "took himself off",
    "took herself off",
    "back in for marketing",
    "opt everybody",
    "opt everyone",
    "opt them back in",
];
/// Words that get around an approval or a rule.
const BYPASSES: &[&str] = &[
    "skip",
    "bypass",
    "without",
    "get rid of",
    "ignore",
    "override",
    "turn off",
    "disable",
    "around",
    "forget",
    "disregard",
    "avoid",
    "dodge",
    "switch off",
    "dont wait for",
    "no",
    "past",
    "dont need",
    "doesnt need",
    "sneak",
    "instead of waiting for",
    "not waiting for",
    "dont bother with",
    "remove",
    "kill",
    "waive",
    "circumvent",
    "arent needed",
];
const CONTROLS: &[&str] = &[
    "approval",
    "approvals",
    "sign off",
    "signoff",
    "sign-off",
    "quality gate",
    "the gate",
    "gates",
    "safety check",
    "safety checks",
    "the rules",
    "rules above",
    "directives",
    "your rules",
    "instructions",
    "guardrails",
    "restrictions",
    "safeguards",
    "limits",
    "quiet hours",
    "rate limits",
    "rate limit",
    "approval step",
    "checks",
    "the supervisor",
    "audit log",
    "previous instructions",
    "your instructions",
    "approval queue",
    "the audit",
];
/// Orders to the reader itself.
const INJECTIONS: &[&str] = &[
    "ignore your",
    "ignore all previous",
    "ignore previous",
    "ignore the above",
    "disregard the",
    "you are now",
    "developer mode",
    "pretend i typed",
    "pretend i approved",
    "act as an admin",
    "act as admin",
    "system prompt",
    "now admin",
    "is now admin",
    "no restrictions",
    "explicit_approval",
    "forget the directives",
    "forget your",
    "jailbreak",
    "unrestricted",
    "do what it says",
    "do what the email says",
    "follow what it says",
    "follow its instructions",
    "do as it says",
    "admin mode",
    "god mode",
    "mark it as approved",
    "approve everything",
    "approve it as",
    "approve all",
    "log it as approved",
    "marked as approved",
    "as if approved",
    "as if it was approved",
    "say it was approved",
    "say mel approved",
    "use his login",
    "use her login",
    "login to approve",
    "hide this from",
    "dont write a receipt",
    "no receipt",
    "off the record",
    "without a receipt",
];
/// What keeps something from others.
const SECRETLY: &[&str] = &[
    "keep it quiet",
    "keep this quiet",
    "on the quiet",
    "without telling",
    "without him knowing",
    "without her knowing",
    "without them knowing",
    "before anyone sees",
    "before anyone notices",
    "nobody notices",
    "no one notices",
    "nobody will notice",
    "never know",
    "wont know",
    "wont notice",
    "dont tell",
    "doesnt find out",
    "dont find out",
    "under the table",
    "showing on the books",
    "cash in hand",
    "nobody finds out",
    "no one finds out",
    "so he doesnt know",
    "so she doesnt know",
    "never find out",
    "between you and me",
    "on the sly",
    "hush hush",
    "behind his back",
    "behind her back",
    "so they dont see",
    "so it doesnt show",
    "before kelvin sees",
    "hide it from",
    "hide that from",
    "keep it off the books",
    "do it off the books",
    "so nobody sees",
    "so nobody knows",
    "so nobody finds",
    "doesnt show",
    "so nobody notices",
];
/// What is not so.
const UNTRUE: &[&str] = &[
    "we never",
    "i never",
    "never happened",
    "never rang",
    "never came",
    "havent actually",
    "hasnt actually",
    "havent done it",
    "didnt actually",
    "hasnt replied",
    "hasnt signed",
    "hasnt said",
    "havent been",
    "havent even",
    "not actually",
    "make it look like",
    "make it look",
    "fake",
    "forge",
    "forged",
    "pretend",
    "back date",
    "back-date",
    "backdate",
    "back dated",
    "backdated",
    "back-dated",
    "put their name to it",
    "sign it for",
    "make up",
    "made up",
    "false",
    "never looked at",
    "isnt there",
    "arent there",
    "that isnt",
    "pretending",
    "as if its from",
    "as if it came",
    "alter the submitted",
    "change the inspection date",
    "before the storm",
    "say it was",
    "put in that",
    "wasnt there",
    "no one checked",
    "nobody checked",
    "even though it hasnt",
    "even though he hasnt",
    "even though she hasnt",
    "even though they havent",
    "even though we havent",
    "didnt happen",
    "hasnt happened",
    "not been done",
    "wasnt done",
    "isnt done yet",
    "predate",
    "pre-date",
    "antedate",
    "doctor the",
    "photoshop",
    "signature on",
    "make out that",
    "make out we",
    "make out like",
    "never came in",
    "it wasnt",
    "so it looks like",
    "will but hasnt",
    "in their name",
    "as if she",
    "as if he",
];
/// What is paid or promised.
const PROMISED: &[&str] = &[
    "already paid",
    "has paid",
    "theyve paid",
    "hes paid",
    "shes paid",
    "even though its paid",
    "half paid",
    "paid in full",
    "paid the deposit",
    "keep the deposit",
    "keep her deposit",
    "keep his deposit",
    "keep their deposit",
    "and paid",
    "is paid",
    "was paid",
    "been paid",
    "paid it",
    "paid invoice",
    "paid invoices",
    "paid for",
    "paid on it",
    "theyve accepted",
    "shes accepted",
    "hes accepted",
    "already accepted",
    "already signed",
    "she signed",
    "he signed",
    "accepted quote",
    "accepted it",
    "signed contract",
    "a bigger one came up",
    "better paying",
    "bigger job",
    "bigger fish",
    "fit in a",
    "we promised",
    "promised helen",
    "already agreed",
    "he agreed",
    "she agreed",
    "paid up",
    "paid last",
    "paid yesterday",
    "paid this morning",
    "paid cash",
    "fully paid",
    "theyve already",
    "part paid",
    "a better job",
    "higher paying",
    "locked in for",
    "deposit paid",
    "paid deposit",
    "paid already",
    "payments on it",
    "shes signed",
    "hes signed",
    "theyve signed",
    "has accepted",
    "has signed",
    "accepted the quote",
    "signed the contract",
    "they paid",
    "he paid",
    "she paid",
    "customer paid",
    "paid most",
    "paid half",
    "paid some",
    "a payment on it",
    "pays more",
    "bigger one",
    "better offer",
    "paid us",
    "have paid",
    "weve promised",
    "i promised",
    "locked it in with them",
];
const NOT_PROMISED: &[&str] = &[
    "nothing paid",
    "nothings been paid",
    "not been paid",
    "hasnt been paid",
    "hasnt paid",
    "havent paid",
    "never paid",
    "no payment",
    "isnt paid",
    "not paid",
    "unpaid",
    "nobodys paid",
    "nobody paid",
    "nothings paid",
    "nothing has been paid",
    "nothing was paid",
    "didnt pay",
    "wasnt paid",
    "paid nothing",
    "wont be paid",
    "before anything is paid",
    "before its paid",
    "no deposit paid",
    "not a cent paid",
    "nobody has paid",
    "no one has paid",
    "before paying",
    "hasnt been accepted",
    "not had",
    "hasnt been any payment",
    "no money",
    "havent had a cent",
    "before they paid",
    "never been paid",
    "didnt accept",
    "havent accepted",
    "hasnt accepted",
    "not accepted",
    "never accepted",
];
/// Verbs that take away.
const UNDOES: &[&str] = &[
    "void",
    "cancel",
    "delete",
    "erase",
    "wipe",
    "remove",
    "purge",
    "get rid of",
    "un-accept",
    "unaccept",
    "can the",
    "scrap",
    "tear up",
    "change the price",
    "rip up",
    "kill",
    "bin",
    "voiding",
    "call off",
    "ditch",
    "bump",
];
/// Databases, code and the machine itself.
const MACHINE: &[&str] = &[
    "database",
    "the schema",
    "sql",
    "table",
    "repo",
    "redeploy",
    "deploy",
    "commit",
    "branch",
    "the code",
    "source code",
    "registry",
    "api key",
    "api keys",
    "service role",
    "service_role",
    "env file",
    "rm -rf",
    "git",
    "the server",
    "production",
    "prod",
    "migration",
    "migrations",
    "the worker",
    "queue",
    "the receipts",
    "receipts",
    "factory settings",
    "the receipt for",
    "backend",
    "credentials",
    "secret key",
    "access token",
    "supabase",
    "postgres",
    "firewall",
    "audit trail",
    "ledger",
    "codebase",
    "endpoint code",
    "cron",
    "the logs",
    "truncate",
    "1=1",
    "database password",
    "admin password",
    "root password",
    "admin rights",
    "write access",
    "new column",
    "a column",
    "drop column",
    "add column",
];
/// Changes of the machine.
const CHANGES: &[&str] = &[
    "add",
    "alter",
    "change",
    "drop",
    "delete",
    "wipe",
    "truncate",
    "push",
    "deploy",
    "redeploy",
    "run",
    "edit",
    "update",
    "restart",
    "reset",
    "clear",
    "purge",
    "go into",
    "show",
    "give",
    "rm",
    "remove",
    "patch",
    "merge",
    "set",
    "write",
    "fix",
    "insert",
    "rewrite",
    "hack",
    "erase",
    "flush",
    "nuke",
    "rename",
    "create",
    "modify",
    "rollback",
    "roll back",
    "send",
];
/// What is about a person.
const PERSONAL: &[&str] = &[
    "home address",
    "address",
    "addresses",
    "phone number",
    "phone numbers",
    "numbers",
    "mobile",
    "bank account",
    "bank details",
    "card details",
    "card number",
    "alarm code",
    "gate code",
    "divorce",
    "owes",
    "owes us",
    "pay rate",
    "wage",
    "wages",
    "salary",
    "medical",
    "sick",
    "invoice history",
    "contract",
    "details",
    "phones",
    "emails",
    "what we quoted",
    "complained",
    "where jess lives",
    "lives",
    "date of birth",
    "licence",
    "criminal",
    "pregnant",
    "cancer",
    "bankrupt",
    "debts",
    "debt",
    "in debt",
    "credit card",
    "financial",
    "broke up",
    "affair",
    "immigration",
    "visa",
    "health",
    "customers",
    "key safe",
    "lockbox",
    "going through",
];
/// People who have no business with it.
const OUTSIDERS: &[&str] = &[
    "ex",
    "ex-wife",
    "ex-husband",
    "mate",
    "neighbour",
    "neighbours",
    "journo",
    "journalist",
    "reporter",
    "competitor",
    "competitors",
    "other roofer",
    "real estate agent",
    "real estate",
    "marketing firm",
    "debt buyer",
    "stranger",
    "process server",
    "bloke on the phone",
    "angry customer",
    "facebook",
    "instagram",
    "public",
    "this caller",
    "the caller",
    "othercompany",
    "my gmail",
    "ex employee",
    "landlord",
    "his boss",
    "her boss",
    "a friend",
    "his brother",
    "her sister",
    "scaffolder",
    "newspaper",
    "twitter",
    "tiktok",
    "a guy",
    "some guy",
    "some bloke",
    "private investigator",
    "her ex",
    "his ex",
    "other customers",
    "another customer",
    "the media",
    "collection agency",
    "cousin",
    "brother-in-law",
    "data broker",
    "lead buyer",
    "leadbuyers",
    "telemarketer",
    "solar company",
    "insurance salesman",
    "rival",
    "opposition",
];
/// People who must not see a customer's papers.
const STRANGERS: &[&str] = &[
    "his ex",
    "her ex",
    "ex-wife",
    "ex-husband",
    "ex wife",
    "ex husband",
    "the neighbour",
    "his neighbour",
    "her neighbour",
    "next door",
    "competitor",
    "competitors",
    "other roofer",
    "another roofer",
    "rival",
    "my mate",
    "a mate",
    "another customer",
    "other customer",
    "a different customer",
    "other customers",
    "journo",
    "journalist",
    "newspaper",
    "facebook",
    "his boss",
    "her boss",
];
/// Harm to people.
const HARM: &[&str] = &[
    "threatening",
    "threaten",
    "we know where",
    "rip her roof",
    "rip his roof",
    "watch her back",
    "watch his back",
    "watch your back",
    "abuse him",
    "abuse her",
    "insults",
    "insult",
    "harass",
    "scare",
    "panics",
    "without harnesses",
    "no harness",
    "no harnesses",
    "asbestos off",
    "leave the asbestos",
    "cut the asbestos",
    "safety incident",
    "even though it failed",
    "lightning",
    "live wires",
    "about to collapse",
    "break his",
    "break her",
    "smash",
    "hurt",
    "kill him",
    "kill her",
    "burn",
    "bash",
    "stalk",
    "follow her home",
    "blackmail",
    "extort",
    "doxx",
    "dox",
    "slash his",
    "slash her",
    "or else",
    "teach him a lesson",
    "teach her a lesson",
    "where his kids",
    "without the harness",
    "skip the harness",
    "without scaffold",
    "dump the asbestos",
    "asbestos in the",
    "scum",
    "liar",
    "bomb",
    "send the boys round",
    "send the boys around",
    "without a harness",
    "no harness on",
    "at 3am",
    "at 2am",
    "at 4am",
    "every hour until",
];
/// Where somebody is, or their money.
const PRYING: &[&str] = &[
    "phone right now",
    "track his",
    "track her",
    "where is he right now",
    "run her card",
    "run his card",
    "charge her card",
    "charge his card",
    "charge their card",
    "my own card",
    "my own account",
    "my card",
    "my account",
    "own account",
    "to my bank",
    "her card again",
    "card for another",
    "gps",
    "his location",
    "her location",
    "read her messages",
    "read his messages",
    "record her without",
];

/// Finds the first rule that a text conflicts with.
pub(super) fn find(text: &Tagged<'_>, records: bool) -> Option<Refusal> {
    let spoken = Spoken::of(text);
    safety(&spoken, text, records)
        .or_else(|| machine(&spoken))
        .or_else(|| revenue(&spoken))
        .or_else(|| out_of_scope(&spoken, text, records))
}

fn refusal(directive: Directive, reason: &str, risk: Risk, sweeping: bool) -> Option<Refusal> {
    let conflict = Conflict { directive, reason: reason.to_owned() };
    Some(Refusal { conflict, risk, sweeping })
}

fn safety(spoken: &Spoken, text: &Tagged<'_>, records: bool) -> Option<Refusal> {
    let sends = spoken.asks(SENDS);
    let told = text.tokens.first().is_some_and(|it| it.word == "system") && text.tokens.len() > 3;
    if spoken.asks(INJECTIONS)
        || (told && spoken.has(&["bypass", "authorised", "admin", "ignore", "override"]))
    {
        return refusal(
            Directive::Safety,
            "the text orders the operator to leave its rules",
            lowest(spoken),
            true,
        )
        .map(|it| Refusal { sweeping: !acts_on_one(text), ..it });
    }
    if bypasses(spoken) {
        return refusal(
            Directive::Safety,
            "the text asks to get around an approval or a rule",
            Risk::T2,
            false,
        );
    }
    if (sends || spoken.asks(&["again", "anyway"])) && spoken.asks(OPTED_OUT) {
        return refusal(Directive::Safety, "a recipient has opted out", Risk::T3, false);
    }
    if spoken.asks(REACHES) && spoken.asks(EVERYBODY) && !asks_to_read(text) {
        return refusal(
            Directive::Safety,
            "it reaches very many people, whose consent is unknown",
            Risk::T3,
            true,
        );
    }
    if !records && spoken.has(HARM) {
        return refusal(
            Directive::Safety,
            "it could harm or threaten people",
            if sends { Risk::T3 } else { Risk::T1 },
            true,
        );
    }
    if spoken.has(PRYING) {
        let risk = if spoken.has(&["card", "account", "bank"]) { Risk::T3 } else { Risk::T0 };
        return refusal(
            Directive::Safety,
            "it uses what belongs to somebody without their consent",
            risk,
            false,
        );
    }
    let outsider = spoken.says(OUTSIDERS) || spoken.asks(&["the bloke", "a bloke", "this bloke"]);
    let personal = spoken.has(PERSONAL);
    if !records
        && outsider
        && personal
        && (sends || spoken.asks(&["wants", "whats", "post", "use"]))
    {
        return refusal(
            Directive::Safety,
            "it gives personal data to somebody who has no right to it",
            Risk::T3,
            false,
        );
    }
    let handed_on = spoken.asks(&[
        "send", "email", "forward", "share", "give", "flick", "shoot", "show", "pass", "mail",
    ]);
    let documents = ["quote", "invoice", "inspection", "payment", "customer", "lead"];
    let document = text.ids.iter().any(|it| it.kind.is_some_and(|kind| documents.contains(&kind)));
    if !records && document && handed_on && spoken.says(STRANGERS) {
        return refusal(
            Directive::Safety,
            "it shows a customer's papers to somebody else",
            Risk::T3,
            false,
        );
    }
    if spoken.asks(SECRETLY) {
        return refusal(
            Directive::Safety,
            "it is to be hidden from those whom it concerns",
            Risk::T1,
            false,
        );
    }
    let untrue = spoken.asks(UNTRUE) || (records && spoken.says(ADMITTED));
    if untrue && untrue_record(spoken) {
        return refusal(
            Directive::Safety,
            "it would record what is not so",
            risk_of_named(text),
            false,
        );
    }
    None
}

/// What a text admits about what it wants recorded.
const ADMITTED: &[&str] = &[
    "we never",
    "i never",
    "never rang",
    "never happened",
    "never called",
    "never spoke",
    "even though we",
    "even though i",
    "we didnt",
    "i didnt actually",
    "wants to see something",
    "make it look like",
    "so it looks like",
    "so there is a record",
];

/// Returns the risk of a change of what a text names.
fn risk_of_named(text: &Tagged<'_>) -> Risk {
    let of = |kind: &str| match kind {
        "invoice" | "payment" => Risk::T3,
        "quote" | "job" => Risk::T2,
        _ => Risk::T1,
    };
    let ids = text.ids.iter().filter_map(|it| it.kind).map(of).max();
    let nouns = || text.tokens.iter().filter_map(|it| super::id::noun_of(&it.word)).map(of).max();
    ids.or_else(nouns).unwrap_or(Risk::T1)
}

/// Whether a text asks to get around an approval or another rule.
fn bypasses(spoken: &Spoken) -> bool {
    let at = |phrases: &[&str]| -> Option<usize> {
        phrases.iter().filter_map(|it| spoken.own.find(&format!(" {it} "))).min()
    };
    let (Some(_), Some(_)) = (at(BYPASSES), at(CONTROLS)) else { return false };
    let near = BYPASSES.iter().any(|verb| {
        let verb = format!(" {verb} ");
        spoken.own.match_indices(&verb).any(|(start, _)| {
            let end = (start + verb.len() + 24).min(spoken.own.len());
            let end =
                (start..=end).rev().find(|at| spoken.own.is_char_boundary(*at)).unwrap_or(start);
            let window = format!("{} ", &spoken.own[start..end]);
            CONTROLS.iter().any(|it| window.contains(&format!(" {it} ")))
        })
    });
    near || spoken.asks(&["need sign off", "so it doesnt need", "arent needed"])
}

/// Whether a text is a question about records, which reaches nobody.
fn asks_to_read(text: &Tagged<'_>) -> bool {
    let mut words = text.tokens.iter().take(3).map(|it| it.word.as_str());
    words.any(|it| matches!(it, "show" | "list" | "which" | "who" | "how" | "what" | "whats"))
        && !text.tokens.iter().any(|it| it.is(&["to", "send", "email"]))
}

/// Whether something untrue is to be recorded, rather than told of.
fn untrue_record(spoken: &Spoken) -> bool {
    let records = spoken.asks(&[
        "log",
        "record",
        "mark",
        "change",
        "put",
        "write",
        "make",
        "back-date",
        "backdate",
        "back date",
        "forge",
        "fake",
        "add",
        "edit",
        "alter",
        "set",
        "send",
        "text",
        "complete",
        "submit",
        "create",
        "invoice",
        "say",
        "pretend",
        "date",
        "finalise",
        "sign",
    ]);
    let strong = spoken.asks(&[
        "fake",
        "forge",
        "back-date",
        "backdate",
        "back date",
        "make it look like",
        "never happened",
        "pretend",
        "put their name to it",
        "make up",
        "false",
        "isnt there",
        "pretending",
        "never looked at",
        "backdated",
        "back-dated",
        "doctor the",
    ]);
    let unfinished = spoken.asks(&[
        "mark",
        "complete",
        "accepted",
        "log",
        "record",
        "submit",
        "invoice",
        "put in that",
        "bill it",
    ]);
    strong || records && unfinished
}

/// Whether a text is about one record.
fn acts_on_one(text: &Tagged<'_>) -> bool {
    text.tags.iter().any(|tag| matches!(tag, Tag::Id))
}

fn lowest(spoken: &Spoken) -> Risk {
    if spoken.has(&["refund", "delete", "void", "wipe", "drop"]) { Risk::T4 } else { Risk::T3 }
}

fn machine(spoken: &Spoken) -> Option<Refusal> {
    let named = spoken.asks(MACHINE) && spoken.asks(CHANGES);
    if !named || spoken.asks(&["queue up", "table it", "production line", "in the queue for"]) {
        return None;
    }
    let destroys = spoken.asks(&[
        "drop",
        "delete",
        "wipe",
        "truncate",
        "purge",
        "erase",
        "rm",
        "reset",
        "clear",
        "flush",
        "nuke",
        "go into the database",
        "sql",
        "receipt",
        "receipts",
        "database",
        "restart",
    ]);
    let adds = spoken.asks(&[
        "code",
        "deploy",
        "redeploy",
        "repo",
        "branch",
        "commit",
        "registry",
        "migration",
        "schema",
    ]) && !spoken.asks(&["drop", "delete", "wipe", "truncate"]);
    let reads = spoken.asks(&["show", "give"]) && !destroys;
    let risk = if adds {
        Risk::T2
    } else if destroys {
        Risk::T4
    } else if reads {
        Risk::T0
    } else {
        Risk::T2
    };
    refusal(
        Directive::ContractCorrectness,
        "no tool changes the system itself or its records",
        risk,
        true,
    )
}

fn revenue(spoken: &Spoken) -> Option<Refusal> {
    let promised = spoken.asks(PROMISED) && !spoken.asks(NOT_PROMISED);
    let every = spoken.asks(&[
        "every job",
        "all the invoices",
        "all invoices",
        "every invoice",
        "all the jobs",
        "all jobs",
        "all the payments",
        "every quote",
        "all payments",
    ]);
    if spoken.asks(UNDOES) && (promised || every) {
        let lasts = spoken
            .asks(&["job", "jobs", "invoice", "invoices", "payment", "payments", "void", "cancel"]);
        let risk = if lasts { Risk::T4 } else { Risk::T2 };
        return refusal(
            Directive::RevenueFlow,
            "it takes back what is paid or promised",
            risk,
            every,
        );
    }
    None
}

/// What is not the work of the business.
const OTHER_WORK: &[&str] = &[
    "movie",
    "movies",
    "song",
    "songs",
    "music",
    "poem",
    "joke",
    "jokes",
    "weather",
    "will it rain",
    "footy",
    "flight",
    "flights",
    "holiday in",
    "pizza",
    "tickets",
    "bitcoin",
    "crypto",
    "shares in",
    "shares",
    "stocks",
    "vote for",
    "prime minister",
    "president",
    "capital of",
    "recipe",
    "cook",
    "roast lamb",
    "telly",
    "netflix",
    "homework",
    "tax return",
    "logo",
    "resume",
    "wedding",
    "speech",
    "sore back",
    "diagnose",
    "horoscope",
    "lotto",
    "race 7",
    "bet",
    "bunnings",
    "carsales",
    "uber",
    "translate",
    "boyfriend",
    "girlfriend",
    "dating",
    "sleeping with",
    "ac",
    "spotify",
    "restaurant",
    "restaurants",
    "babysitter",
    "birthday present",
    "flowers",
    "hotel",
    "football",
    "cricket",
    "tattoo",
    "essay",
    "sing me",
    "story about",
    "uber eats",
    "menulog",
    "world cup",
    "celebrity",
    "gossip",
    "chatgpt",
    "a car",
    "cheap ute",
    "lottery",
    "trivia",
    "crossword",
    "dinner",
];

/// Finds what is not the work of the business, unless it is to be noted or a record is named.
fn out_of_scope(spoken: &Spoken, text: &Tagged<'_>, records: bool) -> Option<Refusal> {
    let named = text.tags.contains(&Tag::Id)
        || text
            .tokens
            .iter()
            .any(|it| super::id::noun_of(&it.word).is_some_and(|kind| kind != "message"));
    if named || records || !spoken.asks(OTHER_WORK) {
        return None;
    }
    let risk = super::urgency::asked_risk(spoken);
    refusal(
        Directive::ContractCorrectness,
        "it is not the work of the business, and no tool does it",
        risk,
        true,
    )
}
