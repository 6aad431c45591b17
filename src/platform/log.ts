import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Structured lines on standard output. Request lines carry id, user, route, status and duration, never a URL's query, a header or a body. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: timeField(),
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Of many lines in one millisecond the first writes it. */
function timeField(): () => string {
  let at = Number.NaN;
  let text = '';
  return () => {
    const now = Date.now();
    if (now === at) return text;
    at = now;
    text = `,"time":"${new Date(now).toISOString()}"`;
    return text;
  };
}

/** A reader of the log hardly sees the delay; a write for each request would take a third of its time. */
const GATHER_MS = 50;
const GATHER_CHARACTERS = 16_384;

/** Lines that only tell of daily work; whatever else is written at once, with all before it. */
const DAILY = /^\{"level":"(?:info|debug|trace)"/;

/**
 * Standard output for a whole process, written to in one go for the lines of a moment. What a killed process had gathered is
 * lost: a moment's daily lines.
 */
export function gatheredOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true });
  let gathered = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered === '') return;
    output.write(gathered);
    gathered = '';
  };
  process.once('exit', flush);
  return {
    write(line) {
      gathered += line;
      if (gathered.length > GATHER_CHARACTERS || !DAILY.test(line)) flush();
      else timer ??= setTimeout(flush, GATHER_MS).unref();
    },
  };
}
