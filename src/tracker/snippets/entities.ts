import { UserBasic } from '../../core/entities.ts';
import { nullable, timestamp } from '../../platform/http/params.ts';
import { type Static, Type } from '../../platform/http/schema.ts';

export const SnippetEntity = Type.Object(
  {
    id: Type.Integer(),
    title: Type.String(),
    file_name: Type.String(),
    description: nullable(Type.String()),
    visibility: Type.String(),
    imported: Type.Boolean(),
    imported_from: Type.String(),
    author: UserBasic,
    created_at: timestamp(),
    updated_at: timestamp(),
    project_id: nullable(Type.Integer()),
    web_url: Type.String(),
    raw_url: Type.String(),
    ssh_url_to_repo: Type.Null({
      description: 'Files of snippets are kept in the database, not in a repository.',
    }),
    http_url_to_repo: Type.Null(),
    files: Type.Array(Type.Object({ path: Type.String(), raw_url: Type.String() })),
  },
  { $id: 'Snippet' },
);

export type SnippetAnswer = Static<typeof SnippetEntity>;

export const UserAgentDetail = Type.Object(
  { user_agent: Type.String(), ip_address: Type.String(), akismet_submitted: Type.Boolean() },
  { $id: 'UserAgentDetail' },
);
