//! Words and phrases that mean similar things in a reply, so that the classifier knows what a word
//! does that none of its examples has. All are in the form of [`spoken`](super::spoken::spoken):
//! lower case, without accents and apostrophes.

/// Groups of words, each with its name. A word may be in several; the first one names it.
pub(super) const WORDS: &[(&str, &str)] = &[
    (
        "AFFIRM",
        "yes yess yep yup yeah yea yeh yah ya yas yass yesh yesir yessir sure surely shure \
         absolutely absolutly definitely definately def certainly totally ok okay okie okey k \
         kk alright aight bet gladly affirmative aye indeed yessum si claro seguro dale orale \
         simon sip sep gotcha roger copy deal done duh heck hell amen mhm yuh fosho fs \
         naturally perfect perfecto",
    ),
    ("REFUSE", "no nope nah naw nay negative noo pass nada nop nuh noway never neither"),
    (
        "NOT",
        "not cant dont wont isnt arent doesnt didnt couldnt wouldnt shouldnt aint wasnt \
         werent hasnt havent hadnt nor without unable never tampoco nunca",
    ),
    (
        "MAYBE",
        "maybe mabye mayb possibly perhaps probably prolly probs prob might may hopefully \
         potentially likely tentative tentatively undecided unsure iffy tbd idk dunno tal \
         quizas quiza posiblemente depends presumably supposedly conceivably doubtful",
    ),
    (
        "COND",
        "if unless provided providing assuming contingent conditional condition depending \
         depends pending except barring suppose lest siempre whenever once",
    ),
    (
        "CONTRAST",
        "but however although though except unfortunately sadly alas pero actually nvm \
         nevermind wait oops whoops scratch correction instead lastima desgraciadamente \
         lamentablemente",
    ),
    (
        "SORRY",
        "sorry apologies apologize apologise regret regrets forgive perdon perdona disculpa \
         disculpe lamento siento afraid unfortunately bummer bummed",
    ),
    (
        "THANKS",
        "thanks thank tysm tks gracias appreciate grateful thankful bless blessings \
         bendiciones",
    ),
    (
        "ILL",
        "sick ill flu strep fever feverish covid cold cough coughing coughed pinkeye puking \
         puked puke vomiting vomit threw throwing nauseous nausea migraine headache headaches \
         contagious stomach croup rsv bronchitis pneumonia mono laryngitis shingles vertigo \
         dizzy infection infected tonsillitis sinus allergies asthma bug virus norovirus \
         chills temp temperature temperatura symptoms hives rash lice chickenpox measles \
         diarrhea diarrhoea crud relapsed enfermo enferma enfermos fiebre calentura gripa \
         gripe tos vomitando malo mala tummy sniffles congested achy bedridden mastitis \
         appendicitis gout sore throat swollen queasy quarantine quarantined isolating 🤒 🤢 🤮 \
         😷 🤧 🌡",
    ),
    (
        "INJURY",
        "surgery surgeries hip knee ankle foot wrist arm leg shoulder hernia sprained broke \
         broken fractured fracture twisted torn stitches cast crutches wheelchair walker boot \
         hospital er icu ambulance ortho therapy rehab dialysis chemo biopsy procedure scan \
         mri xray operation operacion cirugia muletas injured injury hurt hurts concussion \
         dislocated sling slipped fell bedrest doctor dr nurse surgeon dentist clinic \
         recovery recovering recuperating tooth molar root canal kidney gallbladder stones \
         appendix cataract 🩼 🏥",
    ),
    (
        "DEATH",
        "funeral died death passed passing dead dying hospice burying buried burial memorial \
         viewing visitation wake grief grieving mourning fallecio murio funerales entierro",
    ),
    (
        "BIRTH",
        "labor contractions pregnant due newborn maternity birth nicu delivery baptism shower \
         ultrasound",
    ),
    (
        "TRAVEL",
        "trip vacation vacations traveling travelling travel travels flight flights flying \
         fly airport plane cruise lake beach coast camping hunting fishing skiing ski hiking \
         disney disneyland hawaii mexico florida colorado dallas houston austin tulsa denver \
         waco vegas branson cancun oklahoma ohio arkansas louisiana amarillo lubbock \
         galveston paris europe italy alaska chicago nashville memphis phoenix seattle boston \
         california creek monterrey laredo tennessee kansas missouri nebraska iowa georgia \
         carolina virginia alabama utah idaho montana wyoming nevada arizona york orleans \
         miami orlando destin pigeon gatlinburg yellowstone cabin resort hotel airbnb road \
         highway interstate overseas abroad viaje viajo viajando camp campout retreat getaway \
         honeymoon snowbird layover gate grounded delayed stranded away elsewhere ✈ 🏖 🚢 🏕 ⛷ 🏔 \
         🛫 🌴 🧳",
    ),
    (
        "WORK",
        "work working works worked job shift shifts boss manager supervisor overtime double \
         schedule scheduled oncall office meeting meetings conference deadline trabajo \
         trabajar trabajando jefe jefa turno company client clients deployed deployment drill \
         reserves army training audit payroll inventory warehouse store plant factory \
         restaurant pager patrol harvest closing opening coworker crew tax",
    ),
    (
        "EVENT",
        "wedding weddings graduation reunion party anniversary birthday bday quinceanera \
         quince boda concert recital game games tournament match soccer football baseball \
         softball basketball volleyball swim race marathon playoffs superbowl cowboys rangers \
         rodeo fair festival parade prom homecoming dance show play performance ceremony \
         baptism shower christening brunch tickets rehearsal practice competition meet derby \
         festivities cumpleanos fiesta bautizo piscina",
    ),
    (
        "STUDY",
        "exam exams test tests finals final midterm class classes school college homework \
         essay essays study studying semester bar degree grad lab lecture professor \
         professors uni campus",
    ),
    (
        "FAMILY",
        "husband wife hubby hubs spouse mom mother moms mama mum dad father daddy papa son \
         daughter kid kids child children baby brother sister sis bro cousin uncle aunt tia \
         tio grandma grandpa granny nana grandmother grandfather grandson granddaughter \
         grandkids grandbabies grandbaby niece nephew inlaws parents family fiance fiancee \
         boyfriend girlfriend gf bf partner ex twins teenager esposo esposa marido mujer hijo \
         hija hijos nino nina mijo mija hermano hermana madre padre familia abuela abuelo \
         suegra roommate toddler mil fil",
    ),
    ("PET", "dog dogs cat cats puppy horse horses cow cows goat goats chickens pets 🐶 🐱"),
    (
        "CAR",
        "car truck van minivan tire tires battery alternator transmission engine mechanic \
         brakes towed tow gas bus train uber ride rides raite carro troca wheels jeep lift \
         carpool",
    ),
    (
        "WEATHER",
        "rain rains raining rained snow snows snowing snowed ice icy storm storms weather \
         flood flooded tornado hurricane freeze roads hail",
    ),
    ("CARE", "sitter babysitter babysit nanny childcare daycare caregiver watch custody"),
    (
        "NOON",
        "morning afternoon evening night noon midnight tonight tomorrow today tdy manana \
         noche tarde hoy",
    ),
    (
        "WDAY",
        "sunday sundays sun monday tuesday wednesday thursday friday saturday mondays \
         tuesdays wednesdays thursdays fridays saturdays mon tues tue wed thurs thur thu fri \
         sat domingo lunes martes miercoles jueves viernes sabado weekend weekends wknd finde \
         sundy sunay",
    ),
    (
        "MONTH",
        "january february march april june july august september october november december \
         jan feb mar apr aug sept oct nov dec easter christmas thanksgiving advent lent xmas",
    ),
    (
        "SPAN",
        "week weeks month months day days hour hours minute minutes mins min hr hrs year \
         years semana semanas mes dias dia rato sec second bit while",
    ),
    (
        "ROLE",
        "nursery usher ushers ushering greeter greeters greeting greet parking choir sound \
         slides coffee worship children childrens kids preschool toddlers babies infants cuna \
         ninos ujieres tech camera band drums projector welcome team hospitality cafe \
         security setup teardown host vbs",
    ),
    ("SLOT", "spot slot place turn position schedule rotation roster list lineup calendar duty"),
    (
        "COMMITV",
        "help serve come cover fill volunteer attend participate join do greet rock hold \
         usher ayudar servir ir venir estar cubrir apoyar participar",
    ),
    (
        "ENTHUS",
        "love loved happy glad gladly honored honoured delighted pleased thrilled excited \
         pumped stoked pleasure privilege joy blessed encantado encantada gusto",
    ),
    ("EMOYES", "👍 👌 🙌 ✅ ✔ ☑ 🙋 🙏 🤝 💪 👊 🫡 🆗 💯 🤗 🥳 ✋ 🤙 😇"),
    ("EMONO", "👎 🙅 ❌ 🚫 ✖ ⛔ 😭 😢 🙁 ☹ 😞 😔 😩"),
    ("EMOMAYBE", "🤷 🤔 😬 🤞 ⏳ 😐 🫤"),
    (
        "EMOFUN",
        "😂 🤣 😆 😄 😁 😊 🙂 😀 😅 😉 😜 ❤ 💕 💖 💗 🎉 🥰 😍 😘 👶 🍼 lol lmao haha hahaha ha jaja jajaja lolol \
         rofl hehe hee",
    ),
    (
        "QWORD",
        "what whats when whens where wheres who whos whom which why how hows whose wat wen \
         wher que quien cuando donde como cual cuanto cuantos cuantas porque wut",
    ),
    (
        "AUXQ",
        "can could would will should do does did is are am was were has have had may puedo \
         puede pueden es esta son hay tengo must shall",
    ),
    ("I", "i im ive ill id me my mine myself yo mi ima imma"),
    ("WE", "we were weve well wed us our ours both nosotros"),
    ("YOU", "you ya yall your yours youre youll youve ustedes usted tu te su"),
    ("THEY", "he she they him her them his their theyre hes shes theyll el ella ellos"),
    ("DETER", "the a an this that these those el la los las un una"),
    (
        "CANCELW",
        "cancel cancelling canceling cancelled canceled withdraw withdrawing retract rescind \
         renege reneging bail bailing back unconfirm uncommit unvolunteer remove removed \
         replace replacement sub substitute swap trade cancelar cancelo quitame quiteme \
         borrame retiro",
    ),
    (
        "STOPW",
        "stop stops stopping stopped quit cease desist end unsubscribe unsub optout stp stahp \
         stawp remove delete erase block blocked spam scam harassment harassing report \
         reported reporting lawyer lawsuit fcc tcpa consent deactivate discontinue terminate \
         alto baja dejen parar paren borren borrenme quiten quitenme",
    ),
    (
        "TEXTW",
        "text texts texting txting message messages messaging msging sms mensaje mensajes \
         textos texto mandar mandarme manden escriban escribirme notification notifications \
         alerts reminders reminder blast blasts contact contacting contacted spam bugging \
         bothering pestering recordatorios",
    ),
    (
        "LISTW",
        "list lists roster database system number phone contacts subscription lista numero \
         celular directory",
    ),
    (
        "CHECKW",
        "check checking ask asking see look looking talk consult confirm verify clear \
         consultar preguntar pregunto checo ver reviso revisar hablar",
    ),
    (
        "THINKW",
        "think thinking pray praying consider considering sleep ponder decide deciding mull \
         pensar pensarlo orar orarlo",
    ),
    ("WAITW", "wait waiting later soon until till til awaiting luego despues"),
    ("KNOWW", "know knows known figure tell let saber se aviso avisar avisare"),
    (
        "HOPE",
        "hope hoping hopeful hopefully try trying tried plan planning aim intend intending \
         should ojala espero intentare tratare",
    ),
    ("WISH", "wish hate bummed loved wouldve couldve wished"),
    (
        "BUSY",
        "busy booked slammed swamped overcommitted overwhelmed exhausted tired burned burnt \
         maxed committed full stretched unavailable ocupado ocupada packed spent drained \
         conflict conflicts obligation commitment commitments engagement plans",
    ),
    ("FREEW", "free available open libre disponible avail around home"),
    (
        "MOVEW",
        "switch switching swap move moving moved transfer change changing reassign trade \
         rotate cambio cambiar cambiarme cambiame mover",
    ),
    ("STAYW", "stay staying keep remain stick quedo quedarme stuck leave"),
    (
        "STUFF",
        "package order delivery tracking code verification account bank card credit loan \
         discount sale promo click link winner won prize",
    ),
    (
        "FOOD",
        "pizza tacos dinner lunch breakfast donuts cake casserole brisket chili burgers bbq \
         soup potluck milk eggs groceries",
    ),
    (
        "MISTAKE",
        "accident accidentally mistake mistakenly oops fumbled typo autocorrect meant hacked \
         pocket butt wrong misread",
    ),
    (
        "AGAINW",
        "again back anymore longer resume restart resubscribe rejoin undo reactivate \
         reconnect otra nuevo",
    ),
    ("BOTW", "bot robot automated human person real computer machine ai auto robo"),
];

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
         where|stay where",
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
