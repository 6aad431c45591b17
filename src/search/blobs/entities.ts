import { Type } from '../../platform/http/schema.ts';

const blobFields = {
  basename: Type.String({ description: 'The path without its last extension.' }),
  data: Type.String({
    description: 'Matching lines with two around them, or the beginning of a file found by name.',
  }),
  path: Type.String(),
  filename: Type.String({ description: 'The same as `path`.' }),
  /** GitLab gives the blob's id for hits by name; the contract of this service says null, and wins. */
  id: Type.Null(),
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
  id: null;
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
  ref: string;
  projectId: number;
}

export function presentBlob({ path, data, startLine, ref, projectId }: FoundBlob): Blob {
  return {
    basename: withoutExtension(path),
    data,
    path,
    filename: path,
    id: null,
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
