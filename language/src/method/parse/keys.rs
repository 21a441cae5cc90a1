//! All keys of the method language.

/// The keys that one sort of mapping, such as a step, may have.
pub(in crate::method) struct Keys {
    /// What error messages call the mapping, with an article: `a step`.
    pub what: &'static str,
    /// Permitted keys.
    pub known: &'static [&'static str],
    /// Words that people often write instead of a key, each with the key that they mean.
    pub synonyms: &'static [(&'static str, &'static str)],
}

pub(in crate::method) const METHOD: Keys = Keys {
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
        "on_cancel",
    ],
    synonyms: &[("name", "method"), ("goal", "inputs"), ("on_timeout", "fallbacks")],
};

/// The keys that name the action of a step. Each step has exactly one of them.
pub(in crate::method) const ACTIONS: &[&str] =
    &["call", "set", "await", "switch", "repeat", "parallel", "steps"];

/// The keys that only a step with the key `call` may have.
pub(in crate::method) const OF_A_CALL: &[&str] =
    &["args", "with", "out", "retry", "timeout", "occasion", "compensate"];

pub(in crate::method) const STEP: Keys = Keys {
    what: "a step",
    known: &[
        "id",
        "call",
        "args",
        "with",
        "out",
        "when",
        "foreach",
        "concurrency",
        "retry",
        "timeout",
        "occasion",
        "compensate",
        "set",
        "await",
        "switch",
        "repeat",
        "parallel",
        "join",
        "steps",
        "limits",
        "on_error",
    ],
    synonyms: &[
        ("name", "id"),
        ("verb", "call"),
        ("action", "call"),
        ("method", "call"),
        ("arguments", "args"),
        ("input", "args"),
        ("output", "out"),
        ("if", "when"),
        ("for", "foreach"),
        ("each", "foreach"),
        ("catch", "on_error"),
        ("undo", "compensate"),
        ("loop", "repeat"),
        ("wait", "await"),
        ("let", "set"),
        ("do", "steps"),
    ],
};

pub(in crate::method) const CASE: Keys = Keys {
    what: "a case of `switch`",
    known: &["if", "then", "else"],
    synonyms: &[("when", "if"), ("steps", "then"), ("do", "then"), ("default", "else")],
};

pub(in crate::method) const REPEAT: Keys = Keys {
    what: "`repeat`",
    known: &["until", "max", "steps"],
    synonyms: &[("while", "until"), ("times", "max"), ("do", "steps"), ("then", "steps")],
};

pub(in crate::method) const AWAIT: Keys = Keys {
    what: "`await`",
    known: &["signal", "timeout", "until", "at_most", "out"],
    synonyms: &[("name", "signal"), ("for", "signal"), ("within", "timeout"), ("max", "at_most")],
};

pub(in crate::method) const COMPENSATE: Keys = Keys {
    what: "`compensate`",
    known: &["id", "call", "args", "retry", "timeout", "occasion"],
    synonyms: &[("verb", "call"), ("arguments", "args")],
};

pub(in crate::method) const FALLBACK: Keys = Keys {
    what: "a fallback",
    known: &["if", "then"],
    synonyms: &[("when", "if"), ("steps", "then"), ("do", "then")],
};

pub(in crate::method) const LIMITS: Keys = Keys {
    what: "`limits`",
    known: &["max_duration", "max_messages", "max_tool_calls"],
    synonyms: &[
        ("duration", "max_duration"),
        ("messages", "max_messages"),
        ("calls", "max_tool_calls"),
    ],
};

pub(in crate::method) const RETRY: Keys = Keys {
    what: "`retry`",
    known: &["attempts", "backoff", "first", "max", "on"],
    synonyms: &[("times", "attempts"), ("max_attempts", "attempts"), ("delay", "first")],
};
