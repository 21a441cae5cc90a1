//! Versions of packs and of the program: three numbers, such as `1.4.0`.

use std::fmt;

/// A version. A later number counts only if the numbers before it are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PackVersion {
    major: u32,
    minor: u32,
    patch: u32,
}

impl PackVersion {
    /// Parses three numbers with dots between them. A number has no leading zero, so that a version has
    /// only one spelling.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(number);
        let version =
            Self { major: numbers.next()??, minor: numbers.next()??, patch: numbers.next()?? };
        numbers.next().is_none().then_some(version)
    }

    /// Returns the version of this program.
    pub(crate) fn of_this_program() -> Option<Self> {
        Self::parse(env!("CARGO_PKG_VERSION"))
    }
}

fn number(text: &str) -> Option<u32> {
    let is_plain = text == "0" || !text.starts_with('0');
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_plain && digits)
}

impl fmt::Display for PackVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_three_plain_numbers() {
        for good in ["0.0.1", "1.0.0", "10.20.300"] {
            assert_eq!(PackVersion::parse(good).map(|it| it.to_string()).as_deref(), Some(good));
        }
        for bad in
            ["", "1", "1.0", "1.0.0.0", "01.0.0", "1.0.x", "+1.0.0", "1..0", "1.0.99999999999"]
        {
            assert_eq!(PackVersion::parse(bad), None, "{bad}");
        }
        assert!(PackVersion::parse("1.10.0") > PackVersion::parse("1.9.9"));
        assert!(PackVersion::of_this_program().is_some());
    }
}
