//! What the domain's three state machines share: the error for an illegal transition, and a macro
//! for enums with stable texts.

use abide_engine::base::Problem;

/// A transition that the state machine does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {noun} in state `{from}` does not allow `{cause}`")]
pub struct Illegal {
    /// What was to change: `request`, `offer` or `assignment`.
    pub noun: &'static str,
    /// Its current state.
    pub from: &'static str,
    /// The cause that was refused.
    pub cause: &'static str,
}

impl From<Illegal> for Problem {
    fn from(illegal: Illegal) -> Self {
        Self::caller("wrong_state", illegal.to_string())
            .with_hint(format!("check the {}'s state first", illegal.noun))
    }
}

/// Declares a fieldless enum whose variants each have a stable text.
macro_rules! words {
    ($(#[$doc:meta])* pub enum $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// All variants, in declaration order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the stable text, as stored and shown.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// Parses a stable text; `None` if no variant has it.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use words;
