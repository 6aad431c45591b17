import { commitFields } from '../../core/repository/commit-entity.ts';
import { nullable } from '../../platform/http/params.ts';
import { Type } from '../../platform/http/schema.ts';
import { ForeignEntity } from '../../tracker/merge-requests/ports.ts';

/** A commit in detail, without `stats`. */
export const CommitFound = Type.Object(
  {
    ...commitFields,
    project_id: Type.Integer(),
    status: nullable(Type.String()),
    last_pipeline: nullable(ForeignEntity),
  },
  { $id: 'SearchCommit' },
);
