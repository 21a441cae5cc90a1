//! People are written to in their language.

use serde_json::json;

use super::demo_church::on_both;

#[test]
fn a_person_gets_texts_in_the_language_that_the_directory_gives() {
    on_both(|church| async move {
        church
            .put_people(json!([{"name": "Ana", "phone": "+15125550101", "language": "es"}]))
            .await
            .expect("put");
        church.say("Pat", "Fill 5 nursery spots for the 9am service").await;
        let invited = church.texts_to("Ana").pop().expect("an invitation");
        assert!(invited.contains("domingo 5 de octubre a las 9:00 a. m."), "{invited}");
        let other = church.texts_to("Ben").pop().expect("an invitation");
        assert!(other.contains("Sunday 5 October at 9:00 am"), "{other}");
        assert_eq!(church.kinds_to("Ana").await, ["invite"]);
        church.assert_consistent().await;
    });
}

#[test]
fn a_person_who_writes_spanish_is_answered_in_spanish_from_then_on() {
    on_both(|church| async move {
        church.say("Pat", "Fill 5 nursery spots for the 9am service").await;
        assert_eq!(church.say("Ana", "sí, ahí estaré el domingo").await, "reply");
        let confirmed = church.texts_to("Ana").pop().expect("a confirmation");
        assert!(confirmed.contains("domingo 5 de octubre"), "{confirmed}");
        assert_eq!(church.say("Ana", "perdón, no puedo, tengo que trabajar").await, "reply");
        let released = church.texts_to("Ana").pop().expect("an answer");
        assert!(released.contains("Gracias"), "{released}");
        // The directory decides, once it says something.
        church
            .put_people(json!([{"name": "Ana", "phone": "+15125550101", "language": "en"}]))
            .await
            .expect("put");
        church.say("Pat", "we need 2 greeters on sunday at 11").await;
        church.say("Fay", "yes I can do that on sunday").await;
        let english = church.texts_to("Fay").pop().expect("a confirmation");
        assert!(english.contains("Sunday 5 October"), "{english}");
        church.assert_consistent().await;
    });
}
