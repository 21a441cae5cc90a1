//! Shadow runs: what they report is what a real run does, and they leave no trace that a real run sees.

mod beside;
mod crashes;
mod dry_run;
mod support;
mod tenant;
