import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import { findProjectById } from '../../core/projects/store.ts';
import { fail } from '../../platform/errors.ts';
import { param } from '../../platform/http/params.ts';
import {
  isAuthor,
  mayChangeInProject,
  mayChangePersonal,
  mayReadInProject,
  mayReadPersonal,
} from './rights.ts';
import { findProjectSnippet, findSnippet } from './store.ts';
import type { SnippetRow } from './tables.ts';

export const snippetPath = {
  id: param.string({ description: 'Number or URL-encoded path of the project.' }),
  snippet_id: param.integer({ description: 'Number of the snippet.' }),
};

/** A snippet of the guarded project that the caller may read; 404 otherwise. */
export async function findInProject(
  core: Pick<Core, 'db'>,
  caller: Caller,
  { project, access }: InProject,
  id: number,
): Promise<SnippetRow> {
  const snippet = await findProjectSnippet(core.db, project.id, id);
  if (!snippet || !mayReadInProject(snippet, caller, access)) throw fail.notFound('Snippet');
  return snippet;
}

/** The same for one that he may change; 403 where he may only read it. */
export async function findToChangeInProject(
  core: Pick<Core, 'db'>,
  caller: Caller,
  guarded: InProject,
  id: number,
): Promise<SnippetRow> {
  const snippet = await findInProject(core, caller, guarded, id);
  if (!mayChangeInProject(snippet, caller, guarded.access)) throw fail.forbidden();
  return snippet;
}

/** Any snippet that the caller may read, personal or of a project. */
export async function findReadable(core: Core, caller: Caller, id: number): Promise<SnippetRow> {
  const snippet = await findSnippet(core.db, id);
  if (snippet && (await mayRead(core, caller, snippet))) return snippet;
  throw fail.notFound('Snippet');
}

/** As on GitLab only his own are found here; administrators find all. */
export async function findOwn(core: Core, caller: Caller, id: number): Promise<SnippetRow> {
  const snippet = await findSnippet(core.db, id);
  if (!snippet || !(caller.admin || isAuthor(snippet, caller))) throw fail.notFound('Snippet');
  if (!(await mayRead(core, caller, snippet))) throw fail.notFound('Snippet');
  if (!(await mayChange(core, caller, snippet))) throw fail.forbidden();
  return snippet;
}

async function mayRead(core: Core, caller: Caller, snippet: SnippetRow): Promise<boolean> {
  if (snippet.project_id === null) return mayReadPersonal(snippet, caller);
  const access = await accessTo(core, caller, snippet.project_id);
  return access !== null && mayReadInProject(snippet, caller, access);
}

async function mayChange(core: Core, caller: Caller, snippet: SnippetRow): Promise<boolean> {
  if (snippet.project_id === null) return mayChangePersonal(snippet, caller);
  const access = await accessTo(core, caller, snippet.project_id);
  return access !== null && mayChangeInProject(snippet, caller, access);
}

async function accessTo(core: Core, caller: Caller, projectId: number) {
  const project = await findProjectById(core.db, projectId);
  return project ? core.access.project(caller, project) : null;
}
