//! All domains of the program: their tables, and the code of their tools. The server, the simulator and the
//! tests take them from here, so that a simulation plays what production runs.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use abide_agent::operator::OperatorIntents;
use abide_engine::base::Digest;
use abide_engine::domain::Domain;
use abide_engine::facade::{Engine, PreviewConfig, PreviewThread};
use abide_engine::library::Library;
use abide_engine::store::{ArchivedGroup, CopiedTable, KeptTable, Migration, TextTable};
use abide_engine::verb::Verbs;
use abide_judgement::TextJudge;
use abide_judgement::obligations::{Asker, ToolAdapters};
use abide_judgement::operator::Layers;
use abide_trade::files::FileStore;
use abide_verbs::data::copy::COPIED;
use abide_verbs::{ChurchDomain, Intents};
use serde_json::json;

/// Returns the migrations of the engine and of all domains, sorted by number.
#[must_use]
pub fn migrations() -> Vec<Migration> {
    Migration::in_order([
        abide_verbs::migrations(),
        abide_trade::migrations(),
        abide_judgement::migrations(),
    ])
}

/// Returns the verbs of all domains, and what carries out the calls of data-driven tools. The tools store
/// files in `files`.
#[must_use]
pub fn verbs(files: FileStore) -> Verbs {
    let tools = abide_judgement::obligations::verbs();
    abide_verbs::verb::all().join(abide_trade::verbs(files)).join(tools)
}

/// Returns the domain of people and requests, in which staff can ask for what these intents contain. What they ask for
/// beside the church is judged by the operator, whose tools come from `library`.
#[must_use]
pub fn church(intents: Arc<Intents>, library: &Library, files: FileStore) -> Arc<dyn Domain> {
    let judge = TextJudge::new(operator_layers(library, files));
    Arc::new(ChurchDomain::with_intents(intents).with_judge(Arc::new(judge)))
}

/// Returns the intents that a home adds, without those that have errors. Libraries with the same files and methods
/// share the intents, because their weights are trained at the first text.
#[must_use]
pub fn intents(library: &Library) -> Arc<Intents> {
    static KNOWN: Mutex<BTreeMap<Digest, Arc<Intents>>> = Mutex::new(BTreeMap::new());
    let files = library.intents();
    if files.is_empty() {
        return Arc::clone(Intents::builtin());
    }
    let methods: Vec<&String> = library.methods.keys().collect();
    let exists = |method: &str| library.methods.contains_key(method);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let intents = known.entry(Digest::of_value(&json!([files, methods])));
    Arc::clone(intents.or_insert_with(|| Arc::new(Intents::load(files, &exists).0)))
}

/// Returns what the operator needs besides the database. Its tools of risk T0 read files from `files`.
#[must_use]
pub fn operator_layers(library: &Library, files: FileStore) -> Layers {
    Layers {
        contracts: Arc::clone(&library.contracts),
        verbs: Arc::new(verbs(files)),
        intents: operator_intents(library),
        goals: Arc::default(),
    }
}

/// Returns what answers the texts of an engine.
#[must_use]
pub fn asker(engine: &Engine) -> Asker {
    Asker::new(engine.clone(), tool_adapters(&engine.library()))
}

/// Returns the adapters of a library. One with an error is left out with all others; a server refuses to start with one.
#[must_use]
pub fn tool_adapters(library: &Library) -> Arc<ToolAdapters> {
    Arc::new(ToolAdapters::load(library.adapters(), &library.contracts).unwrap_or_default())
}

/// Returns what staff can ask the operator for, without what has errors. Libraries with the same intents and contracts
/// share it, because the weights of a home are trained at the first text.
#[must_use]
pub fn operator_intents(library: &Library) -> Arc<OperatorIntents> {
    let files = library.intents();
    if files.is_empty() {
        return Arc::clone(OperatorIntents::builtin());
    }
    let load = || Arc::new(OperatorIntents::load(files, &library.contracts).0);
    Arc::clone(known_intents().entry(operator_key(library)).or_insert_with(load))
}

/// Lets all libraries with the same intents and contracts as this one use intents that have been read, whose weights
/// may have been trained.
pub fn share_operator_intents(library: &Library, intents: Arc<OperatorIntents>) {
    known_intents().insert(operator_key(library), intents);
}

type KnownIntents = BTreeMap<Digest, Arc<OperatorIntents>>;

fn known_intents() -> MutexGuard<'static, KnownIntents> {
    static KNOWN: Mutex<KnownIntents> = Mutex::new(BTreeMap::new());
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the intents of the operator depend on.
fn operator_key(library: &Library) -> Digest {
    let tools: Vec<&str> = library.contracts.names().collect();
    Digest::of_value(&json!([library.intents(), tools]))
}

/// Returns what a process needs to play shadow runs. Files that a run stores in its copy are kept in memory, so
/// a shadow run leaves none, and does not find those that real runs have stored.
#[must_use]
pub fn preview() -> PreviewConfig {
    PreviewConfig {
        verbs: || verbs(FileStore::in_memory()),
        copied: copied_tables(),
        play_on: PreviewThread::Task,
    }
}

/// Returns the tables of all domains that are copied with a run, so that the copy continues as the run
/// would.
#[must_use]
pub fn copied_tables() -> &'static [CopiedTable] {
    static ALL: LazyLock<Vec<CopiedTable>> = LazyLock::new(|| {
        [
            &COPIED[..],
            abide_trade::data::copied_tables(),
            &abide_judgement::data::copied::COPIED[..],
        ]
        .concat()
    });
    &ALL
}

/// Returns the tables of all domains with texts that may name or quote somebody.
#[must_use]
pub fn text_tables() -> &'static [TextTable] {
    static ALL: LazyLock<Vec<TextTable>> = LazyLock::new(|| {
        [
            &abide_verbs::data::texts::TEXTS[..],
            &abide_judgement::data::texts::TEXTS[..],
            abide_trade::data::text_tables(),
        ]
        .concat()
    });
    &ALL
}

/// Returns the groups of rows of all domains that leave the database for an archive, in the order in which they leave.
#[must_use]
pub fn archived_groups() -> &'static [ArchivedGroup] {
    static ALL: LazyLock<Vec<ArchivedGroup>> = LazyLock::new(|| {
        let judged = abide_judgement::data::archived::ARCHIVED;
        [&judged[..], &abide_verbs::data::archived::ARCHIVED[..]].concat()
    });
    &ALL
}

/// Returns all tables, each with how long it keeps its rows.
#[must_use]
pub fn kept_tables() -> Vec<KeptTable> {
    let mut all = abide_engine::store::kept_tables().to_vec();
    all.extend(abide_verbs::data::archived::KEPT);
    all.extend(abide_trade::data::kept_tables());
    all.extend(abide_judgement::data::archived::KEPT);
    all
}
