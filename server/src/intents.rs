//! The intents that a home adds, and the folder where their trained weights are kept.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use abide_agent::operator::OperatorIntents;
use abide_engine::base::Problem;
use abide_engine::library::Library;
use abide_verbs::{Intents, WeightsCache};

use crate::library::invalid;

/// Reads the intents of a library, which have no errors. Their weights are kept in the user's cache folder, so that
/// they are trained once and not by every command.
///
/// # Errors
/// `library_invalid` with file and line of the first error.
pub(crate) fn load(library: &Library, home: Option<&Path>) -> Result<Arc<Intents>, Problem> {
    if library.intents().is_empty() {
        return Ok(Arc::clone(Intents::builtin()));
    }
    let exists = |method: &str| library.methods.contains_key(method);
    let (intents, findings) = Intents::load(library.intents(), &exists);
    invalid(&findings, home)?;
    let Some(folder) = cache_folder() else { return Ok(Arc::new(intents)) };
    let file = folder.join(format!("staff-{}.bin", intents.digest()));
    Ok(Arc::new(intents.cached_in(Box::new(CacheFile(file)))))
}

/// Reads the intents of the operator of a library, which have no errors. Their weights are kept as those of the others.
///
/// # Errors
/// `library_invalid` with file and line of the first error.
pub(crate) fn load_operator(
    library: &Library,
    home: Option<&Path>,
) -> Result<Arc<OperatorIntents>, Problem> {
    let (intents, findings) = OperatorIntents::load(library.intents(), &library.contracts);
    invalid(&findings, home)?;
    if intents.is_builtin() {
        return Ok(Arc::clone(OperatorIntents::builtin()));
    }
    let Some(folder) = cache_folder() else { return Ok(Arc::new(intents)) };
    let file = folder.join(format!("operator-{}.bin", intents.digest()));
    Ok(Arc::new(intents.cached_in(Box::new(CacheFile(file)))))
}

/// Returns the folder for files that can be made again, as the XDG Base Directory Specification has it; `None` if
/// the user has none.
fn cache_folder() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(base.join("abide"))
}

/// A file of weights.
#[derive(Debug)]
struct CacheFile(PathBuf);

impl WeightsCache for CacheFile {
    fn load(&self) -> Option<Vec<u8>> {
        std::fs::read(&self.0).ok()
    }

    fn save(&self, weights: &[u8]) {
        if let Err(error) = write(&self.0, weights) {
            tracing::debug!(file = %self.0.display(), %error, "the weights of intents are not kept");
        }
    }
}

/// Writes a file in one piece, so that no other process reads a part of it.
fn write(file: &Path, content: &[u8]) -> io::Result<()> {
    let folder = file.parent().ok_or(io::ErrorKind::NotFound)?;
    std::fs::create_dir_all(folder)?;
    let part = folder.join(format!("{}.part", std::process::id()));
    std::fs::write(&part, content)?;
    std::fs::rename(&part, file)
}
