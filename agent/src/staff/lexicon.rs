//! The words that say what a text asks for, in classes that the classifier sees beside the words,
//! so that it understands one that no example has; and the repair of those words where they are
//! misspelt.

use strsim::osa_distance;

use crate::church::ChurchWords;

/// The classes: the word that stands for each, then its words.
const CLASSES: &[(&str, &str)] = &[
    (
        "xdown",
        "reduce|lower|decrease|cut|trim|shrink|drop|scale back|scale down|dial back|dial down|\
         dial|knock|pare|slim|downsize|fewer|less|too many|overstaffed|over staffed|overstaff|\
         overshot|menos|baja|bajar|reducir|quita|whittle|lessen|tone down|go down|come down|\
         bring down|down to|back to xnum|back down|scale|get by|suffice|plenty|is enough|sobran|\
         solo|solamente|nomas|sobra|only need|only needs|shave|take off|lose|can do with|is fine|\
         will do|ease off|surplus|ratchet|home",
    ),
    (
        "xup",
        "increase|raise|bump|up|grow|expand|add|more|extra|additional|boost|beef up|double|triple|\
         mas|sube|subir|aumenta|aumentar|agrega|another|throw in|tack on|ramp|crank|not enough|\
         isnt enough|wont cut it|step up|pump up|push up|jack up|bigger|otro|otra|plus",
    ),
    (
        "xoff",
        "cancel|canceled|nm|nvm|cancelled|cancelling|call off|called off|calling off|scrap|\
         scratch|nix|axe|ax|kill|drop|forget|never mind|nevermind|pull the plug|not happening|\
         stand down|no longer|dont need|wont need|not needed|is off|ditch|abort|shelve|delete|\
         remove|cancela|cancelar|elimina|eliminar|borra|cancelen|suspende|release|not doing|\
         arent having|not having|wont be needing|no need|stop looking|call it off|off the books|\
         bail|skip|scuttle|undo|pull",
    ),
    (
        "xmove",
        "rebalance|move|moving|shift|swap|switch|redistribute|reshuffle|shuffle|rework|rearrange|\
         reorganize|redo|rejig|restructure|transfer|trade|reassign|borrow|steal|pull|slide|\
         even out|balance|split|mueve|mover|cambia|pasa|pasar|instead|reallocate|rob|over to|\
         divert|lend",
    ),
    (
        "xask",
        "need|needs|get|find|fill|recruit|looking for|want|could use|short|grab|round up|\
         rustle up|scrounge|line up|hunt|staff|sign up|track down|cover|necesito|necesitamos|\
         busca|busco|buscamos|ocupamos|ocupo|faltan|consigue|hace falta|looking|scare up|drum up|\
         book|schedule|invite|ask for|hook me up|require|wanted|seeking|lacking|shorthanded|\
         short handed|understaffed|are needed|is needed|low on|thin on|light on|stretched|\
         are thin|is thin",
    ),
    (
        "xhow",
        "how many|how are|how is|hows|how we|status|update|progress|any luck|where are we|\
         where do we|are we|do we have|do we still|cuantos|suficientes|alcanza|cuantas|como vamos|\
         como va|como estamos|headcount|head count|numbers|did anyone|did anybody|any news|\
         any word|how did|is it full|all set|we good|how short|hows it",
    ),
    (
        "xwho",
        "who|whos|whose|which|list|names|name|roster|show|quien|quienes|cuales|lista|read me|\
         lineup|line up for",
    ),
    (
        "xhold",
        "pause|hold off|hold|holding|stop|freeze|halt|quiet|suspend|kill switch|stand by|cease|\
         mute|quit|brakes|silence|shut|pausa|pausar|para todo|para todos|para los|deten|paren|\
         detengan|detener|no more|radio silence|standby|time out|timeout|put on hold|cool it|\
         knock it off|dont send|dont text|go dark|lay off|on ice|back off|let up|sit tight|take a break|a break|breather|a rest|\
         shush|wait on|alone for now|not now",
    ),
    (
        "xgo",
        "resume|restart|unpause|unfreeze|unmute|start|again|back on|turn on|carry on|continue|\
         reanuda|reanudar|sigue|keep going|reactivate|re enable|enable|lift|reopen|pick up|\
         back up and running|back in business|switch on|pick back up|get going",
    ),
    (
        "xyes",
        "yes|yep|yeah|yup|ya|ok|okay|oki|approve|approved|approving|go ahead|sure|fine|\
         sounds good|looks good|do it|send it|send em|send them|send away|fire away|fire|\
         absolutely|of course|proceed|confirm|confirmed|permission|blessing|si|dale|adelante|\
         claro|por supuesto|esta bien|hazlo|mandalo|envialo|de acuerdo|k|kk|👍|green light|\
         thumbs up|good to go|go for it|works for me|by all means|let it rip|ship it",
    ),
    (
        "xno",
        "no|nope|nah|dont|do not|not|never|reject|rejected|decline|denied|deny|refuse|veto|\
         against|pass|negative|disapprove|rather not|👎|tampoco|thumbs down|no way|overruled",
    ),
];
/// Words that a slip of the finger may not hide.
const REPAIRED: &[&str] = &[
    "cancel",
    "canceled",
    "cancelled",
    "cancelling",
    "status",
    "pause",
    "paused",
    "resume",
    "reduce",
    "increase",
    "approve",
    "approved",
    "reject",
    "decline",
    "declined",
    "volunteers",
    "volunteer",
    "people",
    "person",
    "service",
    "services",
    "another",
    "please",
    "rebalance",
    "unpause",
    "restart",
    "messages",
    "message",
    "texting",
    "sending",
    "everyone",
    "everybody",
    "should",
    "instead",
    "looking",
    "enough",
    "fewer",
    "lower",
    "raise",
    "which",
    "shift",
    "switch",
    "scale",
    "trim",
    "chruch",
    "church",
    "minimum",
    "prefer",
    "preferably",
    "actually",
    "anyone",
    "someone",
    "redistribute",
    "additional",
    "proceed",
    "helpers",
    "couple",
    "dozen",
    "three",
    "seven",
    "eight",
    "necesito",
    "confirmed",
];
/// Words that are near one of them and mean something else.
const OTHER_WORDS: &[&str] = &[
    "fever",
    "statue",
    "states",
    "shirt",
    "shirts",
    "scare",
    "stale",
    "cancer",
    "massage",
    "testing",
    "lover",
    "person",
    "parson",
    "seven",
    "sevens",
    "there",
    "threes",
    "threw",
    "height",
    "weight",
    "eighth",
    "lowed",
    "cover",
    "preferred",
    "resumes",
    "sounding",
    "spending",
    "booking",
    "cooking",
    "persons",
    "messaged",
    "servicing",
    "swatch",
    "swift",
    "shaft",
    "rinse",
    "rouse",
    "anyone",
    "throw",
    "tree",
    "scaled",
    "seventh",
    "lending",
    "wish",
    "witch",
    "while",
    "shirk",
    "shouldnt",
    "shoulder",
    "approves",
    "peoples",
    "raised",
    "needing",
    "slower",
    "flower",
    "power",
    "praise",
    "relook",
    "perform",
    "fewest",
    "helper",
    "doze",
    "dozens",
    "couples",
    "restarted",
    "paused",
    "prefers",
    "churches",
];
/// Words of this length may have one wrong letter.
const ONE_SLIP_FROM: usize = 5;
/// Words of this length may have two wrong letters.
const TWO_SLIPS_FROM: usize = 8;

/// Returns a word, or the one that is meant if it is misspelt.
pub(super) fn corrected<'w>(word: &'w str, church: &ChurchWords) -> &'w str {
    let known = |word: &str| {
        let roles = church.roles.iter().flat_map(|role| &role.words);
        roles.flat_map(|wording| wording.split(' ')).any(|part| part == word)
    };
    if word.len() < ONE_SLIP_FROM || REPAIRED.contains(&word) || OTHER_WORDS.contains(&word) {
        return word;
    }
    let slips = if word.len() >= TWO_SLIPS_FROM { 2 } else { 1 };
    let near = |wanted: &&&str| {
        wanted.len() + 1 >= ONE_SLIP_FROM
            && wanted.as_bytes().first() == word.as_bytes().first()
            && osa_distance(word, wanted) <= slips
    };
    match REPAIRED.iter().filter(near).min_by_key(|wanted| osa_distance(word, wanted)) {
        Some(wanted) if !known(word) => wanted,
        _ => word,
    }
}

/// Returns the classes with a wording that ends at a word.
pub(super) fn classes<'w>(
    words: &'w [&str],
    end: usize,
) -> impl Iterator<Item = &'static str> + 'w {
    CLASSES
        .iter()
        .filter(move |(_, all)| all.split('|').any(|it| ends_at(words, end, it)))
        .map(|it| it.0)
}

/// Whether a text has a word of a class.
pub(super) fn has_class(words: &[&str], class: &str) -> bool {
    (0..words.len()).any(|end| classes(words, end).any(|it| it == class))
}

fn ends_at(words: &[&str], end: usize, wording: &str) -> bool {
    let mut back = words[..=end].iter().rev();
    wording.rsplit(' ').all(|part| back.next().is_some_and(|word| *word == part))
}
