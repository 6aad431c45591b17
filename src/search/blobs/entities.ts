import { Type } from 'typebox';
import { nullable } from '../../platform/http/params.ts';

const blobFields = {
  basename: Type.String({ description: 'The path without its last extension.' }),
  data: Type.String({
    description: 'Matching lines with two around them, or the beginning of a file found by name.',
  }),
  path: Type.String(),
  filename: Type.String({ description: 'The same as `path`.' }),
  id: nullable(
    Type.String({ description: 'Of the blob, where its name matched; null where its contents did.' }),
  ),
  ref: Type.String(),
  startline: Type.Integer({ description: 'Number of the first line of `data`.' }),
  project_id: Type.Integer(),
};

export const BlobEntity = Type.Object(blobFields, { $id: 'SearchBlob' });

export const WikiBlobEntity = Type.Object(
  {
    ...blobFields,
    group_id: Type.Null({ description: 'Of the group for a wiki of a group, which there is none of.' }),
  },
  { $id: 'SearchWikiBlob' },
);

export interface Blob {
  basename: string;
  data: string;
  path: string;
  filename: string;
  id: string | null;
  ref: string;
  startline: number;
  project_id: number;
}

export interface WikiBlob extends Blob {
  group_id: null;
}

/** A hit as it leaves the service. */
export interface FoundBlob {
  path: string;
  data: string;
  startLine: number;
  /** Object id for a hit by name. */
  blob: string | null;
  ref: string;
  projectId: number;
}

export function presentBlob({ path, data, startLine, blob, ref, projectId }: FoundBlob): Blob {
  return {
    basename: withoutExtension(path),
    data,
    path,
    filename: path,
    id: blob,
    ref,
    startline: startLine,
    project_id: projectId,
  };
}

export const presentWikiBlob = (found: FoundBlob): WikiBlob => ({ ...presentBlob(found), group_id: null });

/** `a/b.tar.gz` to `a/b.tar`; the dot of `.gitignore` begins no extension. */
function withoutExtension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const bare = name.replace(/^\.+/, '');
  const dot = bare.lastIndexOf('.');
  return dot <= 0 ? path : path.slice(0, path.length - bare.length + dot);
}
