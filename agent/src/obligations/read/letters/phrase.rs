//! The words around letters and texts in questions for letters.

/// Words that ask for a number.
pub(super) const ASKS: &str = "how many times|how many|how often|how much|number of times|number of|\
    the number of|count of|count up|count|count how many|tally up|tally|occurrences of|instances of|\
    frequency of|how frequently|find all|find every|find|the count of|many|quantity of|amount of|\
    total number of|what number of|letter count of|letter count for|letter count|the letter count of|howmany|\
    # of|the # of|howmuch";
/// Words between the question and the letter.
pub(super) const BEFORE_LETTER: &str = "times does|times do|times is|times are|times did|times can you find|\
    times|does|do|did|the|all|all the|all of the|of|of the|individual|single|lowercase|uppercase|capital|is|\
    are|total|instances of|number of|the number of|how many|occurrences of|occurrences|appearances of|\
    a single|copies of|you see|you find|up|up the|can i find|can you find|do you see|will i find|\
    would i find|capital and lowercase|upper and lower case|uppercase and lowercase|upper and lowercase|\
    lower case|upper case|small|big";
/// Words between the letter and the text.
pub(super) const AFTER_LETTER: &str = "( no accent )|( no accents )|( without accents )|( either case )|\
    do you use|do i use|are used|are needed|do we use|count|letters|letter|letter s|s|r|are|is|there|\
    are there|is there|do you see|do you count|do you find|do you spot|can you see|can you find|\
    can you count|can you spot|can i find|can i see|appear|appears|appearing|occur|occurs|occurring|show up|\
    shows up|come up|comes up|pop up|pops up|exist|exists|used|contained|present|found|to be found|it has|\
    will i find|would i find|do we have|do we see|total|in total|altogether|characters|character|\
    does it appear|does it occur|does it show up|does it come up|is it|it is|that are|that appear|that occur|\
    which appear|written|do i see|do i need to write|do you need|do you need to spell|feature|features|\
    will you find|could you find|get used|gets used|turn up|turns up|happen|happens|would you find|s are";
/// Words before the text.
pub(super) const IN: &str = "in|inside|inside of|within|of|from|for|across|into|throughout|to spell|to write|\
    if you spell|when you spell|if i spell|when i spell|make up|spelling";
/// Words that name the text that follows.
pub(super) const NOUNS: &str = "the word is|the word|the words|the name|the phrase|the sentence|the string|\
    the text|the following word|the following sentence|the following phrase|the following text|this word|\
    this sentence|this phrase|this text|word|words|name|phrase|sentence|string|a word like|the term|\
    the expression|the title|the line|the spelling of|spelling|the city name|the city|the state name|\
    the country name|the full word|the whole word|the english word|the quote|the whole sentence|\
    the whole phrase|the name of|something like|the following :|the following";
/// Words after any text.
pub(super) const TOTAL: &str = "in total|in all|total|altogether|combined|are there|is there|do you see|\
    can you find|by the way|ignoring case|case insensitive|ignoring caps|regardless of case|\
    upper or lower case|counting both cases|case insensitively|ignore case";
/// Words after the text that ask what it holds.
pub(super) const HAS: &str = "have|has|contain|contains|contained|got|include|includes|hold|holds|have in it|\
    have in total|use|uses|need|there|in total|in all|total|altogether|combined|are there|is there|\
    do you see|can you find|appear|occur|be spelled with|have got|by the way|do you count|can you see|\
    feature|it|got in it";
/// Questions for the length of a word.
pub(super) const HOW_LONG: &str = "how long is the word|how long is the name|how long is the string|\
    how long is the phrase";
