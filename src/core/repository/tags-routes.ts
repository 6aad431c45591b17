import type { Identity } from '../../git/objects.ts';
import { fail } from '../../platform/errors.ts';
import { pageAnswer, pageOf, pageParams } from '../../platform/http/pagination.ts';
import { nullable, optional, param, params, timestamp, withDefault } from '../../platform/http/params.ts';
import { demandUnmodified } from '../../platform/http/precondition.ts';
import { type Static, Type } from '../../platform/http/schema.ts';
import type { Core, Room } from '../core.ts';
import type { InProject } from '../guards.ts';
import { CommitBasic, commitDate, presentCommit } from './commit-entity.ts';
import { protectedTags } from './protection-store.ts';
import { projectPath } from './reading.ts';
import { isProtectedTag } from './ref-rules.ts';
import { createTag, deleteTag, type FoundTag, findTag, listTags, readTags, TAG_ORDERS } from './tags.ts';

export const TagEntity = Type.Object(
  {
    name: Type.String(),
    message: nullable(Type.String()),
    target: Type.String(),
    commit: nullable(CommitBasic),
    release: Type.Null(),
    protected: Type.Boolean(),
    created_at: nullable(timestamp()),
  },
  { $id: 'Tag' },
);

const tagPath = { ...projectPath, tag_name: param.string({ description: 'Name, URL-encoded.' }) };

/** `/projects/:id/repository/tags` */
export function tagRoutes(room: Room, core: Core): void {
  const reads = core.guards.repository();

  room.get('/projects/:id/repository/tags', {
    summary: 'Tags of a project',
    params: params({
      ...projectPath,
      search: optional(param.string({ description: 'Part of the name; `^` and `$` stand for its ends.' })),
      order_by: withDefault(param.oneOf(TAG_ORDERS), 'updated'),
      sort: withDefault(param.oneOf(['asc', 'desc']), 'desc'),
      ...pageParams,
    }),
    responses: { 200: Type.Array(TagEntity) },
    scopes: ['read_repository'],
    guard: reads,
    handler: async (call) => {
      const { guarded, params, signal } = call;
      const repo = core.repositoryOf(guarded.project);
      const { search, order_by: orderBy, sort } = params;
      const refs = await listTags(repo, { search, orderBy, sort }, signal);
      const page = pageOf(params);
      const tags = await readTags(repo, refs.slice(page.offset, page.offset + page.perPage), signal);
      return pageAnswer(call, page, await presentTags(core, guarded, tags), { total: refs.length });
    },
  });

  room.get('/projects/:id/repository/tags/:tag_name', {
    summary: 'One tag',
    params: params(tagPath),
    responses: { 200: TagEntity },
    scopes: ['read_repository'],
    guard: reads,
    handler: async ({ guarded, params, signal }) => {
      const tag = await findTag(core.repositoryOf(guarded.project), params.tag_name, signal);
      return (await presentTags(core, guarded, [tag]))[0];
    },
  });

  room.get('/projects/:id/repository/tags/:tag_name/signature', {
    summary: 'X.509 signature of a tag; no such signature is verified here, so that there is none to show',
    params: params(tagPath),
    responses: { 200: null },
    guard: reads,
    handler: async ({ guarded, params, signal }) => {
      await findTag(core.repositoryOf(guarded.project), params.tag_name, signal);
      throw fail.notFound('Signature');
    },
  });

  room.post('/projects/:id/repository/tags', {
    summary: 'Create a tag, annotated when it has a message',
    params: params({
      ...projectPath,
      tag_name: param.string(),
      ref: param.string(),
      message: optional(param.string()),
    }),
    responses: { 201: TagEntity },
    guard: core.guards.repository('create_tag'),
    handler: async ({ caller, guarded, params, signal }) => {
      const { tag_name: name, ref, message = null } = params;
      const tag = await createTag(core, caller, guarded, { name, ref, message, signal });
      return (await presentTags(core, guarded, [tag]))[0];
    },
  });

  room.delete('/projects/:id/repository/tags/:tag_name', {
    summary: 'Delete a tag',
    params: params(tagPath),
    responses: { 204: null },
    guard: core.guards.repository('create_tag'),
    handler: async ({ caller, guarded, params, headers }) => {
      const { commit } = await findTag(core.repositoryOf(guarded.project), params.tag_name);
      demandUnmodified(headers, commit?.committer.date ?? null);
      await deleteTag(core, caller, guarded, params.tag_name);
    },
  });
}

async function presentTags(
  core: Core,
  { project }: InProject,
  tags: readonly FoundTag[],
): Promise<Static<typeof TagEntity>[]> {
  const rules = await protectedTags(core.db, project.id);
  const place = { project, baseUrl: core.baseUrl() };
  return tags.map(({ name, oid, annotation, commit }) => ({
    name,
    message: annotation === null ? null : annotation.message.replace(/\n$/, ''),
    target: oid,
    commit: commit && presentCommit(commit, place),
    release: null,
    protected: isProtectedTag(rules, name),
    created_at: taggedAt(annotation?.tagger ?? null),
  }));
}

const taggedAt = (tagger: Identity | null): string | null =>
  tagger && commitDate({ date: tagger.date, offset: '+00:00' }).replace('+00:00', 'Z');
