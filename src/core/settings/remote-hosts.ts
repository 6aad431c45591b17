/** One word of a list of hosts: those at public addresses over https, or one origin as it is written, wherever it is. */
export interface RemoteHost {
  /** `*` any, `*.example.com` those below, else one. null: `origin` says it. */
  host: string | null;
  /** `http://10.0.0.5:8080`. */
  origin: string | null;
}

/** What a list says, its words divided by spaces or commas; null where one of them is no host. */
export function remoteHosts(list: string): RemoteHost[] | null {
  const words = list.split(/[\s,]+/).filter((word) => word !== '');
  const hosts = words.map(hostOf);
  return hosts.every((host) => host !== null) ? hosts : null;
}

function hostOf(word: string): RemoteHost | null {
  if (/^https?:\/\//i.test(word)) {
    const url = URL.parse(word);
    const isOrigin = url !== null && `${url.origin}/` === url.href;
    return isOrigin ? { host: null, origin: url.origin } : null;
  }
  return /^(?:\*|(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)$/i.test(word)
    ? { host: word.toLowerCase(), origin: null }
    : null;
}

/** How the address may be fetched: `any` from wherever it leads, `public` from public addresses only; null: not at all. */
export function howAllowed(url: URL, hosts: readonly RemoteHost[]): 'any' | 'public' | null {
  if (hosts.some(({ origin }) => origin === url.origin)) return 'any';
  const isPlain = url.protocol === 'https:' && url.port === '';
  return isPlain && hosts.some(({ host }) => host !== null && fits(url.hostname, host)) ? 'public' : null;
}

function fits(hostname: string, host: string): boolean {
  if (host === '*') return true;
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;
}
