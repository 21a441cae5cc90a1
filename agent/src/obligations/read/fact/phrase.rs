//! The words of facts that users tell about themselves.

/// Words before a fact that ask to keep it.
pub(super) const REMEMBER: &str = "remember that|remember|please remember that|please remember|note that|\
    please note that|please note|note|keep in mind that|keep in mind|dont forget that|dont forget|\
    make a note that|you should know that|you should know|know that|just so you know|for your records|\
    save that|save this|store that|record that|i want you to know that|i want you to remember that|\
    id like you to remember that|remember this|yes|yeah|yep|no|nope|well|please save that|update :|update ,|\
    news|good news|heads up|let it be known that|i should mention|i should mention that|to be clear|oh";
/// Ways to tell one's name.
pub(super) const CALLED: &str = "call me|you can call me|just call me|people call me|everyone calls me|\
    everybody calls me|i go by|im called|i am called|im known as|i am known as|the names|the name is|name is|\
    my friends call me|i prefer to be called|i prefer to go by|address me as|refer to me as|they call me|\
    please call me|id rather be called|folks call me|most people call me|mi nombre es|me llamo|i am named|\
    im named|start calling me|from now on call me";
/// Ways to tell how to be reached.
pub(super) const REACHED: &str = "you can reach me at|you can reach me on|reach me at|reach me on|text me at|\
    text me on|email me at|mail me at|call me at|call me on|contact me at|im reachable at|\
    i can be reached at|you can email me at|you can call me at|you can text me at|ring me on|my contact is";
/// Single facts: the words before the value, and the field.
pub(super) const TOLD: &[(&str, &str)] = &[
    ("i was born on|born on|i was born the|i was born january|i was born february", "birthday"),
    ("i was born in|born in", "birthplace"),
    (
        "i work at|i work for|im employed by|i am employed by|i now work at|i now work for|im working at|\
            im working for|i started working at",
        "employer",
    ),
    ("i work as a|i work as an|i work as", "job"),
    ("i drive a|i drive an", "car"),
    ("i live on", "address"),
    ("im allergic to|i am allergic to", "allergy"),
];
/// Words after a value that do not belong to it.
pub(super) const BEHIND: &str = "now|these days|nowadays|currently|actually|instead|please|btw|by the way|\
    anymore|any more|from now on|again|today|since|because|spelled|spelt|with a|with an|with one|with two|\
    with no|with the|without|not|and not|( not|but|and i|and im|and my|and we|and please|so|in case|if you|\
    just so|as you know|thanks|thank you|though|for now|as of|ok|okay|right|which|where|who|remember|\
    if anyone|for the record|and what|and whats|and how|and who|and can|lol|haha|in fact|i think|too|as well|\
    at the moment|last|until|after";
/// Words that are no names, although "I'm" is before them.
pub(super) const NO_NAME: &str = "a|an|the|not|so|very|in|at|on|off|out|here|back|home|busy|free|tired|sick|\
    fine|good|great|ok|okay|well|sure|sorry|late|early|lost|done|ready|hungry|happy|sad|bored|new|just|going|\
    gonna|trying|looking|wondering|curious|using|from|with|all|also|still|really|too|afraid|glad|confused|\
    alone|about|your|my|his|her|it|that|this|there|one|what|who|how|never|always|almost|only|like|married|\
    single|excited|thinking|feeling|having|working|available|unavailable|interested|certain|positive|right|\
    wrong|up|down|old|young|sir|able|unable|unsure|supposed|planning|running|waiting|leaving|driving|stuck|\
    broke|starving|exhausted|freezing|cold|hot|pretty|kind|kinda|sort|more|less|over|under|through|serious|\
    joking|kidding|human|alive|awake|asleep|yours|mine|testing|him|them|us|you|me|i|im|its|hes|shes|theyre|\
    ive|stay|come|get|put|stop|sit|of";
/// Colours that people like.
pub(super) const COLOURS: &str = "red|green|blue|yellow|orange|purple|pink|black|white|brown|grey|gray|teal|\
    turquoise|violet|gold|silver|navy|maroon|lavender|magenta|cyan|beige|indigo|mint|coral|lime";
/// Common first names, which are understood in lower case too.
pub(super) const FIRST_NAMES: &str = "sam|tom|ana|anna|ben|dan|dana|joe|john|jon|mary|maria|kate|katie|\
    katherine|catherine|mike|michael|david|dave|steve|chris|alex|max|lee|pat|kim|jim|james|bob|rob|robert|\
    bill|will|william|tim|matt|mark|luke|paul|peter|pete|andy|andrew|tony|nick|eric|ryan|jason|josh|jeff|\
    greg|scott|kevin|brian|adam|aaron|emma|emily|olivia|sophia|mia|eva|eve|sara|sarah|lisa|laura|julia|julie|\
    jane|jen|jenny|jessica|amy|amanda|ashley|rachel|rebecca|ruth|esther|hannah|grace|rosa|carlos|jose|juan|\
    luis|pedro|miguel|diego|omar|ali|nina|lena|leo|noah|liam|ethan|jack|henry|george|charlie|oscar|ivan|igor|\
    olga|nora|zoe|chloe|lucy|lily|ella|bella|sally|molly|becky|beth|linda|karen|susan|nancy|betty|helen|\
    diane|gus|hana|joy|uma|vic|wes|xena|yuri|zack|abby|quinn|pia|eli|carla";
/// Verbs between somebody and a city.
pub(super) const LIVES_IN: &str =
    "lives in|lives over in|moved to|is from|lives out in|is living in|lives at";
/// Verbs between a field and its value.
pub(super) const IS: &str =
    "is now|is actually|is still|has changed to|changed to|is|are|=|:|will be|isnt|has been";
/// Orders to keep or change a fact.
pub(super) const ORDERS: &str = "set|change|update|save|store|record|switch|correct|make|fix|put down|put|\
    use|keep|write down|add|changed|updated";
/// Words before a value that answers a question.
pub(super) const ANSWERS: &str =
    "its|it is|thats|in|at|i said|that would be|on|is|called|im in|i am in";
/// Words that begin no place: "I'm in a hurry".
pub(super) const NO_PLACE: &str =
    "a|an|my|this|that|here|there|it|trouble|love|need|his|her|case|charge";
/// Words that begin a correction.
pub(super) const MARKERS: &str = "actually|sorry|no|nope|correction|oops|wait|rather|my bad|my mistake|\
    whoops|hang on|hold on|scratch that|typo|ugh|oh|i misspoke|apologies|hmm|um|ah|well|no wait|i mean|\
    i meant|*|,|-|.|:|!|and";
/// Words between a correction and the right value.
pub(super) const COPULAS: &str = "its|it is|it should be|thats|that is|that should be|make it|make that|\
    should be|i meant|i mean|i meant to say|i said|its spelled|its actually|it is actually|it was|that was|\
    its really|rather|the right one is|should have been|change it to|change that to|update it to|its now|\
    it is now|spelled|call me";
/// Orders to keep whatever is behind them.
pub(super) const KEEP: &str = "remember that|remember|note that|keep in mind that|keep in mind|\
    dont forget that|dont forget|make a note that|note|you should know that|save that|store that|record that|\
    id like you to remember that|i want you to remember that|for your records|remember this|make a note";
/// Diets that people name.
pub(super) const DIETS: &str = "vegetarian|vegan|pescatarian|gluten free|lactose intolerant|kosher|halal|\
    diabetic|dairy free|celiac";
/// Families and animals that people count.
pub(super) const FAMILY: &str = "kids|children|sons|daughters|brothers|sisters|siblings|dogs|cats|pets|\
    grandkids|grandchildren|cars|horses|kid|child";
/// Statements without a field, each with the field that is meant.
pub(super) const PREFERENCES: &[(&str, &str)] = &[
    ("i speak", "language"),
    ("i prefer|id prefer|id rather", "preference"),
    (
        "your name is|ill call you|i will call you|i call you|im calling you|im going to call you|\
            lets call you",
        "assistant_name",
    ),
];
/// Months, by which a birthday is recognised.
pub(super) const MONTHS: &str = "january|february|march|april|may|june|july|august|september|october|\
    november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec";
/// Words before a right value that can be nothing else.
pub(super) const STRONG_COPULAS: &str = "make that|make it|i meant|i meant to say|it should be|should be|\
    that should be|change it to|change that to|update it to|should have been|the right one is|use";
