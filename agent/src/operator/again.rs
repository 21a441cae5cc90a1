//! Commands that are said again with another record, and corrections of what was said.

use super::choose::{Clause, intents as intents_of};
use super::command::{ALONE_FROM, Chosen, Command, Commands, Finder, chosen};
use super::segment::{Segment, Sort};
use super::tag::Tagged;

/// Takes back what a correction replaces. Returns whether the segment says no more than that.
pub(super) fn correct(
    text: &mut Tagged<'_>,
    segment: &Segment,
    rest: &[Segment],
    found: &mut Commands,
) -> bool {
    if rest.iter().any(|it| it.sort == Sort::Command) {
        // "no wait, archive it" replaces what was said before, "hang on, first add a line" does not.
        if segment.replaces {
            found.all.pop();
        }
        found.corrected = found.all.len();
        return false;
    }
    let Some(last) = found.all.last() else { return false };
    let new = text.ids.iter().find(|it| segment.tokens.contains(&it.tokens.start)).cloned();
    match new {
        Some(new) => {
            let old = last.tokens.clone();
            if let Some(id) = text.ids.iter_mut().find(|it| old.contains(&it.tokens.start)) {
                id.id.clone_from(&new.id);
            }
        }
        None => found.taken_back = true,
    }
    true
}

/// Adds the command before with another record: "archive lead_19 and media_41".
pub(super) fn again(
    text: &Tagged<'_>,
    segment: &Segment,
    finder: &Finder<'_>,
    found: &mut Commands,
) -> bool {
    let Some(last) = found.all.last() else { return false };
    let [tool] = &last.tools[..] else { return false };
    let Some((_, act)) = tool.split_once('.') else { return false };
    let id = text.ids.iter().find(|it| segment.tokens.contains(&it.tokens.start));
    let Some(kind) = id.and_then(|it| it.kind) else {
        return id.is_none() && another(text, segment, finder, found);
    };
    if super::id::kind_of_tool(tool) == Some(kind) {
        let tokens = segment.tokens.clone();
        let same = Command { tokens: tokens.clone(), clause: tokens, ..last.clone() };
        found.all.push(same);
        return true;
    }
    let domain = match kind {
        "lead" => "leads",
        "comm" => "comms",
        other => other,
    };
    let act = act
        .split_once('_')
        .filter(|_| tool.starts_with("os."))
        .map_or(act.to_owned(), |(act, _)| act.to_owned());
    let names = [format!("{domain}.{act}"), format!("os.{act}_{kind}")];
    let Some(name) = names.into_iter().find(|name| finder.contracts.get(name).is_some()) else {
        return false;
    };
    let command = Command {
        tokens: segment.tokens.clone(),
        clause: segment.tokens.clone(),
        intent: name.clone(),
        tools: vec![name],
        probability: last.probability,
        rivals: Vec::new(),
        refused: last.refused,
    };
    found.all.push(command);
    true
}

/// Adds the command before with another kind of record: "create a supplier called Monier and a vehicle called Hilux".
pub(super) fn another(
    text: &Tagged<'_>,
    segment: &Segment,
    finder: &Finder<'_>,
    found: &mut Commands,
) -> bool {
    let act = |tool: &str| tool.rsplit(['.', '_']).next().map(ToOwned::to_owned);
    let Some(last) = found.all.last() else { return false };
    let clause = Clause { tokens: segment.tokens.clone(), meant: None };
    let scores = intents_of(text, &clause, finder.intents, finder.contracts);
    let chosen = chosen(scores, finder);
    let same = match (&last.tools[..], &chosen.tools[..]) {
        ([one], [other]) => one == other || act(one) == act(other) || other.contains("create"),
        _ => false,
    };
    if !same || chosen.probability < ALONE_FROM {
        return false;
    }
    let Chosen { intent, tools, probability, rivals, refused } = chosen;
    let tokens = segment.tokens.clone();
    found.all.push(Command {
        tokens: tokens.clone(),
        clause: tokens,
        intent,
        tools,
        probability,
        rivals,
        refused,
    });
    true
}
