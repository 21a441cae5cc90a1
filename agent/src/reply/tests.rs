//! What the rules must get right, whatever the classifier has learned.

use super::{ReplyLabel, ReplyPrompt, between_yes_and_no, opts_out, read};

/// All contexts.
const CONTEXTS: [ReplyPrompt; 4] =
    [ReplyPrompt::Invite, ReplyPrompt::TransferQuestion, ReplyPrompt::Reminder, ReplyPrompt::None];

#[test]
fn a_lone_word_of_the_carriers_means_the_same_in_every_context() {
    use ReplyLabel::{Help, OptIn, OptOut};
    let words = [
        (
            OptOut,
            "STOP STOPALL UNSUBSCRIBE CANCEL END QUIT REVOKE OPTOUT Stop. stop! \"stop\" Quit?",
        ),
        (OptIn, "START UNSTOP start! Unstop."),
        (Help, "HELP INFO help? Info."),
    ];
    for (label, words) in words {
        for word in words.split(' ') {
            for context in CONTEXTS {
                let padded = format!("  {word}\n");
                assert_eq!(read(&padded, context).label, label, "{word} {}", context.as_str());
            }
        }
    }
}

#[test]
fn a_lone_yes_accepts_what_was_asked_and_opts_in_otherwise() {
    for word in ["YES", "yes", "Yes.", "yes!!"] {
        for context in CONTEXTS {
            let expected = match context {
                ReplyPrompt::None => ReplyLabel::OptIn,
                _ => ReplyLabel::Accept,
            };
            assert_eq!(read(word, context).label, expected, "{word} {}", context.as_str());
        }
    }
}

#[test]
fn a_text_without_words_is_unrelated() {
    for text in ["", " ", "\n"] {
        assert_eq!(read(text, ReplyPrompt::Invite).label, ReplyLabel::Unrelated);
    }
}

#[test]
fn an_opt_out_in_other_words_is_known_without_the_classifier() {
    let texts = [
        "lose my number",
        "no mas",
        "Stop texting me",
        "I already told you to quit messaging me",
        "please take me off of your texting list",
        "Remove this number from your database",
        "cross me off your list",
        "move my number off your phone list",
        "Don't ever text me again",
        "do not contact me",
        "never text this number",
        "quítenme de la lista",
        "dejen de molestar",
        "borren mi número de su lista",
        "We changed churches, please take us off",
        "Wrong number, remove me",
        "No and stop texting me",
        "kill the texts",
        "ixnay on the texts",
        "enough with the messages",
        "don't you dare text me again",
        "take me off the volunteer texts",
        "rm me",
        "s.t.o.p",
        "ST OP",
        "un subscribe",
        "styop",
        "unsuscribe",
        "I don't want to be texted",
        "did not agree to get texts",
        "not okay to text me, I don't need your messages",
        "no quiero recibir más mensajes",
    ];
    for text in texts {
        assert!(opts_out(text), "{text}");
    }
}

#[test]
fn who_speaks_of_stopping_need_not_opt_out() {
    let texts = [
        "stop by the nursery at 9?",
        "dont stop, love these",
        "cancel my spot",
        "can I quit the 9am and do 11 instead",
        "take me off the nursery list for Sunday",
        "take my name off the schedule this week",
        "I hit stop by accident, text me again",
        "why did you stop texting me",
        "you can stop not texting me now",
        "take me off the do not text list",
        "don't text me about nursery, only about parking",
        "don't text me back, I'm driving",
        "never mind, I can come",
        "I can't stop laughing",
        "the end of the service",
        "is there enough room for my kids",
        "I'm not tired of serving at all",
        "don't unsubscribe me",
        "un-stop the texts",
        "no me quiten de la lista",
        "take my name off Sunday's list",
        "quíteme de la lista del domingo",
        "resubscribe",
        "shop",
        "I don't want to miss any texts",
        "don't want texts about nursery, parking only",
        "I did not want to cancel the messages, send them again",
        "why did I stop getting texts?",
        "cross it off your list, I'll do it",
    ];
    for text in texts {
        assert!(!opts_out(text), "{text}");
    }
}

#[test]
fn clauses_that_turn_or_ask_are_read_by_themselves() {
    use ReplyLabel::{Accept, Decline, OptOut, Question};
    let cases: [(&str, ReplyLabel, &[ReplyLabel]); 6] = [
        ("Yes! What time do I need to be there?", Accept, &[Question]),
        ("sure, where do I park", Accept, &[Question]),
        ("Yes... actually no wait I'm away", Decline, &[]),
        ("No and stop texting me", OptOut, &[Decline]),
        ("Liked “Can you serve on Sunday?”", Accept, &[]),
        ("Disliked “Can you serve on Sunday?”", Decline, &[]),
    ];
    for (text, label, also) in cases {
        let reading = read(text, ReplyPrompt::Invite);
        assert_eq!((reading.label, reading.also.as_slice()), (label, also), "{text}");
    }
}

#[test]
fn a_reaction_is_read_from_the_pictogram_that_a_phone_sends() {
    use ReplyLabel::{Accept, CancelLater, Decline, Question, Unrelated};
    use ReplyPrompt::{Invite, Reminder};
    let cases = [
        ("👍 to “Can you serve on Sunday?”", Invite, Accept),
        ("Reacted 👍🏽 to “Can you serve on Sunday?”", Invite, Accept),
        ("Reacted with ❤️ to “Can you serve on Sunday?”", Invite, Accept),
        ("Reacted 👎 to “Can you serve on Sunday?”", Invite, Decline),
        ("👎 to “You serve tomorrow at 9”", Reminder, CancelLater),
        ("Reacted ❓ to “Can you serve on Sunday?”", Invite, Question),
        ("Reacted 😂 to “Can you serve on Sunday?”", Invite, Unrelated),
    ];
    for (text, context, expected) in cases {
        assert_eq!(read(text, context).label, expected, "{text}");
    }
}

#[test]
fn a_yes_is_told_from_a_no_that_has_its_words() {
    use ReplyLabel::{Accept, Decline};
    let cases = [
        ("no problem I'll be there", Accept),
        ("can't wait to serve!!", Accept),
        ("nah I don't mind, count me in", Accept),
        ("no hay problema", Accept),
        ("cómo no", Accept),
        ("no conflicts that I can see, I'll take it", Accept),
        ("yes I saw it but I'm out of town", Decline),
        ("I'd love to but we're at the lake", Decline),
        ("sure wish I could", Decline),
        ("yes normally but not this week", Decline),
        ("claro que no", Decline),
        ("no puedo este domingo", Decline),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text, ReplyPrompt::Invite).label, expected, "{text}");
    }
}

#[test]
fn who_asks_who_texts_asks_for_help() {
    for text in
        ["who is this", "new phone, who's this?", "sorry, whose number is this", "quién habla"]
    {
        for context in CONTEXTS {
            assert_eq!(read(text, context).label, ReplyLabel::Help, "{text}");
        }
    }
}

#[test]
fn a_yes_that_is_nearly_a_no_is_asked_about() {
    let label = |of: &str| ReplyLabel::parse(of).expect("a label");
    let cases = [
        ("accept", 0.6, "decline", 0.3, true),
        ("decline", 0.6, "accept", 0.3, true),
        ("accept", 0.9, "decline", 0.05, false),
        ("question", 0.6, "accept", 0.2, false),
    ];
    for (one, first, other, second, asked) in cases {
        let found = [(label(one), first), (label(other), second)];
        assert_eq!(between_yes_and_no(&found).is_some(), asked, "{one} {other}");
    }
}
