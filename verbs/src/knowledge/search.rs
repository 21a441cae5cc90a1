//! Searches facts by words. Each word of the query adds to the score of the facts that contain it.
//! A word in a fact's topic adds more than a word in its text,
//! and a word that few facts contain adds more than a common word.

use std::collections::BTreeSet;

use super::Fact;

/// Maximum number of distinct words of a query to search for. Real questions have fewer words.
const QUERY_WORDS_MAX: usize = 40;
/// Weight of a word of the query in a fact's topic. A word in a fact's text has the weight 1.
const TOPIC_WEIGHT: u64 = 3;

/// Stop words: words that are too common in questions to tell facts apart.
/// The list has them in the form that [`words`] compares: without the final `s` of `does` and `this`.
const STOP_WORDS: &[&str] = &[
    "about", "and", "any", "are", "at", "be", "can", "do", "doe", "for", "from", "has", "have",
    "how", "i", "in", "is", "it", "me", "my", "of", "on", "or", "our", "that", "the", "there",
    "thi", "to", "we", "what", "when", "where", "which", "who", "why", "will", "with", "you",
    "your",
];

/// Returns at most `limit` facts that share a word with the query, sorted by descending score.
/// Of two facts with the same score, the one that was reviewed later comes first.
#[must_use]
pub fn search<'f>(facts: &'f [Fact], query: &str, limit: usize) -> Vec<&'f Fact> {
    let texts: Vec<_> = facts.iter().map(|fact| (words(&fact.topic), words(&fact.text))).collect();
    let mut scores = vec![0_u64; facts.len()];
    for word in words(query).iter().take(QUERY_WORDS_MAX) {
        let weights: Vec<u64> = texts
            .iter()
            .map(|(topic, text)| {
                TOPIC_WEIGHT * u64::from(topic.contains(word)) + u64::from(text.contains(word))
            })
            .collect();
        let with = weights.iter().filter(|weight| **weight > 0).count().max(1);
        let rarity = 1 + (facts.len() / with) as u64;
        for (score, weight) in scores.iter_mut().zip(weights) {
            *score += weight * rarity;
        }
    }
    let mut found: Vec<_> = facts.iter().zip(scores).filter(|(_, score)| *score > 0).collect();
    found.sort_by(|(a, x), (b, y)| {
        y.cmp(x).then(b.reviewed_at.cmp(&a.reviewed_at)).then(a.id.cmp(&b.id))
    });
    found.into_iter().take(limit).map(|(fact, _)| fact).collect()
}

/// Returns the words of a string in lower case, without the final `s` of a plural.
/// Leaves out stop words.
/// The least share of a question's words that a fact must contain to answer it.
const ANSWERS_FROM: f64 = 0.6;

/// Returns the one fact that answers a question: its topic is spoken of, it has most of the question's words, and no
/// other fact fits as well. Returns `None` if a person had better answer.
#[must_use]
pub fn answer_to<'f>(facts: &'f [Fact], question: &str) -> Option<&'f Fact> {
    let best = *search(facts, question, 1).first()?;
    let (asked, topic) = (words(question), words(&best.topic));
    let text = words(&best.text);
    let known = asked.iter().filter(|word| topic.contains(*word) || text.contains(*word)).count();
    let on_topic = asked.iter().any(|word| topic.contains(word));
    let share = known as f64 / asked.len().max(1) as f64;
    (on_topic && share >= ANSWERS_FROM).then_some(best)
}

fn words(text: &str) -> BTreeSet<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .map(|word| match word.strip_suffix('s') {
            Some(stem) if stem.chars().count() > 2 && !stem.ends_with('s') => stem,
            _ => word,
        })
        .filter(|word| !word.is_empty() && !STOP_WORDS.contains(word))
        .map(ToOwned::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use abide_engine::base::Timestamp;

    use super::*;

    fn fact(id: &str, topic: &str, text: &str) -> Fact {
        Fact {
            id: id.to_owned(),
            topic: topic.to_owned(),
            text: text.to_owned(),
            source: "handbook".to_owned(),
            reviewer: "Ruth".to_owned(),
            reviewed_at: Timestamp::EPOCH,
            retired: false,
            written_by: None,
        }
    }

    #[test]
    fn the_fact_that_a_question_is_about_comes_first() {
        let facts = [
            fact("parking", "Where do volunteers park?", "In the north lot, before 8:30."),
            fact("checkin", "Nursery check-in", "Volunteers open it half an hour before."),
            fact(
                "ratio",
                "How many children per adult?",
                "Four babies to an adult, in the nursery.",
            ),
        ];
        let cases: &[(&str, &[&str])] = &[
            ("where can volunteers park", &["parking", "checkin"]),
            ("NURSERY check-in?", &["checkin", "ratio"]),
            ("how many child per adults", &["ratio"]),
            ("what is the", &[]),
            ("", &[]),
            ("organ", &[]),
        ];
        for (query, expected) in cases {
            let found: Vec<_> = search(&facts, query, 5).iter().map(|f| f.id.as_str()).collect();
            assert_eq!(found, *expected, "{query}");
        }
        assert_eq!(search(&facts, "nursery check-in", 1).len(), 1);
        let later = Timestamp::EPOCH + abide_engine::base::Span::from_secs(1);
        let alike = [fact("a", "keys", ""), Fact { reviewed_at: later, ..fact("b", "keys", "") }];
        assert_eq!(search(&alike, "key", 5)[0].id, "b");
    }
}
