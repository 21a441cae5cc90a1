//! Whom a request would rather have, whom it leaves out, and what they must be able to do.

use std::ops::Range;

use abide_language::base::calendar::MONTHS;

use crate::church::ChurchWords;
use crate::number::number;
use crate::text::words;

/// What a text says about the people it wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct People {
    /// Whom it would rather have.
    pub(super) prefer: Vec<String>,
    /// Whom it leaves out.
    pub(super) exclude: Vec<String>,
    /// What they must be able to do.
    pub(super) skill: Option<String>,
}

/// A word as it is written and in lower case.
#[derive(Debug, Clone)]
struct Spelled<'t> {
    written: &'t str,
    word: String,
    /// Whether a mark follows.
    ends: bool,
}

/// Wordings before people who are preferred.
const PREFER_BEFORE: &[&str] = &[
    "preferably",
    "prefer",
    "preferring",
    "ideally",
    "see if",
    "start with",
    "starting with",
    "try",
    "ask",
    "id rather it was",
    "id rather have",
    "preference for",
    "preference to",
    "priority to",
    "id love",
    "favor",
    "would love",
    "lean toward",
    "lean on",
    "hopefully",
    "if possible",
    "prefiero",
    "de preferencia",
    "first choice",
    "check with",
    "try to get",
    "text",
];
/// Those of them that need "first", "will" or "can" after the people.
const WEAK: &[&str] =
    &["see if", "try", "ask", "hopefully", "if possible", "check with", "text", "ideally"];
/// Wordings after people who are preferred.
const PREFER_AFTER: &[&str] = &[
    "first",
    "if possible",
    "should be asked",
    "shld be asked",
    "preferred",
    "would be great",
    "would be best",
    "will",
    "can",
    "if shes free",
    "if hes free",
    "if theyre free",
    "before anyone else",
    "if available",
    "before the rest",
    "would be ideal",
];
/// Wordings before people who are left out.
const EXCLUDE_BEFORE: &[&str] = &[
    "anyone but",
    "anybody but",
    "everyone but",
    "everybody but",
    "except for",
    "except",
    "other than",
    "besides",
    "dont ask",
    "do not ask",
    "dont text",
    "do not text",
    "dont use",
    "dont include",
    "leave out",
    "excluding",
    "skip",
    "avoid",
    "not",
    "no",
    "but not",
    "just not",
    "without",
    "menos",
    "excepto",
    "exclude",
    "apart from",
    "keep",
    "leave",
    "never",
    "minus",
];
/// Those of them that need a name.
const NAMED: &[&str] =
    &["not", "no", "but not", "just not", "without", "menos", "skip", "except", "minus", "avoid"];
/// Those of them that need "out" after the people.
const OUT: &[&str] = &["keep", "leave"];
/// Groups that are left out without a name.
const GROUPS: &[&str] = &[
    "teenagers",
    "minors",
    "newbies",
    "beginners",
    "men",
    "women",
    "rookies",
    "students",
    "parents",
    "elders",
    "members",
    "visitors",
    "guests",
    "newcomers",
];
/// Words that end the people.
const ENDS: &[&str] = &[
    "for", "at", "to", "on", "in", "this", "if", "who", "she", "shes", "he", "hes", "because",
    "since", "will", "can", "first", "out", "please", "pls", "they", "theyre", "just", "but",
    "would", "should", "shld", "off", "again", "por", "para", "anymore", "thanks", "so", "it",
    "as", "have", "is",
];
/// Words that begin no people.
const NO_PEOPLE: &[&str] = &[
    "the",
    "a",
    "an",
    "all",
    "everyone",
    "everybody",
    "anyone",
    "anybody",
    "me",
    "us",
    "them",
    "him",
    "her",
    "it",
    "i",
    "that",
    "if",
    "to",
    "more",
    "so",
    "too",
    "yet",
    "sure",
    "ok",
    "enough",
    "my",
    "you",
    "we",
    "any",
    "some",
    "another",
];
/// Words with a capital that are no people.
const TIMES: &[&str] = &[
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "easter",
    "christmas",
    "thanksgiving",
    "sun",
    "wed",
    "thu",
    "thurs",
    "am",
    "pm",
    "i",
    "im",
    "sat",
    "fri",
    "mon",
    "tues",
];
/// Words within the names of people and groups.
const OF_NAMES: &[&str] = &[
    "and", "or", "y", "nor", "family", "families", "the", "crew", "team", "brothers", "sisters",
    "kids", "jr",
];
/// Most words of a person or a group.
const WORDS_MAX: usize = 6;

/// Reads what a text says about the people it wants.
pub(super) fn people(text: &str, church: &ChurchWords) -> People {
    let said = spelled(text);
    let shouts = !text.chars().any(char::is_lowercase);
    let list = List { said: &said, shouts, church };
    let mut people = People { skill: list.skill(), ..People::default() };
    let mut at = 0;
    while at < said.len() {
        if let Some(span) = list.after(EXCLUDE_BEFORE, at).filter(|it| list.excludes(at, it)) {
            people.exclude.extend(list.names(&span));
            at = span.end;
        } else if let Some(span) = list.after(PREFER_BEFORE, at).filter(|it| list.prefers(at, it)) {
            people.prefer.extend(list.names(&span));
            at = span.end;
        } else if let Some(span) = list.before_preferred(at) {
            people.prefer.extend(list.names(&span));
            at = span.end;
        } else {
            at += 1;
        }
    }
    people
}

fn spelled(text: &str) -> Vec<Spelled<'_>> {
    let mut all: Vec<Spelled<'_>> = Vec::new();
    for written in text.split_whitespace() {
        let name = written.trim_matches(|c: char| !c.is_alphanumeric());
        let word = words(name).concat();
        if word.is_empty() {
            if let Some(last) = all.last_mut() {
                last.ends = true;
            }
            continue;
        }
        let ends = !written.ends_with(|c: char| c.is_alphanumeric());
        all.push(Spelled { written: name, word, ends });
    }
    all
}

struct List<'t> {
    said: &'t [Spelled<'t>],
    /// Whether the whole text is in capitals.
    shouts: bool,
    church: &'t ChurchWords,
}

impl List<'_> {
    fn stands(&self, at: usize, wording: &str) -> Option<usize> {
        let mut end = at;
        for part in wording.split(' ') {
            if self.said.get(end)?.word != part {
                return None;
            }
            end += 1;
        }
        Some(end)
    }

    /// Returns the people after the longest wording of a list that stands at a word.
    fn after(&self, list: &[&str], at: usize) -> Option<Range<usize>> {
        let ends = list.iter().filter_map(|wording| self.stands(at, wording));
        let start = ends.max()?;
        if self.said[start - 1].ends {
            return None;
        }
        let start = start + usize::from(self.said.get(start)?.word == "the");
        let first = self.said.get(start)?;
        let word = first.word.as_str();
        let none = NO_PEOPLE.contains(&word) || ENDS.contains(&word) || number(word).is_some();
        let end = self.end(start);
        (!none && end > start).then_some(start..end)
    }

    /// Returns where people end that begin at a word.
    fn end(&self, start: usize) -> usize {
        let group = self.said[start].written.chars().next().is_some_and(char::is_lowercase);
        let named = self.is_name(&self.said[start]);
        let mut end = start;
        while end < self.said.len() && end - start < WORDS_MAX {
            let word = self.said[end].word.as_str();
            let relative = group && matches!(word, "who" | "that" | "in" | "on" | "from");
            let of_name = self.is_name(&self.said[end]) || OF_NAMES.contains(&word);
            if (ENDS.contains(&word) && !relative) || TIMES.contains(&word) || (named && !of_name) {
                break;
            }
            if word.bytes().all(|byte| byte.is_ascii_digit()) {
                break;
            }
            end += 1;
            let more =
                self.said.get(end).is_some_and(|next| self.is_name(next) || next.word == "and");
            if self.said[end - 1].ends && !(self.is_name(&self.said[end - 1]) && more) {
                break;
            }
        }
        end
    }

    /// Whether a word is the name of a person.
    fn is_name(&self, said: &Spelled<'_>) -> bool {
        let capital = said.written.chars().next().is_some_and(char::is_uppercase);
        let role = self.church.roles.iter().any(|it| it.words.contains(&said.word));
        let time = MONTHS.contains(&said.word.as_str()) || TIMES.contains(&said.word.as_str());
        capital
            && !self.shouts
            && !role
            && !time
            && !NO_PEOPLE.contains(&said.word.as_str())
            && !ENDS.contains(&said.word.as_str())
    }

    /// Whether people after a wording are left out.
    fn excludes(&self, at: usize, span: &Range<usize>) -> bool {
        let is = |list: &[&str]| list.contains(&self.said[at].word.as_str());
        let named = self.is_name(&self.said[span.start]);
        let out = self.said.get(span.end).is_some_and(|it| it.word == "out");
        let wording = (1..=3).any(|length| {
            let end = (at + length).min(span.start);
            let words: Vec<&str> = self.said[at..end].iter().map(|it| it.word.as_str()).collect();
            NAMED.contains(&words.join(" ").as_str())
        });
        let family = self.said[span.clone()].iter().any(|it| it.word == "family");
        let apart = is(OUT) && self.said.get(at + 1).is_none_or(|it| it.word != "out");
        let named = named || GROUPS.contains(&self.said[span.start].word.as_str());
        if apart { out && (named || family) } else { !wording || named || family }
    }

    /// Whether people after a wording are preferred.
    fn prefers(&self, at: usize, span: &Range<usize>) -> bool {
        let weak = WEAK.iter().any(|wording| self.stands(at, wording).is_some());
        let named = self.is_name(&self.said[span.start]);
        let strong =
            PREFER_BEFORE.iter().any(|it| self.stands(at, it).is_some() && !WEAK.contains(it));
        let follows = PREFER_AFTER.iter().any(|it| self.stands(span.end, it).is_some());
        (strong && (named || !weak)) || (weak && named && follows)
    }

    /// Returns the people at a word whom a wording after them prefers.
    fn before_preferred(&self, at: usize) -> Option<Range<usize>> {
        if !self.is_name(&self.said[at]) {
            return None;
        }
        let end = self.end(at);
        let follows = PREFER_AFTER
            .iter()
            .filter(|it| !matches!(**it, "will" | "can"))
            .any(|it| self.stands(end, it).is_some());
        let all = self.said[at..end].iter().all(|it| self.is_name(it) || it.word == "and");
        (follows && all).then_some(at..end)
    }

    /// Returns people one by one.
    fn names(&self, span: &Range<usize>) -> Vec<String> {
        let mut names = vec![String::new()];
        for said in &self.said[span.clone()] {
            if matches!(said.word.as_str(), "and" | "or" | "y" | "nor") {
                names.push(String::new());
                continue;
            }
            if let Some(name) = names.last_mut() {
                if !name.is_empty() {
                    name.push(' ');
                }
                name.push_str(said.written);
            }
            if said.ends {
                names.push(String::new());
            }
        }
        names.retain(|name| !name.is_empty());
        names
    }

    /// Returns what they must be able to do: "who can run ProPresenter", "a drummer".
    fn skill(&self) -> Option<String> {
        for at in 0..self.said.len() {
            if let Some(skill) =
                CAN.iter().find_map(|it| self.stands(at, it)).and_then(|it| self.able(it))
            {
                return Some(skill);
            }
            let skills = self.church.roles.iter().flat_map(|role| &role.skills);
            let longest =
                skills.filter(|it| self.stands(at, it).is_some()).max_by_key(|it| it.len());
            if let Some(skill) = longest {
                let single = skill.strip_suffix('s').filter(|it| self.church.has_skill(it));
                return Some(single.unwrap_or(skill).to_owned());
            }
        }
        None
    }

    fn able(&self, start: usize) -> Option<String> {
        let start = start + usize::from(DOING.contains(&self.said.get(start)?.word.as_str()));
        let start = start + usize::from(self.said.get(start)?.word == "the");
        if self.said.get(start).is_none_or(|it| NOT_SKILLS.contains(&it.word.as_str())) {
            return None;
        }
        let end = self.end(start);
        let skill: Vec<&str> = self.said[start..end].iter().map(|it| it.written).collect();
        (!skill.is_empty()).then(|| skill.join(" "))
    }
}

/// Wordings before what somebody must be able to do.
const CAN: &[&str] = &[
    "who can",
    "who know",
    "who know how to",
    "that know",
    "that can",
    "who knows",
    "that knows",
    "who knows how to",
    "that knows how to",
    "who speaks",
    "who plays",
    "who is good with",
    "experienced with",
    "trained on",
    "trained in",
    "certified in",
];
/// Verbs before a skill.
const DOING: &[&str] =
    &["run", "play", "do", "operate", "use", "work", "handle", "speak", "teach", "mix", "sing"];
/// Words that name no skill.
const NOT_SKILLS: &[&str] = &[
    "be", "make", "come", "help", "serve", "step", "fill", "cover", "take", "get", "pitch", "jump",
    "stay", "it", "that", "nursery", "there", "sunday", "show", "stand", "join", "give", "lend",
];
