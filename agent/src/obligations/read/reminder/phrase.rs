//! The words of orders to put something into the calendar.

/// Words that ask for a reminder.
pub(super) const REMIND: &str = "remind me|remind us|set a reminder|set reminder|set me a reminder|\
    set up a reminder|add a reminder|create a reminder|make a reminder|reminder|give me a reminder|\
    can i get a reminder|i need a reminder|i need reminding|i want a reminder|dont let me forget|\
    do not let me forget|help me remember|dont forget to|nudge me|ping me|alert me|notify me|i need a nudge|\
    give me a nudge|i need a ping|i need a heads up|give me a heads up|poke me|text me|send me a reminder|\
    i need to be reminded|i should be reminded|i want to be reminded|make sure i|make sure that i|\
    make sure i remember|make sure i dont forget|tell me to|i must remember|put a reminder|\
    schedule a reminder|get me to|drop me a reminder|i could use a reminder|please remind me|note to self|\
    bug me|could i get a reminder|call me|buzz me|shoot me a reminder|let me know when its time|warn me|\
    id like a reminder|id like to be reminded|id like a nudge|remember to|tell me its time to|\
    i need to remember to|i have to remember to|help me remember to|i mustnt forget to|i cant forget to|\
    dont let us forget|i must not forget to";
/// Words that ask for a signal.
pub(super) const WAKE: &str = "wake me|wake me up|wake us up|get me up|set an alarm|set alarm|set my alarm|\
    set the alarm|alarm|i need an alarm|set a timer|set timer|timer|start a timer|set me a timer|\
    set me an alarm|set a wake up call|i need to wake up|i need to be up|give me a wake up call";
/// Words that ask for an event.
pub(super) const PLAN: &str = "make a calendar entry|add a calendar entry|create a calendar entry|\
    put a calendar entry|set something up|schedule|book|book me|put me down|put us down|sign me up|\
    book me in|plan|set up|arrange|create|pencil in|pencil me in|block|block off|block out|reserve|organise|\
    organize|make|slot in|put in|put down|put|add|set|log|mark|calendar|get me|note|enter|save|lets schedule|\
    lets book|lets have|lets plan|lets do|lets meet|lets set up|i want to schedule|i want to book|\
    i need to schedule|i need to book|id like to schedule|id like to book|id like to plan|id like to set up|\
    we need to schedule|make me|fit in|insert|register|record|can we meet|could we meet|shall we meet|\
    want to meet|lets get together|can we get together";
/// Words of which the order needs more to be about a calendar.
pub(super) const VAGUE: &str = "create|make|put|add|set|log|mark|get me|note|enter|save|put in|put down|\
    make me|insert|register|record";
/// Words that say that the clause is about a calendar.
pub(super) const CALENDAR: &str = "on my calendar|to my calendar|in my calendar|on the calendar|\
    to the calendar|in the calendar|into my calendar|into the calendar|on calendar|to calendar|in my diary|\
    in the diary|on my schedule|to my schedule|on the schedule|to the schedule|on my agenda|to my agenda|\
    in my schedule|on the books|in the books|in my planner|in my agenda";
/// Orders after an event.
pub(super) const ADD_IT: &str = "add it|put it in|book it|schedule it|save it|add that|pencil it in|\
    put it on my calendar|add it to my calendar|add to calendar|add to my calendar|put that in|\
    put that on my calendar|put it down|note it|add it to the calendar|put it on the calendar|lock it in|\
    get it on the calendar|calendar it|mark it down|can you add it|schedule that|book that|pencil that in|\
    write it down|add this|put this in|please add|set it up|make it happen|add it in|put it on there|\
    get that scheduled|make a note of it|save the date|remind me|please schedule it|put it in my calendar|\
    put it in the calendar|on my calendar|to my calendar|in my calendar|on the calendar|to the calendar|\
    in the calendar|in my diary|in the diary|on my schedule|to my schedule|on the schedule|on my agenda";
/// Events by which a statement with a time is an order: "I have a dentist appointment tomorrow at 3".
pub(super) const EVENTS: &str = "meeting|appointment|lunch|dinner|breakfast|practice|rehearsal|call|\
    interview|party|class|dentist|doctor|choir|flight|session|lesson|brunch|coffee|haircut|checkup|\
    reservation|wedding|visit|prayer|study|game|date|conference|service|event|shift|training|workout|drinks";
/// Words before what is to be remembered.
pub(super) const ABOUT: &str = "to|that i need to|that i have to|that i should|that i must|that|about|of|\
    i need to|i have to|:|-|,|with a text to|by text to|saying|for the|for|when its time to|so i can|\
    regarding|and|not to forget to|it is time to|its time to|im supposed to|to go|up";
/// Words that begin a question.
pub(super) const QUESTIONS: &str = "what|whats|who|whos|when|whens|where|wheres|which|how|hows|am i|is my|\
    is there|do i|any|anything|have i|list|show|read|give me my|give me the|tell me my|my schedule|\
    my calendar|my agenda|check my|look at|pull up|view|see if|check if|calendar for|calendar next|\
    calendar tomorrow|calendar today|agenda for|do we|are we|am|are there|did i|will i|do you|does";
/// Words that ask for a reminder only with a time or a purpose.
pub(super) const OFTEN_OTHERS: &str = "text me|call me|tell me to|make sure i|make sure that i|ping me|\
    alert me|notify me|warn me|bug me|buzz me|get me to";
/// Words of events that need no time to be recognised.
pub(super) const MEETINGS: &str =
    "a meeting|an appointment|a reservation|meeting|appointment|a call|an event|a time";
/// Words that are always about a calendar.
pub(super) const SURELY: &str = "schedule|book|calendar|pencil|block|reserve|lets schedule|lets book|\
    i want to schedule|i need to schedule|id like to schedule|i want to book|i need to book|id like to book|\
    put me down|put us down";
/// Words of a statement about an event.
pub(super) const TOLD: &str = "i have|ive got|i have got|we have|weve got|theres|there is|i got|im having|\
    were having|we are having|i am having|im meeting|i booked|lets do|lets have";
/// Words before the name of an event.
pub(super) const BEFORE_EVENT: &str = "a|an|the|some time for|time for|some time to|time to|an event for|\
    an event called|a slot for|a time for|my|:|down|for|new event|new";
/// Words of somebody who tells about a plan.
pub(super) const MINE: &str = "i have|ive got|theres|there is|i have got|we have|weve got|i need to|\
    i have to|i must|i should|i gotta|i got to|we need to|we have to|dont let me forget to|i want to|\
    im supposed to|were having|we are having|im having|i am having|theres going to be|were doing|i will be|\
    ill be";
/// Words before an entry of a calendar.
pub(super) const ENTRIES: &str = "new event|event|appointment|new appointment|new meeting|calendar entry|\
    new entry|entry|new reminder";
/// Words that begin no event.
pub(super) const NO_EVENT: &str = "i|we|you|he|she|they|it|the|what|is|are|do|does|how|who|if|my|our|that|\
    there|no|not|let|can|cancel|skip|stop|dont|never|why|was|were|did|has|have|had|keep|make|always|get|find|\
    need|turn|set|put|ensure|maintain|hold|fill|show|list|tell|give|start|open|close|lock";
/// Verbs of sentences that tell about an event.
pub(super) const VERBS: &str = "is|was|went|are|were|will|starts|started|ends|begins|has|had|did|does|said|\
    says|runs|ran|cancelled|moved";
/// Errands, which are reminders if a time of day is said.
pub(super) const ERRANDS: &str = "take out|pick up|drop off|mow|walk the|call|phone|pay|buy|visit|water the|\
    feed the|get gas|go to|meet|meet with|see the|mail|return the|wash the|check in with|follow up with|\
    pray for";
