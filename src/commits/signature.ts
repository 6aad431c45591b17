import type { Core, Room } from '../core/core.ts';
import { readSignature } from '../git/objects.ts';
import { fail } from '../platform/errors.ts';
import { nullable, params } from '../platform/http/params.ts';
import { type Static, Type } from '../platform/http/schema.ts';
import { commitPath, findCommit } from './find.ts';
import { pgpIssuer } from './pgp-issuer.ts';

const common = { verification_status: Type.String(), commit_source: Type.String() };

const CommitSignature = Type.Union(
  [
    Type.Object({
      signature_type: Type.Literal('PGP'),
      ...common,
      gpg_key_id: Type.Null(),
      gpg_key_primary_keyid: nullable(Type.String()),
      gpg_key_user_name: Type.Null(),
      gpg_key_user_email: Type.Null(),
      gpg_key_subkey_id: Type.Null(),
    }),
    Type.Object({ signature_type: Type.Literal('SSH'), ...common, key: Type.Null() }),
    Type.Object({ signature_type: Type.Literal('X509'), ...common, x509_certificate: Type.Null() }),
  ],
  { $id: 'CommitSignature' },
);

/** `GET /projects/:id/repository/commits/:sha/signature` */
export function signatureRoute(room: Room, core: Core): void {
  room.get('/projects/:id/repository/commits/:sha/signature', {
    summary: 'Show by what a commit is signed',
    description: 'The service keeps no keys of its users, so a signature is recognised but never verified.',
    params: params(commitPath),
    responses: { 200: CommitSignature },
    guard: core.guards.repository(),
    async handler(call) {
      const { repo, oid } = await findCommit(core, call.guarded.project, call);
      const signed = await readSignature(repo, oid, call.signal);
      const shown = signed && presentSignature(signed.signature);
      if (!shown) throw fail.notFound('Signature');
      return shown;
    },
  });
}

/** GitLab's answer for a key or certificate that it does not know; null for an armour that it does not know either. */
export function presentSignature(armour: string): Static<typeof CommitSignature> | null {
  const unknown = { verification_status: 'unknown_key', commit_source: 'gitaly' };
  if (armour.startsWith('-----BEGIN SSH SIGNATURE-----')) {
    return { signature_type: 'SSH', ...unknown, key: null };
  }
  if (armour.startsWith('-----BEGIN SIGNED MESSAGE-----')) {
    const unverified = { ...unknown, verification_status: 'unverified' };
    return { signature_type: 'X509', ...unverified, x509_certificate: null };
  }
  if (!/^-----BEGIN PGP (?:SIGNATURE|MESSAGE)-----/.test(armour)) return null;
  return {
    signature_type: 'PGP',
    ...unknown,
    gpg_key_id: null,
    gpg_key_primary_keyid: pgpIssuer(armour),
    gpg_key_user_name: null,
    gpg_key_user_email: null,
    gpg_key_subkey_id: null,
  };
}
