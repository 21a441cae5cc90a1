//! Checks the length and the nesting of a template's source before the
//! source is parsed, because the parser recurses over nested tags.

use crate::base::limits::{TEMPLATE_BYTES_MAX, TEMPLATE_DEPTH_MAX};

/// Rejects a source that is too long or nested too deeply, in one pass without recursion.
pub(super) fn within_bounds(source: &str) -> Result<(), String> {
    if source.len() > TEMPLATE_BYTES_MAX {
        return Err(format!("longer than {TEMPLATE_BYTES_MAX} bytes"));
    }
    let (mut blocks, mut brackets) = (0_usize, 0_usize);
    let mut rest = source;
    while let Some(open) = rest.find("{{") {
        let tag = rest[open..].trim_start_matches(['{', '~']);
        let inside = &tag[..tag.find("}}").unwrap_or(tag.len())];
        match inside.chars().next() {
            Some('#') => blocks += 1,
            Some('/') => blocks = blocks.saturating_sub(1),
            _ => {}
        }
        for c in inside.chars() {
            match c {
                '(' | '[' | '{' => brackets += 1,
                ')' | ']' | '}' => brackets = brackets.saturating_sub(1),
                _ => {}
            }
            if blocks + brackets > TEMPLATE_DEPTH_MAX {
                return Err(format!("nested deeper than {TEMPLATE_DEPTH_MAX}"));
            }
        }
        brackets = 0;
        rest = &tag[inside.len()..];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_sources_are_refused_before_they_are_parsed() {
        for (source, fits) in [
            ("{{a}} {{#if b}}{{c}}{{/if}}".to_owned(), true),
            ("{{#if a}}x{{/if}}".repeat(100), true),
            ("{{#if a}}".repeat(100), false),
            (format!("{{{{eq {} 1}}}}", "(".repeat(100)), false),
            (format!("{{{{eq {}", "[".repeat(100_000)), false),
            ("x".repeat(TEMPLATE_BYTES_MAX + 1), false),
            ("{".repeat(1000), true),
        ] {
            assert_eq!(within_bounds(&source).is_ok(), fits, "{:.40}", source);
        }
    }
}
