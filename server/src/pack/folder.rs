//! The folders of a pack, and the paths of its files.

use std::fmt;

use abide_engine::words;

words! {
    /// A folder of a pack. A home has the same folders.
    pub enum PackFolder {
        /// Contracts of tools.
        Contracts = "contracts",
        /// Intents of staff.
        Intents = "intents",
        /// Methods.
        Methods = "methods",
        /// Scenarios, which test the methods.
        Scenarios = "scenarios",
        /// Templates of messages.
        Templates = "templates",
    }
}

/// Maximum length of a file name. It is short enough for every file system.
const NAME_CHARS_MAX: usize = 100;

impl PackFolder {
    /// Returns the extension of the files in this folder.
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Templates => "hbs",
            Self::Contracts | Self::Intents | Self::Methods | Self::Scenarios => "yaml",
        }
    }
}

/// The path of a file of a pack: a folder and a plain file name. So it never leads out of the pack or the home.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackPath {
    pub(crate) folder: PackFolder,
    name: String,
}

impl PackPath {
    /// Returns the path of a file; `None` if the name is not plain or has not the extension of the folder.
    /// A plain name consists of ASCII letters, digits, `-`, `_` and `.`, and does not begin with `.`.
    pub(crate) fn new(folder: PackFolder, name: &str) -> Option<Self> {
        let stem = name.strip_suffix(folder.extension())?.strip_suffix('.')?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let is_plain = !stem.is_empty() && !name.starts_with('.') && name.bytes().all(plain);
        (is_plain && name.len() <= NAME_CHARS_MAX).then(|| Self { folder, name: name.to_owned() })
    }

    /// Returns the name of the file without its folder.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Parses a path such as `methods/greet.yaml`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (folder, name) = text.split_once('/')?;
        Self::new(PackFolder::parse(folder)?, name)
    }
}

impl fmt::Display for PackPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.folder, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_never_leads_out_of_its_folder() {
        for good in ["methods/greet.yaml", "templates/a-b_c.2.hbs", "contracts/dogs.yaml"] {
            assert_eq!(PackPath::parse(good).map(|it| it.to_string()).as_deref(), Some(good));
        }
        let bad = [
            "greet.yaml",
            "methods/../greet.yaml",
            "methods/a/b.yaml",
            "methods/..yaml",
            "methods/.hidden.yaml",
            "methods/greet.hbs",
            "methods/.yaml",
            "methods/a b.yaml",
            "methods\\greet.yaml",
            "/methods/greet.yaml",
            "packs/greet.yaml",
            "methods/",
        ];
        for bad in bad {
            assert_eq!(PackPath::parse(bad), None, "{bad}");
        }
    }
}
