// Plays by the first legal move: one of Advance with "white IN OUT" or "black IN OUT", without a word those of Filler.
const fs = require('fs');
const [side, given, answer] = process.argv.slice(2);
if (side === undefined) fill();
else move(side === 'white');

// Advance

function move(white) {
  const legal = boards(fs.readFileSync(given, 'ascii').replace(/\s/g, ''), white).find(board => isSafe(board, white));
  if (legal === undefined) process.exit(1);
  fs.writeFileSync(answer, legal.match(/.{9}/g).join('\n') + '\n');
}

function isSafe(board, white) {
  return boards(board, !white).every(next => next.includes(white ? 'G' : 'g'));
}

function isOf(white, piece) {
  return white ? piece >= 'A' && piece <= 'Z' : piece >= 'a' && piece <= 'z';
}

// All boards after a move, also those in which the General is in danger.
function boards(board, white) {
  const found = [];
  const at = (row, column) => row < 0 || row > 8 || column < 0 || column > 8 ? ' ' : board[9 * row + column];
  const guard = white ? 's' : 'S';
  const isPrey = (row, column) => isOf(!white, at(row, column))
    && [at(row - 1, column), at(row + 1, column), at(row, column - 1), at(row, column + 1)].every(piece => piece !== guard);
  const isOpen = (row, column) => at(row, column) === '.' || isPrey(row, column);

  const addMoves = (place, down, right) => {
    const row = Math.floor(place / 9), column = place % 9, piece = board[place], kind = piece.toUpperCase();
    const isStraight = down * right === 0, next = at(row + down, column + right);
    const put = (toRow, toColumn, here, there) => {
      const moved = [...board];
      moved[place] = here;
      moved[9 * toRow + toColumn] = there;
      found.push(moved.join(''));
    };
    if (kind === 'Z' && down === (white ? -1 : 1)) {
      if (isOpen(row + down, column + right)) put(row + down, column + right, '.', piece);
      if (next === '.' && isPrey(row + 2 * down, column + 2 * right)) put(row + 2 * down, column + 2 * right, '.', piece);
    } else if (kind === 'B' || kind === 'G') {
      if (isOpen(row + down, column + right)) put(row + down, column + right, '.', piece);
      if (next === '.' && kind === 'B') put(row + down, column + right, piece, '#');
    } else if (kind === 'J') {
      if (next === '.') put(row + down, column + right, '.', piece);
      else if (isOf(white, next) && next !== piece) put(row + down, column + right, next, piece);
      else if (isOf(!white, next) && next.toUpperCase() !== 'G')
        put(row + down, column + right, piece, white ? next.toUpperCase() : next.toLowerCase());
    } else if (kind === 'M' && isStraight || kind === 'D') {
      let far = 1;
      for (; at(row + far * down, column + far * right) === '.'; far++) put(row + far * down, column + far * right, '.', piece);
      const takes = isPrey(row + far * down, column + far * right);
      if (kind === 'M' ? takes || at(row + far * down, column + far * right) === '#' : takes && far > 1)
        put(row + far * down, column + far * right, '.', piece);
    } else if (kind === 'C') {
      if (isStraight && next === '.') put(row + down, column + right, '.', piece);
      const far = isStraight ? 3 : 2;
      if (isPrey(row + far * down, column + far * right)) put(row + far * down, column + far * right, piece, '.');
    } else if (kind === 'S' && isStraight) {
      for (const side of [-1, 1]) {
        const toRow = row + 2 * down + side * right, toColumn = column + 2 * right + side * down;
        if (isOpen(toRow, toColumn)) put(toRow, toColumn, '.', piece);
      }
    }
  };

  for (let place = 0; place < 81; place++) {
    if (!isOf(white, board[place])) continue;
    for (const down of [-1, 0, 1]) for (const right of [-1, 0, 1]) if (down || right) addMoves(place, down, right);
  }
  return found;
}

// Filler

async function fill() {
  const lines = require('readline').createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  const read = async () => (await lines.next()).value;
  const height = line => parseInt(line.split(' ')[2], 10);
  const mine = (await read()).startsWith('$$$ exec p1') ? '@a' : '$s';
  for (let line; (line = await read()) !== undefined;) {
    await read();
    const rows = [], piece = [];
    for (let row = height(line); row > 0; row--) rows.push((await read()).slice(4));
    for (let row = height(await read()); row > 0; row--) piece.push(await read());
    console.log(place(rows, piece, mine));
  }
}

function place(rows, piece, mine) {
  for (let y = -piece.length; y < rows.length; y++)
    for (let x = -piece[0].length; x < rows[0].length; x++) if (fits(rows, piece, mine, x, y)) return x + ' ' + y;
  return '0 0';
}

function fits(rows, piece, mine, x, y) {
  let own = 0;
  for (let down = 0; down < piece.length; down++)
    for (let right = 0; right < piece[0].length; right++) {
      if (piece[down][right] !== 'O') continue;
      const square = (rows[y + down] || '')[x + right];
      if (mine.includes(square)) own++;
      else if (square !== '.') return false;
    }
  return own === 1;
}
