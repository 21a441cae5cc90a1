//! Declares enums whose variants each have one stable word: the same string in the database and in JSON.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};

#[doc(hidden)]
pub use utoipa;

/// The schema of a type, as OpenAPI describes it.
pub type SchemaRef = RefOr<Schema>;

/// The stable word of a variant, with its meaning.
#[derive(Debug, Clone, Copy)]
pub struct Word {
    /// The word, as stored and shown.
    pub text: &'static str,
    /// The meaning of the word: the doc comment of its variant.
    pub about: &'static str,
}

/// Returns the schema of an enum of stable words: a string that is one of the words.
/// The description of the schema explains each word.
#[must_use]
pub fn schema(purpose: &str, words: &[Word]) -> SchemaRef {
    let mut description = format!("{}\n", purpose.trim());
    for word in words {
        let about = word.about.split_whitespace().collect::<Vec<_>>().join(" ");
        description.push_str(&format!("\n* `{}`: {about}", word.text));
    }
    let object = ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some(description))
        .enum_values(Some(words.iter().map(|word| word.text)));
    RefOr::T(Schema::Object(object.build()))
}

/// Declares a fieldless enum whose variants each have a stable word and a description.
///
/// The words are stored and returned by the API, so a variant may be renamed but its word never changes.
/// The enum gets:
///
/// * `ALL`: every variant, in the order of declaration;
/// * `as_str`, `Display` and `Serialize`: the stable word;
/// * `parse` and `Deserialize`: the variant of a word;
/// * `about`: the doc comment of a variant, from which reference pages are generated;
/// * `ToSchema`: a string that is one of the words.
#[macro_export]
macro_rules! words {
    ($(#[doc = $purpose:literal])+ pub enum $name:ident {
        $($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)+
    }) => {
        $(#[doc = $purpose])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[doc = $doc])+ $variant,)+ }

        impl $name {
            /// All variants, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the stable word, as stored and shown.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Parses a stable word; `None` if no variant has this word.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }

            /// Returns the meaning of the variant, from its doc comment.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc, "\n"),+).trim(),)+ }
            }
        }

        impl $crate::base::words::utoipa::PartialSchema for $name {
            fn schema() -> $crate::base::words::SchemaRef {
                let words = [$($crate::base::words::Word {
                    text: $text,
                    about: Self::$variant.about(),
                }),+];
                $crate::base::words::schema(concat!($($purpose, "\n"),+), &words)
            }
        }

        impl $crate::base::words::utoipa::ToSchema for $name {}

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.as_str())
            }
        }

        impl<'de> ::serde::Deserialize<'de> for $name {
            fn deserialize<D: ::serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = <::std::borrow::Cow<'de, str> as ::serde::Deserialize<'de>>::deserialize(d)?;
                Self::parse(&text).ok_or_else(|| {
                    ::serde::de::Error::unknown_variant(&text, &[$($text),+])
                })
            }
        }
    };
}

#[cfg(test)]
#[expect(unreachable_pub, reason = "the macro declares public enums; this one is of a test")]
mod tests {
    words! {
        /// The state of a door.
        pub enum Door {
            /// Anybody may enter.
            Open = "open",
            /// Nobody may enter,
            /// not even with a key.
            Barred = "barred_for_all",
        }
    }

    #[test]
    fn a_variant_has_one_text_in_code_and_json() {
        for door in Door::ALL.iter().copied() {
            assert_eq!(Door::parse(door.as_str()), Some(door));
            assert_eq!(door.to_string(), door.as_str());
            let json = serde_json::to_value(door).expect("a text");
            assert_eq!(json, serde_json::json!(door.as_str()));
            assert_eq!(serde_json::from_value::<Door>(json).expect("a door"), door);
        }
        assert_eq!(Door::parse("Open"), None);
        let unknown = serde_json::from_str::<Door>("\"ajar\"").expect_err("no such door");
        assert!(unknown.to_string().contains("`open` or `barred_for_all`"), "{unknown}");
    }

    #[test]
    fn a_variant_tells_what_it_means() {
        assert_eq!(Door::Open.about(), "Anybody may enter.");
        assert_eq!(Door::Barred.about(), "Nobody may enter,\n not even with a key.");
    }
}
