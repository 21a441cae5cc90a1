//! Words that mean similar things in a reply, so that the classifier knows what a word does that none of its examples
//! has. All are in the form of [`spoken`](super::spoken::spoken):
//! lower case, without accents and apostrophes.

/// Groups of words, each with its name. A word may be in several; the first one names it.
pub(super) const WORDS: &[(&str, &str)] = &[
    (
        "AFFIRM",
        "yes yess yep yup yeah yea yeh yah ya yas yass yesh yesir yessir sure surely shure \
         absolutely absolutly definitely definately def certainly totally ok okay okie okey k \
         kk alright aight bet gladly affirmative aye indeed yessum si claro seguro dale orale \
         simon sip sep gotcha roger copy deal done duh heck hell amen mhm yuh fosho fs \
         naturally perfect perfecto yeppers yuppers yis yus yee ofc obvi obviously undoubtedly \
         unquestionably positively assuredly indubitably wilco approved confirmed agreed sold \
         oui hai ja jawohl da yessiree yesiree mmhmm mhmm uhhuh aok okee okeydoke alrighty \
         claramente efectivamente correcto exacto arre fierro jalo sipi sipo ey",
    ),
    (
        "REFUSE",
        "no nope nah naw nay negative noo pass nada nop nuh noway never neither nopers nopes \
         nyet nein nuhuh negatory nix pasadena uhuh nti nty naur",
    ),
    (
        "NOT",
        "not cant dont wont isnt arent doesnt didnt couldnt wouldnt shouldnt aint wasnt \
         werent hasnt havent hadnt nor without unable never tampoco nunca",
    ),
    (
        "MAYBE",
        "maybe mabye mayb possibly perhaps probably prolly probs prob might may hopefully \
         potentially likely tentative tentatively undecided unsure iffy tbd idk dunno tal \
         quizas quiza posiblemente depends presumably supposedly conceivably doubtful mebbe \
         perchance potencialmente plausibly conceivable possible possibility chance \
         undetermined uncertain tba unclear wishy acaso capaz chances odds doubt",
    ),
    (
        "COND",
        "if unless provided providing assuming contingent conditional condition depending \
         depends pending except barring suppose lest siempre whenever once whether assumes \
         stipulation caveat condicion solamente mientras",
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
         disculpe lamento siento afraid unfortunately bummer bummed apology apologizing \
         regretfully regretful regretting pena disculpen perdonen perdoname",
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
         dizzy infection infected tonsillitis sinus allergies asthma bug virus norovirus chills \
         temp temperature temperatura symptoms hives rash lice chickenpox measles diarrhea \
         diarrhoea crud relapsed enfermo enferma enfermos fiebre calentura gripa gripe tos \
         vomitando malo mala tummy sniffles congested achy bedridden mastitis appendicitis gout \
         sore throat swollen queasy quarantine quarantined isolating 🤒 🤢 🤮 😷 🤧 🌡 sickness \
         illness unwell ailing ailment nauseated queasiness barfing barfed barf upchuck \
         sneezing wheezing hacking phlegm mucus snot snotty tonsils scarlet impetigo ringworm \
         shingle poison ivy mumps whooping pertussis gastro enteritis diverticulitis \
         pancreatitis colitis flare flareup lupus fibromyalgia sciatica migraines allergy \
         hoarse aching aches ache fatigue woozy faint fainted feverishness catarro resfriado \
         resfriada empacho diarrea vomito vomitos infeccion dolor cabeza contagio contagioso \
         coronavirus hospitalized positive strepthroat hfm heatstroke dehydrated concussed \
         bronchial",
    ),
    (
        "INJURY",
        "surgery surgeries hip knee ankle foot wrist arm leg shoulder hernia sprained broke \
         broken fractured fracture twisted torn stitches cast crutches wheelchair walker boot \
         hospital er icu ambulance ortho therapy rehab dialysis chemo biopsy procedure scan mri \
         xray operation operacion cirugia muletas injured injury hurt hurts concussion \
         dislocated sling slipped fell bedrest doctor dr nurse surgeon dentist clinic recovery \
         recovering recuperating tooth molar root canal kidney gallbladder stones appendix \
         cataract 🩼 🏥 ruptured meniscus acl rotator cuff tendon ligament whiplash vertebrae \
         disc spinal sutures brace braces bandage bandaged burn rib ribs pelvis femur tibia \
         collarbone elbow toe finger thumb bruised limping surgical operated outpatient \
         inpatient physio chiropractor oncologist cardiologist orthopedist dermatologist \
         podiatrist optometrist colonoscopy mammogram bloodwork infusion radiation transfusion \
         stent pacemaker stroke seizure seizures heart attack angioplasty bypass rodilla \
         espalda tobillo brazo pierna doctora clinica",
    ),
    (
        "DEATH",
        "funeral died death passed passing dead dying hospice burying buried burial memorial \
         viewing visitation wake grief grieving mourning fallecio murio funerales entierro \
         bereavement bereaved cremation ashes obituary eulogy casket graveside coffin cemetery \
         widow velorio luto sepelio falleciendo fallecimiento",
    ),
    (
        "BIRTH",
        "labor contractions pregnant due newborn maternity birth nicu delivery baptism shower \
         ultrasound birthing midwife doula epidural induced inducing induction csection preemie \
         dilated trimester postpartum nursing breastfeeding parto embarazada recien nacido \
         bebita",
    ),
    (
        "TRAVEL",
        "trip vacation vacations traveling travelling travel travels flight flights flying fly \
         airport plane cruise lake beach coast camping hunting fishing skiing ski hiking disney \
         disneyland hawaii mexico florida colorado dallas houston austin tulsa denver waco \
         vegas branson cancun oklahoma ohio arkansas louisiana amarillo lubbock galveston paris \
         europe italy alaska chicago nashville memphis phoenix seattle boston california creek \
         monterrey laredo tennessee kansas missouri nebraska iowa georgia carolina virginia \
         alabama utah idaho montana wyoming nevada arizona york orleans miami orlando destin \
         pigeon gatlinburg yellowstone cabin resort hotel airbnb road highway interstate \
         overseas abroad viaje viajo viajando camp campout retreat getaway honeymoon snowbird \
         layover gate grounded delayed stranded away elsewhere ✈ 🏖 🚢 🏕 ⛷ 🏔 🛫 🌴 🧳 roadtrip \
         sightseeing backpacking sailing boating kayaking canoeing rafting glamping rv \
         motorhome condo timeshare rental rentals safari passport customs terminal boarding \
         departing departure depart arriving arrival landing itinerary luggage suitcase packing \
         jetlag missionary mission missions pilgrimage minnesota wisconsin michigan indiana \
         illinois kentucky mississippi maine vermont connecticut jersey pennsylvania maryland \
         delaware hampshire dakota oregon washington philly philadelphia detroit cleveland \
         cincinnati minneapolis milwaukee charlotte raleigh atlanta tampa jacksonville savannah \
         charleston portland sacramento reno tucson albuquerque santa fe paso wichita abilene \
         beaumont midland odessa tyler longview texarkana killeen temple corpus port aransas \
         brownsville mcallen mexicali cabo puerto vallarta guadalajara tijuana juarez reynosa \
         matamoros london rome israel jerusalem ireland scotland germany spain france canada \
         toronto vancouver japan china india africa kenya uganda honduras guatemala salvador \
         nicaragua panama colombia peru brazil argentina jamaica bahamas caribbean bermuda rico \
         cuba bali thailand philippines australia mundo disneyworld universal seaworld \
         vacacionando vacaciones paseo playa vuelo avion aeropuerto gone",
    ),
    (
        "WORK",
        "work working works worked job shift shifts boss manager supervisor overtime double \
         schedule scheduled oncall office meeting meetings conference deadline trabajo trabajar \
         trabajando jefe jefa turno company client clients deployed deployment drill reserves \
         army training audit payroll inventory warehouse store plant factory restaurant pager \
         patrol harvest closing opening coworker crew tax employer employee coworkers colleague \
         colleagues staff staffing shiftwork onboarding inservice webinar clock clocking \
         timesheet payday paycheck deadlines quarterly invoices contractor jobsite construction \
         plumber electrician trucker trucking hauling retail cashier barista waitress waiter \
         waitressing server bartending firefighter firehouse paramedic ems dispatch sheriff \
         deputy trooper officer precinct marine navy guard reserve battalion base oilfield rig \
         refinery offshore pipeline farm ranch farming planting calving milking teaching \
         subbing coach coaching realtor showing salon barber gigs gig catering jornada empleo \
         fabrica tienda patron patrona jefes horas extras",
    ),
    (
        "EVENT",
        "wedding weddings graduation reunion party anniversary birthday bday quinceanera quince \
         boda concert recital game games tournament match soccer football baseball softball \
         basketball volleyball swim race marathon playoffs superbowl cowboys rangers rodeo fair \
         festival parade prom homecoming dance show play performance ceremony baptism shower \
         christening brunch tickets rehearsal practice competition meet derby festivities \
         cumpleanos fiesta bautizo piscina bridal bachelorette bachelor elopement nuptials vows \
         reception banquet gala fundraiser barbecue cookout tailgate housewarming showers \
         commencement convocation orientation openhouse carnival circus museum zoo movie \
         theater musical opera ballet symphony orchestra audition auditions pageant rehearsals \
         scrimmage scrimmages invitational championship championships semifinal regionals \
         districts state tourney meets gymnastics cheer wrestling lacrosse hockey golf tennis \
         bowling karate taekwondo triathlon ironman marathons bingo picnic luncheon buffet \
         feast hanukkah sleepover slumber campfire reunions quinces quinceaneras bodas bautizos \
         graduacion posada kermes partido torneo concierto desfile aniversario",
    ),
    (
        "STUDY",
        "exam exams test tests finals final midterm class classes school college homework essay \
         essays study studying semester bar degree grad lab lecture professor professors uni \
         campus act gre mcat lsat nclex boards thesis dissertation quiz quizzes tutoring tutor \
         seminar practicum clinicals clinical internship kindergarten elementary middle high \
         university dorm dorms tarea examen examenes escuela universidad colegio",
    ),
    (
        "FAMILY",
        "husband wife hubby hubs spouse mom mother moms mama mum dad father daddy papa son \
         daughter kid kids child children baby brother sister sis bro cousin uncle aunt tia tio \
         grandma grandpa granny nana grandmother grandfather grandson granddaughter grandkids \
         grandbabies grandbaby niece nephew inlaws parents family fiance fiancee boyfriend \
         girlfriend gf bf partner ex twins teenager esposo esposa marido mujer hijo hija hijos \
         nino nina mijo mija hermano hermana madre padre familia abuela abuelo suegra roommate \
         toddler mil fil mommy mommas momma mamaw papaw pawpaw meemaw mimi gigi pops pop \
         stepmom stepdad stepson stepdaughter stepkids foster godson goddaughter godchild \
         godparents godmother godfather siblings sibling twin triplets newlywed newlyweds \
         newborns wifey hubbies missus mrs bride groom auntie aunties tios primo prima primos \
         cunada cunado yerno nuera nieto nieta nietos ahijado ahijada compadre comadre hijita \
         hijito bebe bebes papas abuelita abuelito suegro suegros sobrino sobrina inlaw \
         relatives relative kin folks household",
    ),
    (
        "PET",
        "dog dogs cat cats puppy horse horses cow cows goat goats chickens pets 🐶 🐱 kitten \
         kittens pup pups puppies hamster guinea rabbit bunny parrot foal calf calves cattle \
         bull sheep lamb lambs pig pigs hens rooster turtle fish vet veterinarian kennel perro \
         perra gato gata perrito caballo vaca",
    ),
    (
        "CAR",
        "car truck van minivan tire tires battery alternator transmission engine mechanic \
         brakes towed tow gas bus train uber ride rides raite carro troca wheels jeep lift \
         carpool suv sedan pickup honda toyota chevy ford dodge subaru kia motorcycle bike \
         scooter radiator starter ignition carburetor clutch axle muffler windshield overheated \
         overheating stalled stall wreck wrecked fender bender collision rearended jumper \
         cables dealership carjacked keys carpooling rideshare lyft taxi cab llanta llantas \
         motor bateria choque mecanico camioneta",
    ),
    (
        "WEATHER",
        "rain rains raining rained snow snows snowing snowed ice icy storm storms weather flood \
         flooded tornado hurricane freeze roads hail blizzard sleet slush slick frozen freezing \
         thunderstorm thunderstorms lightning hailing flooding floods wind winds windy \
         tornadoes hurricanes tropical evacuate evacuating evacuation wildfire smoke fog foggy \
         heatwave nieve lluvia lloviendo tormenta hielo inundacion",
    ),
    (
        "CARE",
        "sitter babysitter babysit nanny childcare daycare caregiver watch custody babysitters \
         babysitting nannies daycares caretaker caregiving aide homehealth chaperone \
         chaperoning carer ninera",
    ),
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
        "week weeks month months day days hour hours minute minutes mins min hr hrs year years \
         semana semanas mes dias dia rato sec second bit while moment moments quarter decade \
         season fortnight temporada ratito momento minuto minutos hora ano anos",
    ),
    (
        "ROLE",
        "nursery usher ushers ushering greeter greeters greeting greet parking choir sound \
         slides coffee worship children childrens kids preschool toddlers babies infants cuna \
         ninos ujieres tech camera band drums projector welcome team hospitality cafe security \
         setup teardown host vbs acolyte altar lector cantor liturgist deacon elder bulletin \
         bulletins offering plates communion livestream propresenter lights lighting keyboard \
         piano organ guitar bass vocals soprano tenor hymn hymns lot traffic cart vests vest \
         lanyard badge checkin desk foyer lobby baker cradle crawlers walkers twos threes \
         kinder youth student students tweens teens jovenes ujier estacionamiento coro alabanza \
         bocina sonido guarderia cuneros",
    ),
    ("SLOT", "spot slot place turn position schedule rotation roster list lineup calendar duty"),
    (
        "COMMITV",
        "help serve come cover fill volunteer attend participate join do greet rock hold usher \
         ayudar servir ir venir estar cubrir apoyar participar assist assisting aid pitch chip \
         contribute lend tackle man run lead teach sing drum strum pour brew park direct wave \
         sweep mop stack fold decorate apoyo ayudo sirvo cubro participo entro anoto apunto",
    ),
    (
        "ENTHUS",
        "love loved happy glad gladly honored honoured delighted pleased thrilled excited \
         pumped stoked pleasure privilege joy blessed encantado encantada gusto ecstatic elated \
         overjoyed tickled eager jazzed psyched geeked hyped amped joyful joyfully happily \
         cheerfully gleefully honor honour humbled flattered feliz contento contenta emocionada \
         emocionado dichosa",
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
         replace replacement sub substitute swap trade cancelar cancelo quitame quiteme borrame \
         retiro recant recanting revoke unsign unregister deregister forfeit relinquish \
         surrender bow bowing flake flaking flaked bailed ditch ditching abort scrap nixed \
         postpone reschedule rescheduling pulling backed cancelenme cancelen saquenme borrar",
    ),
    (
        "STOPW",
        "stop stops stopping stopped quit cease desist end unsubscribe unsub optout stp stahp \
         stawp remove delete erase block blocked spam scam harassment harassing report reported \
         reporting lawyer lawsuit fcc tcpa consent deactivate discontinue terminate alto baja \
         dejen parar paren borren borrenme quiten quitenme halt ceasing desisting unsubscribing \
         unenroll disenroll optingout stfu shutup harassed nuisance pest unsolicited \
         solicitation solicit telemarketing robocall robotext robotexts junk parale parenle \
         basta callense",
    ),
    (
        "TEXTW",
        "text texts texting txting message messages messaging msging sms mensaje mensajes \
         textos texto mandar mandarme manden escriban escribirme notification notifications \
         alerts reminders reminder blast blasts contact contacting contacted spam bugging \
         bothering pestering recordatorios mensajitos mensajeando whatsapp imessage inbox \
         blowing pinging ping pings buzzing notifying notify notificaciones avisos alert push",
    ),
    (
        "LISTW",
        "list lists roster database system number phone contacts subscription lista numero \
         celular directory registry rolodex mailing distribution enrollment subscriber \
         subscribers directorio registro datos padron",
    ),
    (
        "CHECKW",
        "check checking ask asking see look looking talk consult confirm verify clear consultar \
         preguntar pregunto checo ver reviso revisar hablar doublecheck verifying confirming \
         reconfirm consulting investigate inquire clearing averiguo averiguar checar checando \
         checarlo verifico confirmar confirmo platico platicar",
    ),
    (
        "THINKW",
        "think thinking pray praying consider considering sleep ponder decide deciding mull \
         pensar pensarlo orar orarlo contemplate contemplating mulling pondering deliberate \
         deliberating debating weighing discern discerning reflect marinate chew chewing noodle \
         noodling meditate pienso pensando orando oro",
    ),
    ("WAITW", "wait waiting later soon until till til awaiting luego despues"),
    (
        "KNOWW",
        "know knows known figure tell let saber se aviso avisar avisare update updated informed \
         inform avisarte avisarle",
    ),
    (
        "HOPE",
        "hope hoping hopeful hopefully try trying tried plan planning aim intend intending \
         should ojala espero intentare tratare attempt attempting strive shooting aiming \
         esperando intentar tratar trato intento",
    ),
    (
        "WISH",
        "wish hate bummed loved wouldve couldve wished quisiera gustaria encantaria hubiera \
         wishing shouldve",
    ),
    (
        "BUSY",
        "busy booked slammed swamped overcommitted overwhelmed exhausted tired burned burnt \
         maxed committed full stretched unavailable ocupado ocupada packed spent drained \
         conflict conflicts obligation commitment commitments engagement plans tied overbooked \
         overscheduled overextended overloaded underwater drowning hectic chaotic frazzled \
         fried wiped worn beat pooped zonked bushed depleted overworked preoccupied engaged \
         occupied jammed crammed loaded unavail comprometida comprometido cansada cansado \
         agotada agotado atareada apurada",
    ),
    (
        "FREEW",
        "free available open libre disponible avail around home openings unbooked uncommitted \
         unoccupied flexible wideopen disponibles",
    ),
    (
        "MOVEW",
        "switch switching swap move moving moved transfer change changing reassign trade rotate \
         cambio cambiar cambiarme cambiame mover relocate relocating reassigned reassignment \
         shifting reshuffle shuffled shuffle bump bumped cambien cambieme cambienme muevanme \
         mueveme moverme",
    ),
    (
        "STAYW",
        "stay staying keep remain stick quedo quedarme stuck leave remaining sticking keeping \
         permanecer quedarnos queden dejenme dejeme",
    ),
    (
        "STUFF",
        "package order delivery tracking code verification account bank card credit loan \
         discount sale promo click link winner won prize shipment shipped shipping delivered \
         amazon fedex ups usps invoice payment overdue refund coupon insurance warranty \
         mortgage lender loans crypto bitcoin giveaway survey password login otp pin",
    ),
    (
        "FOOD",
        "pizza tacos dinner lunch breakfast donuts cake casserole brisket chili burgers bbq \
         soup potluck milk eggs groceries sandwich sandwiches burger tamales enchiladas fajitas \
         barbacoa menudo pozole spaghetti lasagna salad bread cookies brownies pie pies tea \
         sugar cheese butter bacon wings steak turkey ham leftovers snacks takeout doordash \
         comida cena desayuno tortillas",
    ),
    (
        "MISTAKE",
        "accident accidentally mistake mistakenly oops fumbled typo autocorrect meant hacked \
         pocket butt wrong misread mistaken erroneously mixup mixed confused misunderstood \
         misclicked fatfingered equivoque equivocado error errors",
    ),
    (
        "AGAINW",
        "again back anymore longer resume restart resubscribe rejoin undo reactivate reconnect \
         otra nuevo reinstate reenroll reup resubscribing reconnecting reopen restore renew \
         unmute unblock nuevamente",
    ),
    (
        "BOTW",
        "bot robot automated human person real computer machine ai auto robo chatbot chatgpt \
         siri alexa humano maquina persona",
    ),
    (
        "PROB",
        "problem problems prob probs issue issues trouble troubles bother bothers hassle \
         inconvenience hardship imposition objection objections complaint complaints qualm \
         qualms reservation reservations hesitation hesitations sweat biggie worry worries \
         excuse excuses bronca problema inconveniente molestia pena falla pex",
    ),
    (
        "SAIDW",
        "said told promised agreed volunteered accepted signed pledged vowed texted replied \
         answered dije prometi quede acepte",
    ),
    (
        "ONWAY",
        "omw otw enroute arriving arrived parked outside inside here almost leaving heading \
         headed coming llegando llego camino voy vamos saliendo",
    ),
    (
        "DUTY",
        "court jury appointment appointments appt emergency emergencies deposition hearing \
         trial subpoena inspection inspector repairman exterminator realtor mover movers cita \
         citas corte emergencia urgencia",
    ),
    (
        "SOMEONE",
        "someone somebody anyone anybody nobody noone everyone everybody else whoever another \
         alguien nadie alguno otro otra",
    ),
    (
        "NEEDW",
        "need needs needed needing require requires required necesito necesitan necesita falta \
         hace",
    ),
    (
        "GOODW",
        "good great fine awesome wonderful ideal lovely excellent terrific fantastic super nice \
         cool dandy peachy swell bueno bien excelente genial padre chido suave",
    ),
    ("BADW", "bad terrible awful horrible rough worse worst stinks sucks rotten lousy feo fatal"),
    ("PREFERW", "prefer prefers preferred preference rather sooner favorite prefiero preferiria"),
    ("ONLYW", "only just solely nomas solo sola"),
    (
        "PRAISEW",
        "congrats congratulations bravo kudos amazing beautiful gorgeous adorable cute \
         hilarious funny precious lovely felicidades felicitaciones",
    ),
    ("GREETW", "hello hi hey howdy hola morning greetings dear buenas buenos saludos"),
    ("READYW", "ready set prepared packed prepped alarm calendar listo lista"),
    ("OUTW", "out off gone absent missing mia"),
    (
        "FAILW",
        "broke broken died dead bailed flaked fell failed crashed burst flooded leaking locked \
         stuck",
    ),
];
