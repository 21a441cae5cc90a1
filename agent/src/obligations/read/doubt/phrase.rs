//! The words of doubts.

/// Words for the answer.
pub(super) const ANSWER: &str = "that|this|it|the answer|your answer|that answer|this answer|\
    your last answer|the last answer|my last answer|your final answer|the final answer|the result|\
    that result|your result|that number|this number|the number|the total|that total|that one|that last one|\
    the last one|the count|that count|your count|your math|the math|your work|the work|your calculation|\
    the calculation|that calculation|what you said|what you told me|your last reply|your reply|\
    the math on that|your work on that|the answer to that|things|the list|that list|them|it all|everything|\
    the figures|your numbers|your figures|the time|your arithmetic|your source|your sources|thats|its";
/// Words of truth, or of an error.
pub(super) const TRUTH: &str = "right|correct|true|accurate|wrong|off|incorrect|mistaken|a mistake|so|\
    for sure|certain|a fact|it|final|your final answer|the right answer|the correct answer|the final answer|\
    not right|not correct|not true|a typo|legit|not it|not accurate|right answer|bogus|fishy|weird|strange|\
    too high|too low|too many|too few|possible|exact|verified|confirmed|sure|reliable|an error|made up|\
    what you meant|what it says|your final";
/// Words that make a statement stronger or weaker.
pub(super) const ADVERBS: &str = "really|actually|definitely|still|even|absolutely|quite|totally|completely|\
    pretty|very|kind of|a bit|a little|100 % |100 percent|one hundred percent|a hundred percent|100|%|\
    percent|so|all that|truly|entirely|fully|seriously|super|surely|certainly|not|hundred|in fact|a hundred|\
    dead|somehow|honestly|just";
/// Verbs between the answer and its truth.
pub(super) const SEEMS: &str = "is|was|isnt|wasnt|seems|looks|sounds|cant be|cannot be|couldnt be|\
    doesnt seem|doesnt look|doesnt sound|does not seem|does not look|does not sound|feels|must be|has to be|\
    should be|shouldnt be|appears|appears to be|might be|may be|could be|seems to be|looks to be|\
    cant possibly be";
/// Verbs of a check.
pub(super) const CHECKS: &str = "double check|doublecheck|triple check|check|recheck|re check|verify|\
    reverify|validate|confirm|test|recount|recalculate|recompute|redo|rerun|re run|reconfirm|review|audit|\
    proofread|cross check|fact check|make sure of|look over|go over|check on|check over|check up on";
/// Verbs that are a check if something is done again.
pub(super) const REPEATS: &str = "run|count|add|look|go over|work|calculate|compute|try|check|figure|add up|\
    look up|total|sum|test|go through|think|do the math|do the maths|count up|work out|figure out";
/// Words of a repetition.
pub(super) const AGAIN: &str = "again|once more|one more time|over|twice|over again|a second time|\
    another time|please again|and check|carefully";
/// Words of somebody who is or is not sure.
pub(super) const SURE: &str = "sure|certain|positive|confident|serious|kidding|joking|right";
/// Words before what somebody believes of the answer.
pub(super) const BELIEVE: &str = "i think|i dont think|i do not think|i doubt|i believe|im sure|\
    im pretty sure|pretty sure|im not sure|not sure|im afraid|i dont believe|i feel like|seems like|\
    looks like|sounds like|i bet|id say|i guess|it seems|im fairly sure|i highly doubt|are we sure|hm|hmm|\
    are you saying|i suspect|i worry|i question if|i wonder if|you know";
/// Words of an answer that somebody else has.
pub(super) const MINE: &str = "i got|i get|i counted|i keep getting|i came up with|mine says|\
    my calculator says|i have|i thought it was|i calculated|my count is|i make it|excel says|google says|\
    my phone says|somebody said|someone said|i was told";
/// Words for the reason of an answer.
pub(super) const REASONS: &str = "reason|reasons|reasoning|source|sources|proof|evidence|basis|grounds|\
    rationale|justification|explanation|logic|steps|working|citation|citations|reference|references|\
    authority|backup|receipts|math behind it|thinking|thought process";
/// Words before a reason.
pub(super) const ASKS_REASON: &str = "whats|what is|what are|what was|give me|give|show me|show|tell me|\
    wheres|where is|where are|i want|i need|provide|cite|on what|based on what|any|do you have|have you got|\
    got|state|name|share|list|explain|lets see|can i see|may i see|could i see|id like|what kind of|what|\
    on whose|under what|need|wanna see|walk me through";
/// Words between those and the reason.
pub(super) const YOUR: &str = "your|the|a|any|some|an|that|its|their|of|for";
/// Verbs that ask for a reason.
pub(super) const EXPLAIN: &str = "explain|justify|prove|convince me|back up|back that up|back it up|support|\
    defend|elaborate|elaborate on|break down|break that down|break it down|talk me through|walk me through|\
    substantiate|clarify how|account for|spell out how|show your work|show me your work|show the work|\
    show your working|show your math|show me the math|show the steps|show me the steps|show me how|show how|\
    tell me how|explain how|demonstrate|walk us through|rationalize|describe how|help me understand|how so|\
    how come";
/// What somebody did to find an answer, behind "how did you".
pub(super) const FOUND: &str = "know|get|got|decide|decided|figure|figured|work|worked|come|came|arrive|\
    arrived|reach|reached|conclude|concluded|calculate|calculated|find|found|determine|determined|tell|\
    compute|computed|count|counted|do that|did that|did you|you do|learn|hear|think of|derive|derived|obtain|\
    establish|deduce|infer|possibly know|possible|even know|be so sure|be sure|be that|that be|be right|\
    land on|pick|choose|see that|see it|realise|realize|guess|be";
/// Questions for a way, before what somebody did.
pub(super) const HOW: &str = "how|how did you|how do you|how can you|how could you|how would you|\
    how have you|how you|howd you|how are you|how is|how was|how can|how could|how does|how did|how do|\
    how in the world did you|how on earth did you|how exactly did you|how exactly do you|\
    how the heck did you|what led you to|how come you|how would|hows|how u|how d you|how are you so";
/// Questions for the place where an answer was found.
pub(super) const WHERE: &str = "where did you|where do you|where are you getting|wheres|where is|where did|\
    where does|where was|where have you|whered you|where you|where in the world did you|from where did you|\
    where are you pulling|where are you taking";
/// Verbs of finding, behind those.
pub(super) const FROM: &str = "get|got|find|found|hear|read|see|learn|come from|came from|from|coming from|\
    getting|take|pull|pulled|come up with|look|this from|that from|it from|did that come|look that up|source";
/// Beginnings that can have a claim behind them: "how did you sleep" asks for no reason, "why is the sky blue" does.
pub(super) const CLAIMS: &str = "why|prove|justify|explain|how do you know|how come|what makes you think|\
    what makes you say|what evidence do you have|what proof do you have|who says|who said|who told you|\
    where did you get|where did you hear|how can you be sure|on what basis|based on what|convince me|\
    what makes you believe|what makes you so sure|whats your evidence|whats your proof|how can you say|\
    defend|back up|who told|what makes";
/// Words before a claim.
pub(super) const BEFORE_CLAIM: &str = "that|to me that|me that|to me|have that|is it that|the claim that|\
    the idea that|for|why|how|the claim|the fact that|do you say|do you think|did you say|would you say|\
    are you saying|it that|of|do you believe|you say|did you think|did you claim|did you";
/// Words that add nothing to a doubt.
pub(super) const NOTHING: &str = "did you|do you|are you|is|was|about|that|it|this|your|the|last|answer|out|\
    up with|to|at|from|say|saying|get|got|think|come up with|for|one|again|please|correct|right|true|math|\
    work|result|figure|number|how|you|know|info|information|arrive|there|behind|backing|under|give me|me|\
    just|exactly|so|coming|come|came|stuff|its|it is|thats|that is|sure|believe|would|should|be|even|on|\
    based|in|said|claim|conclusion|why|then|of|up|my|i|all|and|like|these|those|did|do|does|were|are|\
    think so|really|now|though|here|told|claiming|answering|way|what|that way|if|so far|total|count|as|being|\
    thinking|get to|reply|response|time|data|figures|idea|base|basing";
