import { nullable, params } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import type { CoreApi } from '../core.ts';
import { GITLAB_VERSION, ingotVersion } from './version.ts';

const versionFields = {
  version: Type.String({ description: 'The GitLab version whose API this speaks.' }),
  revision: Type.String({ description: 'The version of Ingot.' }),
};

const Version = Type.Object(versionFields, { $id: 'Version' });

const Metadata = Type.Object(
  {
    ...versionFields,
    kas: Type.Object({
      enabled: Type.Boolean(),
      externalUrl: nullable(Type.String()),
      externalK8sProxyUrl: nullable(Type.String()),
      version: nullable(Type.String()),
    }),
    enterprise: Type.Boolean(),
  },
  { $id: 'Metadata' },
);

/** What clients ask first, to know whom they talk to. */
export function metaRoutes(api: CoreApi): void {
  const room = api.room('metadata');
  const version = { version: GITLAB_VERSION, revision: ingotVersion };

  room.get('/version', {
    summary: 'Which GitLab API version this service speaks',
    params: params({}),
    responses: { 200: Version },
    scopes: ['read_user'],
    handler: async () => version,
  });

  room.get('/metadata', {
    summary: 'The same, with what GitLab says of its optional parts',
    params: params({}),
    responses: { 200: Metadata },
    scopes: ['read_user'],
    handler: async () => ({
      ...version,
      kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
      enterprise: false,
    }),
  });
}
