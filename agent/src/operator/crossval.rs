use super::testing::{CONTRACTS, now};
use super::*;
#[test]
fn crossval() {
    let all = OperatorIntents::default().examples();
    let folds = 5;
    let (mut n, mut ok) = (0, 0);
    let mut buckets = [[0usize; 2]; 11];
    let none = Map::new();
    for f in 0..folds {
        let train_set: Vec<_> = all
            .iter()
            .enumerate()
            .filter(|(i, _)| i % folds != f)
            .map(|(_, e)| e.clone())
            .collect();
        let intents = OperatorIntents::of_classifier(train(&train_set));
        for (_, e) in all.iter().enumerate().filter(|(i, _)| i % folds == f) {
            let got = read(&e.text, &none, &CONTRACTS, &intents, &now());
            let c = &got.classification;
            let want = match e.label.as_str() {
                "refuse" => "refuse".to_owned(),
                "vague" | "smalltalk" => "clarify".to_owned(),
                l => l.to_owned(),
            };
            let found = if want == "refuse" || want == "clarify" {
                c.intent.as_str().to_owned()
            } else if c.intent.as_str() == "refuse" {
                "REFUSE".to_owned()
            } else {
                c.tool_candidates.join(" ")
            };
            n += 1;
            let b = (c.confidence * 10.0) as usize;
            buckets[b][0] += 1;
            if want == found {
                buckets[b][1] += 1;
            }
            if want == found {
                ok += 1
            } else {
                println!("{want} <- {found} [{} {:.2}]: {}", c.intent, c.confidence, e.text);
            }
        }
    }
    println!("CV buckets {buckets:?}");
    println!("CV {ok}/{n} {:.1}", 100.0 * ok as f64 / n as f64);
}
