import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkTree } from '../git/testing.ts';
import { pgpIssuer } from './pgp-issuer.ts';
import { presentSignature } from './signature.ts';
import { type Forge, openForge, type TestProject } from './testing.ts';

/** Made by gpg with a throw-away Ed25519 key whose id ends in 863C284F896EE55F. */
const PGP = `-----BEGIN PGP SIGNATURE-----

iIYEABYIAC4WIQTFoR9YwjwDTToJ97WGPChPiW7lXwUCawGZlRAcYW5uQGV4YW1w
bGUuY29tAAoJEIY8KE+JbuVfSxQA/2SDiNybPNaM6w1xiSgnbh2DO0W7CFBPuKDg
D1bZ1OLTAQChSwkOkYxzJhNvYsViF4TN6OxAzihA0ze+1g/UImdyBw==
=5qUD
-----END PGP SIGNATURE-----`;

const SSH = `-----BEGIN SSH SIGNATURE-----
U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgNwcdDMoboAlcsgeDqBkGq2hBdu
-----END SSH SIGNATURE-----`;

const X509 = '-----BEGIN SIGNED MESSAGE-----\nMIIB\n-----END SIGNED MESSAGE-----';

describe('GET commits/:sha/signature', () => {
  let forge: Forge;
  let work: WorkTree;
  let target: TestProject;
  const signed: Record<string, string> = {};

  before(async () => {
    forge = await openForge();
    work = await forge.workTree();
    await work.save({ a: 'a' }, 'Unsigned');
    for (const [name, armour] of Object.entries({ PGP, SSH, X509, odd: 'nonsense' })) {
      signed[name] = await commitWith(armour);
    }
    target = await forge.project({ work });
  });
  after(() => forge[Symbol.asyncDispose]());

  async function commitWith(armour: string): Promise<string> {
    const plain = (await work.run(['cat-file', 'commit', 'HEAD'])).toString();
    const header = `gpgsig ${armour.replaceAll('\n', '\n ')}`;
    const input = plain.replace('\n\n', `\n${header}\n\n`);
    const id = (await work.run(['hash-object', '-t', 'commit', '-w', '--stdin'], { input }))
      .toString()
      .trim();
    await work.git('branch', `signed-${id}`, id);
    return id;
  }

  const read = (name: string) => target.commits('GET', `/${name}/signature`);

  it('names the key of a PGP signature', async () => {
    const { status, body } = await read(signed['PGP'] ?? '');
    assert.equal(status, 200);
    assert.deepEqual(body, {
      signature_type: 'PGP',
      verification_status: 'unknown_key',
      commit_source: 'gitaly',
      gpg_key_id: null,
      gpg_key_primary_keyid: '863C284F896EE55F',
      gpg_key_user_name: null,
      gpg_key_user_email: null,
      gpg_key_subkey_id: null,
    });
  });

  it('tells SSH and X.509 signatures', async () => {
    const ssh = (await read(signed['SSH'] ?? '')).body;
    assert.deepEqual([ssh.signature_type, ssh.verification_status, ssh.key], ['SSH', 'unknown_key', null]);
    const x509 = (await read(signed['X509'] ?? '')).body;
    assert.deepEqual([x509.signature_type, x509.verification_status], ['X509', 'unverified']);
  });

  it('answers 404 in different words for an unsigned commit and for none', async () => {
    for (const name of ['main', signed['odd'] ?? '']) {
      const { status, body } = await read(name);
      assert.deepEqual([status, body], [404, { message: '404 Signature Not Found' }]);
    }
    const { status, body } = await read('nowhere');
    assert.deepEqual([status, body], [404, { message: '404 Commit Not Found' }]);
  });
});

describe('the issuer of a PGP signature', () => {
  const armoured = (bytes: Buffer) =>
    `-----BEGIN PGP SIGNATURE-----\n\n${bytes.toString('base64')}\n-----END PGP SIGNATURE-----`;

  it('is found behind old and new packet headers', () => {
    const bytes = Buffer.from(/\n\n([^=]+)=*\n=/.exec(PGP)?.[1] ?? '', 'base64');
    assert.equal(pgpIssuer(armoured(bytes)), '863C284F896EE55F');
    const modern = Buffer.concat([Buffer.from([0xc2, bytes[1] ?? 0]), bytes.subarray(2)]);
    assert.equal(pgpIssuer(armoured(modern)), '863C284F896EE55F');
  });

  it('is null for whatever is broken, at any length', () => {
    const bytes = Buffer.from(/\n\n([^=]+)=*\n=/.exec(PGP)?.[1] ?? '', 'base64');
    for (let length = 0; length < 30; length++)
      assert.equal(pgpIssuer(armoured(bytes.subarray(0, length))), null);
    for (let at = 0; at < bytes.length; at++) {
      const broken = Buffer.from(bytes);
      broken[at] = 0xff;
      const issuer = pgpIssuer(armoured(broken));
      assert.ok(issuer === null || /^[0-9A-F]{16}$/.test(issuer), `${at}: ${issuer}`);
    }
    for (const text of ['', '-----BEGIN PGP SIGNATURE-----', armoured(Buffer.from('hello'))]) {
      assert.equal(pgpIssuer(text), null);
    }
  });

  it('leaves an armour of another kind alone', () =>
    assert.equal(presentSignature('-----BEGIN X-----'), null));
});
