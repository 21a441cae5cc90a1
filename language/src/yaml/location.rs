//! Converts the positions that the parser reports to byte ranges.

use std::ops::Range;

use serde_saphyr::Location;

use crate::diagnostic::Source;

/// Returns the byte range of a position. The range has one byte if the parser knows only line and column.
pub(super) fn bytes_of(source: &Source<'_>, place: &Location) -> Range<usize> {
    let span = place.span();
    if let (Some(offset), Some(len)) = (span.byte_offset(), span.byte_len()) {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        return start..start.saturating_add(usize::try_from(len).unwrap_or(0));
    }
    let line_start = source.line_start(u32::try_from(place.line()).unwrap_or(u32::MAX));
    let column = usize::try_from(place.column()).unwrap_or(1).saturating_sub(1);
    let rest = source.text().get(line_start..).unwrap_or_default();
    let start = line_start + rest.chars().take(column).map(char::len_utf8).sum::<usize>();
    start..start + 1
}
