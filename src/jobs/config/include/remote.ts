import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { howAllowed, type RemoteHost, remoteHosts } from '../../../core/settings/remote-hosts.ts';
import type { Settings } from '../../../core/settings/settings.ts';
import { ConfigError } from '../merge/config-error.ts';
import { MAX_BYTES } from '../yaml/read.ts';
import { isPublicAddress, NotPublic, publicLookup } from './public-address.ts';

/** From the first step to the last byte. */
const TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 5;

/** Why there is no text, as the end of a sentence. */
class Unreached extends Error {
  override name = 'Unreached';
}

/**
 * The text at an address, if the administrators let it be fetched (`ci_remote_include_hosts`): over https from public addresses, or from
 * an origin that they name. Each redirect is an address like the first one. Nothing of the service is sent along.
 * Throws ConfigError, which shows `written` and not what variables have made of it.
 */
export async function fetchRemote(
  settings: Pick<Settings, 'get'>,
  { url, written = url, timeoutMs = TIMEOUT_MS }: { url: string; written?: string; timeoutMs?: number },
): Promise<string> {
  const hosts = remoteHosts(await settings.get('ci_remote_include_hosts')) ?? [];
  if (hosts.length === 0) throw unreached(written, 'because remote files are not allowed here');
  const first = addressOf(url);
  if (!first) throw new ConfigError(`Remote file \`${written}\` does not have a valid address!`);
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await follow(first, { hosts, signal });
  } catch (error) {
    if (error instanceof Unreached) throw unreached(written, error.message);
    if (signal.aborted) throw unreached(written, 'because of a timeout error!');
    if (error instanceof NotPublic) throw unreached(written, BLOCKED);
    // what the network says of it may tell of what is behind it
    throw unreached(written, 'because of a socket error!');
  }
}

const BLOCKED = 'because its address is blocked: requests to the local network are not allowed';

const unreached = (written: string, why: string) =>
  new ConfigError(`Remote file \`${written}\` could not be fetched ${why}`);

function addressOf(text: string): URL | null {
  const url = URL.parse(text);
  const isFetched = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isFetched && url.username === '' && url.password === '' ? url : null;
}

interface Bounds {
  hosts: readonly RemoteHost[];
  signal: AbortSignal;
}

async function follow(first: URL, bounds: Bounds): Promise<string> {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await ask(url, bounds);
    const { statusCode = 0, headers } = answer;
    if (statusCode === 200) return textOf(answer);
    answer.destroy();
    const isRedirect = [301, 302, 303, 307, 308].includes(statusCode) && headers.location !== undefined;
    if (!isRedirect) throw new Unreached(`because of HTTP code \`${statusCode}\` error!`);
    const next = addressOf(URL.parse(headers.location!, url)?.href ?? '');
    if (!next) throw new Unreached('because it leads to no valid address');
    url = next;
  }
  throw new Unreached('because of too many redirects');
}

function ask(url: URL, { hosts, signal }: Bounds): Promise<IncomingMessage> {
  const allowed = howAllowed(url, hosts);
  if (allowed === null) throw new Unreached('because its host is not allowed here');
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  // an address in numbers is connected to without being looked up
  if (allowed === 'public' && isIP(literal) && !isPublicAddress(literal)) throw new NotPublic();
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const options = {
      agent: false,
      headers: { 'user-agent': 'ingot', accept: '*/*' },
      signal,
      ...(allowed === 'public' && { lookup: publicLookup }),
    } as const;
    send(url, options, resolve).on('error', reject).end();
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += (chunk as Buffer).length;
    if (size > MAX_BYTES) throw new Unreached('because it is too big');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
