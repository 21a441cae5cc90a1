use crate::obligations::read::tests::{check, show, show_after};

#[test]
fn facts_are_saved_under_their_field() {
    check(
        show,
        &[
            ("my name is Sam", "ACHIEVE memory.saved field=name value=Sam"),
            ("My name's Sam!", "ACHIEVE memory.saved field=name value=Sam"),
            ("call me Sam please", "ACHIEVE memory.saved field=name value=Sam"),
            ("Hi, I'm Sam Lowe", "ACHIEVE memory.saved field=name value=Sam Lowe"),
            ("Sam here", "ACHIEVE memory.saved field=name value=Sam"),
            ("I moved to Boise", "ACHIEVE memory.saved field=city value=Boise"),
            ("I live in Salem now, not Portland", "ACHIEVE memory.saved field=city value=Salem"),
            (
                "fyi we just moved from Tulsa to Omaha",
                "ACHIEVE memory.saved field=city value=Omaha",
            ),
            (
                "I used to live in Denver but now I live in Salem",
                "ACHIEVE memory.saved field=city value=Salem",
            ),
            (
                "my favorite color is orange",
                "ACHIEVE memory.saved field=favourite_colour value=orange",
            ),
            (
                "orange is my favourite colour",
                "ACHIEVE memory.saved field=favourite_colour value=orange",
            ),
            (
                "my email is sam.lowe@example.com",
                "ACHIEVE memory.saved field=email value=sam.lowe@example.com",
            ),
            (
                "you can reach me at 512-555-0144",
                "ACHIEVE memory.saved field=phone value=512-555-0144",
            ),
            ("change my name to Samuel", "ACHIEVE memory.saved field=name value=Samuel"),
            ("my brother lives in Reno", "ACHIEVE memory.saved field=brother_city value=Reno"),
            ("my dog's name is Rex", "ACHIEVE memory.saved field=dog_name value=Rex"),
            ("remember that my wife is Anna", "ACHIEVE memory.saved field=wife_name value=Anna"),
            ("I'm 34 years old", "ACHIEVE memory.saved field=age value=34"),
            ("forget my email", "ACHIEVE memory.forgotten field=email"),
            (
                "my birthday is May 4 and my favourite colour is green",
                "ACHIEVE memory.saved field=birthday value=May 4 + ACHIEVE memory.saved field=favourite_colour value=green",
            ),
            ("I'm tired", "CLARIFY slot slot=request"),
            ("I'm in a hurry", "CLARIFY slot slot=request"),
        ],
    );
}

#[test]
fn a_correction_means_the_fact_that_was_told_last() {
    let after = |text: &str| show_after(&["my name is Samm"], text);
    check(
        after,
        &[
            ("actually it's Sam with one m", "ACHIEVE memory.saved field=name value=Sam"),
            ("sorry, it's Katherine with a K", "ACHIEVE memory.saved field=name value=Katherine"),
            ("no, Sam", "ACHIEVE memory.saved field=name value=Sam"),
            ("I meant Sam", "ACHIEVE memory.saved field=name value=Sam"),
            ("actually, what's 2+2", "REPORT math expr=2+2"),
            (
                "sorry, my email is a@example.com",
                "ACHIEVE memory.saved field=email value=a@example.com",
            ),
        ],
    );
}
