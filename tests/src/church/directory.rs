//! People of the directory are matched, validated, listed and searched.

use abide_verbs::api::PageRequest;
use abide_verbs::api::people::PeopleQuery;
use serde_json::json;

use super::demo_church::on_both;

#[test]
fn people_match_by_id_then_by_external_id_then_by_phone_and_name() {
    on_both(|church| async move {
        let added = church
            .put_people(json!([
                {"name": "Sam", "phone": "512-555-0130", "external_id": "pco-1", "roles": ["sound"]},
                {"name": "Rosa", "phone": "+15125550130"},
                {"name": "rosa", "phone": "+15125550130", "roles": ["Kids Church"]},
            ]))
            .await
            .expect("are added");
        assert_eq!(added[0].phone, "+15125550130");
        assert_ne!(added[0].id, added[1].id, "two people may share a phone");
        assert_eq!(added[1].id, added[2].id, "the same person twice");
        assert_eq!(added[2].roles, ["kids_church"]);
        let moved = church
            .put_people(json!([
                {"name": "Samuel", "phone": "+15125550131", "external_id": "pco-1"},
                {"id": added[1].id, "name": "Rosa", "phone": "+15125550132", "active": false},
            ]))
            .await
            .expect("are changed");
        assert_eq!((moved[0].id, &moved[0].roles), (added[0].id, &added[0].roles));
        assert_eq!((moved[1].id, moved[1].active), (added[1].id, false));
    });
}

#[test]
fn an_external_id_of_another_person_is_refused() {
    on_both(|church| async move {
        let added = church
            .put_people(json!([
                {"name": "Sam", "phone": "+15125550130", "external_id": "pco-1"},
                {"name": "Rosa", "phone": "+15125550131", "external_id": "pco-2"},
            ]))
            .await
            .expect("are added");
        let claim = |id: &str| json!([{"id": added[1].id, "name": "Rosa", "phone": "+15125550131", "external_id": id}]);
        let refused = church.put_people(claim("pco-1")).await.expect_err("is Sam's");
        assert_eq!(refused.code, "invalid_person");
        assert_eq!(refused.message, "person 0: `external_id` `pco-1` belongs to another person");
        assert!(refused.hint.is_some() && refused.detail.is_none(), "{refused:?}");
        for own in ["pco-2", "pco-3"] {
            let changed = church.put_people(claim(own)).await.expect("is free");
            assert_eq!(changed[0].external_id.as_deref(), Some(own));
        }
    });
}

#[test]
fn the_directory_is_listed_in_pages_and_searched_by_name() {
    on_both(|church| async move {
        let nursery = PeopleQuery { role: Some("nursery".to_owned()), ..PeopleQuery::default() };
        let mut names = Vec::new();
        let mut cursor = None;
        loop {
            let page = PageRequest { cursor, limit: Some(5) };
            let page = church.people_page(PeopleQuery { page, ..nursery.clone() }).await;
            assert!(page.items.len() <= 5);
            names.extend(page.items.into_iter().map(|person| person.name));
            match page.next_cursor {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        assert_eq!(names.len(), 12);
        assert_eq!((names[0].as_str(), names[11].as_str()), ("Ana", "Lee"));
        let query = PeopleQuery { q: Some("aN".to_owned()), ..nursery };
        let found: Vec<_> =
            church.people_page(query).await.items.into_iter().map(|p| p.name).collect();
        assert_eq!(found, ["Ana", "Dana", "Hana", "Ivan"]);
    });
}

#[test]
fn one_invalid_person_rejects_the_whole_list() {
    on_both(|church| async move {
        let before = church.db.number("SELECT COUNT(*) FROM person").await;
        let refused = church
            .put_people(json!([
                {"name": "Sam", "phone": "+15125550130"},
                {"name": "Rosa", "phone": "none"},
            ]))
            .await
            .expect_err("is refused");
        assert_eq!(refused.code, "invalid_phone");
        assert!(refused.message.starts_with("person 1: "), "{refused}");
        assert_eq!(church.db.number("SELECT COUNT(*) FROM person").await, before);
    });
}

#[test]
fn consent_is_kept_for_the_phone_and_an_older_one_changes_nothing() {
    on_both(|church| async move {
        let sam = |at: &str, source: &str| {
            json!([{"name": "Sam", "phone": "512-555-0130", "consent_source": source, "consent_at": at,
                "consent_wording": "Grace Church may text me."}])
        };
        let put = async |people| church.put_people(people).await.expect("is stored").remove(0);
        let added = put(sam("2025-09-01T10:00:00-05:00", " sign-up form ")).await;
        assert_eq!(added.consent_source.as_deref(), Some("sign-up form"));
        assert_eq!(added.consent_at.as_deref(), Some("2025-09-01T15:00:00+00:00"));
        assert_eq!(put(sam("2024-01-01T00:00:00Z", "old list")).await, added);
        assert_eq!(put(json!([{"name": "Sam", "phone": "+15125550130"}])).await, added);
        let wife = put(json!([{"name": "Rosa", "phone": "+15125550130"}])).await;
        assert_eq!(wife.consent_source, added.consent_source, "they share the phone");
        let moved = put(json!([{"id": added.id, "name": "Sam", "phone": "+15125550131"}])).await;
        assert_eq!(
            (moved.consent_source, moved.consent_at),
            (None, None),
            "nobody agreed to texts there"
        );

        // The person opts out. A list that is imported afterwards, with a later consent, changes nothing.
        church.receive("SM1", "+15125550130", "STOP", None).await;
        let again = put(sam("2025-09-30T12:00:00Z", "paper list")).await;
        assert_eq!((again.opted_out, again.consent_source.as_deref()), (true, Some("paper list")));
        let two = json!([
            {"name": "A", "phone": "+15125550140", "consent_source": "b", "consent_at": "2025-02-01T00:00:00Z"},
            {"name": "B", "phone": "+15125550140", "consent_source": "a", "consent_at": "2025-01-01T00:00:00Z"},
        ]);
        let both = church.put_people(two).await.expect("are stored");
        assert_eq!([&both[0].consent_source, &both[1].consent_source], [&Some("b".to_owned()); 2]);
    });
}

#[test]
fn a_consent_without_its_source_or_time_or_from_the_future_is_refused() {
    on_both(|church| async move {
        let long = "x".repeat(1_001);
        for (consent, wanted) in [
            (json!({"consent_source": "form"}), "needs `consent_source` and `consent_at`"),
            (
                json!({"consent_at": "2025-01-01T00:00:00Z"}),
                "needs `consent_source` and `consent_at`",
            ),
            (json!({"consent_wording": "Text me."}), "needs `consent_source` and `consent_at`"),
            (json!({"consent_source": "form", "consent_at": "May"}), "is not a time: `May`"),
            (
                json!({"consent_source": "form", "consent_at": "2099-01-01T00:00:00Z"}),
                "is in the future",
            ),
            (
                json!({"consent_source": "form", "consent_at": "2025-01-01T00:00:00Z", "consent_wording": long}),
                "`consent_wording` is longer than 1000",
            ),
        ] {
            let mut person = consent;
            person["name"] = json!("Sam");
            person["phone"] = json!("+15125550130");
            let refused = church.put_people(json!([person])).await.expect_err("is refused");
            assert_eq!(refused.code, "invalid_person");
            assert!(refused.message.contains(wanted), "{}", refused.message);
        }
    });
}
