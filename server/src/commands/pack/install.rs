//! `abide pack install DIR`: copies a pack into the home, after it has passed its test.

use std::collections::BTreeMap;
use std::path::Path;

use abide_engine::base::Digest;
use abide_engine::library::Sources;
use serde_json::{Value, json};

use super::home::{Installation, PackHome};
use super::lint::{LintedPack, lint};
use super::read::ReadPack;
use super::{play, read};
use crate::cli::PackInstallArgs;
use crate::commands::context::{CommandResult, Context};
use crate::commands::lint::LintFile;
use crate::exit::Exit;
use crate::output::{self, counted};
use crate::pack::{
    InstallConflict, InstallPlan, InstallRecord, InstallState, PackFolder, PackManifest, PackPath,
    plan,
};
use crate::problem::ProblemDocument;

pub(super) async fn run(context: &Context, args: &PackInstallArgs) -> CommandResult {
    let root = home_folder(context)?;
    let home = PackHome::new(root);
    let pack = read::read(&args.folder)?;
    if !args.follow_links {
        refuse_links(&pack)?;
    }
    let records = home.records()?;
    let name = pack.manifest.as_ref().map(|manifest| manifest.name.as_str());
    let installed = records.iter().find(|record| Some(record.name.as_str()) == name);
    let linted = lint(pack, content_below(root, installed)?);
    let tested = play::test(context, &linted).await?;
    let (true, Some(manifest)) = (tested.passed(), &linted.pack.manifest) else {
        context.json(&tested.object(&linted.findings));
        return Ok(Exit::Failure);
    };
    let record = new_record(manifest, &linted);
    let plan = make_plan(&home, &record, &records)?;
    if !args.force {
        refuse_conflicts(&plan.conflicts)?;
    }
    if !args.dry_run {
        let texts = files(&linted).map(|(path, file)| (path, file.text.as_str())).collect();
        home.install(&Installation { plan: &plan, texts, record: &record })?;
    }
    if !context.json(&object(&record, &plan, args.dry_run)) {
        print(&record, &plan, args.dry_run);
    }
    Ok(Exit::Success)
}

/// Returns the home folder that the command was given.
fn home_folder(context: &Context) -> Result<&Path, ProblemDocument> {
    context.global.home.as_deref().ok_or_else(|| {
        let detail = "a pack is installed into a home folder, and none is given";
        ProblemDocument::new(422, "no_home", detail)
            .with_hint("add `--home DIR` or set `ABIDE_HOME`; `abide init DIR` makes a home")
    })
}

/// Refuses linked folders: a pack that somebody else wrote could otherwise copy files of the reader's.
fn refuse_links(pack: &ReadPack) -> Result<(), ProblemDocument> {
    if pack.linked.is_empty() {
        return Ok(());
    }
    let folders: Vec<&str> = pack.linked.iter().map(|folder| folder.as_str()).collect();
    let detail = format!("folders of the pack are links: {}", folders.join(", "));
    Err(ProblemDocument::new(422, "pack_linked", detail)
        .with_hint("look where they lead; add `--follow-links` if you trust the pack"))
}

/// Returns the content that the pack will be laid over: that of the program and of the home, without the
/// files of the installed version, which the install replaces.
fn content_below(
    root: &Path,
    installed: Option<&InstallRecord>,
) -> Result<Sources, ProblemDocument> {
    let mut sources = Sources::builtin().with_home(root)?;
    let builtin = Sources::builtin();
    for path in installed.into_iter().flat_map(|record| record.files.keys()) {
        let name = path.name();
        match path.folder {
            PackFolder::Contracts => sources.remove_home_contracts(name),
            PackFolder::Methods => {
                restore(&mut sources.methods, &builtin.methods, name);
            }
            PackFolder::Templates => {
                restore(&mut sources.templates, &builtin.templates, name);
            }
            PackFolder::Intents => drop(sources.intents.remove(name)),
            PackFolder::Scenarios => {}
        }
    }
    Ok(sources)
}

/// Replaces a text of the home by the built-in text of the same name, or removes it if there is none.
fn restore(texts: &mut BTreeMap<String, String>, builtin: &BTreeMap<String, String>, name: &str) {
    texts.remove(name);
    texts.extend(builtin.get(name).map(|text| (name.to_owned(), text.clone())));
}

/// Returns the files of the pack with their paths, without `pack.yaml`.
fn files(linted: &LintedPack) -> impl Iterator<Item = (PackPath, &LintFile)> {
    let files = linted.pack.files.iter();
    let folder = |kind| PackFolder::ALL.iter().copied().find(|folder| read::kind(*folder) == kind);
    files.filter_map(move |file| Some((PackPath::new(folder(file.kind)?, &file.name)?, file)))
}

fn new_record(manifest: &PackManifest, linted: &LintedPack) -> InstallRecord {
    let digests = files(linted).map(|(path, file)| (path, Digest::of(file.text.as_bytes())));
    InstallRecord {
        name: manifest.name.clone(),
        version: manifest.version,
        files: digests.collect(),
    }
}

fn make_plan(
    home: &PackHome<'_>,
    record: &InstallRecord,
    records: &[InstallRecord],
) -> Result<InstallPlan, ProblemDocument> {
    let (own, others): (Vec<_>, Vec<_>) =
        records.iter().cloned().partition(|known| known.name == record.name);
    let installed = own.first();
    let old = installed.into_iter().flat_map(|record| record.files.keys());
    let present = home.present(record.files.keys().chain(old))?;
    let state = InstallState { new: &record.files, installed, others: &others, present: &present };
    Ok(plan(&state))
}

/// Refuses to overwrite or remove files that are not the pack's.
fn refuse_conflicts(conflicts: &[InstallConflict]) -> Result<(), ProblemDocument> {
    if conflicts.is_empty() {
        return Ok(());
    }
    let listed: Vec<String> = conflicts
        .iter()
        .map(|InstallConflict { path, reason }| format!("`{path}` ({})", reason.sentence()))
        .collect();
    let detail = format!("files of the home are in the way: {}", listed.join(", "));
    Err(ProblemDocument::new(409, "pack_conflict", detail)
        .with_hint("move them away, or add `--force` to replace them; nothing was changed"))
}

fn object(record: &InstallRecord, plan: &InstallPlan, dry_run: bool) -> Value {
    let names = |paths: &[PackPath]| paths.iter().map(PackPath::to_string).collect::<Vec<_>>();
    json!({
        "pack": record.name,
        "version": record.version.to_string(),
        "dry_run": dry_run,
        "written": names(&plan.write),
        "removed": names(&plan.remove),
        "unchanged": names(&plan.unchanged),
    })
}

fn print(record: &InstallRecord, plan: &InstallPlan, dry_run: bool) {
    for (mark, paths) in [("+", &plan.write), ("-", &plan.remove)] {
        for path in paths {
            output::line(format_args!("{mark} {path}"));
        }
    }
    let done = if dry_run { "would install" } else { "installed" };
    let InstallRecord { name, version, .. } = record;
    output::note(format_args!(
        "{done} {name} {version}: {} written, {} removed, {} unchanged",
        counted(plan.write.len(), "file"),
        plan.remove.len(),
        plan.unchanged.len(),
    ));
}
