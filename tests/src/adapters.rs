//! The adapters speak to local servers in the real protocols, and say truly what became known of a call.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use abide_adapters::{EMAIL_FROM, SMTP_URL, Secrets, WEBHOOK_SECRET, all, signature};
use abide_engine::adapter::{
    Adapter, AdapterCall, CallAnswer, CallLookup, EmailRequest, SMTP, WEBHOOK, WebhookRequest,
};
use abide_engine::base::{IdSource, Timestamp, Value};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// The time at which each call of these tests is made.
const AT: &str = "2025-09-30T15:00:00Z";

fn call(request: Value) -> AdapterCall {
    let at: Timestamp = AT.parse().expect("an instant");
    let ids = IdSource::seeded(7);
    AdapterCall {
        call: ids.mint(at),
        run: ids.mint(at),
        tenant: "default".to_owned(),
        tool: "a.tool".to_owned(),
        request,
        at,
        deadline: at + "2s".parse().expect("a duration"),
    }
}

/// What the mail server does with the next email.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mail {
    Take,
    /// Answers this line to the recipient.
    Refuse(&'static str),
    /// Closes the connection after the text, without an answer.
    HangUp,
}

/// Serves SMTP (RFC 5321) on this machine, and returns its port and the emails that it got.
async fn mail_server(moods: impl IntoIterator<Item = Mail>) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let got = Arc::new(Mutex::new(Vec::new()));
    let (emails, mut moods) = (Arc::clone(&got), moods.into_iter().collect::<VecDeque<_>>());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mood = moods.front().copied().unwrap_or(Mail::Take);
            if serve_mail(stream, mood, &emails).await {
                moods.pop_front();
            }
        }
    });
    (port, got)
}

/// Serves one connection. Returns whether the client tried to send an email.
async fn serve_mail(stream: TcpStream, mood: Mail, emails: &Mutex<Vec<String>>) -> bool {
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    let mut tried = false;
    let mut answer = "220 mail.example.org ready".to_owned();
    loop {
        if write.write_all(format!("{answer}\r\n").as_bytes()).await.is_err() {
            return tried;
        }
        let Ok(Some(line)) = lines.next_line().await else { return tried };
        answer = match line.split([' ', ':']).next().unwrap_or_default() {
            "EHLO" => "250 mail.example.org".to_owned(),
            "RCPT" => match mood {
                Mail::Refuse(answer) => {
                    tried = true;
                    answer.to_owned()
                }
                _ => "250 ok".to_owned(),
            },
            "DATA" => {
                tried = true;
                let _ = write.write_all(b"354 go on\r\n").await;
                let mut text = String::new();
                while let Ok(Some(line)) = lines.next_line().await {
                    if line == "." {
                        break;
                    }
                    text += &(line + "\n");
                }
                emails.lock().expect("emails").push(text);
                if mood == Mail::HangUp {
                    return tried;
                }
                "250 queued as 42".to_owned()
            }
            "QUIT" => {
                let _ = write.write_all(b"221 bye\r\n").await;
                return tried;
            }
            _ => "250 ok".to_owned(),
        };
    }
}

fn mailer(port: u16) -> Arc<dyn Adapter> {
    let secrets = Secrets::from_fn(move |name| match name {
        SMTP_URL => Some(format!("smtp://127.0.0.1:{port}")),
        EMAIL_FROM => Some("Elm Street Church <office@example.org>".to_owned()),
        _ => None,
    });
    all(&secrets).get(SMTP).expect("an adapter")
}

fn email() -> AdapterCall {
    let email = EmailRequest {
        to: "ana@example.org".to_owned(),
        cc: vec!["ben@example.org".to_owned()],
        subject: "Your quote – Übersicht".to_owned(),
        body: "Hello Ana,\n.\nThe roof costs $120.\n".to_owned(),
    };
    call(serde_json::to_value(email).expect("JSON"))
}

#[tokio::test]
async fn an_email_reaches_the_mail_server_with_the_id_of_its_call() {
    let (port, got) = mail_server([Mail::Take]).await;
    let answer = mailer(port).call(&email()).await;
    let CallAnswer::Done { answer } = answer else { panic!("{answer:?}") };
    assert_eq!(answer, json!({ "said": "queued as 42" }));
    let emails = got.lock().expect("emails").clone();
    assert_eq!(emails.len(), 1);
    let text = &emails[0];
    for part in [
        "From: \"Elm Street Church\" <office@example.org>",
        "To: ana@example.org",
        "Cc: ben@example.org",
        &format!("Message-ID: <{}@example.org>", email().call),
        "The roof costs $120.",
    ] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
    assert!(text.contains("\n..\n"), "a lone dot is doubled: {text}");
}

#[tokio::test]
async fn a_mail_server_that_refuses_did_nothing_and_a_lost_answer_is_unknown() {
    let no = Mail::Refuse("550 no such mailbox");
    let later = Mail::Refuse("450 mailbox busy");
    let (port, got) = mail_server([no, later, Mail::HangUp]).await;
    let mailer = mailer(port);
    let refused = mailer.call(&email()).await;
    let CallAnswer::NotDone { problem } = refused else { panic!("{refused:?}") };
    assert_eq!(
        (&*problem.code.to_string(), problem.is_transient()),
        ("refused", false),
        "{problem}"
    );
    let busy = mailer.call(&email()).await;
    let CallAnswer::NotDone { problem } = busy else { panic!("{busy:?}") };
    assert!(problem.is_transient(), "{problem}");
    let lost = mailer.call(&email()).await;
    assert!(matches!(lost, CallAnswer::Unknown { .. }), "{lost:?}");
    assert_eq!(got.lock().expect("emails").len(), 1);
    let lookup = mailer.look_up(&email()).await;
    assert!(matches!(lookup, CallLookup::NeverKnown { .. }), "{lookup:?}");
}

#[tokio::test]
async fn without_a_mail_server_nothing_is_done() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        listener.local_addr().expect("an address").port()
    };
    let away = mailer(port).call(&email()).await;
    let CallAnswer::NotDone { problem } = away else { panic!("{away:?}") };
    assert!(problem.is_transient(), "{problem}");
    let unset = all(&Secrets::from_fn(|_| None)).get(SMTP).expect("an adapter");
    let missing = unset.missing(&Value::Null).expect("its settings are missing");
    assert_eq!(missing.required_env, [SMTP_URL, EMAIL_FROM]);
    assert!(!missing.next_steps.is_empty());
}

/// A request that a receiver of events got.
#[derive(Debug, Clone, Default)]
struct Request {
    head: String,
    body: String,
}

/// Answers each post with the next of these status lines; hangs up for an empty one.
async fn receiver(statuses: &'static [&'static str]) -> (u16, Arc<Mutex<Vec<Request>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let got = Arc::new(Mutex::new(Vec::new()));
    let requests = Arc::clone(&got);
    tokio::spawn(async move {
        for status in statuses {
            let Ok((mut stream, _)) = listener.accept().await else { return };
            let request = read_request(&mut stream).await;
            requests.lock().expect("requests").push(request);
            if !status.is_empty() {
                let answer = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok"
                );
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        }
    });
    (port, got)
}

async fn read_request(stream: &mut TcpStream) -> Request {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.and_then(|length| length.parse().ok()).unwrap_or(0);
            if body.len() >= length {
                return Request { head: head.to_owned(), body: body.to_owned() };
            }
        }
        let mut more = [0; 4_096];
        match stream.read(&mut more).await {
            Ok(0) | Err(_) => return Request::default(),
            Ok(read) => bytes.extend(&more[..read]),
        }
    }
}

fn poster() -> Arc<dyn Adapter> {
    let secrets = Secrets::from_fn(|name| (name == WEBHOOK_SECRET).then(|| "a secret".to_owned()));
    all(&secrets).get(WEBHOOK).expect("an adapter")
}

fn event(port: u16) -> AdapterCall {
    let event = WebhookRequest {
        url: format!("http://127.0.0.1:{port}/hook"),
        event: "quote.accepted".to_owned(),
        data: json!({ "quote": 7 }),
    };
    call(serde_json::to_value(event).expect("JSON"))
}

#[tokio::test]
async fn an_event_is_posted_signed_and_posted_again_with_the_same_id_when_in_doubt() {
    let (port, got) =
        receiver(&["200 OK", "", "500 Internal Server Error", "204 No Content"]).await;
    let (poster, event) = (poster(), event(port));
    let done = poster.call(&event).await;
    let wanted = json!({ "status_code": 200, "response": "ok" });
    assert_eq!(done, CallAnswer::Done { answer: wanted });
    let lost = poster.call(&event).await;
    assert!(matches!(lost, CallAnswer::Unknown { .. }), "{lost:?}");
    let not_now = poster.look_up(&event).await;
    assert!(matches!(not_now, CallLookup::NotNow { .. }), "{not_now:?}");
    let found = poster.look_up(&event).await;
    assert!(matches!(found, CallLookup::Done { .. }), "{found:?}");
    let requests = got.lock().expect("requests").clone();
    assert_eq!(requests.len(), 4);
    let at: Timestamp = AT.parse().expect("an instant");
    let seconds = at.micros() / 1_000_000;
    let id = event.call.to_string();
    for Request { head, body } in requests {
        let signed = signature("a secret", &id, seconds, &body);
        for line in [
            format!("webhook-id: {id}"),
            format!("webhook-timestamp: {seconds}"),
            format!("webhook-signature: {signed}"),
            format!("idempotency-key: {id}"),
        ] {
            assert!(head.contains(&line), "no `{line}` in {head}");
        }
        let body: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!((&body["type"], &body["data"]["quote"]), (&json!("quote.accepted"), &json!(7)));
    }
}

#[tokio::test]
async fn a_receiver_that_refuses_or_is_away_did_nothing() {
    let statuses = &["410 Gone", "302 Found", "429 Too Many Requests"];
    let (port, _) = receiver(statuses).await;
    let (poster, event) = (poster(), event(port));
    for transient in [false, false, true, true] {
        let answer = tokio::time::timeout(Duration::from_secs(20), poster.call(&event)).await;
        let Ok(CallAnswer::NotDone { problem }) = answer else { panic!("{answer:?}") };
        assert_eq!(problem.is_transient(), transient, "{problem}");
    }
}
