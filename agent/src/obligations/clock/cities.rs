//! Well-known cities, and countries with one time zone, by their time zone. The zone database finds further cities
//! by itself.

/// Time zones, each with the names of places in it, without accents.
pub(super) const CITIES: &[(&str, &str)] = &[
    (
        "America/New_York",
        "new york|nyc|new york city|manhattan|brooklyn|queens|boston|philadelphia|philly|washington|\
            washington dc|washington d c|dc|d c|baltimore|atlanta|miami|orlando|tampa|jacksonville|charlotte|\
            raleigh|richmond|pittsburgh|cleveland|columbus|cincinnati|buffalo|rochester|albany|hartford|\
            providence|newark|charleston|savannah|norfolk|durham|greensboro|ann arbor|grand rapids|\
            burlington|portland maine|virginia beach|ohio|georgia usa|new jersey|massachusetts|pennsylvania|\
            virginia|new york state|north carolina|south carolina|connecticut|maryland|maine|vermont|\
            new hampshire|rhode island|delaware|worcester|springfield massachusetts|new haven|stamford|\
            bridgeport|syracuse|utica|ithaca|trenton|princeton|atlantic city|wilmington|dover delaware|\
            annapolis|asheville|winston salem|fayetteville|wilmington north carolina|columbia south carolina|\
            greenville|myrtle beach|hilton head|augusta|macon|athens georgia|tallahassee|fort lauderdale|\
            west palm beach|key west|gainesville|daytona beach|sarasota|naples florida|st petersburg florida|\
            fort myers|pensacola beach|akron|dayton|toledo|youngstown|erie|scranton|allentown|harrisburg|\
            lancaster|bethlehem pennsylvania|roanoke|charlottesville|arlington|alexandria virginia|\
            chesapeake|newport news|morgantown|charleston west virginia|west virginia|lansing|flint|\
            kalamazoo|dearborn|traverse city|manchester new hampshire|concord|burlington vermont|bangor|\
            florida|michigan|new england",
    ),
    ("America/Detroit", "detroit"),
    (
        "America/Indiana/Indianapolis",
        "indianapolis|indy|indiana|fort wayne|south bend|bloomington indiana|evansville|lafayette",
    ),
    ("America/Kentucky/Louisville", "louisville|lexington"),
    (
        "America/Chicago",
        "chicago|houston|dallas|austin|san antonio|fort worth|minneapolis|st paul|saint paul|milwaukee|\
            madison|st louis|saint louis|kansas city|omaha|tulsa|oklahoma city|memphis|nashville|new orleans|\
            baton rouge|des moines|little rock|birmingham alabama|wichita|mobile|dallas fort worth|lincoln|\
            illinois|wisconsin|minnesota|iowa|missouri|arkansas|louisiana|mississippi|alabama|oklahoma|\
            bloomington|peoria|rockford|naperville|springfield|springfield illinois|springfield missouri|\
            columbia missouri|branson|green bay|appleton|la crosse|duluth|rochester minnesota|st cloud|fargo|\
            bismarck|grand forks|sioux falls|cedar rapids|davenport|iowa city|topeka|overland park|\
            fayetteville arkansas|bentonville|fort smith|shreveport|lafayette louisiana|montgomery|\
            huntsville|tuscaloosa|jackson|jackson mississippi|biloxi|gulfport|chattanooga tennessee|\
            clarksville|murfreesboro|plano|arlington texas|irving|frisco|waco|lubbock|amarillo|abilene|\
            midland|odessa texas|corpus christi|laredo|mcallen|brownsville|galveston|norman|stillwater|texas|\
            tennessee|kansas|nebraska|north dakota|south dakota|pensacola",
    ),
    (
        "America/Denver",
        "denver|salt lake city|albuquerque|santa fe|colorado springs|boulder|el paso|cheyenne|billings|\
            colorado|utah|new mexico|wyoming|montana|fort collins|provo|ogden|st george|santa fe new mexico|\
            las cruces|missoula|bozeman|helena|great falls|rapid city|jackson hole|aspen|vail|casper|pueblo|\
            twin falls|idaho falls|pocatello|nampa|meridian|idaho",
    ),
    ("America/Boise", "boise"),
    (
        "America/Phoenix",
        "phoenix|tucson|scottsdale|mesa|arizona|flagstaff|tempe|chandler|glendale arizona|sedona|yuma",
    ),
    (
        "America/Los_Angeles",
        "los angeles|la|l a|hollywood|san francisco|sf|san diego|san jose|oakland|sacramento|fresno|\
            long beach|anaheim|seattle|tacoma|spokane|portland|salem|eugene|las vegas|vegas|reno|palo alto|\
            silicon valley|california|nevada|washington state|bakersfield|riverside|santa barbara|\
            santa monica|santa cruz|santa rosa|santa clara|berkeley|irvine|burbank|pasadena|malibu|\
            palm springs|napa|monterey california|stockton|modesto|redding|chico|olympia|bellevue|redmond|\
            everett|vancouver washington|yakima|bellingham|bend|medford|corvallis|carson city|henderson|\
            lake tahoe|mountain view|cupertino|sunnyvale|oregon",
    ),
    ("America/Anchorage", "anchorage|alaska|fairbanks"),
    ("Pacific/Honolulu", "honolulu|hawaii|maui"),
    (
        "America/Toronto",
        "toronto|ottawa|montreal|quebec|quebec city|hamilton ontario|mississauga|london ontario|\
            kingston ontario|windsor ontario|ontario",
    ),
    ("America/Edmonton", "calgary|edmonton|banff|alberta|red deer"),
    (
        "America/Vancouver",
        "vancouver|victoria bc|surrey|kelowna|victoria canada|whistler|british columbia",
    ),
    ("America/Winnipeg", "winnipeg"),
    ("America/Halifax", "halifax|nova scotia"),
    ("America/St_Johns", "st johns|newfoundland"),
    (
        "America/Mexico_City",
        "mexico city|guadalajara|puebla|cdmx|leon|queretaro|oaxaca|acapulco|veracruz|guanajuato|\
            san miguel de allende",
    ),
    ("America/Monterrey", "monterrey"),
    (
        "America/Sao_Paulo",
        "sao paulo|rio|rio de janeiro|brasilia|belo horizonte|curitiba|porto alegre|florianopolis|salvador|\
            recife city",
    ),
    ("America/Argentina/Buenos_Aires", "buenos aires|argentina"),
    ("America/Santiago", "santiago|santiago de chile|chile"),
    ("America/Bogota", "bogota|medellin|cali|colombia|cartagena|barranquilla"),
    ("America/Lima", "lima|peru|cusco"),
    ("America/Caracas", "caracas|venezuela"),
    ("America/Guayaquil", "quito|ecuador"),
    ("America/Montevideo", "uruguay"),
    ("America/Asuncion", "paraguay"),
    ("America/La_Paz", "bolivia"),
    ("America/Guatemala", "guatemala city"),
    ("America/Costa_Rica", "san jose costa rica"),
    ("America/El_Salvador", "san salvador"),
    ("America/Havana", "cuba"),
    ("America/Puerto_Rico", "san juan"),
    ("America/Jamaica", "kingston"),
    ("America/Port-au-Prince", "haiti|port au prince"),
    ("America/Panama", "panama city"),
    (
        "Europe/London",
        "london|manchester|liverpool|birmingham|leeds|glasgow|edinburgh|cardiff|bristol|oxford|cambridge|\
            england|scotland|wales|uk|u k|united kingdom|britain|great britain|belfast|newcastle|sheffield|\
            nottingham|leicester|brighton|york|bath|southampton|portsmouth|plymouth|aberdeen|dundee|\
            inverness|swansea|northern ireland|canterbury|coventry|reading|norwich|exeter",
    ),
    ("Europe/Dublin", "dublin|ireland|cork|galway"),
    ("Europe/Lisbon", "lisbon|lisboa|porto|portugal|coimbra|braga|faro"),
    (
        "Europe/Paris",
        "paris|lyon|marseille|nice|toulouse|france|bordeaux|strasbourg|lille|nantes|montpellier|cannes|\
            grenoble|avignon|versailles|rennes|reims",
    ),
    (
        "Europe/Berlin",
        "berlin|munich|munchen|hamburg|frankfurt|cologne|koln|stuttgart|dusseldorf|leipzig|dresden|germany|\
            bremen|hannover|hanover|nuremberg|bonn|heidelberg|dortmund|essen|mainz|freiburg|potsdam|rostock|\
            wurzburg",
    ),
    (
        "Europe/Madrid",
        "madrid|barcelona|valencia|seville|sevilla|spain|bilbao|malaga|zaragoza|granada|cordoba spain|ibiza|\
            mallorca|palma|toledo spain|salamanca|pamplona|alicante",
    ),
    (
        "Europe/Rome",
        "rome|roma|milan|milano|naples|venice|florence|turin|italy|bologna|verona|pisa|siena|palermo|catania|\
            genoa|bari|sicily|sardinia",
    ),
    (
        "Europe/Amsterdam",
        "amsterdam|rotterdam|the hague|utrecht|netherlands|the netherlands|holland",
    ),
    ("Europe/Brussels", "brussels|antwerp|belgium|ghent|bruges"),
    ("Europe/Zurich", "zurich|geneva|basel|bern|switzerland|lausanne"),
    ("Europe/Vienna", "vienna|wien|salzburg|austria|innsbruck|graz"),
    ("Europe/Copenhagen", "copenhagen|denmark"),
    ("Europe/Stockholm", "stockholm|gothenburg|sweden|malmo"),
    ("Europe/Oslo", "oslo|bergen|norway"),
    ("Europe/Helsinki", "helsinki|finland"),
    ("Atlantic/Reykjavik", "reykjavik|iceland"),
    ("Europe/Warsaw", "warsaw|krakow|cracow|gdansk|poland"),
    ("Europe/Prague", "prague|brno|czech republic|czechia"),
    ("Europe/Budapest", "budapest|hungary"),
    ("Europe/Bucharest", "bucharest|romania"),
    ("Europe/Sofia", "sofia|bulgaria"),
    ("Europe/Athens", "athens|thessaloniki|greece|crete|santorini|mykonos"),
    ("Europe/Belgrade", "belgrade|serbia"),
    ("Europe/Zagreb", "zagreb|croatia|dubrovnik"),
    ("Europe/Istanbul", "istanbul|ankara|turkey|izmir|antalya|bursa"),
    ("Europe/Kyiv", "kyiv|kiev|lviv|ukraine|odessa"),
    ("Europe/Moscow", "moscow|st petersburg|saint petersburg"),
    ("Europe/Riga", "latvia"),
    ("Europe/Vilnius", "lithuania"),
    ("Europe/Tallinn", "estonia"),
    ("Asia/Dubai", "dubai|abu dhabi|uae"),
    ("Asia/Riyadh", "riyadh|jeddah|mecca|saudi arabia"),
    ("Asia/Qatar", "doha|qatar"),
    ("Asia/Jerusalem", "jerusalem|tel aviv|israel|haifa|bethlehem|nazareth|eilat|tiberias"),
    ("Asia/Beirut", "lebanon"),
    ("Asia/Amman", "jordan"),
    ("Asia/Baghdad", "iraq"),
    ("Asia/Tehran", "iran"),
    ("Asia/Kabul", "afghanistan"),
    ("Asia/Karachi", "lahore|islamabad|pakistan|rawalpindi|faisalabad|peshawar|multan"),
    (
        "Asia/Kolkata",
        "mumbai|bombay|delhi|new delhi|bangalore|bengaluru|chennai|madras|hyderabad|kolkata|calcutta|pune|\
            ahmedabad|jaipur|goa|india|surat|lucknow|kanpur|nagpur|indore|kochi|cochin|agra|varanasi|\
            amritsar|chandigarh|mysore|udaipur|coimbatore|trivandrum|bhopal|patna",
    ),
    ("Asia/Kathmandu", "kathmandu|katmandu|nepal|pokhara"),
    ("Asia/Colombo", "sri lanka"),
    ("Asia/Dhaka", "bangladesh|chittagong"),
    ("Asia/Yangon", "myanmar|rangoon"),
    ("Asia/Bangkok", "bangkok|phuket|chiang mai|thailand"),
    ("Asia/Ho_Chi_Minh", "hanoi|ho chi minh city|saigon|vietnam|da nang|hue|hoi an|nha trang"),
    ("Asia/Singapore", "singapore"),
    ("Asia/Kuala_Lumpur", "kuala lumpur|malaysia|penang|johor bahru|malacca|ipoh"),
    ("Asia/Jakarta", "jakarta|bandung|surabaya|yogyakarta|medan"),
    ("Asia/Makassar", "bali|denpasar"),
    ("Asia/Manila", "manila|cebu|philippines|the philippines|quezon city|davao|makati|baguio"),
    ("Asia/Hong_Kong", "hong kong"),
    (
        "Asia/Shanghai",
        "shanghai|beijing|peking|shenzhen|guangzhou|chengdu|wuhan|xian|china|tianjin|nanjing|hangzhou|suzhou|\
            xiamen|qingdao|dalian|kunming|harbin urban|chongqing city|guilin|lhasa",
    ),
    ("Asia/Taipei", "taipei|taiwan"),
    ("Asia/Seoul", "seoul|busan|korea|south korea|incheon|daegu|jeju"),
    (
        "Asia/Tokyo",
        "tokyo|osaka|kyoto|yokohama|sapporo|nagoya|hiroshima|fukuoka|japan|kobe|nara|kawasaki|sendai|okinawa|\
            naha|kanazawa|nagasaki",
    ),
    ("Asia/Tashkent", "uzbekistan"),
    ("Asia/Tbilisi", "tbilisi"),
    ("Asia/Yerevan", "armenia"),
    ("Asia/Baku", "azerbaijan"),
    ("Australia/Sydney", "sydney|canberra|newcastle australia|wollongong|new south wales|nsw"),
    ("Australia/Melbourne", "melbourne|geelong|victoria australia|ballarat|bendigo"),
    (
        "Australia/Brisbane",
        "brisbane|gold coast|cairns|queensland|sunshine coast|townsville|toowoomba",
    ),
    ("Australia/Adelaide", "adelaide"),
    ("Australia/Perth", "perth|western australia"),
    ("Australia/Darwin", "darwin|alice springs"),
    ("Australia/Hobart", "hobart|tasmania"),
    (
        "Pacific/Auckland",
        "auckland|wellington|christchurch|new zealand|nz|queenstown|dunedin|rotorua|hamilton new zealand|\
            tauranga",
    ),
    ("Pacific/Fiji", "suva"),
    ("Africa/Cairo", "cairo|alexandria|egypt|giza|luxor"),
    (
        "Africa/Johannesburg",
        "johannesburg|joburg|cape town|durban|pretoria|south africa|port elizabeth|bloemfontein|soweto",
    ),
    ("Africa/Lagos", "lagos|abuja|nigeria|ibadan|kano|port harcourt"),
    ("Africa/Nairobi", "nairobi|mombasa|kenya|kisumu|nakuru"),
    ("Africa/Addis_Ababa", "addis ababa|ethiopia"),
    ("Africa/Accra", "accra|ghana"),
    ("Africa/Casablanca", "casablanca|marrakech|marrakesh|rabat|morocco"),
    ("Africa/Algiers", "algeria"),
    ("Africa/Tunis", "tunisia"),
    ("Africa/Kampala", "uganda"),
    ("Africa/Kigali", "rwanda"),
    ("Africa/Dar_es_Salaam", "dar es salaam|tanzania|zanzibar"),
    ("Africa/Harare", "zimbabwe"),
    ("Africa/Lusaka", "zambia"),
    ("Africa/Dakar", "senegal"),
    ("America/Cancun", "cancun|playa del carmen|tulum"),
    ("America/Tijuana", "tijuana"),
    ("America/Nassau", "bahamas"),
    ("America/Santo_Domingo", "dominican republic|punta cana"),
    ("America/Tegucigalpa", "honduras"),
    ("America/Managua", "nicaragua"),
    ("America/Guatemala", "guatemala"),
    ("America/Regina", "saskatoon|saskatchewan"),
    ("Europe/Luxembourg", "luxembourg city"),
    ("Europe/Monaco", "monte carlo"),
    ("Europe/Vatican", "vatican city"),
    ("Europe/Malta", "valletta"),
    ("Europe/Ljubljana", "slovenia"),
    ("Europe/Bratislava", "slovakia"),
    ("Europe/Sarajevo", "bosnia"),
    ("Europe/Tirane", "albania|tirana"),
    ("Europe/Minsk", "belarus"),
    ("Europe/Chisinau", "moldova"),
    ("Atlantic/Canary", "canary islands|tenerife|las palmas"),
    ("Atlantic/Azores", "azores"),
    ("Asia/Kuwait", "kuwait city"),
    ("Asia/Muscat", "oman"),
    ("Asia/Bahrain", "manama"),
    ("Asia/Phnom_Penh", "cambodia|siem reap"),
    ("Asia/Vientiane", "laos"),
    ("Asia/Ulaanbaatar", "mongolia|ulan bator"),
    ("Asia/Almaty", "kazakhstan|astana"),
    ("Asia/Thimphu", "bhutan"),
    ("Indian/Maldives", "male maldives"),
    ("Indian/Mauritius", "port louis"),
    ("Pacific/Guam", "hagatna"),
    ("Pacific/Port_Moresby", "papua new guinea"),
    ("Pacific/Apia", "samoa"),
    ("Pacific/Tongatapu", "tonga"),
    ("Africa/Maputo", "mozambique"),
    ("Africa/Luanda", "angola"),
    ("Africa/Kinshasa", "congo"),
    ("Africa/Abidjan", "ivory coast"),
    ("Africa/Windhoek", "namibia"),
    ("Africa/Gaborone", "botswana"),
    ("Africa/Khartoum", "sudan"),
    ("Africa/Tripoli", "libya"),
];
