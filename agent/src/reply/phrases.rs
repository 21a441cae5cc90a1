//! Phrases that mean similar things in a reply. All are in the form of [`spoken`](super::spoken::spoken).

/// Groups of phrases of up to five words, each with its name. A bar is between two phrases.
pub(super) const PHRASES: &[(&str, &str)] = &[
    (
        "COND",
        "as long as|so long as|provided that|on the condition|only if|only when|depends \
         on|depending on|in case|even if|if only|con tal|siempre y cuando|siempre que|if and \
         only|as soon as|not unless|except if|in the event|on condition|subject to|hinges \
         on|comes down to|in a pinch|last resort|worst case|if need be|as backup|as a \
         backup|plan b|if needed|if necessary",
    ),
    (
        "YESP",
        "count me in|im in|sign me up|put me down|no problem|no prob|no probs|not a \
         problem|no worries|why not|of course|you bet|you betcha|for sure|happy to|glad \
         to|love to|sounds good|sounds great|works for me|fine by me|fine with me|ok with \
         me|im down|im game|ill be there|be there|see you|see ya|c you|i got you|got you|got \
         it|will do|can do|consider it done|dont mind|wouldnt mind|no objection|no \
         objections|doesnt bother|not an issue|no issue|say less|count on me|on it|cant \
         wait|wouldnt miss|my pleasure|by all means|sin problema|por supuesto|con \
         gusto|cuenta conmigo|cuenten conmigo|ahi estare|ahi nos vemos|claro que si|desde \
         luego|im available|im free|right on|ten four|10 4|you got it|yes maam|yes sir|might \
         as well|cant say no|wont say no|couldnt say no|how could i say no|hard to say \
         no|twist my arm|all set|all good|still on|still good|still coming|still in|with \
         bells on|pencil me in|go ahead|lets do it|lets do this|i accept|i \
         confirm|confirmo|jalo|me apunto",
    ),
    (
        "NOP",
        "count me out|im out|no can do|no way|no thanks|no thank you|not this time|not this \
         week|not this sunday|not today|hard pass|pass on|ill pass|going to pass|going \
         pass|sit this one out|sit out|rain check|raincheck|cant make it|cant do it|cant \
         do|wont be able|not able to|not going to be able|unable to|not available|out of \
         town|im out of|wont make it|wont be there|cant be there|cant come|cant help|not \
         going happen|not interested|not for me|not my thing|no dice|no go|no bueno|im not|i \
         cant|we cant|no puedo|no podre|no voy a poder|no podemos|no gracias|no quiero|lo \
         siento|ni modo|have to decline|must decline|had to say no|say no|have to say no|turn \
         down|other plans|already committed|prior commitment|have plans|not up for|not up \
         to|bow out|beg off|opt for|rather not|prefer not|best if i dont|id rather stay|leave \
         me where|keep me where|stay put|staying put|happy where|im good where|like it \
         where|stay where|claro que no|por supuesto que no|seguro que no|desde luego que no|of \
         course not|absolutely not|definitely not|certainly not|surely not|obviously not|heck \
         no|hell no|yeah no|si pero no",
    ),
    (
        "TIMEP",
        "let me check|let me see|lemme check|lemme see|let me look|let me ask|let me talk|let \
         me think|let me pray|let me get back|get back to|get back with|let you know|get back \
         2|give me a|give me til|give me until|not sure|im not sure|dont know|dont know \
         yet|wont know|ill know|will know|have to check|need to check|have to ask|need to \
         ask|have to see|need to see|have to look|got check|got ask|got see|up in the air|on \
         the fence|play it by ear|we will see|well see|will see|no promises|cant promise|dont \
         hold me|hold me to|ask me again|ask me later|check back|sleep on it|think about \
         it|pray about it|run it by|talk to my|ask my|check with|check my|fifty fifty|50 \
         50|50/50|good chance|decent chance|slim chance|chances are|odds are|long shot|toss \
         up|coin flip|leaning yes|leaning no|leaning toward|i think so|i believe so|should be \
         able|should be there|do my best|try my best|fingers crossed|call you later|call you \
         back|text you later|cant talk|in a meeting|right now|dont disturb|out of the \
         office|tal vez|a lo mejor|no se|puede que|dejame ver|deja ver|deje ver|deja veo|te \
         aviso|le aviso|les aviso|dejame checar|todavia no|aun no|may or may not|might \
         not|may not|maybe not|not yet",
    ),
    (
        "CANCELP",
        "back out|backing out|drop out|dropping out|pull out|take it back|take back|taking \
         back|change my mind|changed my mind|something came up|came up|cant anymore|not \
         anymore|after all|no longer|cancel me|cancel my|take me off|take my name|scratch \
         my|scratch me|scratch that|find someone|find somebody|find a sub|need a sub|get a \
         sub|someone else|somebody else|give my spot|give up my|fill in for|cover for me|take \
         my place|take my spot|spoke too soon|jumped the gun|change of plans|plans \
         changed|called in|called into|fell through|i know i said|i said yes|said id|i told \
         you|told you id|signed up|i was supposed|no voy a|ya no puedo|al final no|ya no \
         voy|im out|out tomorrow|wont be coming|not coming|not be coming|im not coming|not \
         going to make|not going make|cant make tomorrow|need to bail|have to bail",
    ),
    (
        "STOPP",
        "lose my|lose this|leave me alone|stop texting|quit texting|stop sending|quit \
         sending|stop messaging|take me off|remove me|delete me|off your list|off this \
         list|off the list|no more|no mas|wrong number|dont text|dont ever|dont contact|not \
         interested|opt out|opt me out|opted out|text me again|contact me again|text this \
         number|how do i stop|how do i unsubscribe|get off this|off of this|cease and|ya no \
         me|dejen de|no me manden|no me escriban|no me textees|never text|want off|want \
         out|im done|over it|had enough|enough already|knock it off|cut it out|blocking \
         you|block you",
    ),
    (
        "WRONGP",
        "wrong number|wrong person|not the right|meant for|wrong chat|wrong thread|wrong \
         group|wrong text|not for you|numero equivocado",
    ),
    (
        "HELPP",
        "who is this|who this|who dis|whos this|what is this|whats this|who are you|what are \
         you|are you a|is this a|talk to a|speak to a|speak with|talk to someone|real \
         person|how did you get|get my number|what number|whose number|what can i text|quien \
         es|quien eres|que es esto|with whom|how does this|how do i use|dont understand|need \
         help|help me",
    ),
    (
        "INP",
        "opt in|opt me in|opt back|sign me back|sign me up|add me|put me back|text me \
         again|start texting|start sending|turn back on|back on the|re subscribe|subscribe \
         me|unblock|undo that|want the texts|keep texting|miss the texts|miss the|missed the \
         texts|didnt mean to|by accident|by mistake",
    ),
    (
        "INQ",
        "what time|what day|what date|which sunday|which one|which day|how long|how many|how \
         much|how old|how often|where do|where should|who else|who all|whos on|who is on|do i \
         need|do i have|do we need|can i bring|should i|is there a|is there|are there|do you \
         have|do you need|would i|will i|will there|am i|tell me more|more info|more \
         details|details|wondering|remind me|could you tell|can you tell|can you send|a que \
         hora|que hora|que dia|need to know|what would|what do i|what does|what is the|what \
         are the|is it the|is it a|is it|does it|did you",
    ),
    (
        "KEEPP",
        "no need to find|no need to look|no need to replace|no need for a|no sub needed|dont \
         need a|dont need to find|wont need a|wont need to|dont find|dont replace|dont give \
         my|dont scratch|dont cross|dont cancel|not backing out|not bailing|not \
         canceling|keep me on|keep me down|leave me on|put me back in|can after all|make it \
         after all|come after all|be there after all|free after all|off after all|call off \
         the|back in town|im back from|made it home|made it back|all clear|false \
         alarm|uncancel me|feeling better|ya no busquen|siempre si",
    ),
    (
        "GLADNO",
        "say no to|never say no|cant say no|say no if|if i said no|wont say no|not say \
         no|refuse|wouldnt miss|not missing|not miss it|not going miss|cant miss|miss it \
         for|keep me away|stop me|stopping me|keeping me|better to do|reason not|reason to \
         say|why not|why wouldnt|not a thing on|nothing on my|nothing planned|nothing going \
         on|no plans|no conflict|no conflicts|que digo que no|decir que no",
    ),
    (
        "HADYES",
        "i know i said|i said yes|i said id|i said i could|told you yes|told you \
         id|my yes|said yes|i had committed|i committed|i agreed|i signed \
         up|signed up for|i was going to|i was supposed|after all|any more|anymore|no \
         longer|back out|backing out|have to cancel|need to cancel|change of plans|i \
         promised|i confirmed|spoke too soon|jumped the gun|dije que si|ya no|siempre no",
    ),
    (
        "GOBETWEEN",
        "run it by|run it past|talk to my|talk it over|ask my|check with|clear it with|get \
         with|see what my|get back to|get back with|holler at|holler back|hear from|hear \
         back|waiting on|waiting to hear|waiting for",
    ),
    (
        "LIMIT",
        "as long as|so long as|long as|only if|only for|only until|only till|just not|but not \
         the|but not with|but only|have to leave by|need to leave by|leave by|out by|done \
         by|home by|anything but|anything except|not by myself|not alone|if someone|if \
         somebody|if you can|if nobody|if no one|if my|if the|if i can|if i get|if we",
    ),
    ("GIVEN", "since im|since i|because i|now that|given that|cause i"),
];
