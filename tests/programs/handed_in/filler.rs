// Answers with the first legal place.
use std::io::{self, BufRead, Write};

fn fits(board: &[Vec<u8>], piece: &[Vec<u8>], x: i64, y: i64, mine: &[u8]) -> bool {
    let mut own = 0;
    for (down, cells) in piece.iter().enumerate() {
        for (right, cell) in cells.iter().enumerate() {
            if *cell != b'O' {
                continue;
            }
            let (row, column) = (y + down as i64, x + right as i64);
            if row < 0 || row >= board.len() as i64 || column < 0 || column >= board[0].len() as i64 {
                return false;
            }
            let there = board[row as usize][column as usize];
            if mine.contains(&there) {
                own += 1;
            } else if there != b'.' {
                return false;
            }
        }
    }
    own == 1
}

fn answer(board: &[Vec<u8>], piece: &[Vec<u8>], mine: &[u8]) -> (i64, i64) {
    for y in -(piece.len() as i64)..board.len() as i64 {
        for x in -(piece[0].len() as i64)..board[0].len() as i64 {
            if fits(board, piece, x, y, mine) {
                return (x, y);
            }
        }
    }
    (0, 0)
}

fn count(line: &str) -> usize {
    line.split_whitespace().nth(2).unwrap().trim_end_matches(':').parse().unwrap()
}

fn main() {
    let mut lines = io::stdin().lock().lines().map(|line| line.unwrap());
    let mine: &[u8] = if lines.next().unwrap().contains("p1") { b"@a" } else { b"$s" };
    while let Some(line) = lines.next() {
        let height = count(&line);
        lines.next();
        let board: Vec<Vec<u8>> = (0..height).map(|_| lines.next().unwrap()[4..].bytes().collect()).collect();
        let high = count(&lines.next().unwrap());
        let piece: Vec<Vec<u8>> = (0..high).map(|_| lines.next().unwrap().bytes().collect()).collect();
        let (x, y) = answer(&board, &piece, mine);
        println!("{} {}", x, y);
        io::stdout().flush().unwrap();
    }
}
