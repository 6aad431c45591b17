#!/usr/bin/env node
import { type Config, ConfigError, readConfig } from './config.ts';
import { beginDemoPipeline, demoLines, loadDemo } from './demo.ts';
import { createLog, gatheredOutput, type Log } from './platform/log.ts';
import { openService, type Service } from './service.ts';

const USAGE = `ingot serve [--data DIR] [--port N] [--host H] [--no-demo]
ingot index [--data DIR] [--rebuild]

  --data DIR   where everything is kept (./data)
  --port N     port to listen on (8080)
  --host H     address to listen on (127.0.0.1)
  --no-demo    no demo project on a fresh data folder

index brings the code index up to date, or shows how far a running service is with it
  --rebuild    begins with an empty index

docs/configuration.md lists the environment variables.`;

const [command, ...rest] = process.argv.slice(2);

if (rest.includes('--help')) console.log(USAGE);
else if (command === 'serve') await serve(rest);
else if (command === 'index') await index(rest);
else {
  console.log(USAGE);
  process.exitCode = command === undefined || command === 'help' || command === '--help' ? 0 : 2;
}

async function serve(argv: string[]): Promise<void> {
  const config = readOrExit(argv);
  const log = createLog(config.logLevel, gatheredOutput());
  const service = await openService({ ...config, log });
  stopOnSignals(service.close, (error) => log.error({ err: error }, 'did not stop cleanly'));
  const url = await service.listen({ host: config.host, port: config.port });
  log.info({ url }, 'listening');
  if (service.rootToken !== null) await welcome(service, { url, config, log });
}

/** Ends with 0 when everything is indexed. */
async function index(argv: string[]): Promise<void> {
  const config = readOrExit(argv.filter((argument) => argument !== '--rebuild'));
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const { CannotIndex, runIndexCommand } = await import('./index-command.ts');
  try {
    const rebuild = argv.includes('--rebuild');
    const complete = await runIndexCommand(config, { rebuild, out: process.stdout, signal: stop.signal });
    process.exitCode = complete ? 0 : 1;
  } catch (error) {
    if (!(error instanceof CannotIndex)) throw error;
    console.error(`ingot: ${error.message}`);
    process.exitCode = 2;
  }
}

/** Only on a fresh database: the one time that the first token can be read. One that the operator chose he knows already. */
async function welcome(
  { core, server, rootToken }: Service,
  { url, config, log }: { url: string; config: Config; log: Log },
): Promise<void> {
  const isChosen = config.rootToken !== undefined;
  const line = isChosen
    ? 'The token of root is that of INGOT_ROOT_TOKEN'
    : `Token of root, shown this once: ${rootToken}`;
  console.log(`\nIngot listens on ${url}\n${line}\n`);
  if (!config.demo || rootToken === null) return;
  try {
    const loaded = await loadDemo(core);
    if (loaded) await beginDemoPipeline(server, loaded, rootToken);
    if (loaded) console.log(`${demoLines(loaded, url, isChosen ? '$INGOT_ROOT_TOKEN' : rootToken)}\n`);
  } catch (error) {
    log.warn({ err: error }, 'the demo project could not be made');
  }
}

function readOrExit(argv: string[]) {
  try {
    return readConfig(argv, process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`ingot: ${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** The first SIGTERM or SIGINT lets what runs end and exits 0; a second one ends at once. */
function stopOnSignals(close: () => Promise<void>, report: (error: unknown) => void): void {
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(130);
    stopping = true;
    close().then(
      () => process.exit(0),
      (error: unknown) => {
        report(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
