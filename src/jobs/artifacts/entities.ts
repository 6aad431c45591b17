import { nullable } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { ArtifactRow } from './tables.ts';

/** What a job shows of the files that it stored. */

export const ArtifactEntry = Type.Object(
  {
    file_type: Type.String(),
    size: Type.Integer(),
    filename: Type.String(),
    file_format: nullable(Type.String()),
  },
  { $id: 'JobArtifact' },
);

export const ArtifactsFile = Type.Object(
  { filename: Type.String(), size: Type.Integer() },
  { $id: 'JobArtifactsFile' },
);

export interface JobFiles {
  artifacts: Static<typeof ArtifactEntry>[];
  /** Only while there is an archive that has not expired. */
  artifacts_file?: Static<typeof ArtifactsFile>;
}

/** From the rows of `artifactsOf`. */
export function presentFiles(rows: readonly ArtifactRow[], now: number): JobFiles {
  const archive = rows.find((row) => row.file_type === 'archive' && !isExpired(row, now));
  const artifacts = rows.map(({ file_type, size, filename, file_format }) => ({
    file_type,
    size,
    filename,
    file_format,
  }));
  if (!archive) return { artifacts };
  return { artifacts, artifacts_file: { filename: archive.filename, size: archive.size } };
}

export const isExpired = ({ expire_at }: Pick<ArtifactRow, 'expire_at'>, now: number): boolean =>
  expire_at !== null && expire_at <= now;
