//! What staff can ask for: the intents of the program, and those that a home adds as files.

mod file;
mod read;
mod reader;
mod rival;
mod slot;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock, OnceLock};

use abide_language::base::Digest;
use abide_language::diagnostic::Diagnostic;

pub use self::read::OwnRequest;
pub(crate) use self::reader::IntentReader;
pub(super) use self::rival::without_rivals;
pub use self::slot::{Choice, Slot, SlotKind};
use crate::classify::{Classifier, TrainingExample};
use crate::examples;
use crate::text::words;

use super::{StaffIntent, train_on_examples};

/// Most intents that a home may add. The time to read a text grows with their number.
const INTENTS_MAX: usize = 60;
/// Most examples of one intent. More teach little, and training takes longer.
const EXAMPLES_MAX: usize = 500;
/// An intent with fewer examples has them repeated up to this number. Otherwise the program's own intents would
/// outweigh it, which have hundreds of examples each.
const EXAMPLES_MIN: usize = 120;
/// The probability from which a text may mean an intent of a home, though most such texts ask for nothing. It is
/// asked back then: with few examples a classifier is never sure.
const OWN_FROM: f32 = 0.15;
/// Most slots of one intent.
const SLOTS_MAX: usize = 12;

/// The weights of the classifier of the program's own intents.
const BUILTIN_WEIGHTS: &[u8] = include_bytes!("../../../weights/staff.bin");
/// The program's own intents.
static BUILTIN: LazyLock<Arc<Intents>> = LazyLock::new(Arc::default);

/// What staff can ask for.
#[derive(Debug, Default)]
pub struct Intents {
    /// The intents of a home, by name.
    own: BTreeMap<String, OwnIntent>,
    /// Examples that a home adds to an intent of the program: the text and the name of the intent.
    more: Vec<TrainingExample>,
    classifier: OnceLock<Classifier>,
    cache: Option<Box<dyn WeightsCache>>,
}

/// Where the weights of intents are kept between processes, because it takes seconds to train them.
pub trait WeightsCache: std::fmt::Debug + Send + Sync {
    /// Returns the weights that were kept; `None` if there are none.
    fn load(&self) -> Option<Vec<u8>>;

    /// Keeps weights. If that fails, they are trained again.
    fn save(&self, weights: &[u8]);
}

/// What a clause asks for, as the classifier finds.
pub(super) struct Classified {
    /// The intent of a home and its probability, if it is the most probable of all.
    pub(super) own: Option<(String, f32)>,
    /// The probabilities of the program's own intents, the most probable first. Their sum is 1.
    pub(super) scores: Vec<(StaffIntent, f32)>,
}

/// An intent of a home: what a text means, what it must name, and which goal follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnIntent {
    /// Its name: `deep_clean`.
    pub name: String,
    /// The domain whose tenants have it; `None` for all.
    pub domain: Option<String>,
    /// What happens, as staff are told: "Get a room cleaned".
    pub description: String,
    /// The `kind` of the goal.
    pub kind: String,
    /// The method that serves the goal; `None` if the planner chooses it.
    pub method: Option<String>,
    /// Whether staff must say yes to what was understood before anything starts.
    pub confirm: bool,
    /// What a text can name, in the sequence of the questions about it.
    pub slots: Vec<Slot>,
    examples: Vec<String>,
}

impl Intents {
    /// Returns the intents of the program.
    #[must_use]
    pub fn builtin() -> &'static Arc<Self> {
        &BUILTIN
    }

    /// Reads the files of a home, by name. A file with an error is left out, and reported as findings. It may name
    /// the methods that exist.
    #[must_use]
    pub fn load(
        files: &BTreeMap<String, String>,
        method_exists: &dyn Fn(&str) -> bool,
    ) -> (Self, Vec<Diagnostic>) {
        let (mut intents, mut findings) = (Self::default(), Vec::new());
        for (name, text) in files {
            findings.extend(file::read(name, text, &mut intents, method_exists));
        }
        (intents, findings)
    }

    /// Whether a home adds nothing.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        self.own.is_empty() && self.more.is_empty()
    }

    /// Returns an intent of the home.
    #[must_use]
    pub fn own(&self, name: &str) -> Option<&OwnIntent> {
        self.own.get(name)
    }

    /// Returns the intent of the home from which a goal of this kind follows.
    #[must_use]
    pub fn of_kind(&self, kind: &str) -> Option<&OwnIntent> {
        self.own.values().find(|intent| intent.kind == kind)
    }

    /// Returns a digest of all examples and of the program's own weights. Intents with the same digest have the same
    /// weights.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut all = BUILTIN_WEIGHTS.to_vec();
        for example in self.examples() {
            all.extend(format!("{}\0{}\0", example.label, example.text).bytes());
        }
        for words in self.own.values().flat_map(|intent| &intent.slots).flat_map(Slot::words) {
            all.extend(format!("{words}\0").bytes());
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
    pub fn classifier(&self) -> &Classifier {
        self.classifier.get_or_init(|| {
            let kept = match self.is_builtin() {
                true => Some(Cow::Borrowed(BUILTIN_WEIGHTS)),
                false => self.cache.as_ref().and_then(|cache| cache.load()).map(Cow::Owned),
            };
            if let Some(kept) = kept.and_then(|kept| Classifier::from_bytes(&kept).ok()) {
                return kept;
            }
            let trained = train_on_examples(self);
            if let Some(cache) = &self.cache {
                cache.save(&trained.to_bytes());
            }
            trained
        })
    }

    /// Returns a text in which the values of choices are hidden.
    #[must_use]
    pub fn masked(&self, text: &str) -> String {
        self.own.values().fold(text.to_owned(), |text, intent| intent.masked(&text))
    }

    /// Returns what a clause asks for, whose slots are hidden.
    pub(super) fn classify(&self, masked: &str) -> Classified {
        let mut found = Classified { own: None, scores: Vec::new() };
        let (mut builtin, mut rival) = (0.0, 0.0_f32);
        for score in self.classifier().scores(&self.masked(masked), "") {
            let p = score.probability;
            match StaffIntent::parse(score.label) {
                Some(intent) => {
                    builtin += p;
                    found.scores.push((intent, p));
                    if intent != StaffIntent::Unrelated {
                        rival = rival.max(p);
                    }
                }
                None if found.own.is_none() && p >= rival && p >= OWN_FROM => {
                    found.own = Some((score.label.to_owned(), p));
                }
                None => {}
            }
        }
        if builtin > 0.0 {
            found.scores.iter_mut().for_each(|(_, p)| *p /= builtin);
        }
        found
    }

    /// Returns all examples. Where a home gives a text of the program another meaning, the home's counts.
    #[must_use]
    pub fn examples(&self) -> Vec<TrainingExample> {
        let own = self.own.values().flat_map(|intent| {
            let times = EXAMPLES_MIN.div_ceil(intent.examples.len().max(1));
            let repeated =
                intent.examples.iter().flat_map(move |it| std::iter::repeat_n(it, times));
            repeated.map(|text| TrainingExample {
                text: text.clone(),
                context: String::new(),
                label: intent.name.clone(),
            })
        });
        let own: Vec<TrainingExample> = own.chain(self.more.iter().cloned()).collect();
        let taken: BTreeSet<Vec<String>> = own.iter().map(|example| words(&example.text)).collect();
        let builtin = examples::STAFF.iter().flat_map(|text| examples::of_intent(text));
        let mut all: Vec<TrainingExample> =
            builtin.flatten().filter(|example| !taken.contains(&words(&example.text))).collect();
        all.extend(own);
        all
    }
}

#[cfg(test)]
mod tests;
