//! Every code that a checker of methods and contracts may give, with its page in `docs/errors/`.
//!
//! A code is part of the contract with whoever reads `lint --json`: it is never renamed and never
//! used for something else.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $code;)*

        /// All of them.
        pub const ALL: &[&str] = &[$($code),*];
    };
}

codes! {
    /// The text is not YAML.
    YAML_SYNTAX = "yaml-syntax";
    /// A tab where YAML wants spaces.
    YAML_TAB = "yaml-tab";
    /// The bytes are not UTF-8.
    YAML_ENCODING = "yaml-encoding";
    /// Too long, too deep, or too much after aliases are expanded.
    TOO_LARGE = "too-large";
    /// A key stands twice in one mapping.
    DUPLICATE_KEY = "duplicate-key";
    /// YAML read an unquoted phone number as a number.
    PHONE_AS_NUMBER = "phone-as-number";

    /// A key that the language does not have.
    UNKNOWN_KEY = "unknown-key";
    /// A key that must be there and is not.
    MISSING_KEY = "missing-key";
    /// A value of the wrong type for its key, or for the expression it stands in.
    WRONG_TYPE = "wrong-type";
    /// A value of the right type that is out of bounds or unknown.
    WRONG_VALUE = "wrong-value";
    /// A step that says two things it does.
    TWO_ACTS = "two-acts";
    /// A key beside something that it does not belong to.
    MISPLACED_KEY = "misplaced-key";
    /// Two steps with one id.
    DUPLICATE_ID = "duplicate-id";
    /// A name that means something else already.
    RESERVED_NAME = "reserved-name";
    /// `inputs` is not a JSON Schema.
    BAD_SCHEMA = "bad-schema";
    /// A contract that says something impossible.
    BAD_CONTRACT = "bad-contract";

    /// An expression that cannot be read.
    EXPRESSION_SYNTAX = "expression-syntax";
    /// A function that is called with the wrong number or names of arguments.
    WRONG_ARGUMENTS = "wrong-arguments";
    /// A comparison that no value can satisfy.
    NEVER_EQUAL = "never-equal";
    /// A function that does not exist.
    UNKNOWN_FUNCTION = "unknown-function";
    /// A variable that nothing fills.
    UNKNOWN_VARIABLE = "unknown-variable";
    /// A member that its object does not have.
    UNKNOWN_MEMBER = "unknown-member";
    /// A variable that is read before the step that fills it.
    USE_BEFORE_ASSIGNMENT = "use-before-assignment";
    /// A fallback that could refresh more than one variable.
    AMBIGUOUS_OUT = "ambiguous-out";

    /// A verb that is not in the registry.
    UNKNOWN_VERB = "unknown-verb";
    /// A method that does not exist.
    UNKNOWN_METHOD = "unknown-method";
    /// An argument that the verb does not take.
    UNKNOWN_ARGUMENT = "unknown-argument";
    /// An argument that the verb must have.
    MISSING_ARGUMENT = "missing-argument";
    /// An argument of the wrong type or value.
    BAD_ARGUMENT = "bad-argument";

    /// A template that does not exist.
    UNKNOWN_TEMPLATE = "unknown-template";
    /// A variable that a template needs and the step does not give.
    TEMPLATE_VARIABLE_MISSING = "template-variable-missing";
    /// A variable that a step gives and the template does not use.
    TEMPLATE_VARIABLE_UNUSED = "template-variable-unused";

    /// A wait that could last for ever.
    WAIT_WITHOUT_TIMEOUT = "wait-without-timeout";
    /// A wait that can end by its timer, and nothing that is done then.
    TIMEOUT_WITHOUT_FALLBACK = "timeout-without-fallback";
    /// Two branches side by side that fill one variable.
    BRANCHES_SHARE_VARIABLE = "branches-share-variable";
    /// A method that comes to call itself.
    RECURSIVE_METHOD = "recursive-method";
    /// A method that is to be started later, and does not exist.
    UNKNOWN_METHOD_TO_START = "unknown-method-to-start";
    /// A goal that the method which is to be started later does not take.
    GOAL_TO_START_UNFIT = "goal-to-start-unfit";
    /// A step that is never done.
    UNREACHABLE_STEP = "unreachable-step";
    /// More messages than the method's own limit allows.
    MESSAGES_OVER_LIMIT = "messages-over-limit";
    /// A `broadcast` to any number of people with nothing that holds it back.
    BROADCAST_WITHOUT_GATE = "broadcast-without-gate";
    /// Two messages that share a key, so that the second is never sent.
    SAME_MESSAGE_KEY = "same-message-key";
}
