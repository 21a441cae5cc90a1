//! What the three life cycles of the domain share: a state that does not allow a change.

use abide_engine::base::Problem;

/// A change that the life cycle does not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a {noun} that is `{from}` cannot take `{cause}`")]
pub struct Illegal {
    /// What would change: `request`, `offer` or `assignment`.
    pub noun: &'static str,
    /// The state it is in.
    pub from: &'static str,
    /// What was asked of it.
    pub cause: &'static str,
}

impl From<Illegal> for Problem {
    fn from(illegal: Illegal) -> Self {
        Self::caller("wrong_state", illegal.to_string())
            .with_hint(format!("look at the {}'s state first", illegal.noun))
    }
}

/// Declares a closed set of words as a fieldless enum with its stable texts.
macro_rules! words {
    ($(#[$doc:meta])* pub enum $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// All of them, in the order of a life.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The stable text, as stored and shown.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// From the stable text.
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
