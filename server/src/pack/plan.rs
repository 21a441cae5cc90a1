//! Decides what an install does to each file of a home.

use std::collections::BTreeMap;

use abide_engine::base::Digest;
use abide_engine::words;

use super::folder::PackPath;
use super::record::InstallRecord;

/// What an install is decided by.
pub(crate) struct InstallState<'a> {
    /// The files of the pack.
    pub(crate) new: &'a BTreeMap<PackPath, Digest>,
    /// The record of the version of the pack that is installed, if any.
    pub(crate) installed: Option<&'a InstallRecord>,
    /// The records of other packs.
    pub(crate) others: &'a [InstallRecord],
    /// The files that the home has, of those that the pack or its record names.
    pub(crate) present: &'a BTreeMap<PackPath, Digest>,
}

/// What an install does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct InstallPlan {
    /// Files to write, because the home has none or another text.
    pub(crate) write: Vec<PackPath>,
    /// Files to remove: files of the installed version that the new version lacks.
    pub(crate) remove: Vec<PackPath>,
    /// Files that already have the new text.
    pub(crate) unchanged: Vec<PackPath>,
    /// Files that would be lost. They are among those to write or to remove, too.
    pub(crate) conflicts: Vec<InstallConflict>,
}

/// A file of the home that an install would overwrite or remove, although it is not the pack's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InstallConflict {
    pub(crate) path: PackPath,
    pub(crate) reason: ConflictReason,
}

words! {
    /// The reason why an install must not touch a file of the home.
    pub enum ConflictReason {
        /// The pack did not install the file.
        NotOfThePack = "not_of_the_pack",
        /// The file was edited since the pack installed it.
        Edited = "edited",
        /// Another pack installed the file.
        OfAnotherPack = "of_another_pack",
    }
}

impl ConflictReason {
    /// Returns the reason as part of a sentence about the file.
    pub(crate) const fn sentence(self) -> &'static str {
        match self {
            Self::NotOfThePack => "the pack did not install it",
            Self::Edited => "it was edited since the pack installed it",
            Self::OfAnotherPack => "another pack installed it",
        }
    }
}

/// Decides what an install does. It replaces and removes exactly the files that the installed version of the
/// pack brought and that nobody edited. Any other file that is in its way is a conflict. A file that already
/// has the new text is none, so that an interrupted install can be repeated.
pub(crate) fn plan(state: &InstallState<'_>) -> InstallPlan {
    let mut plan = InstallPlan::default();
    for (path, digest) in state.new {
        if state.present.get(path) == Some(digest) {
            plan.unchanged.push(path.clone());
            continue;
        }
        plan.conflicts.extend(state.conflict(path));
        plan.write.push(path.clone());
    }
    let old = state.installed.into_iter().flat_map(|record| record.files.keys());
    for path in old.filter(|path| !state.new.contains_key(*path)) {
        // A file that another pack has taken over stays.
        if state.present.contains_key(path) && !state.is_of_another_pack(path) {
            plan.conflicts.extend(state.conflict(path));
            plan.remove.push(path.clone());
        }
    }
    plan
}

impl InstallState<'_> {
    /// Returns why a file must not be replaced or removed; `None` if it may.
    fn conflict(&self, path: &PackPath) -> Option<InstallConflict> {
        let present = self.present.get(path)?;
        let installed = self.installed.and_then(|record| record.files.get(path));
        let reason = match installed {
            _ if self.is_of_another_pack(path) => ConflictReason::OfAnotherPack,
            Some(digest) if digest == present => return None,
            Some(_) => ConflictReason::Edited,
            None => ConflictReason::NotOfThePack,
        };
        Some(InstallConflict { path: path.clone(), reason })
    }

    fn is_of_another_pack(&self, path: &PackPath) -> bool {
        self.others.iter().any(|record| record.files.contains_key(path))
    }
}

#[cfg(test)]
mod tests {
    use super::super::version::PackVersion;
    use super::*;

    /// Files by name, each with the text of which it has the digest.
    type Files = &'static [(&'static str, &'static str)];

    /// A home and a pack, each as files.
    #[derive(Clone, Copy, Default)]
    struct Case {
        new: Files,
        installed: Files,
        other: Files,
        present: Files,
    }

    fn files(files: Files) -> BTreeMap<PackPath, Digest> {
        let path = |name: &str| PackPath::parse(&format!("methods/{name}.yaml")).expect("a path");
        files.iter().map(|(name, text)| (path(name), Digest::of(text.as_bytes()))).collect()
    }

    fn record(name: &str, of: Files) -> InstallRecord {
        let version = PackVersion::parse("1.0.0").expect("a version");
        InstallRecord { name: name.to_owned(), version, files: files(of) }
    }

    /// Returns the plan as text: `+` written, `-` removed, `=` unchanged, `!` a conflict.
    fn planned(case: Case) -> String {
        let plan = plan(&InstallState {
            new: &files(case.new),
            installed: Some(&record("dogs", case.installed)),
            others: &[record("cats", case.other)],
            present: &files(case.present),
        });
        let name = |path: &PackPath| path.to_string().replace("methods/", "").replace(".yaml", "");
        let each = |mark: &str, paths: &[PackPath]| {
            paths.iter().map(|path| format!("{mark}{} ", name(path))).collect::<String>()
        };
        let conflicts = plan.conflicts.iter();
        let conflicts: String =
            conflicts.map(|it| format!("!{} {} ", name(&it.path), it.reason)).collect();
        let all = [each("+", &plan.write), each("-", &plan.remove), each("=", &plan.unchanged)];
        (all.concat() + &conflicts).trim().to_owned()
    }

    #[test]
    fn only_files_of_the_pack_that_nobody_edited_are_replaced() {
        let none = Case::default();
        let cases = [
            (Case { new: &[("a", "1")], ..none }, "+a"),
            (Case { new: &[("a", "1")], present: &[("a", "1")], ..none }, "=a"),
            (Case { new: &[("a", "1")], present: &[("a", "0")], ..none }, "+a !a not_of_the_pack"),
            (
                Case {
                    new: &[("a", "2")],
                    installed: &[("a", "1")],
                    present: &[("a", "1")],
                    ..none
                },
                "+a",
            ),
            (
                Case {
                    new: &[("a", "2")],
                    installed: &[("a", "1")],
                    present: &[("a", "x")],
                    ..none
                },
                "+a !a edited",
            ),
            (Case { new: &[("a", "2")], installed: &[("a", "1")], ..none }, "+a"),
            (Case { installed: &[("a", "1")], present: &[("a", "1")], ..none }, "-a"),
            (Case { installed: &[("a", "1")], present: &[("a", "x")], ..none }, "-a !a edited"),
            (Case { installed: &[("a", "1")], ..none }, ""),
            (
                Case { new: &[("a", "2")], other: &[("a", "1")], present: &[("a", "1")], ..none },
                "+a !a of_another_pack",
            ),
            (
                Case {
                    installed: &[("a", "1")],
                    other: &[("a", "1")],
                    present: &[("a", "1")],
                    ..none
                },
                "",
            ),
        ];
        for (case, expected) in cases {
            assert_eq!(planned(case), expected);
        }
    }
}
