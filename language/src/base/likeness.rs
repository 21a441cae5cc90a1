//! Suggests a known name for a misspelt name.

/// The similarity that a name must exceed to be suggested, on the Jaro-Winkler scale from 0 to 1.
const LIKENESS_MIN: f64 = 0.8;

/// Returns the known name that is most similar to `name`; `None` if none is similar enough.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness > LIKENESS_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

/// Returns the hint "did you mean …?" with the most similar known name; `None` if none is similar enough.
#[must_use]
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(name, known).map(|known| format!("did you mean `{known}`?"))
}
