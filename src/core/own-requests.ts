import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OWN_NAME } from '../platform/http/request.ts';
import type { Caller } from './caller.ts';
import type { User } from './tables.ts';
import type { Authenticator } from './tokens/authenticate.ts';
import type { TokenFacts } from './tokens/lookup-store.ts';
import { ghostUser } from './users/ghost.ts';

/** Like the ghost it has no row: what is counted by user counts against nobody. */
const ITSELF: User = { ...ghostUser, username: OWN_NAME, name: 'Ingot', is_admin: 1 };

const CALLER: Caller = {
  user: ITSELF,
  admin: true,
  scopes: new Set(['read_api']),
  tokenId: null,
  job: null,
};

export const isItself = ({ user }: Pick<Caller, 'user'>): boolean => user === ITSELF;

/**
 * Requests that the service makes of itself by its front door, as those do who come next: what they go through is compiled then. They may
 * read everything, by a token that only this process knows. They are in no log, and are not counted.
 */
export class OwnRequests {
  readonly #authenticator: Authenticator;
  readonly #address: Promise<AddressInfo>;
  readonly #secret = randomBytes(32).toString('base64url');
  readonly #token: TokenFacts = { id: 0, scopes: '', revoked: 0, expires_at: null, last_used_at: null };
  readonly #agent = new Agent({ keepAlive: true });

  /** @param address where the service listens, once it does */
  constructor(authenticator: Authenticator, address: Promise<AddressInfo>) {
    this.#authenticator = authenticator;
    this.#address = address;
  }

  /** The status of the answer, when it has come to its end. */
  async get(path: string, signal: AbortSignal): Promise<number> {
    const { address, port } = await this.#address;
    this.#authenticator.admit(this.#secret, { token: this.#token, caller: CALLER });
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          host: reachable(address),
          port,
          path: `/api/v4${path}`,
          agent: this.#agent,
          headers: { 'private-token': this.#secret },
          signal,
        },
        (answer) => {
          answer.resume();
          answer.once('error', reject);
          answer.once('end', () => resolve(answer.statusCode ?? 0));
        },
      );
      asked.once('error', reject);
      asked.end();
    });
  }

  /** The token is no longer one. */
  close(): void {
    this.#token.revoked = 1;
    this.#agent.destroy();
  }
}

/** Listening at every address it can be reached at its own. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  return address === '::' ? '::1' : address;
}
