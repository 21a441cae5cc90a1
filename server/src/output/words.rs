//! Small words.

/// `1 file`, `3 files`, `2 crashes`.
#[must_use]
pub(crate) fn counted(n: usize, what: &str) -> String {
    let ending = match n {
        1 => "",
        _ if what.ends_with("sh") => "es",
        _ => "s",
    };
    format!("{n} {what}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(0, "row"), "0 rows");
        assert_eq!(counted(1, "row"), "1 row");
        assert_eq!(counted(2, "row"), "2 rows");
        assert_eq!(counted(2, "crash"), "2 crashes");
    }
}
