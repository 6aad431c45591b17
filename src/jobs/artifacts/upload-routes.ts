import type { Core, CoreApi } from '../../core/core.ts';
import { secondsOrNever } from '../../platform/duration.ts';
import { fail } from '../../platform/errors.ts';
import { Answer, Bytes } from '../../platform/http/answer.ts';
import { coerceParams } from '../../platform/http/coerce.ts';
import { readFormWithFile } from '../../platform/http/multipart.ts';
import { optional, param, params, withDefault } from '../../platform/http/params.ts';
import type { Static } from '../../platform/http/schema.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { readDefinition } from '../creation/stored-definition.ts';
import { findDefinition } from '../processing/store.ts';
import type { AuthenticateJob } from '../runners/authenticate-job.ts';
import type { RunnersJob } from '../runners/job-runs-store.ts';
import { FILE_FORMATS, FILE_TYPES, formatOf } from './file-types.ts';
import { byteLimit } from './limits.ts';
import { MetadataWriter } from './metadata.ts';
import { doomArtifact } from './store.ts';
import { acceptFile, receiveFile, refuseLarge, tooLarge, type UploadFacts } from './upload.ts';

/** The other parts of a form, and what a sender may be wrong by in the length that it announces. */
const FORM_BYTES = 1024 * 1024;

const uploadParams = params({
  id: param.integer(),
  token: optional(param.string({ description: 'Of the job; `JOB-TOKEN` as a header.' })),
  expire_in: optional(param.string({ description: 'A duration: `1 week`, `never`.' })),
  artifact_type: withDefault(param.oneOf(FILE_TYPES.filter((type) => type !== 'trace')), 'archive'),
  artifact_format: optional(param.oneOf(FILE_FORMATS)),
  accessibility: optional(param.oneOf(['public', 'private'])),
});

interface Parts {
  core: Core;
  objects: ObjectStore;
  authenticateJob: AuthenticateJob;
}

/** `POST /jobs/:id/artifacts`: how a runner hands over what a job has made. */
export function uploadRoutes(api: CoreApi, { core, objects, authenticateJob }: Parts): void {
  const routes = api.open('runners');
  const deps = { ...core, objects, metadata: new MetadataWriter({ ...core, objects }) };
  const limitOf = (job: RunnersJob) => byteLimit(core, job.project_id, 'max_artifacts_size');

  routes.post('/jobs/:id/artifacts', {
    summary: 'Upload an archive or a report of a running job',
    description: 'A form with the part `file`; the other values may stand in the query or in the form.',
    params: uploadParams,
    responses: { 201: null },
    ownBody: true,
    handler: async (call) => {
      const job = await authenticateJob(call, call.params.id);
      const maxBytes = await limitOf(job);
      const announced = Number(call.headers['content-length'] ?? 0);
      if (announced > maxBytes + FORM_BYTES) throw await refuseLarge(core.db, job, maxBytes);
      if (!isForm(call.headers['content-type'])) throw fail.params('file is missing');
      const { fields, stored: arrived } = await readFormWithFile(call.incoming, 'file', {
        store: (file, filename) =>
          receiveFile(deps, job, { file, filename: filename.slice(0, 255) || 'artifacts.zip', maxBytes }),
        discard: ({ row }) => doomArtifact(core.db, row.id),
      });
      if (!arrived) throw fail.params('file is missing');
      await acceptFile(deps, job, arrived, () => factsOf(core, job, { ...fields, ...call.raw }));
      return new Answer(201, new Bytes(Buffer.from('201')), { 'content-type': 'text/plain' });
    },
  });

  routes.post('/jobs/:id/artifacts/authorize', {
    summary: 'Ask whether an upload would be taken',
    params: params({
      id: param.integer(),
      token: optional(param.string()),
      filesize: optional(param.integer({ minimum: 0 })),
      artifact_type: withDefault(param.oneOf(FILE_TYPES), 'archive'),
    }),
    responses: { 200: null },
    handler: async (call) => {
      const job = await authenticateJob(call, call.params.id);
      const maxBytes = await limitOf(job);
      if ((call.params.filesize ?? 0) > maxBytes) throw tooLarge(maxBytes);
      const body = Buffer.from(JSON.stringify({ MaximumSize: maxBytes }));
      return new Answer(200, new Bytes(body), { 'content-type': 'application/vnd.gitlab-workhorse+json' });
    },
  });
}

/** Any other body has no parts, so that none of them is the file. */
const isForm = (type: string | undefined): boolean => /^\s*multipart\/form-data\b/i.test(type ?? '');

/** Throws 400 for words that are none, and for a kind that is never packed so. */
async function factsOf(core: Core, job: RunnersJob, raw: Record<string, unknown>): Promise<UploadFacts> {
  const given = coerceParams(uploadParams, raw) as Static<typeof uploadParams>;
  const fileType = given.artifact_type as UploadFacts['fileType'];
  const fileFormat = given.artifact_format ?? (fileType === 'archive' ? 'zip' : formatOf(fileType));
  if (fileFormat !== formatOf(fileType)) {
    throw fail.refused('Invalid file format with specified file type');
  }
  const orders = await findDefinition(core.db, job.id);
  const configured = orders ? readDefinition(orders).artifacts?.access : undefined;
  return {
    fileType,
    fileFormat,
    access: given.accessibility === 'private' ? 'developer' : (configured ?? 'all'),
    expireAt: await expiryOf(core, given.expire_in),
  };
}

/** What says nothing, or nothing that can be read, goes when the instance says so. */
async function expiryOf(
  { settings, clock }: Core,
  expireIn: string | null | undefined,
): Promise<number | null> {
  const given = expireIn ? secondsOrNever(expireIn) : undefined;
  const seconds =
    given === undefined ? secondsOrNever(await settings.get('default_artifacts_expire_in')) : given;
  return seconds ? clock.now() + seconds * 1000 : null;
}
