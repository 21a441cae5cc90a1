//! The words of questions about people.

/// Words that deny the next condition.
pub(super) const NOT: &str = "not|isnt|arent|aint|doesnt|dont|do not|does not|without|except|except for|\
    other than|apart from|besides|but not|never|nor|neither|excluding|wasnt|werent|outside|outside of|out of|\
    away from|non|minus|no|cant|not including|anyone but|everyone but|everybody but|anybody but|but|havent|\
    hasnt|lacking|missing|strangers to";
/// Words that ask for people in general.
pub(super) const PEOPLE: &str = "who|whos|whom|people|person|persons|folks|contacts|contact|everyone|\
    everybody|anyone|anybody|someone|somebody|members|member|guys|names|those|volunteers|acquaintances|ones|\
    man|woman|men|women|directory|quien|quienes|gente|personas";
/// Words that ask for everybody.
pub(super) const EVERYBODY: &str = "everyone|everybody|all people|all the people|all my contacts|\
    all contacts|my contacts|all of my contacts|the directory|all the contacts|every person|everyone i know|\
    all the people i know|show contacts|list contacts|people i know|people do i know|do i know|every contact|\
    the contacts|all names|contact list|contacts do i have|people are there|contacts are there";
/// Words that say nothing about the people.
pub(super) const FRAME: &str = "list|show|show me|give|give me|tell me|find|find me|name|names|which|what|\
    whats|what is|that|the|a|an|my|me|all|of|are|is|do|does|did|i|have|has|had|any|in|on|at|from|to|with|\
    live|lives|living|lived|know|there|and|also|both|who|be|been|being|am|we|our|you|your|their|them|they|\
    him|her|his|he|she|it|its|get|can|could|out|by|for|count|how many|how much|number|many|please|serve|\
    serves|serving|work|works|working|based|located|where|wheres|city|town|cities|email|emails|address|\
    addresses|mail|e|role|roles|team|teams|ministry|still|currently|now|right|today|as|or|so|if|need|want|\
    see|look|up|whose|reside|resides|residing|home|hometown|called|named|exactly|total|only|just|some|every|\
    each|around|here|available|signed|actually|really|well|too|either|than|else|one|doing|part|same|about|\
    will|would|should|s|whos|local|go|goes|contact|info|details|information|reach|job|position|among|between|\
    within|together|altogether|us|pull|display|print|write|read|back|say|happen|true|use|using|play|plays|\
    help|helps|helping|run|runs|assigned|stay|stays|belong|belongs|come|comes|hail|hails|long|folks|guys|\
    peeps|group|place|area|these|those|this|in my|database|records|file|record|registered|tagged|listed|\
    considered|counted|count as|consider|marked|think|live in|whereabouts|id|like|love|got|tally|sort|filter|\
    search|identify|enumerate|give us|lets|let|son|es|mis|lista|muestra|muestrame|los|las|de|viven|vive|\
    cuantos|tengo";
/// Words that join a condition to the one before as another choice.
pub(super) const OR: &str =
    "or|nor|or in|or the|or from|or on|and or|or who are|or are|, or|or else";
/// Words that join a condition to the one before.
pub(super) const AND: &str = "and|&|, and|and the|and in|and from|plus|as well as|,";
/// Words of having a role or none.
pub(super) const HAVE_ROLES: &str = "have any role|has any role|have any roles|has any roles|have a role|\
    has a role|have no role|has no role|have no roles|has no roles|with no role|with no roles|without a role|\
    without any role|without roles|with a role|on any team|on a team|on no team|have any job|serve anywhere|\
    serves anywhere|not on any team|not on a team";
/// Words of having a mail address or none.
pub(super) const HAVE_EMAIL: &str = "have an email|has an email|with an email|with email|have emails|\
    has email|have email|have no email|has no email|with no email|without an email|without email|\
    dont have an email|doesnt have an email|have an email address|has an email address|with an email address|\
    without an email address|dont have an email address|doesnt have an email address|no email|\
    have no email address|has no email address|with no email address|with emails|without emails|\
    lack an email|lacks an email|missing an email|is missing an email|are missing an email|\
    have an email on file|has an email on file";
/// Words before a name that nobody has.
pub(super) const BEFORE_NAME: &str = "is|are|does|do|did|has|wheres|whos|isnt|doesnt|except|except for|find|\
    look up|besides|other than";
