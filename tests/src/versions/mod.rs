//! Methods that change while runs of them are at work: published, taken back, moved to.

mod publish;
mod stranded;
mod upgrade;
