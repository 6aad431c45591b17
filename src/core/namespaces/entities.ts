import { nullable } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import { avatarUrl } from '../entities.ts';
import type { Namespace } from '../tables.ts';

/** Where a project lives, as it is shown inside the project. */
export const NamespaceBasic = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    path: Type.String(),
    kind: Type.Union([Type.Literal('user'), Type.Literal('group')]),
    full_path: Type.String(),
    parent_id: nullable(Type.Integer()),
    avatar_url: nullable(Type.String()),
    web_url: Type.String(),
  },
  { $id: 'NamespaceBasic' },
);

export function presentNamespaceBasic(namespace: Namespace, baseUrl: string): Static<typeof NamespaceBasic> {
  const { id, name, path, kind, full_path, parent_id, owner_id } = namespace;
  return {
    id,
    name,
    path,
    kind,
    full_path,
    parent_id,
    avatar_url: owner_id === null ? null : avatarUrl({ id: owner_id }, baseUrl),
    web_url: namespaceUrl(namespace, baseUrl),
  };
}

export const namespaceUrl = (
  { kind, full_path: path }: Pick<Namespace, 'kind' | 'full_path'>,
  baseUrl: string,
): string => (kind === 'group' ? `${baseUrl}/groups/${path}` : `${baseUrl}/${path}`);
