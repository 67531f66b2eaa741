// Answers lines; with a word, copies a file as a move would, or takes more than it may.
use std::{env, fs, io, io::BufRead, thread, time::Duration};

fn main() {
    let words: Vec<String> = env::args().skip(1).collect();
    if words.is_empty() {
        for line in io::stdin().lock().lines() {
            println!("ok {}", line.unwrap());
        }
    } else if words[0] == "copy" {
        fs::write(&words[2], format!("ok {}", fs::read_to_string(&words[1]).unwrap())).unwrap();
    } else if words[0] == "loop" {
        loop {}
    } else if words[0] == "memory" {
        let mut kept = Vec::new();
        loop {
            kept.push(vec![1u8; 1 << 20]);
        }
    } else if words[0] == "threads" {
        loop {
            thread::spawn(|| thread::sleep(Duration::from_secs(60)));
        }
    }
}
