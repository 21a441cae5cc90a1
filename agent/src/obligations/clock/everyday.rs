//! The names of time zones in everyday language.

/// Time zones, each with the names that people use for it.
pub(super) const ZONES: &[(&str, &str)] = &[
    (
        "UTC",
        "utc|gmt|zulu|zulu time|greenwich|greenwich mean time|coordinated universal time|utc time",
    ),
    (
        "America/New_York",
        "est|edt|et|eastern|eastern time|eastern standard time|east coast|the east coast",
    ),
    ("America/Chicago", "cst|cdt|ct|central|central time|central standard time"),
    ("America/Denver", "mst|mdt|mt|mountain|mountain time|mountain standard time"),
    (
        "America/Los_Angeles",
        "pst|pdt|pt|pacific|pacific time|pacific standard time|west coast|the west coast",
    ),
    ("Europe/London", "bst|british summer time|uk time"),
    ("Europe/Paris", "cet|cest|central european time"),
    ("Europe/Athens", "eet|eest|eastern european time"),
    ("Asia/Tokyo", "jst|japan standard time"),
    ("Asia/Kolkata", "ist|india standard time|indian standard time"),
    ("Australia/Sydney", "aest|aedt|australian eastern time"),
    ("Australia/Perth", "awst"),
    ("Pacific/Auckland", "nzst|nzdt|nzt"),
    ("Pacific/Honolulu", "hst"),
    ("America/Anchorage", "akst|akdt"),
];
