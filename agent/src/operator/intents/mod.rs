//! What staff of a trade can ask for: the intents of the program, one for each tool, and those that a home adds as
//! files. An intent is a list of tools with examples of texts that want them.

mod builtin;
mod file;
#[cfg(test)]
mod tests;
mod weights;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, OnceLock};

use abide_language::base::Digest;
use abide_language::contract::Contracts;
use abide_language::diagnostic::Diagnostic;
use jiff::Zoned;
use jiff::civil::date;
use jiff::tz::TimeZone;
use serde::Deserialize;

pub use self::weights::OperatorClassifier;
use self::weights::PreparedTexts;
use super::features::{BUCKETS, features, features_of_text};
use super::tag::Tagged;
use super::token::tokens;
use crate::classify::{Feature, PreparedExamples, TrainingExample, normalised};
use crate::staff::{Choice, Slot, WeightsCache};
use crate::text::words;

/// Most intents that a home may add. The time to read a text grows with their number.
const INTENTS_MAX: usize = 60;
/// An intent of a home with fewer examples has them repeated up to this number, as many as the program's own have.
const EXAMPLES_MIN: usize = 25;

/// The weights of the classifier of the program's own intents.
const BUILTIN_WEIGHTS: &[u8] = include_bytes!("../../../weights/operator.bin");
/// The program's own intents.
static BUILTIN: LazyLock<Arc<OperatorIntents>> = LazyLock::new(Arc::default);

/// The intent of texts that ask for what no tool or rule allows, or for what is not the work of the business.
pub(super) const REFUSE: &str = "refuse";
/// The intent of texts that ask for nothing.
pub(super) const SMALLTALK: &str = "smalltalk";
/// The intent of texts that do not say enough to act on.
pub(super) const VAGUE: &str = "vague";

/// Whether an intent names no tool.
pub(super) fn is_idle(intent: &str) -> bool {
    matches!(intent, REFUSE | SMALLTALK | VAGUE)
}

/// What staff of a trade can ask for.
#[derive(Debug, Default)]
pub struct OperatorIntents {
    /// The intents of a home, by name.
    own: BTreeMap<String, OwnTools>,
    /// Examples that a home adds to an intent of the program: the text and the name of the intent.
    more: Vec<TrainingExample>,
    classifier: OnceLock<OperatorClassifier>,
    cache: Option<Box<dyn WeightsCache>>,
}

/// An intent of a home that calls tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnTools {
    pub(super) name: String,
    /// The tools that it calls, in their order.
    pub(super) tools: Vec<String>,
    /// The members of the input that words of the text choose.
    pub(super) slots: Vec<Slot>,
    pub(super) examples: Vec<String>,
}

/// A file of the program.
#[derive(Debug, Deserialize)]
struct BuiltinFile {
    intent: String,
    examples: Vec<String>,
}

/// An intent that a clause may have.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ScoredIntent {
    pub(super) name: String,
    pub(super) probability: f32,
}

impl OperatorIntents {
    /// Returns the intents of the program.
    #[must_use]
    pub fn builtin() -> &'static Arc<Self> {
        &BUILTIN
    }

    /// Reads the files of a home, by name. Files without `tools` are intents of staff and are left alone. A file with
    /// an error is left out, and reported as findings. It may name the tools that have a contract.
    #[must_use]
    pub fn load(
        files: &BTreeMap<String, String>,
        contracts: &Contracts,
    ) -> (Self, Vec<Diagnostic>) {
        let (mut intents, mut findings) = (Self::default(), Vec::new());
        for (name, text) in files {
            findings.extend(file::read(name, text, &mut intents, contracts));
        }
        (intents, findings)
    }

    /// Whether a home adds nothing.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        self.own.is_empty() && self.more.is_empty()
    }

    /// Returns the tools that an intent calls, in their order. The intents of the program have the names of their
    /// tools.
    pub(super) fn tools_of<'i>(&'i self, intent: &'i str) -> Vec<&'i str> {
        match self.own.get(intent) {
            Some(own) => own.tools.iter().map(String::as_str).collect(),
            None if is_idle(intent) => Vec::new(),
            None => vec![intent],
        }
    }

    /// Returns the choices of a member of the input that an intent of the home with this tool names.
    pub(super) fn choices(&self, tool: &str, member: &str) -> impl Iterator<Item = &Choice> {
        let own = self.own.values().filter(move |own| own.tools.iter().any(|it| it == tool));
        own.flat_map(|own| &own.slots)
            .filter(move |slot| slot.name == member)
            .flat_map(|it| &it.choices)
    }

    /// Returns a digest of all examples and of the program's own weights. Intents with the same digest have the same
    /// weights.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut all = BUILTIN_WEIGHTS.to_vec();
        for example in self.examples() {
            all.extend(format!("{}\0{}\0", example.label, example.text).bytes());
        }
        Digest::of(&all)
    }

    /// Returns these intents with a place where their weights are kept.
    #[must_use]
    pub fn cached_in(self, cache: Box<dyn WeightsCache>) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// Returns the classifier. If a home adds something, and neither this process nor the cache has its weights, they
    /// are trained, which takes seconds.
    pub fn classifier(&self) -> &OperatorClassifier {
        self.classifier.get_or_init(|| {
            let kept = match self.is_builtin() {
                true => Some(Cow::Borrowed(BUILTIN_WEIGHTS)),
                false => self.cache.as_ref().and_then(|cache| cache.load()).map(Cow::Owned),
            };
            if let Some(kept) = kept.and_then(|kept| OperatorClassifier::from_bytes(&kept).ok()) {
                return kept;
            }
            let trained = train(&self.examples());
            if let Some(cache) = &self.cache {
                cache.save(&trained.to_bytes());
            }
            trained
        })
    }

    /// Returns the intents that some tokens of a text may have, in no order.
    pub(super) fn scores(
        &self,
        text: &Tagged<'_>,
        clause: std::ops::Range<usize>,
        meant: Option<&'static str>,
    ) -> Vec<ScoredIntent> {
        let features = features(text, clause, meant);
        self.classifier().scores(&features)
    }

    /// Returns the probability that a text must not be done, by all its words.
    pub(super) fn refusal(&self, text: &Tagged<'_>) -> f32 {
        self.classifier().refusal(&features_of_text(text))
    }

    /// Returns all examples. Where a home gives a text of the program another meaning, the home's counts.
    #[must_use]
    pub fn examples(&self) -> Vec<TrainingExample> {
        let own = self.own.values().flat_map(|intent| {
            let times = EXAMPLES_MIN.div_ceil(intent.examples.len().max(1));
            let repeated =
                intent.examples.iter().flat_map(move |it| std::iter::repeat_n(it, times));
            repeated.map(|text| example(&intent.name, text))
        });
        let own: Vec<TrainingExample> = own.chain(self.more.iter().cloned()).collect();
        let taken: BTreeSet<Vec<String>> = own.iter().map(|it| words(&it.text)).collect();
        let files = builtin::FILES.iter().filter_map(|text| builtin_examples(text).ok());
        let mut all: Vec<TrainingExample> = files
            .flatten()
            .filter(|it| taken.is_empty() || !taken.contains(&words(&it.text)))
            .collect();
        all.extend(own);
        all
    }
}

fn example(label: &str, text: &str) -> TrainingExample {
    TrainingExample { text: text.to_owned(), context: String::new(), label: label.to_owned() }
}

/// Reads the examples of a file of the program.
///
/// # Errors
/// A sentence that says what is wrong with the file.
pub fn builtin_examples(yaml: &str) -> Result<Vec<TrainingExample>, String> {
    let file: BuiltinFile = serde_yaml::from_str(yaml).map_err(|error| error.to_string())?;
    Ok(file.examples.iter().map(|text| example(&file.intent, text)).collect())
}

/// Trains the classifier on these examples. This takes seconds.
#[must_use]
pub fn train(examples: &[TrainingExample]) -> OperatorClassifier {
    let now = training_instant();
    let mut prepared = PreparedTexts { clauses: Vec::new(), texts: Vec::new() };
    for TrainingExample { text, label, .. } in examples {
        let tagged = Tagged::of(text, tokens(text), &now);
        let of = |features| PreparedExamples { variants: thinned(features), label: label.clone() };
        prepared.clauses.push(of(features(&tagged, 0..tagged.tokens.len(), None)));
        prepared.texts.push(of(features_of_text(&tagged)));
    }
    OperatorClassifier::train(&prepared, BUCKETS)
}

/// Returns the features of an example, and variants without some of them: a text that is new has only some of the words
/// of the examples, so that no word may carry all the weight.
fn thinned(features: Vec<Feature>) -> Vec<Vec<Feature>> {
    let mut random = fastrand::Rng::with_seed(THINNING_SEED);
    let mut variants = vec![features];
    for _ in 0..THINNED {
        let kept = variants[0].iter().filter(|_| random.f32() < KEPT_SHARE).copied();
        variants.push(normalised(kept.collect()));
    }
    variants
}

/// How many variants of an example lack some features.
const THINNED: usize = 2;
/// The share of the features that such a variant keeps.
const KEPT_SHARE: f32 = 0.8;
/// Any fixed number: the same examples give the same weights.
const THINNING_SEED: u64 = 20_251_005;

/// The instant at which examples are read. What is a time in a text hardly depends on it.
fn training_instant() -> Zoned {
    let noon = date(2026, 5, 4).at(12, 0, 0, 0);
    TimeZone::UTC.to_ambiguous_zoned(noon).compatible().unwrap_or_default()
}
