//! Reads doubts about the answer that was given: "are you sure?", "why did you say that".

use super::clause::Clause;
use super::courtesy::bare;
use crate::obligations::{LAST_ANSWER, Obligation};

/// Questions whether the answer is right.
const CHECKS: &str = "are you sure|are you really sure|are you quite sure|you sure|are you certain|\
    are you positive|are you absolutely sure|you certain|you positive|is that right|is that correct|\
    is this right|is this correct|is it right|is it correct|is that true|is that so|is that accurate|\
    was that right|was that correct|is that the right answer|is that really right|is that actually right|\
    is that actually correct|is that really correct|is that really true|double check|doublecheck|\
    can you double check|check that|check it|check again|check that again|check it again|check your answer|\
    check your work|check your math|check the answer|check the last answer|check the math|\
    check my last answer|verify|reverify|confirm that|confirm it|confirm your answer|please confirm|confirm|\
    recheck|re check|recheck that|really|for real|thats wrong|thats not right|that doesnt look right|\
    that doesnt sound right|that doesnt seem right|that cant be right|that seems wrong|that looks wrong|\
    that sounds wrong|that seems off|that looks off|i dont think thats right|i think thats wrong|\
    i dont think that is right|i dont believe that|i dont believe you|how sure are you|how confident are you|\
    how certain are you|did you get that right|make sure thats right|make sure that is right|\
    make sure its right|make sure thats correct|make sure that is correct|make sure its correct|\
    is your answer right|is your answer correct|is the answer correct|is the answer right|did you check that|\
    did you check|did you double check|did you verify that|run that again|does that look right|\
    does that sound right|does that check out|seriously|no way|you sure about that|sure about that|\
    positive about that|that is wrong|that is not right|test that|validate that|validate your answer|\
    prove it to yourself|are we sure|are you confident|is that definitely right|is that for sure|\
    is that certain|go over that again|go over it again|look again|look that over|is that a fact|\
    are you 100 % sure|are you 100 percent sure|are you 100 sure|you 100 % sure|have you checked|\
    have you checked that|have you double checked|can that be right|could that be wrong|could you be wrong|\
    might you be wrong|are you wrong|did you make a mistake|is there a mistake|can i trust that|\
    can i rely on that|can i trust that answer|would you bet on it|is this accurate|is this true|\
    thats not correct|that isnt right|that isnt correct|thats incorrect|hmm are you sure|try again|\
    recalculate|recount|count again|calculate again|compute that again|recompute";
/// Questions for the reason of the answer.
const REASONS: &str = "why|on what do you base|give me your reasoning|your reasoning|where is this|\
    where is that|where did this|whats this based|why is that|why not|why that|why so|why this|how come|\
    how so|howd you get|howd you know|howd you come|howd you work|howd you figure|howd you arrive|\
    howd you do|howd you reach|how do you know|how did you know|how can you know|how would you know|\
    how did you get|how do you get|how did you work|how did you figure|how did you find|how did you come|\
    how did you arrive|how did you calculate|how did you compute|how did you reach|how did you determine|\
    how did you conclude|how have you|explain|explain yourself|show your work|show me your work|\
    show the work|show your working|show me how you|show how you|what makes you say|what makes you think|\
    what makes you so|whats your source|what is your source|whats the source|what is the source|\
    what are your sources|whats your reasoning|what is your reasoning|whats the reasoning|\
    what is the reasoning|whats the reason|what is the reason|whats your reason|whats your evidence|\
    what is your evidence|whats your proof|what is your proof|what evidence do you|what proof do you|\
    says who|who says|who said|who told you|where did you get|where did you find|where did you hear|\
    where does that come|where did that come|where do you get|where are you getting|based on what|\
    on what basis|according to who|according to whom|according to what|prove|justify|give me a reason|\
    give me the reason|give your reason|give reasons|walk me through|reason|reasons|evidence|\
    cite your source|cite your sources|cite a source|sources|source|how can you be sure|\
    how can you be certain|how can you tell|what is that based|whats that based|what are you basing|\
    what did you base|talk me through|break that down|how is that|how do you figure|how did that|\
    whats that from|on whose authority|why did you|why do you|why would you|why should i believe|\
    why would i believe|what led you|show me the steps|show the steps|show me the math|show your math|\
    show your steps|support that|back that up|can you back that up|defend that|your source|\
    how could you know|how are you so sure|what backs that up|what makes that|whats behind that|\
    what is the basis|whats the basis";
/// Words that mean the answer itself.
const IT: &str = "that|it|this|so|that from|it from|to that|there|the answer|your answer|your last answer|\
    the last answer|that answer|that one|this from|that number|the result|that result|yourself|that out|\
    it out|up with that|up with it|at that|at it|that answer from|you know that|i believe you|i believe that|\
    you get that|you say that|you think that|you think so|did you say that|do you say that|do you think that|\
    do you think so|that is|thats right|that is right|you know|know that|is that right|is that|that was|\
    say that|said that|think so|think that|got that|know|you say so|you got that|that info|that information|\
    sure|is it that|would you say that|are you saying that|on|that on|up your answer|that to me|how|me|\
    it to me|your reasoning|steps|how you got that|how you got there|how you did that|how you know|\
    how you know that|why|you got it|you got there|you did that|you worked that out|you got that answer|\
    said so|from|info|the steps|the math";
/// Doubts, whatever they are about.
const DOUBTS: &str = "are you sure|you sure|are you certain|are you positive|double check|doublecheck|\
    are you really sure|how sure are you|are you absolutely sure|is it true that";
/// Words of somebody who has another answer.
const OTHERWISE: &str = "i got a different|i got something else|i got another|thats not what i|\
    that is not what i";
/// Questions for the way to the answer, whatever they add.
const WAYS: &str = "how did you get|how did you work|how did you figure|how did you come|how did you arrive|\
    how did you calculate|how did you compute|how did you reach|how did you determine|howd you get|\
    howd you figure|howd you work|howd you come";
/// Questions that can name a claim: "how did you sleep" asks for no reason, "why is the sky blue" does.
const CLAIMS: &str = "why|prove|justify|explain|how do you know|how come|what makes you think|\
    what makes you say|what evidence do you|what proof do you|who says|who told you|where did you get|\
    where did you hear|how can you be sure|on what basis|based on what";
/// Words before a claim.
const BEFORE_CLAIM: &str =
    "that|to me that|me that|to me|have that|is it that|the claim that|the idea that";
/// Words that add nothing to a doubt.
const NO_CLAIM: &str = "did you|do you|are you|is|was|about|that|it|this|your|the|last|answer|out|up with|to|\
    at|from|say|saying|get|got|think|come up with|for|one|again|please|correct|right|true|math|work|result|\
    figure|number|how|you|know|info|information|arrive|there|behind|backing|under|give me|me|just|exactly|so|\
    coming|come|came|stuff";

/// Reads a doubt.
pub(super) fn read(clause: Clause<'_>) -> Option<Vec<Obligation>> {
    let whole = clause.trimmed();
    let bare = bare(whole);
    let is_reason = whole.starts(REASONS) > 0 && whole.starts("how do you know") > 0;
    let clause = if bare.is_empty() || is_reason { whole } else { bare };
    if clause.is(CHECKS) || whole.is(CHECKS) {
        return Some(vec![Obligation::verify()]);
    }
    let checked = clause
        .after(CHECKS)
        .or_else(|| whole.after(CHECKS))
        .map(|rest| rest.past("about|that|if|whether|of|on|the|your|with|for"));
    let is_doubt = clause.starts(DOUBTS) > 0;
    let is_wrong = clause.starts(OTHERWISE) > 0
        || (clause.starts("is") > 0
            && clause.is_number(1)
            && clause.from(2).is("right|correct|really right|the right answer|true"));
    if is_doubt || is_wrong || checked.is_some_and(is_it) {
        return Some(vec![Obligation::verify()]);
    }
    let words = clause.starts(REASONS);
    if words == 0 {
        return None;
    }
    let rest = clause.from(words).trimmed();
    let is_way = clause.starts(WAYS) > 0;
    if rest.is_empty() || is_way || rest.is(IT) || is_it(rest) {
        return Some(vec![Obligation::justify(LAST_ANSWER)]);
    }
    // "how did you sleep" asks for no reason, "why is the sky blue" does.
    let is_claim = clause.starts(CLAIMS) > 0;
    let claim = rest.past(BEFORE_CLAIM);
    if claim.len() == 1 && claim.is_number(0) {
        return Some(vec![Obligation::justify(LAST_ANSWER)]);
    }
    (is_claim && claim.len() > 1).then(|| vec![Obligation::justify(claim.raw())])
}

/// Whether words mean nothing but the answer itself.
fn is_it(rest: Clause<'_>) -> bool {
    let mut rest = bare(rest);
    loop {
        if rest.is_empty() || rest.is(IT) {
            return true;
        }
        let shorter = rest.past(NO_CLAIM);
        if shorter.len() == rest.len() {
            return false;
        }
        rest = shorter.trimmed();
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check, show};

    #[test]
    fn doubts_ask_for_a_check_or_a_reason() {
        check(
            show,
            &[
                ("are you sure?", "VERIFY last_answer target=last_answer"),
                ("is that right??", "VERIFY last_answer target=last_answer"),
                ("can you double check that please", "VERIFY last_answer target=last_answer"),
                ("double-check your answer", "VERIFY last_answer target=last_answer"),
                ("Why?", "JUSTIFY claim claim=last_answer"),
                ("why did you say that", "JUSTIFY claim claim=last_answer"),
                ("where did you get that from?", "JUSTIFY claim claim=last_answer"),
                ("how did you come up with that", "JUSTIFY claim claim=last_answer"),
                ("show your work", "JUSTIFY claim claim=last_answer"),
                ("why is the sky blue?", "JUSTIFY claim claim=is the sky blue"),
                (
                    "how do you know that Tom lives in Boise",
                    "JUSTIFY claim claim=Tom lives in Boise",
                ),
            ],
        );
    }
}
