//! Words around a request that say nothing about it: greetings, politeness, hesitation.

use super::clause::Clause;

/// Words before a request.
const BEFORE: &str = "hey|hi|hello|yo|hiya|hey there|hi there|hello there|good morning|good afternoon|\
    good evening|ok|okay|so|um|umm|uh|uhm|hmm|hm|well|oh|ah|alright|now|and|also|then|but|please|kindly|\
    listen|quick one|quick question|quick q|one more|one more thing|one more question|another one|next one|\
    next question|question|easy one|random question|dumb question|silly question|real quick|quickly|just|\
    just curious|curious|out of curiosity|can you|could you|would you|will you|can you please|\
    could you please|would you please|would you mind|can ya|cld you|can you just|could you just|\
    can you quickly|could you quickly|are you able to|i want you to|id like you to|i would like you to|\
    i need you to|i want to know|id like to know|i would like to know|id love to know|i need to know|\
    i wanna know|i was wondering|im wondering|i wonder|just wondering|wondering|was wondering|i am wondering|\
    do you know|do you happen to know|would you know|you know|any idea|any idea of|any chance you know|\
    can you remember|do you remember|do you recall|could you remember|tell me|please tell me|let me know|\
    help me|help me out|can i ask|may i ask|mind telling me|i forgot|i forget|i cant remember|\
    i dont remember|btw|by the way|fyi|for your information|for the record|fwiw|assistant|bot|abide|dear|\
    first|firstly|second|secondly|finally|lastly|next|after that|in addition|additionally|actually|\
    if you can|if you could|if possible|when you can|lets see|let me see|let me think|im curious|great|nice|\
    thanks|thank you|perfect|awesome|got it|sorry|sry|sorry to bother you|excuse me|for me|like|so like|sure|\
    my friend|dude|man|mate|buddy|bro|sup|greetings|please can you|pls can you|if you dont mind|one sec|\
    right so|ok so|okay so|help me figure out|help me work out|i have a question|got a question|\
    can you help me figure out|real quick question|hola|buenos dias|buenas|por favor|oye|dime|puedes decirme";

/// Words after a request.
const AFTER: &str = "please|thanks|thank you|thank you very much|thanks a lot|thanks so much|many thanks|\
    cheers|ty|tks|if you can|if you could|if possible|if you dont mind|for me|would you|will you|could you|\
    can you|ok|okay|do you know|you know|any idea|asap|real quick|quickly|lol|haha|hey|though|by the way|btw|\
    i wonder|im curious|just curious|just wondering|man|buddy|mate|again|exactly|huh|eh|then|pretty please|\
    thank u|anyway|would you please|could you please|can you please|would be great|that would be great|\
    when you get a chance|when you can|i forgot|i forget|tell me|do you remember|at all|por favor|gracias";

/// Returns a clause without the courtesies around it. Returns an empty clause if there is nothing else.
pub(super) fn bare(clause: Clause<'_>) -> Clause<'_> {
    let mut clause = clause.trimmed();
    loop {
        let shorter = clause.past(BEFORE).trimmed();
        let shorter = shorter.short_of(AFTER).trimmed();
        if shorter.len() == clause.len() {
            return clause;
        }
        clause = shorter;
    }
}

/// Returns a clause without the courtesies after it.
pub(super) fn without_thanks(clause: Clause<'_>) -> Clause<'_> {
    let mut clause = clause.trimmed();
    while let Some(shorter) = clause.before(AFTER) {
        clause = shorter.trimmed();
    }
    clause
}
