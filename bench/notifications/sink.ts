import { createServer, type Socket } from 'node:net';

/**
 * An SMTP server that says yes to everything and keeps nothing, in a process of its own: `node sink.ts PORT`. It understands just
 * what nodemailer says, so that it takes little of the machine that it shares with what is measured. To its parent it sends
 * how many mails it has taken, every 20 ms.
 */

const port = Number(process.argv[2]);
let taken = 0;

createServer((socket) => {
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  converse(socket);
}).listen(port, '127.0.0.1', () => process.send?.({ taken }));

setInterval(() => process.send?.({ taken }), 20);

function converse(socket: Socket): void {
  let inData = false;
  let rest = '';
  const say = (line: string) => socket.write(`${line}\r\n`);
  say('220 sink');
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    rest += chunk;
    for (;;) {
      const end = rest.indexOf(inData ? '\r\n.\r\n' : '\r\n');
      if (end < 0) return;
      const line = rest.slice(0, end);
      rest = rest.slice(end + (inData ? 5 : 2));
      if (inData) {
        inData = false;
        taken++;
        say('250 taken');
      } else if (/^DATA/i.test(line)) {
        inData = true;
        say('354 go on');
      } else {
        say(/^QUIT/i.test(line) ? '221 bye' : '250 sink');
      }
    }
  });
}
