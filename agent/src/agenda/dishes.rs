//! Names of dishes.
//!
//! Words that more often mean something else, such as `roll`, `chips` or `turkey`, are left out.

/// Dishes of one word. A plural counts as well.
const DISHES: &str = "
    biryani biriyani biriani pulao pilaf pilau curry korma vindaloo tikka tandoori masala paneer dal daal dhal dosa
    idli vada uttapam upma poha sambar sambhar rasam thali chaat samosa pakora bhaji naan roti chapati paratha kulcha
    puri haleem nihari khichdi rajma chole momo kottu raita jalebi kheer

    sushi sashimi maki nigiri ramen udon soba tempura teriyaki tonkatsu katsu yakitori okonomiyaki takoyaki bento
    onigiri gyoza dumpling wonton noodle congee dimsum bao bibimbap bulgogi kimchi tteokbokki japchae kimbap pho
    laksa satay rendang adobo sinigang lumpia rijsttafel

    taco burrito quesadilla enchilada fajita nacho nachos tamale guacamole tostada tortilla chilaquiles pozole
    ceviche empanada arepa feijoada churrasco poutine gumbo jambalaya chowder chili burger hamburger cheeseburger
    hotdog steak barbecue bbq brisket

    pizza pasta spaghetti lasagna lasagne ravioli gnocchi tagliatelle fettuccine linguine penne macaroni risotto
    carbonara bolognese calzone focaccia bruschetta minestrone tiramisu gelato paella tapas gazpacho tortellini crepe
    croissant quiche ratatouille bouillabaisse fondue raclette rosti schnitzel bratwurst currywurst sauerkraut
    goulash pierogi borscht blini stroganoff moussaka souvlaki gyro gyros haggis lutefisk smorrebrod strudel

    kebab kebap kabob doner shawarma falafel hummus tabbouleh dolma mezze baklava couscous tagine tajine shakshuka
    mansaf kabsa jollof fufu egusi injera bobotie

    sandwich panini salad soup stew casserole omelette omelet pancake waffle bagel muffin meatball meatloaf lobster
    cheesecake brownie doughnut donut
";
/// Dishes of several words.
const PHRASES: &[&[&str]] = &[
    &["pad", "thai"],
    &["dim", "sum"],
    &["hot", "dog"],
    &["ice", "cream"],
    &["hot", "pot"],
    &["fried", "rice"],
    &["fried", "chicken"],
    &["butter", "chicken"],
    &["nasi", "goreng"],
    &["banh", "mi"],
    &["tom", "yum"],
    &["spring", "roll"],
    &["poke", "bowl"],
    &["peking", "duck"],
    &["fish", "and", "chips"],
    &["mac", "and", "cheese"],
    &["pav", "bhaji"],
    &["vada", "pav"],
    &["gulab", "jamun"],
];

/// Returns the number of words of the dish with which these words begin; 0 if they begin with none.
pub(super) fn dish(words: &[&str]) -> usize {
    let begins = |phrase: &&&[&str]| {
        phrase.len() <= words.len()
            && phrase.iter().zip(words).all(|(name, word)| is_same(name, word))
    };
    if let Some(phrase) = PHRASES.iter().find(begins) {
        return phrase.len();
    }
    let named = |word: &&str| DISHES.split_whitespace().any(|name| is_same(name, word));
    usize::from(words.first().is_some_and(named))
}

/// Whether a word is this name or its plural: "pizzas", "sandwiches", "curries".
fn is_same(name: &str, word: &str) -> bool {
    let of_y = name.strip_suffix('y').and_then(|stem| word.strip_prefix(stem));
    matches!(word.strip_prefix(name), Some("" | "s" | "es")) || of_y == Some("ies")
}
