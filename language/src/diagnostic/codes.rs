//! The codes of the findings of the method checker and the contract checker.
//! Each code has a page in `docs/errors/`.
//!
//! Programs that read `lint --json` rely on the codes:
//! a code is never renamed and never reused for another finding.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $code;)*

        /// All codes.
        pub const ALL: &[&str] = &[$($code),*];
    };
}

codes! {
    /// The file is not valid YAML.
    YAML_SYNTAX = "yaml-syntax";
    /// A tab indents a line; YAML requires spaces.
    YAML_TAB = "yaml-tab";
    /// The file is not UTF-8.
    YAML_ENCODING = "yaml-encoding";
    /// The file is too long, nested too deep, or has too many values once aliases are expanded.
    TOO_LARGE = "too-large";
    /// A key occurs twice in one mapping.
    DUPLICATE_KEY = "duplicate-key";
    /// An unquoted phone number, which YAML reads as a number.
    PHONE_AS_NUMBER = "phone-as-number";

    /// A key that the language does not have.
    UNKNOWN_KEY = "unknown-key";
    /// A required key is missing.
    MISSING_KEY = "missing-key";
    /// A value of the wrong type for its key, or for the expression that contains it.
    WRONG_TYPE = "wrong-type";
    /// A value of the right type that is out of range or unknown.
    WRONG_VALUE = "wrong-value";
    /// A step with more than one action, such as `call` and `set`.
    TWO_ACTS = "two-acts";
    /// A key that cannot be combined with the step's other keys.
    MISPLACED_KEY = "misplaced-key";
    /// Two steps with the same id.
    DUPLICATE_ID = "duplicate-id";
    /// A name that is reserved for another purpose.
    RESERVED_NAME = "reserved-name";
    /// `inputs` is not a JSON Schema.
    BAD_SCHEMA = "bad-schema";
    /// A contract that is incomplete or contradicts itself.
    BAD_CONTRACT = "bad-contract";

    /// An expression that cannot be parsed.
    EXPRESSION_SYNTAX = "expression-syntax";
    /// A function call with the wrong number or names of arguments.
    WRONG_ARGUMENTS = "wrong-arguments";
    /// A comparison of values that are never equal.
    NEVER_EQUAL = "never-equal";
    /// A function that does not exist.
    UNKNOWN_FUNCTION = "unknown-function";
    /// A variable that no step assigns.
    UNKNOWN_VARIABLE = "unknown-variable";
    /// A member that its object does not have.
    UNKNOWN_MEMBER = "unknown-member";
    /// A variable that is read before the step that assigns it.
    USE_BEFORE_ASSIGNMENT = "use-before-assignment";
    /// A call without `out` in a fallback, if the main steps assign several variables with the same verb.
    AMBIGUOUS_OUT = "ambiguous-out";

    /// A verb that is not in the registry.
    UNKNOWN_VERB = "unknown-verb";
    /// A method that does not exist.
    UNKNOWN_METHOD = "unknown-method";
    /// An argument that the verb does not take.
    UNKNOWN_ARGUMENT = "unknown-argument";
    /// A required argument of a verb is missing.
    MISSING_ARGUMENT = "missing-argument";
    /// An argument of the wrong type or value.
    BAD_ARGUMENT = "bad-argument";

    /// A template that does not exist.
    UNKNOWN_TEMPLATE = "unknown-template";
    /// A variable that a template needs and the step does not supply.
    TEMPLATE_VARIABLE_MISSING = "template-variable-missing";
    /// A variable that a step supplies and the template does not use.
    TEMPLATE_VARIABLE_UNUSED = "template-variable-unused";

    /// A wait without a timeout, which could last forever.
    WAIT_WITHOUT_TIMEOUT = "wait-without-timeout";
    /// A wait that can time out, in a method that does not handle the timeout.
    TIMEOUT_WITHOUT_FALLBACK = "timeout-without-fallback";
    /// Two branches of one `parallel` that assign the same variable.
    BRANCHES_SHARE_VARIABLE = "branches-share-variable";
    /// A method that calls itself, directly or through other methods.
    RECURSIVE_METHOD = "recursive-method";
    /// A step schedules a method that does not exist.
    UNKNOWN_METHOD_TO_START = "unknown-method-to-start";
    /// A step schedules a method with a goal that this method does not accept.
    GOAL_TO_START_UNFIT = "goal-to-start-unfit";
    /// A step that is never executed.
    UNREACHABLE_STEP = "unreachable-step";
    /// The method can send more messages than its own limit allows.
    MESSAGES_OVER_LIMIT = "messages-over-limit";
    /// A `broadcast` that may reach any number of people, because
    /// neither a condition nor a limit of the method restricts it.
    BROADCAST_WITHOUT_GATE = "broadcast-without-gate";
    /// Two messages with the same key, so that the second is never sent.
    SAME_MESSAGE_KEY = "same-message-key";
}
