import type { ProjectAbility } from '../../core/access/abilities.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { InProject } from '../../core/guards.ts';
import { fail } from '../../platform/errors.ts';
import { findByIid as findIssueByIid, issuePath } from '../issues/find.ts';
import { mergeRequestPath } from '../merge-requests/find.ts';
import { findMergeRequest } from '../merge-requests/store.ts';
import { findInProject as findSnippetIn, snippetPath } from '../snippets/find.ts';
import type { MergeRequestRow } from '../tables.ts';
import type { NumberedNoteable } from './noteable.ts';

/**
 * Issues, merge requests and snippets are talked about, reacted to and worked on in the same way. This table says how a route
 * names each of them, who may read it and how it is found; the routes of notes, reactions and time are made from it.
 */

/** What a route is about, as its caller found it. */
export interface Target extends InProject {
  noteable: NumberedNoteable;
  authorId: number | null;
  /** Only members may talk. */
  locked: boolean;
}

export interface MergeRequestTarget extends Target {
  row: MergeRequestRow;
}

/** As much of a call as it takes to find its target. */
export interface TargetCall {
  caller: Caller;
  guarded: InProject;
  params: object;
}

export interface TargetKind<T extends Target = Target> {
  type: NumberedNoteable['type'];
  /** For the summaries: `an issue`. */
  noun: string;
  path: string;
  /** The parameters of `path`. Types know of `id` alone: the number is named differently in each kind, and `find` reads it. */
  params: Pick<typeof mergeRequestPath, 'id'>;
  reads: ProjectAbility;
  /** Throws 404 for what is not there, or not for this caller. */
  find(core: Core, call: TargetCall): Promise<T>;
}

export const mergeRequests: TargetKind<MergeRequestTarget> = {
  type: 'MergeRequest',
  noun: 'a merge request',
  path: '/projects/:id/merge_requests/:merge_request_iid',
  params: mergeRequestPath,
  reads: 'read_merge_request',
  async find(core, { guarded, params }) {
    const row = await findMergeRequest(core.db, guarded.project.id, numberIn(params, 'merge_request_iid'));
    if (!row) throw fail.recordNotFound();
    const { id, iid, project_id: projectId, author_id: authorId } = row;
    const noteable = { projectId, type: 'MergeRequest', id, iid } as const;
    return { ...guarded, noteable, authorId, locked: row.discussion_locked === 1, row };
  },
};

export const issues: TargetKind = {
  type: 'Issue',
  noun: 'an issue',
  path: '/projects/:id/issues/:issue_iid',
  params: issuePath,
  reads: 'read_issue',
  async find(core, { guarded, params }) {
    const row = await findIssueByIid(core, guarded, numberIn(params, 'issue_iid'));
    const { id, iid, project_id: projectId, author_id: authorId } = row;
    const noteable = { projectId, type: 'Issue', id, iid } as const;
    return { ...guarded, noteable, authorId, locked: row.discussion_locked === 1 };
  },
};

export const snippets: TargetKind = {
  type: 'Snippet',
  noun: 'a snippet of a project',
  path: '/projects/:id/snippets/:snippet_id',
  params: snippetPath,
  reads: 'read_snippet',
  async find(core, { caller, guarded, params }) {
    const row = await findSnippetIn(core, caller, guarded, numberIn(params, 'snippet_id'));
    const noteable = { projectId: guarded.project.id, type: 'Snippet', id: row.id, iid: null } as const;
    return { ...guarded, noteable, authorId: row.author_id, locked: false };
  },
};

/** All that can be talked about. */
export const kinds: readonly TargetKind[] = [issues, mergeRequests, snippets];

const numberIn = (params: object, name: string): number => (params as Record<string, number>)[name] ?? 0;
