//! Where adapters read their settings, most of which are secret.

use std::sync::Arc;

use abide_engine::base::Problem;

/// Returns a setting by the name of its environment variable; `None` if it is not set.
type ReadSetting = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Reads settings by the names of environment variables.
#[derive(Clone)]
pub struct Secrets(Arc<ReadSetting>);

impl Secrets {
    /// Reads settings with a function, which returns `None` for a setting that is not set.
    pub fn from_fn(read: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// Reads settings from the environment of the process.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "secrets must not stand in files")]
    pub fn from_environment() -> Self {
        Self::from_fn(|name| std::env::var(name).ok())
    }

    /// Returns a setting that the call cannot do without.
    pub(crate) fn required(&self, name: &str) -> Result<String, Problem> {
        let unset = || Problem::operator("not_configured", format!("{name} is not set"));
        self.get(name).ok_or_else(unset)
    }

    /// Returns a setting; `None` if it is not set or empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<String> {
        (self.0)(name).filter(|value| !value.is_empty())
    }
}
