//! Reads doubts whether the answer is right.

use super::phrase::{ADVERBS, AGAIN, ANSWER, BELIEVE, CHECKS, MINE, REPEATS, SEEMS, SURE, TRUTH};
use super::{is_nothing, passed};
use crate::number::number;
use crate::obligations::read::clause::Clause;

/// Whether a clause asks to check the answer, or says that it is wrong.
pub(super) fn is_check(clause: Clause<'_>) -> bool {
    if clause.is_empty() {
        return false;
    }
    is_question_of_truth(clause)
        || is_statement_of_truth(clause)
        || is_order_to_check(clause)
        || is_unsure(clause)
        || clause
            .is("really|for real|seriously|no way|say what|come on|is it|is that so|are we sure|you sure|\
                sure about that|sure about it")
        || clause
            .after("really|seriously|wait|huh|hold on")
            .is_some_and(|rest| is_result(rest.trimmed()))
}

/// Whether words are nothing but a result: "42", "seven".
pub(super) fn is_result(clause: Clause<'_>) -> bool {
    let clause =
        clause.past(ADVERBS).past("only|exactly|about").short_of("though|now|then|really|actually");
    clause.len() == 1 && (clause.is_number(0) || number(clause.word(0)).is_some())
}

fn is_truth(clause: Clause<'_>) -> bool {
    let clause = passed(clause, ADVERBS).short_of(
        "though|now|then|really|actually|to you|or not|or what|or wrong|answer|for you|at all",
    );
    clause.is(TRUTH) || is_result(clause)
}

/// Reads "is that right", "was your answer correct", "does that look right".
fn is_question_of_truth(clause: Clause<'_>) -> bool {
    if let Some(rest) = clause.after("is|was|are|isnt|wasnt|were|so is|and is|is it true that") {
        if is_result(rest.short_of("right|correct|true|the right answer|it|accurate|wrong"))
            && rest.len() > 1
        {
            return rest.ends("right|correct|true|the right answer|it|accurate|wrong") > 0;
        }
        return rest.after(ANSWER).is_some_and(|rest| !rest.is_empty() && is_truth(rest));
    }
    let looks =
        clause.after("does|do|did|doesnt|can|could|might|will").and_then(|rest| rest.after(ANSWER));
    if let Some(rest) = looks {
        let rest = passed(rest, ADVERBS);
        return rest
            .after("look|sound|seem|feel|be|check out|add up|make|hold up|hold")
            .is_some_and(|rest| {
                rest.is_empty() || is_truth(rest) || rest.is("sense|sense to you|out|up")
            });
    }
    let did = clause.after(
        "did you|have you|could you|can you|are you|might you|can i|should i|do i|would you|have u|did u",
    );
    did.is_some_and(|rest| {
        let rest = passed(rest, ADVERBS);
        rest.is("wrong|mistaken|be wrong|be mistaken|make a mistake|made a mistake|miscount|miscounted|\
            count right|get that right|get it right|check|checked|verify|verified|double check|\
            double checked|check that|checked that|check it|verify that|verify it|double check that|\
            double check it|trust that|trust it|trust you|rely on that|rely on it|trust that answer|\
            bet on it|bet on that|mess up|messed up|count correctly|add that right|add it right|screw up|\
            misread that|misread|stand by that|stand by it|count that right|do that right|do the math right")
    })
}

/// Reads "that can't be right", "I think you made a mistake", "I got a different answer".
fn is_statement_of_truth(clause: Clause<'_>) -> bool {
    let said = passed(clause, BELIEVE);
    let is_believed = said.len() < clause.len();
    let said = if is_believed { said.past("if") } else { said };
    if let Some(rest) = said.after("you|youre|u").filter(|rest| !rest.is_empty()) {
        let rest = passed(rest, ADVERBS).past("are|might be|may be|must be|could be");
        if rest.is("made a mistake|make a mistake|messed up|got it wrong|got that wrong|miscounted|are wrong|\
            wrong|mistaken|made an error|misread that|missed one|forgot one|counted wrong|added wrong|\
            got the math wrong|screwed up|did it wrong|did that wrong") {
            return true;
        }
        if is_believed && rest.is_empty() {
            return true;
        }
    }
    if is_believed
        && said.is("you|it|that|so|i believe you|i believe that|i believe it|that one|i trust that")
    {
        return clause.starts("i dont|i doubt|not sure|im not sure|hm|hmm|i highly|i do not") > 0;
    }
    let states =
        said.after("thats|its").or_else(|| said.after(ANSWER).and_then(|rest| rest.after(SEEMS)));
    if states.is_some_and(|rest| {
        !rest.is_empty()
            && is_truth(rest)
            && !rest.is("so|it|right|correct|true|sure|certain|final|possible")
    }) {
        return true;
    }
    if states.is_some_and(|rest| is_truth(rest))
        && (is_believed && clause.has("dont|doubt|not")
            || said.has("cant|cannot|couldnt|doesnt|isnt|wasnt|does not|not|shouldnt"))
    {
        return true;
    }
    if said.is("that doesnt add up|that does not add up|it doesnt add up|thats not what i got|\
        that is not what i got|doesnt add up|that doesnt make sense|that makes no sense|doesnt look right|\
        doesnt sound right|doesnt seem right|not right|not correct|thats not it|cant be right|cant be") {
        return true;
    }
    let mine = clause.after(MINE);
    mine.is_some_and(|rest| {
        is_result(rest)
            || rest.starts(
                "something else|something different|a different|another|different|otherwise|more|fewer|less",
            ) > 0
    }) || clause.starts("thats not what i|that is not what i") > 0
}

/// Reads "double check that", "count them again".
fn is_order_to_check(clause: Clause<'_>) -> bool {
    let clause = clause.past(
        "make sure to|please|you should|you need to|go|go and|can you|could you|lets|let us|better|just|maybe",
    );
    if let Some(rest) = clause.after(CHECKS) {
        let rest = rest.short_of(
            "for me|again|once more|twice|please|carefully|one more time|just in case|just to be sure|\
                to be sure|and make sure",
        );
        return rest.is_empty() && clause.starts("test|review|check") == 0
            || rest.is(ANSWER)
            || is_nothing(rest) && clause.starts("test|review|check") == 0
            || rest.after("that|if|whether").is_some_and(|rest| {
                rest.after(ANSWER)
                    .or_else(|| rest.after("thats|its"))
                    .is_some_and(|rest| is_truth(rest.past("is|was")))
            })
            || (clause.starts(
                "double check|doublecheck|triple check|verify|recheck|fact check|validate",
            ) > 0
                && rest.starts("that the|the door|if the|whether the") == 0);
    }
    if let Some(rest) = clause.after("make sure|be sure|make certain") {
        let rest = rest.past("that");
        return rest
            .after("thats|its")
            .or_else(|| rest.after(ANSWER).and_then(|rest| rest.after("is|was")))
            .is_some_and(is_truth);
    }
    let repeated = clause.before(AGAIN).and_then(|rest| rest.after(REPEATS));
    repeated.is_some_and(|rest| rest.is_empty() || rest.is(ANSWER) || rest.is("the math|the maths|them|\
        the letters|those|the numbers|up|it up|that up|them up|through it|through that|it through|about it|\
        about that|the sum|the list|it out|that out|for it"))
        || clause.is("try again|redo it|redo that|recount|recalculate|recompute|look again|count again|\
            check again|think again|do over|start over on that|prove it to yourself|do it over|do that over")
}

/// Reads "are you sure", "u sure", "how sure are you".
fn is_unsure(clause: Clause<'_>) -> bool {
    let sure = clause
        .after(
            "are you|you|u|are u|how|r u|ru|so are you|and are you|but are you|you are|were you|are we|\
                are you really|youre",
        )
        .map(|rest| passed(rest, ADVERBS));
    if let Some(rest) = sure.and_then(|rest| rest.after(SURE)) {
        return clause.starts("you are right|youre right|you right") == 0
            && (rest.is_empty()
                || is_nothing(rest)
                || rest.starts("about|that|of|its|thats|are you|is that|it") > 0);
    }
    clause.is("positive|certain|sure about that|sure about it|sure|for sure|100 percent|100 %")
        && clause.len() > 1
        || clause.is("positive|certain")
}
