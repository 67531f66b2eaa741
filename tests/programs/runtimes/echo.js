// Answers lines; with a word, copies a file as a move would, or takes more than it may.
const [word, from, to] = process.argv.slice(2);
if (word === undefined) {
  require('readline').createInterface({ input: process.stdin }).on('line', line => console.log('ok ' + line));
} else if (word === 'copy') {
  const fs = require('fs');
  fs.writeFileSync(to, 'ok ' + fs.readFileSync(from));
} else if (word === 'loop') {
  for (;;);
} else if (word === 'memory') {
  const kept = [];
  for (;;) kept.push(Buffer.alloc(1 << 20, 1));
} else if (word === 'threads') {
  const { spawn } = require('child_process');
  const start = () => spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']).on('error', error => { throw error; });
  setInterval(() => { for (let i = 0; i < 4; i++) start(); }, 10);
}
