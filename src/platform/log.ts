import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;

/** Structured lines on standard output. Request lines carry id, user, route, status and duration, never a URL's query, a header or a body. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return destination ? pino(options, destination) : pino(options);
}
