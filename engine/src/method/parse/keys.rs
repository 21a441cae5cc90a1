//! Every key of the language, and which of them this version runs.

/// The keys of one kind of mapping.
pub(super) struct Keys {
    /// What the mapping is, with its article.
    pub what: &'static str,
    /// Keys that are read.
    pub known: &'static [&'static str],
    /// Keys of the language that this version does not run yet.
    pub later: &'static [&'static str],
    /// Words that people write instead, and the key that they mean.
    pub meant: &'static [(&'static str, &'static str)],
}

pub(super) const METHOD: Keys = Keys {
    what: "a method",
    known: &[
        "method",
        "description",
        "applicable_if",
        "inputs",
        "limits",
        "steps",
        "success_when",
        "fallbacks",
    ],
    later: &["on_cancel"],
    meant: &[("name", "method"), ("goal", "inputs"), ("on_timeout", "fallbacks")],
};

pub(super) const STEP: Keys = Keys {
    what: "a step",
    known: &["id", "call", "args", "out", "when", "foreach", "retry", "timeout", "occasion"],
    later: &[
        "parallel",
        "join",
        "switch",
        "repeat",
        "await",
        "set",
        "on_error",
        "compensate",
        "with",
        "concurrency",
    ],
    meant: &[
        ("name", "id"),
        ("verb", "call"),
        ("action", "call"),
        ("arguments", "args"),
        ("input", "args"),
        ("output", "out"),
        ("if", "when"),
        ("for", "foreach"),
        ("each", "foreach"),
    ],
};

pub(super) const FALLBACK: Keys = Keys {
    what: "a fallback",
    known: &["if", "then"],
    later: &[],
    meant: &[("when", "if"), ("steps", "then"), ("do", "then")],
};

pub(super) const LIMITS: Keys = Keys {
    what: "`limits`",
    known: &["max_duration", "max_messages"],
    later: &[],
    meant: &[("duration", "max_duration"), ("messages", "max_messages")],
};

pub(super) const RETRY: Keys = Keys {
    what: "`retry`",
    known: &["attempts", "backoff", "first", "max", "on"],
    later: &[],
    meant: &[("times", "attempts"), ("max_attempts", "attempts"), ("delay", "first")],
};
