//! Description of the measured machine, without which the figures mean nothing.

use std::fmt;

use serde::Serialize;

/// The machine and the build that the figures depend on.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Machine {
    os: String,
    arch: String,
    cpu: Option<String>,
    cores: usize,
    memory_gb: Option<f64>,
    /// `release` or `debug`; the figures of a debug build are not meaningful.
    build: &'static str,
    version: &'static str,
}

impl Machine {
    /// Describes this machine.
    pub(super) fn current() -> Self {
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        Self {
            os: match read("/proc/sys/kernel/osrelease").trim() {
                "" => std::env::consts::OS.to_owned(),
                release => format!("{} {release}", std::env::consts::OS),
            },
            arch: std::env::consts::ARCH.to_owned(),
            cpu: value_of(&read("/proc/cpuinfo"), "model name"),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            memory_gb: value_of(&read("/proc/meminfo"), "MemTotal").and_then(|text| {
                let kilobytes: f64 = text.trim_end_matches("kB").trim().parse().ok()?;
                Some((kilobytes / 1024.0 / 1024.0 * 10.0).round() / 10.0)
            }),
            build: if cfg!(debug_assertions) { "debug" } else { "release" },
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}

/// Returns the value of the first line that has the form `name : value`.
fn value_of(text: &str, name: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "abide {} ({}), {} {}", self.version, self.build, self.os, self.arch)?;
        write!(f, ", {} cores", self.cores)?;
        if let Some(cpu) = &self.cpu {
            write!(f, " of {cpu}")?;
        }
        if let Some(memory) = self.memory_gb {
            write!(f, ", {memory} GB")?;
        }
        Ok(())
    }
}
