//! The words of word problems that say what joins their numbers.

/// Words that begin the question of a story.
pub(super) const ASKS: &str = "how many|how much|how far|how long|how old|how tall|whats the total|\
    what is the total|what total|whats the cost|what is the cost|what does it cost|what will it cost|\
    what do they cost|whats left|what is left|what do i owe|whats the price|what is the price|what do i pay|\
    whats the area|what is the area|total cost|what do we pay|what do they pay|whats the difference|\
    what is the difference|what does each|what is each|whats each|whats the bill|what is the bill|\
    what would it cost|whats the sum|what is the sum|total|what do we owe|what does that cost|\
    what was the total|what did i spend|what did i pay|what did it cost|what do i spend|what did they pay|\
    what did we pay|what did that cost|whats my total|what is my total|what is the new price|\
    whats the new price|whats the sale price|what is the sale price|what is the final price|\
    what did we spend|what did they spend|how fast|total hours|total miles|total people|total chairs|\
    total number|what is the average speed|whats the average speed";
/// Words of a rate.
pub(super) const EACH: &str = "each|per|apiece|every|a piece|a pop|an hour|a week|a day|a month|a night|\
    an item|a ticket|a box|a person|a head|in a minute|in an hour|in a week|in a day|in a year|in a box|\
    to a box|to a page|in a pack|a plate|a table|a row|a guest|a child|a kid|a student|a class|a bag|\
    a piece of";
/// Words of a multiple.
pub(super) const AS_MANY: &str =
    "times as many|times as much|times more|times as old|times as long|times the";
/// Words of a division.
pub(super) const SHARES: &str = "share|shared|shares|sharing|split|splits|splitting|divide|divided|divides|\
    dividing|equally|evenly|distributed|distribute|distributes|cut into|among|amongst|into equal|\
    handed out equally|deal|dealt";
/// Words before the number of parts.
pub(super) const BEFORE_PARTS: &str = "among|amongst|between|into|by|across|to|with|for";
/// Those who get a part each.
pub(super) const PEOPLE: &str = "kids|people|friends|children|students|boys|girls|volunteers|families|\
    classmates|of us|players|workers|guests|siblings|brothers|sisters|grandkids|cousins|teams|groups|tables|\
    bags|boxes|rows|plates|baskets|jars|ways|shelves|classes|rooms|cars|buses|pages|men|women|adults|helpers|\
    pupils|kittens|dogs|cats";
/// Words of a comparison.
pub(super) const COMPARES: &str = "how many more|how much more|how many fewer|how much less|how much older|\
    how much younger|how much taller|how much longer|how much shorter|how much farther|how much further|\
    how much cheaper|how much heavier|how much lighter|the difference|how many years older|\
    how many years younger|how much change|how many are missing|how much do i still need|how much bigger|\
    how many extra|how much faster|how many inches taller|how many pounds heavier|\
    how much money will i have left|how many points more|how much warmer|how much colder|change do i get|\
    change will i get|change should i get|how many left to go|how many to go|how many pages are left|\
    how many points behind|how many points ahead";
/// Words of a loss.
pub(super) const LOSSES: &str = "gave|give|gives|giving|lost|lose|loses|spent|spend|spends|ate|eat|eats|\
    eaten|used|use|uses|sold|sell|sells|broke|breaks|break|took|takes away|takes|took away|flew|fly|flies|\
    left the|leave|leaves|leaving|went|go home|goes home|died|dropped|drops|donated|donates|threw|throws|\
    fell|popped|melted|paid|pay|pays|drank|drink|drinks|cancel|cancels|cancelled|canceled|removed|remove|\
    minus|away|off|drove off|less|walked away|got off|gets off|quit|rolled away|were eaten|were sold|cut|\
    cuts|burned|burnt|tore|ran away|returned|lent|missing|absent|sick|out";
/// Words of a gain.
pub(super) const GAINS: &str = "more|bought|buy|buys|found|find|finds|gets|got|get|received|receive|receives|\
    join|joined|joins|arrive|arrived|arrives|added|add|adds|another|plus|earned|earn|earns|picked|pick|picks|\
    collected|won|win|wins|gave me|gives me|gives him|gives her|gave him|gave her|gave us|grew|made|baked|\
    came|come|comes|and|gained|extra|has|have|had|saw|planted|walked in|got on|gets on|drive|drove|read|ran|\
    run|walked|saved|then|guests|costs|cost|for|is|are|were|was|on";
/// Words of a gift to somebody.
pub(super) const GIVEN: &str = "gave me|gives me|gave him|gave her|gives him|gives her|gave us";
/// Verbs behind a number that is lost.
pub(super) const GO: &str = "got off|gets off|get off|flew|left|leave|leaves|went|died|fell|broke|popped|\
    melted|ran away|walked away|drove off|quit|were eaten|were sold|are gone|dropped|cancel|cancelled|\
    canceled|were given|got eaten|rolled away|were lost|called in sick|sold|burned|rotted|escaped|drove away|\
    swam away|minutes ago|hours ago|days ago|ago|were used|got lost|are missing|are taken|are broken|\
    went home|went missing|ran off|fell off|burst|retired|moved away|dropped out|no showed|didnt show|\
    are sick|have left|had left|were stolen|disappeared";
/// Verbs behind a number that is gained.
pub(super) const COME: &str = "got on|get on|gets on|came|come|joined|join|arrived|arrive|more";
/// Words of a remainder.
pub(super) const LEFT: &str = "left|remain|remains|remaining|left over|still have|still has|\
    does she have now|does he have now|do i have now|do we have now|still";
/// Words of a sum.
pub(super) const TOTAL: &str =
    "altogether|in total|in all|total|combined|both|sum|together|all together";
/// Words of texts that are no stories.
pub(super) const NO_STORY: &str =
    "remind|schedule|letter|letters|oclock|am|pm|calendar|alarm|times does|vowels|word";
/// Words of per cent that are added.
pub(super) const SURCHARGES: &str =
    "tax|tip|raise|increase|interest|more|markup|fee|service charge";
/// Questions for the part that is added alone.
pub(super) const ASKS_SURCHARGE: &str = "how much tip|how much is the tip|how much tax|how much is the tax|\
    how much interest";
/// Words that ask for the result of gains and losses.
pub(super) const RESULTS: &str = "now|have|has|are there|do i owe|cost|pay|old|far|total|is it|will there be|\
    were there|in the|did";
/// Verbs between a thing and what one of it has or costs.
pub(super) const HAS: &str = "costs|cost|has|have|holds|hold|seats|weighs|takes|contains|makes|serves|needs|\
    uses|feeds|fits|is|pays|earns|gets|can hold|can seat|sells for|is worth|goes for|lasts|calls for|\
    requires|weigh|produces|gives|comes with|includes|plays|reads|earn|charges";
/// Groups of equal size.
pub(super) const GROUPS: &str = "rows|boxes|bags|packs|packets|groups|tables|shelves|baskets|cartons|cases|\
    sets|teams|crates|trays|jars|stacks|bunches|columns|weeks|days|hours|months|nights|pages|classes|bundles|\
    dozens|bottles|buses|vans|cars";
